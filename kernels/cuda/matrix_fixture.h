// SPDX-License-Identifier: GPL-3.0-or-later
// Weights, inputs and references of the matrix cases.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/device_matrix.h"
#include "kernels/cuda/kernel_case.h"

namespace pitwall::cuda {

struct WeightShape {
  TensorType type = TensorType::bf16;
  int rows = 0, columns = 0;
  int group = 128;                          ///< of a quantised linear
  bool act_order = false;                   ///< likewise
  TensorType scale_type = TensorType::f16;  ///< likewise
};
std::string describe(const WeightShape& shape);

/// A random matrix in a checkpoint's format with its packed form on the device, once for each turn. Rows past
/// kDistinctRows repeat the first ones, so that large matrices are made and checked quickly.
struct CaseWeight {
  static constexpr int kDistinctRows = 256;
  WeightShape shape;
  std::vector<DeviceMatrix> turns;
  std::vector<float> numbers;  ///< dequantised, [distinct rows][columns]
  std::int64_t bytes = 0;      ///< of one turn

  int distinct_rows() const { return std::min(shape.rows, kDistinctRows); }
  const float* row(int row) const {
    return numbers.data() + std::int64_t{row % kDistinctRows} * shape.columns;
  }
  const DeviceMatrix& turn(int turn) const { return turns[static_cast<std::size_t>(turn) % turns.size()]; }
};
CaseWeight make_weight(CaseMemory& memory, const WeightShape& shape, std::uint64_t seed, int copies);
inline constexpr int kPastCaches = 0;  ///< as many copies as no cache holds, for what is timed
inline int case_copies(bool timed) {
  return timed ? kPastCaches : 1;
}

/// Random 16-bit rows with padding as whole tensors have it, or a slice that begins anywhere.
struct CaseRows {
  std::vector<float> numbers;  ///< [rows][columns]
  int rows = 0, columns = 0;
  Rows16 device;
};
CaseRows make_rows(CaseMemory& memory, int rows, int columns, std::uint64_t seed, int shift = 0,
                   bool half = false);

/// x·wᵀ in double, [rows][weight rows].
std::vector<double> product(const CaseRows& x, const CaseWeight& weight);

/// An output on the device that can be poisoned and read; of very many rows the first ones.
class CaseOutput {
 public:
  CaseOutput(CaseMemory& memory, int rows, int columns, bool wide, bool half = false);
  Rows16 out16() const;
  Rows32 out32() const;
  void poison() const;
  std::vector<float> read() const;  ///< [read_rows()][columns]
  int read_rows() const { return std::min(rows_, kMostRead); }

 private:
  static constexpr int kMostRead = 1024;
  CaseMemory* memory_;
  int rows_, columns_, stride_;
  bool wide_;
  unsigned long long* cut_;
  void* data_;
};

/// A case of launches that write outputs, in order, whose numbers together are `expected`.
class OutputCase : public PreparedCase {
 public:
  Result<CaseCheck> check(cudaStream_t stream) override;
  void launch(int turn, cudaStream_t stream) override { run(turn, stream); }

  CaseMemory memory;
  std::vector<CaseOutput> outputs;
  std::vector<double> expected;
  std::function<void(int turn, cudaStream_t)> run;

 private:
  std::vector<float> run_once(cudaStream_t stream);
};

/// `build` fills a fresh OutputCase.
std::function<Result<std::unique_ptr<PreparedCase>>()> prepare_with(std::function<void(OutputCase&)> build);

/// Multiprocessors of the device at hand.
int case_multiprocessors();

}  // namespace pitwall::cuda
