// SPDX-License-Identifier: GPL-3.0-or-later
// Products: y = x·wᵀ by whichever way is best for the weight's type and the number of rows: own kernels for
// few rows, cuBLASLt for many, packed weights put into 16 bits first.
#pragma once
#include <filesystem>
#include <functional>
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

/// out = act(x·gateᵀ + bias) ⊙ (x·upᵀ + bias); biases may be null.
struct GatedOutput {
  DeviceMatrix gate, up;
  const float *gate_bias = nullptr, *up_bias = nullptr;
  Activation activation = Activation::silu;
  Rows16 out;
  Rows16 gates, ups;  ///< side by side: room for them
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
  bool folds_norm(const DeviceMatrix& weight, int rows) const;

  /// `rows` rows of x against each weight; a norm behind only where all weights fold it. Rows of x and of the
  /// outputs exist up to the next multiple of kRowUnit.
  void multiply(Rows16 x, std::span<const ProductOutput> outputs, int rows, const NormBehind& behind = {});
  /// A norm behind where both weights fold it and there is no bias.
  void multiply_gated(Rows16 x, const GatedOutput& output, int rows, const NormBehind& behind);

  /// In between, shapes met for the first time are measured, with memory that is given back at the end; what
  /// came out is kept in the cache's folder.
  Result<void> begin_tuning();
  Result<void> end_tuning();

 private:
  bool streams_gate(Rows16 x, const GatedOutput& output, int rows, const std::function<void()>& stream);
  void multiply_one(Rows16 x, const ProductOutput& output, int rows);
  void multiply_few(Rows16 x, std::span<const ProductOutput> outputs, int rows, const NormBehind& behind);
  void multiply_plain(Rows16 x, const ProductOutput& output, int rows);

  DeviceMemory* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<CublasLt> cublas_;
  std::string notice_;
  bf16* unpacked_ = nullptr;  ///< the largest packed weight in 16 bits
  std::int64_t unpacked_numbers_ = 0;
  void* flush_ = nullptr;  ///< while tuning
  std::size_t flush_bytes_ = 0;
};

/// Weights and outputs that lie side by side, as one; none where they do not.
std::optional<ProductOutput> side_by_side(std::span<const ProductOutput> outputs);

}  // namespace pitwall::cuda
