// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/backends.h"
#include "engine/base/threads.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/floors.h"
#include "kernels/cpu/kernel_checks.h"
#include "kernels/cuda/cuda_device.h"

namespace pitwall {

namespace {

Result<int> threads_of(const BackendOptions& options) {
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    return Error{Error::Kind::invalid_input, std::to_string(options.threads) + " threads were asked for", "",
                 "choose 1 to " + std::to_string(kMostThreads) + ", or auto for the cores of this machine",
                 "threads"};
  }
  return options.threads > 0 ? options.threads : usable_cores();
}

Error unknown_device(const BackendOptions& options) {
  return {Error::Kind::invalid_input, "device \"" + options.device + "\" is unknown", "",
          "use --device cpu or cuda", "device"};
}

Result<CpuBackendOptions> cpu_options(const BackendOptions& options) {
  if (options.device != "cpu") return unknown_device(options);
  auto threads = threads_of(options);
  if (!threads) return std::move(threads).error();
  CpuBackendOptions cpu;
  cpu.isa = options.portable_kernels ? Isa::portable : best_isa();
  cpu.quantized_activations = options.mode != ComputeMode::float32;
  cpu.threads = *threads;
  cpu.memory_limit = options.memory_limit;
  return cpu;
}

Result<std::unique_ptr<Backend>> make_cuda_backend(const BackendOptions& options) {
  if (options.mode == ComputeMode::float32) {
    return Error{Error::Kind::unsupported, "dtype float32 is not there on the GPU",
                 "its products are of 16-bit numbers, summed in float32",
                 "use --dtype float16, which is finer than bfloat16, or --device cpu", "dtype"};
  }
  auto threads = threads_of(options);
  if (!threads) return std::move(threads).error();
  return cuda::open_backend(
      {options.memory_limit, *threads, options.mode == ComputeMode::float16, options.cache});
}

Result<Floors> measure_cuda_floors() {
  auto measured = cuda::measure_floors();
  if (!measured) return std::move(measured).error();
  Floors floors;
  floors.read_gbps = measured->read_gbps;
  floors.copy_gbps = measured->copy_gbps;
  floors.tflops = {{"bfloat16", measured->bf16_tflops}};
  floors.launch_us = measured->launch_us;
  floors.device = measured->device;
  return floors;
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.device == "cuda") return make_cuda_backend(options);
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(*cpu));
}

Result<Floors> measure_floors(const BackendOptions& options) {
  if (options.device == "cuda") return measure_cuda_floors();
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  auto measured = measure_cpu_floors(cpu->isa, cpu->threads, cpu->memory_limit);
  if (!measured) return std::move(measured).error();
  return Floors{measured->read_gbps,
                measured->copy_gbps,
                {{"float32", measured->float32_tflops}, {"int8", measured->int8_tops}},
                0,
                cpu->threads,
                CpuBackend(*cpu).device().name};
}

Result<void> bench_kernels(const BackendOptions& options, const KernelBench& bench,
                           const std::function<void(const KernelReport&)>& on_case) {
  if (options.device == "cuda") return cuda::check_kernels({bench.filter, bench.small, bench.timed}, on_case);
  auto cpu = cpu_options(options);
  if (!cpu) return std::move(cpu).error();
  return check_cpu_kernels(*cpu, {bench.filter, bench.small, bench.timed}, on_case);
}

}  // namespace pitwall
