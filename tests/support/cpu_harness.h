// SPDX-License-Identifier: GPL-3.0-or-later
// Drives the CPU back end operation by operation: inputs come in by embedding rows of a table, results go out
// as logits.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/model/random_tensor.h"
#include "kernels/cpu/cpu_backend.h"

namespace pitwall::test {

OwnedTensor float_tensor(const std::vector<float>& values, int rows, int columns);

/// The value, or an exception with the error's text: harness calls cannot fail in a sound program.
template <class T>
T take(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(result).value();
}
void take(const Result<void>& result);

inline constexpr KvDtype kKvDtypes[] = {KvDtype::float32, KvDtype::bfloat16, KvDtype::float16,
                                        KvDtype::fp8_e4m3, KvDtype::int8};

std::vector<Isa> usable_isas();  ///< from portable to best_isa()

/// For initTestCase_data(): the whole test runs once on each instruction set …
void add_isa_rows();
/// … and makes its back ends with these: the row's instruction set, two threads.
CpuBackendOptions isa_options(bool quantized_activations);
/// A fresh seed, printed.
void seed_anew(std::mt19937& random);

/// A back end with limits for tests and, when the layout has layers, a KV pool of `blocks`.
class CpuHarness {
 public:
  struct Limits {
    int rows = 96, sequences = 8, blocks_per_sequence = 16, vocabulary = 1 << 16;
  };
  CpuHarness(const CpuBackendOptions& options, const Limits& limits, const KvLayout& layout = {},
             int blocks = 0);

  CpuBackend& backend() { return *backend_; }
  Weight upload(const OwnedTensor& tensor) { return take(backend_->upload(tensor.view)); }
  Weight upload_vector(const OwnedTensor& tensor) { return take(backend_->upload_vector(tensor.view, 0)); }
  Tensor tensor(int columns) {
    return take(backend_->allocate(Category::activations, RowSet::tokens, columns));
  }

  /// Moves the plan's blocks and runs `forward` as one step over it. The tensor that it gives to sample() is
  /// where asked-for logits come from.
  StepResult run(StepPlan plan, const std::function<void()>& forward);

  /// Result rows of a forward over tokens 0 … rows − 1 in slot 0 without KV: `output` is the tensor to read
  /// back.
  std::vector<float> run_rows(int rows, Tensor output, int columns, const std::function<void()>& forward);

 private:
  std::unique_ptr<CpuBackend> backend_;
  std::uint64_t steps_ = 0;
};

/// One slice that asks for all its logits.
void add_slice(StepPlan& plan, int slot, int first_position, const std::vector<TokenId>& tokens);

}  // namespace pitwall::test
