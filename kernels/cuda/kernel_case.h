// SPDX-License-Identifier: GPL-3.0-or-later
// KernelCase: one kernel at one shape, with a reference in double on the CPU and a launch to time. Behind
// `pitwallctl bench-kernels` and `pitwallctl selftest`.
#pragma once
#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace pitwall::cuda {

enum class CaseScale {
  small,  ///< shapes for checkers that slow everything down a hundredfold; no timing
  full,   ///< shapes of real models
};

/// What a case found.
struct CaseCheck {
  double error = 0;         ///< relative L2 against the reference on the same rounded inputs; NaN fails
  bool same_twice = false;  ///< two runs gave the same bits
};

/// Made ready by `prepare`, which allocates and fills device memory that lives as long as the returned
/// object.
struct PreparedCase {
  virtual ~PreparedCase() = default;
  virtual Result<CaseCheck> check(cudaStream_t stream) = 0;  ///< poisons outputs first
  /// One launch of what is timed, capturable; `turn` picks one of several buffer sets that together exceed
  /// the L2.
  virtual void launch(int turn, cudaStream_t stream) = 0;
};

struct KernelCase {
  std::string name;         ///< "decode_attention"
  std::string shape;        ///< "32/8 heads of 128, 32 × 4096 tokens, fp8_e4m3"
  double bytes = 0;         ///< that the kernel must move at least
  double flops = 0;         ///< that it must do
  double tolerance = 3e-3;  ///< of CaseCheck::error
  bool timed = true;
  std::function<Result<std::unique_ptr<PreparedCase>>()> prepare;
};

// One function for each family of kernels.
std::vector<KernelCase> attention_cases(CaseScale scale);  ///< rope_append, decode and prefill attention
std::vector<KernelCase> row_cases(CaseScale scale);        ///< row_ops, moe_routing, block_moves
std::vector<KernelCase> sampling_cases(CaseScale scale);
std::vector<KernelCase> matrix_cases(CaseScale scale);  ///< device_matrix, matrix_kernels

/// Allocations, uploads and comparisons that the cases share.
class CaseMemory {
 public:
  CaseMemory() = default;
  CaseMemory(const CaseMemory&) = delete;
  CaseMemory& operator=(const CaseMemory&) = delete;
  ~CaseMemory();
  /// Device memory, zeroed; freed with this object. Throws nothing: a failure is kept in state().
  void* take(std::size_t bytes);
  template <class Number>
  Number* upload(const std::vector<Number>& numbers) {
    auto* place = static_cast<Number*>(take(numbers.size() * sizeof(Number)));
    copy_in(place, numbers.data(), numbers.size() * sizeof(Number));
    return place;
  }
  template <class Number>
  std::vector<Number> download(const Number* place, std::size_t count) {
    std::vector<Number> numbers(count);
    copy_out(numbers.data(), place, count * sizeof(Number));
    return numbers;
  }
  void fill(void* place, int byte, std::size_t bytes);  ///< poison: 0xFF is NaN in every format
  /// Rows16::cut of float16 rows.
  unsigned long long* cut() { return static_cast<unsigned long long*>(take(sizeof(unsigned long long))); }
  const Result<void>& state() const { return state_; }  ///< the first failure

 private:
  void copy_in(void* place, const void* from, std::size_t bytes);
  void copy_out(void* to, const void* place, std::size_t bytes);
  std::vector<void*> taken_;
  Result<void> state_;
};

/// ‖a − b‖/‖b‖ in double; NaN if anything in `a` is NaN or infinite.
double relative_l2(const std::vector<float>& a, const std::vector<double>& b);
/// `half`: of float16, else of bf16.
std::vector<float> to_float(const std::vector<std::uint16_t>& numbers, bool half = false);
/// A counter-based generator: the same numbers for the same seed on any machine.
std::vector<float> random_numbers(std::uint64_t seed, std::size_t count, float scale = 1);
std::vector<std::uint16_t> to_16(const std::vector<float>& numbers, bool half = false);

}  // namespace pitwall::cuda
