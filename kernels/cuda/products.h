// SPDX-License-Identifier: GPL-3.0-or-later
// Products: y = x·wᵀ by whichever way is best for the weight's type and the number of rows: own kernels for
// few rows, cuBLASLt for many, packed weights put into bf16 first.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

/// Rows of a product that folds norms.
inline constexpr int kMostFoldedRows = 16;

/// One of out16 and out32 is set. out = alpha·x·wᵀ, added to out32 where `add`.
struct ProductOutput {
  DeviceMatrix weight;
  Rows16 out16;
  Rows32 out32;
  bool add = false;
  float alpha = 1;
  NormAhead norm = {};  ///< where the weight folds it
};

class Products {
 public:
  /// Without cuBLASLt own kernels do everything; `notice` says why.
  Result<void> prepare(DeviceMemory& memory, cudaStream_t stream, const std::filesystem::path& cache);
  const std::string& notice() const { return notice_; }

  /// Before the first step, for each weight that is multiplied: sizes what packed weights are unpacked into.
  Result<void> expect(const DeviceMatrix& weight);

  /// Whether the weight's product can do its part of a norm, ahead of it or behind it. With more rows than
  /// few that costs more than a norm of its own (measured).
  static bool folds_norm(const DeviceMatrix& weight, int rows);
  /// Whether multiply_gated() takes them.
  bool gates_rows(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Rows16 out, int rows) const;

  /// `rows` rows of x against each weight; a norm behind only where all weights fold it. Rows of x and of the
  /// outputs exist up to the next multiple of kRowUnit.
  void multiply(Rows16 x, std::span<const ProductOutput> outputs, int rows, const NormBehind& behind = {});
  /// out = act(x·gateᵀ) ⊙ (x·upᵀ), where gates_rows(); a norm behind where both fold it.
  void multiply_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                      Rows16 out, int rows, const NormBehind& behind);

  /// In between, shapes met for the first time are measured, with memory that is given back at the end; what
  /// came out is kept in the cache's folder.
  Result<void> begin_tuning();
  Result<void> end_tuning();

 private:
  void multiply_one(Rows16 x, const ProductOutput& output, int rows);
  void multiply_plain(Rows16 x, const ProductOutput& output, int rows);

  DeviceMemory* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<CublasLt> cublas_;
  std::string notice_;
  bf16* unpacked_ = nullptr;  ///< the largest packed weight in bf16
  std::int64_t unpacked_numbers_ = 0;
  void* flush_ = nullptr;  ///< while tuning
  std::size_t flush_bytes_ = 0;
};

/// Weights and outputs that lie side by side, as one; none where they do not.
std::optional<ProductOutput> side_by_side(std::span<const ProductOutput> outputs);

}  // namespace pitwall::cuda
