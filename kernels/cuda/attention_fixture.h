// SPDX-License-Identifier: GPL-3.0-or-later
// What the cases of attention and rope share: a step of sequences with shuffled blocks and padding rows, and
// KV whose numbers are known on the host without a copy of the pool.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/kernel_case.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// A sequence of `length` tokens whose last `rows` are in the step. Length 0: a row that sees nothing.
struct CaseSequence {
  int length = 0, rows = 1;
};

/// The step on the host and on the device. Slots run against the order of the sequences, blocks are shuffled.
struct CaseStep {
  static constexpr int kPaddingRows = 3;
  CaseStep(CaseMemory& memory, std::span<const CaseSequence> sequences, int block_size);

  std::vector<std::int32_t> positions, slots, decode_rows, tables;
  std::vector<Segment> segments;
  int blocks = 0;  ///< of the pool
  int max_blocks = 0;
  StepView view{};
  int rows() const { return static_cast<int>(positions.size()); }  ///< padding too
  int block_of(int slot, int position, int block_size) const {
    return tables[static_cast<std::size_t>(slot) * static_cast<std::size_t>(max_blocks) +
                  static_cast<std::size_t>(position / block_size)];
  }
};

/// Numbers of KV as stored: number i of a pool is number i % period of the pattern.
class KvPattern {
 public:
  static constexpr int kPeriod = 262147, kMostDim = 256;
  explicit KvPattern(KvDtype dtype);
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// Numbers from `first` on, at least kMostDim of them, without scales.
  const float* numbers(std::int64_t first) const { return numbers_.data() + first % kPeriod; }
  float token_scale(std::int64_t line) const;

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<float> numbers_;
};

/// A pool on the device, filled from the pattern.
enum class KvRest {
  pattern,  ///< every number; for shapes whose head_dim needs no padding
  poison,   ///< what no sequence has written is NaN, padding is zero
};
KvView make_pool(CaseMemory& memory, const CaseStep& step, KvView shape, const KvPattern& pattern,
                 KvRest rest);

/// Line of a token's keys (or values) of one head: its numbers begin at line·padded_dim.
std::int64_t kv_line(const KvView& kv, int block, bool values, int head, int position);

int kv_number_bytes(KvDtype dtype);
int padded_dim(int head_dim);
/// Scales of fp8 by kv head, as make_pool() puts them on the device.
float key_scale(int head);
float value_scale(int head);

}  // namespace pitwall::cuda
