// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/kernel_case.h"

#include <cmath>
#include <limits>

#include "engine/model/tensor_type.h"

namespace pitwall::cuda {

namespace {

Error cuda_error(const char* what, cudaError_t code) {
  return {Error::Kind::internal, std::string(what) + " failed", cudaGetErrorString(code), "", "device"};
}

}  // namespace

CaseMemory::~CaseMemory() {
  for (void* place : taken_) cudaFree(place);
}

void* CaseMemory::take(std::size_t bytes) {
  void* place = nullptr;
  if (!state_) return place;
  if (const auto code = cudaMalloc(&place, bytes); code != cudaSuccess) {
    state_ = cuda_error("cudaMalloc", code);
    return nullptr;
  }
  taken_.push_back(place);
  fill(place, 0, bytes);
  return place;
}

void CaseMemory::fill(void* place, int byte, std::size_t bytes) {
  if (!state_) return;
  auto code = cudaMemset(place, byte, bytes);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();  // other streams come after
  if (code != cudaSuccess) state_ = cuda_error("cudaMemset", code);
}

void CaseMemory::copy_in(void* place, const void* from, std::size_t bytes) {
  if (!state_) return;
  if (const auto code = cudaMemcpy(place, from, bytes, cudaMemcpyHostToDevice); code != cudaSuccess)
    state_ = cuda_error("cudaMemcpy", code);
}

void CaseMemory::copy_out(void* to, const void* place, std::size_t bytes) {
  if (!state_) return;
  auto code = cudaDeviceSynchronize();
  if (code == cudaSuccess) code = cudaMemcpy(to, place, bytes, cudaMemcpyDeviceToHost);
  if (code != cudaSuccess) state_ = cuda_error("cudaMemcpy", code);
}

double relative_l2(const std::vector<float>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - b[i];
    difference += d * d;
    size += b[i] * b[i];
  }
  if (!std::isfinite(difference)) return std::numeric_limits<double>::quiet_NaN();
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

std::vector<float> to_float(const std::vector<std::uint16_t>& numbers, bool half) {
  std::vector<float> result;
  result.reserve(numbers.size());
  for (const std::uint16_t number : numbers)
    result.push_back(half ? half_to_float(number) : bfloat_to_float(number));
  return result;
}

std::vector<std::uint16_t> to_16(const std::vector<float>& numbers, bool half) {
  std::vector<std::uint16_t> result;
  result.reserve(numbers.size());
  for (const float number : numbers) result.push_back(half ? float_to_half(number) : float_to_bfloat(number));
  return result;
}

std::vector<float> random_numbers(std::uint64_t seed, std::size_t count, float scale) {
  std::vector<float> result(count);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (float& number : result) {
    // SplitMix64 (Steele, Lea, Flood 2014); the sum of four uniform numbers is near enough to a normal one.
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    int sum = 0;
    for (int part = 0; part < 4; ++part) sum += static_cast<int>(z >> (16 * part) & 0xFFFF) - 0x8000;
    number = scale * static_cast<float>(sum) / 37837.0f;  // variance 4·65536²/12
  }
  return result;
}

}  // namespace pitwall::cuda
