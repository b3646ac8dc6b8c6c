// SPDX-License-Identifier: GPL-3.0-or-later
// cuBLASLt, opened at run time: y = alpha·x·wᵀ (+ c) over bf16 or float16, float32 accumulation. The way each
// product is computed is chosen once for its shape, by measurement where tune() was called, else by the
// library's word.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

struct Product {
  int rows = 0;     ///< of x and y
  int outputs = 0;  ///< rows of w
  int inner = 0;    ///< columns of x and w that are multiplied
  const bf16* x = nullptr;
  int x_stride = 0;
  const bf16* w = nullptr;
  int w_stride = 0;
  void* y = nullptr;
  int y_stride = 0;
  bool half = false;    ///< 16-bit numbers are float16 instead of bf16
  bool y_wide = false;  ///< float32 instead of 16 bits
  bool add = false;     ///< y += instead of y = (wide only)
  bool gated = false;   ///< y holds gate and up of an MLP side by side: measured with what follows
  int packed = 0;       ///< w was unpacked for it, from a format of this number: measured with that
  float alpha = 1;
};

/// One thread at a time.
class CublasLt {
 public:
  /// Errors say where the library was looked for.
  static Result<std::unique_ptr<CublasLt>> open(void* workspace, Bytes workspace_bytes);

  /// What was measured, kept from run to run in a file of this GPU and library version below `folder`. A file
  /// that is missing, of another kind or damaged counts as empty.
  void load_choices(const std::filesystem::path& folder, const std::string& gpu);
  Result<void> save_choices()
      const;  ///< where load_choices() looked; nothing where nothing was measured since
  ~CublasLt();

  /// False where the library has no way for the shape and alignment; nothing was launched then.
  bool multiply(const Product& product, cudaStream_t stream);

  /// Measures the ways that the library offers for the product's shape and keeps the fastest. Writes y.
  /// Before each trial `flush` is written over, so that weights come from memory as they do in a step; it
  /// exceeds the L2. `rival`, where there is one, launches the product in another way; `rest`, where there is
  /// one, what the library's way leaves to do.
  void tune(const Product& product, const std::function<void()>& rival, const std::function<void()>& rest,
            void* flush, std::size_t flush_bytes, cudaStream_t stream);
  /// Whether a rival was faster than the library, in this run or an earlier one. Gated products that were
  /// never measured are the rival's.
  bool is_beaten(const Product& product) const;

  std::size_t version() const;

 private:
  struct State;
  explicit CublasLt(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::cuda
