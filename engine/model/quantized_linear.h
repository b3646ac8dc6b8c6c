// SPDX-License-Identifier: GPL-3.0-or-later
// A linear whose codes, scales and zeros are tensors of their own, as hub checkpoints store AWQ, GPTQ, fp8
// and compressed-tensors weights. Pointers go into the mapped files; nothing is aligned.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/model.h"

namespace pitwall {

/// number = scale·(code − zero); fp8: scale·number of the code.
struct QuantizedLinear {
  /// Where the code of output r and input k lies. Words are little-endian int32 of 32/bits codes, the first
  /// lowest.
  enum class Codes {
    awq,           ///< words [in][out/8]: eight outputs in the order 0, 2, 4, 6, 1, 3, 5, 7
    input_words,   ///< words [in·bits/32][out]: GPTQ
    output_words,  ///< words [out][in·bits/32]: compressed-tensors
    signed_bytes,  ///< int8 [out][in]; as a code: + 128
    fp8            ///< f8_e4m3 [out][in]
  };
  enum class Zeros {
    none,         ///< half of the codes' range
    awq,          ///< words [groups][out/8], ordered as the codes
    input_words,  ///< words [groups][out·bits/32]
    row_words,    ///< words [out·bits/32][groups]
    signed_bytes  ///< int8 [out][groups]; as a zero: + 128
  };

  std::string name;                  ///< of the `.weight` that it stands for
  TensorType type = TensorType::i4;  ///< i4, i8 or f8_e4m3
  std::int64_t rows = 0, columns = 0;
  Codes layout = Codes::awq;
  const std::byte* codes = nullptr;

  TensorType scale_type = TensorType::f16;  ///< f16, bf16 or f32
  const std::byte* scales = nullptr;
  /// Of output r and group g: scale (r / scale_rows)·row_stride + g·group_stride.
  std::int64_t scale_rows = 1, row_stride = 0, group_stride = 0;
  std::int64_t groups = 1;
  std::int64_t group_columns = 0;  ///< inputs of a group, where group_index does not say otherwise

  Zeros zero_layout = Zeros::none;
  const std::byte* zeros = nullptr;
  int zero_shift = 0;                      ///< added to a stored zero: 1 in GPTQ's first format
  const std::byte* group_index = nullptr;  ///< int32 [in]: the group of each input (GPTQ's g_idx), or null

  int bits() const { return type == TensorType::i4 ? 4 : 8; }
  float scale(std::int64_t row, std::int64_t group) const;
  int zero(std::int64_t row, std::int64_t group) const;
  void row_codes(std::int64_t row, std::uint8_t* out) const;  ///< out[columns]
  std::vector<std::int32_t> column_groups() const;            ///< the group of each input

  /// What only the numbers themselves can tell: groups in range, scales finite. Opening a model reads headers
  /// alone, so whoever uses the numbers calls this first.
  Result<void> check_numbers() const;
};

/// Columns in the order of their groups, those of one group as they were, each group filled up with −1 to
/// whole runs of `run`; and the group of each run. For back ends that read a run's scale once.
struct GroupedColumns {
  std::vector<std::int32_t> order, run_groups;
};
GroupedColumns columns_by_group(const std::vector<std::int32_t>& groups, std::size_t run);

/// The slow, obvious reference for every kind of view: rows [first, first + count) as floats. Numbers of a
/// QuantizedLinear must have been checked.
void dequantize_rows(const TensorView& view, std::int64_t first, std::int64_t count, float* out);

}  // namespace pitwall
