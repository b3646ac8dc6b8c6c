// SPDX-License-Identifier: GPL-3.0-or-later
// What the cases of row operations, routing, block moves and sampling are made of: rows in device memory with
// poison where nothing may be read or written, and the comparison of outputs.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/kernel_case.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// Rows without gaps, in float32 (those of 16-bit tensors rounded to them).
struct HostRows {
  int rows = 0, columns = 0;
  std::vector<float> numbers;
  const float* row(int i) const {
    return numbers.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns);
  }
};
HostRows random_rows(std::uint64_t seed, int rows, int columns, float scale = 1);

/// How rows lie: `stride` numbers apart, beginning `first` numbers behind an aligned place.
struct Lying {
  int stride = 0, first = 0;
};

/// The rows of a large tensor whose results are compared: its first and last ones.
std::vector<int> compared_rows(int rows);

class RowsCase : public PreparedCase {
 public:
  explicit RowsCase(int sets = 1) : sets_(sets) {}

  CaseMemory memory;
  /// From here on 16-bit rows are float16, whose held numbers count in `cut`.
  void use_half(unsigned long long* cut) { cut_ = cut; }
  /// As 16-bit rows are.
  HostRows rounded(HostRows rows) const;
  std::function<void(int turn, cudaStream_t stream)> run;
  /// Of all outputs, in the order in which they were added, compared rows only.
  std::function<std::vector<double>()> expected;

  // Inputs, one copy for each set; what lies around the rows is poison.
  Rows32 put32(const HostRows& rows, Lying lying);
  Rows16 put16(const HostRows& rows, Lying lying);
  // Outputs: poisoned, or with these rows before each run.
  Rows32 output32(int rows, int columns, Lying lying, const HostRows* before = nullptr);
  Rows16 output16(int rows, int columns, Lying lying);
  /// An output of whole numbers or of one row of float32, all of it compared.
  std::int32_t* output_ints(int count);
  float* output_floats(int count);

  /// The place of a set.
  Rows32 at(const Rows32& rows, int turn) const {
    return {rows.data + shift(rows.data, turn), rows.stride, rows.columns};
  }
  Rows16 at(const Rows16& rows, int turn) const {
    return {rows.data + shift(rows.data, turn), rows.stride, rows.columns, rows.cut};
  }

  Result<CaseCheck> check(cudaStream_t stream) override;
  void launch(int turn, cudaStream_t stream) override { run(turn, stream); }

 private:
  enum class Number { float32, bfloat16, float16, int32 };
  struct Tensor {
    std::byte* place;
    Number number;
    int rows, columns;
    Lying lying;
    std::size_t bytes;              ///< of a set
    std::vector<std::byte> before;  ///< an output: what it has before a run
  };
  static bool is_narrow(Number number) { return number == Number::bfloat16 || number == Number::float16; }
  static std::size_t width(Number number) { return is_narrow(number) ? 2 : 4; }
  Number narrow() const { return cut_ != nullptr ? Number::float16 : Number::bfloat16; }
  std::byte* add(Number number, int rows, int columns, Lying lying, const HostRows* content, bool output);
  std::ptrdiff_t shift(const void* first_row, int turn) const;
  std::vector<std::byte> results(cudaStream_t stream);
  /// NaN for all where a byte was written outside of the rows.
  void read(const Tensor& tensor, const std::byte* bytes, std::vector<float>& numbers) const;

  int sets_;
  unsigned long long* cut_ = nullptr;
  std::vector<Tensor> tensors_;
};

/// Sets that together exceed the L2, for `bytes` each.
int sets_for(double bytes);

struct RowsCaseWords {
  std::string name, shape;
  double bytes = 0;
  double tolerance = 0;
  bool timed = false;
  int sets = 1;
};
KernelCase rows_case(const RowsCaseWords& words, std::function<void(RowsCase&)> build);

// The parts of row_cases().
std::vector<KernelCase> row_op_cases(CaseScale scale);
std::vector<KernelCase> routing_cases(CaseScale scale);
std::vector<KernelCase> block_move_cases(CaseScale scale);
std::vector<KernelCase> step_ring_cases(CaseScale scale);

/// The part of sampling_cases() that is not about sample_rows().
std::vector<KernelCase> sampling_change_cases(CaseScale scale);

}  // namespace pitwall::cuda
