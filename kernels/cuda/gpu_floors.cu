// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/gpu_floors.h"

#include <algorithm>
#include <vector>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/kernel_case.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/stopwatch.h"

namespace pitwall::cuda {

namespace {

constexpr std::int64_t kBytes = std::int64_t{4} << 30;
constexpr int kThreads = 512;
constexpr int kSide = 8192;
constexpr int kChain = 1000;

__global__ void __launch_bounds__(kThreads) read_all(const uint4* from, std::int64_t count, unsigned* out) {
  unsigned sum = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const uint4 piece = load_once(from + i + part * step);
      sum += piece.x ^ piece.y ^ piece.z ^ piece.w;
    }
  }
  for (; i < count; i += step) {
    const uint4 piece = load_once(from + i);
    sum += piece.x ^ piece.y ^ piece.z ^ piece.w;
  }
  if (sum == 0xDEADBEEFu) *out = sum;  // never true for the fill below; keeps the loads
}

__global__ void __launch_bounds__(kThreads) copy_all(const uint4* from, uint4* to, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += step)
    to[i] = load_once(from + i);
}

__global__ void fill_random(unsigned* to, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned bits = static_cast<unsigned>(i) * 2654435761u;
    bits ^= bits >> 15;
    bits *= 0x85EBCA6Bu;
    bits ^= bits >> 13;
    // Two bf16 numbers between ±1 and ±2.
    to[i] = (bits & 0x807F807Fu) | 0x3F803F80u;
  }
}

__global__ void do_nothing() {
  wait_for_kernel_ahead();
  let_next_kernel_start();
}

}  // namespace

Result<GpuFloors> measure_gpu_floors(const CudaDevice& device) {
  CaseMemory memory;
  auto* first = static_cast<std::byte*>(memory.take(kBytes));
  auto* second = static_cast<std::byte*>(memory.take(kBytes));
  auto* out = static_cast<unsigned*>(memory.take(sizeof(unsigned)));
  const Bytes workspace_bytes = Bytes{32} << 20;
  void* workspace = memory.take(static_cast<std::size_t>(workspace_bytes));
  if (!memory.state()) return memory.state().error();
  const auto grid = static_cast<unsigned>(device.multiprocessors * 4);
  const std::int64_t count = kBytes / 16;
  Stopwatch watch;
  fill_random<<<grid, kThreads>>>(reinterpret_cast<unsigned*>(first), kBytes / 4);
  fill_random<<<grid, kThreads>>>(reinterpret_cast<unsigned*>(second), kBytes / 4);

  GpuFloors floors;
  floors.device = device.name;
  const double read = watch.median_us(5, 4, [&](int, cudaStream_t stream) {
    launch(read_all, dim3(grid), dim3(kThreads), 0, stream, reinterpret_cast<const uint4*>(first), count,
           out);
  });
  floors.read_gbps = static_cast<double>(kBytes) / read / 1e3;
  const double copied = watch.median_us(5, 4, [&](int, cudaStream_t stream) {
    launch(copy_all, dim3(grid), dim3(kThreads), 0, stream, reinterpret_cast<const uint4*>(first),
           reinterpret_cast<uint4*>(second), count);
  });
  floors.copy_gbps = 2.0 * static_cast<double>(kBytes) / copied / 1e3;
  floors.launch_us = watch.median_us(
      5, kChain, [&](int, cudaStream_t stream) { launch(do_nothing, dim3(1), dim3(32), 0, stream); });
  if (auto cublas = CublasLt::open(workspace, workspace_bytes)) {
    Product product;
    product.rows = product.outputs = product.inner = kSide;
    product.x_stride = product.w_stride = product.y_stride = kSide;
    product.x = reinterpret_cast<const bf16*>(first);
    product.w = reinterpret_cast<const bf16*>(first) + std::int64_t{kSide} * kSide;
    product.y = second;
    (*cublas)->tune(product, {}, {}, first + kBytes / 2, std::size_t{256} << 20, watch.stream());
    const double took =
        watch.median_us(5, 4, [&](int, cudaStream_t stream) { (*cublas)->multiply(product, stream); });
    floors.bf16_tflops = 2.0 * kSide * kSide * static_cast<double>(kSide) / took / 1e6;
  }
  if (auto ok = watch.state(); !ok) return std::move(ok).error();
  return floors;
}

}  // namespace pitwall::cuda
