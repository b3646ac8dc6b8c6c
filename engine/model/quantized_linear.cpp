// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/quantized_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

std::uint32_t word_at(const std::byte* words, std::int64_t index) {
  std::uint32_t word;
  std::memcpy(&word, words + 4 * index, sizeof word);
  return word;
}

/// Code `index` of a run of words that lie `stride` words apart.
int code_at(const std::byte* words, std::int64_t first, std::int64_t stride, std::int64_t index, int bits) {
  const std::int64_t per_word = 32 / bits;
  const std::uint32_t word = word_at(words, first + index / per_word * stride);
  return static_cast<int>(word >> (index % per_word * bits) & ((1u << bits) - 1));
}

/// The same for a whole run.
void split_words(const std::byte* words, std::int64_t first, std::int64_t stride, std::int64_t count,
                 int bits, std::uint8_t* out) {
  const std::uint32_t mask = (1u << bits) - 1;
  const std::int64_t per_word = 32 / bits;
  for (std::int64_t done = 0; done < count; done += per_word, first += stride) {
    std::uint32_t word = word_at(words, first);
    for (std::int64_t i = 0; i < std::min(per_word, count - done); ++i, word >>= bits)
      *out++ = static_cast<std::uint8_t>(word & mask);
  }
}

/// The nibble of a word that output o of its eight has.
int awq_nibble(std::int64_t output) {
  return static_cast<int>(output % 2 * 4 + output % 8 / 2);
}

Error bad_numbers(const QuantizedLinear& linear, const std::string& what) {
  return {Error::Kind::invalid_input, fmt::format("tensor {} {}", quote_for_message(linear.name), what),
          "The checkpoint is damaged, or was quantised with numbers that overflowed",
          "Fetch or quantise the model again", linear.name};
}

}  // namespace

float QuantizedLinear::scale(std::int64_t row, std::int64_t group) const {
  const std::int64_t index = row / scale_rows * row_stride + group * group_stride;
  float value;
  dequantize(scale_type, scales + tensor_bytes(scale_type, index), &value, 1);
  return value;
}

int QuantizedLinear::zero(std::int64_t row, std::int64_t group) const {
  switch (zero_layout) {
    case Zeros::none:
      return 1 << (bits() - 1);
    case Zeros::awq:
      return static_cast<int>(word_at(zeros, group * (rows / 8) + row / 8) >> (4 * awq_nibble(row)) & 15);
    case Zeros::input_words:
      return code_at(zeros, group * (rows * bits() / 32), 1, row, bits()) + zero_shift;
    case Zeros::row_words:
      return code_at(zeros, group, groups, row, bits());
    case Zeros::signed_bytes:
      return static_cast<std::int8_t>(zeros[row * groups + group]) + 128;
  }
  return 0;
}

void QuantizedLinear::row_codes(std::int64_t row, std::uint8_t* out) const {
  const int width = bits();
  switch (layout) {
    case Codes::awq: {
      const int shift = 4 * awq_nibble(row);
      for (std::int64_t k = 0; k < columns; ++k)
        out[k] = static_cast<std::uint8_t>(word_at(codes, k * (rows / 8) + row / 8) >> shift & 15);
      return;
    }
    case Codes::input_words:
      return split_words(codes, row, rows, columns, width, out);
    case Codes::output_words:
      return split_words(codes, row * ((columns * width + 31) / 32), 1, columns, width, out);
    case Codes::signed_bytes:
      for (std::int64_t k = 0; k < columns; ++k)
        out[k] = std::to_integer<std::uint8_t>(codes[row * columns + k] ^ std::byte{0x80});
      return;
    case Codes::fp8:
      std::memcpy(out, codes + row * columns, static_cast<std::size_t>(columns));
      return;
  }
}

std::vector<std::int32_t> QuantizedLinear::column_groups() const {
  std::vector<std::int32_t> of(static_cast<std::size_t>(columns));
  if (group_index != nullptr) std::memcpy(of.data(), group_index, of.size() * sizeof of[0]);
  // compressed-tensors fills an index that it does not use with −1.
  const bool in_order =
      group_index == nullptr || std::all_of(of.begin(), of.end(), [](int g) { return g == -1; });
  if (in_order) {
    for (std::size_t k = 0; k < of.size(); ++k)
      of[k] = static_cast<std::int32_t>(static_cast<std::int64_t>(k) / group_columns);
  }
  return of;
}

Result<void> QuantizedLinear::check_numbers() const {
  const std::vector<std::int32_t> of = column_groups();
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (of[k] < 0 || of[k] >= groups) {
      return bad_numbers(
          *this, fmt::format("places input {} in group {} (g_idx); it has {} groups", k, of[k], groups));
    }
  }
  const std::int64_t scaled_rows = row_stride == 0 ? 1 : rows;
  for (std::int64_t row = 0; row < scaled_rows; row += scale_rows) {
    for (std::int64_t group = 0; group < (group_stride == 0 ? 1 : groups); ++group) {
      const float value = scale(row, group);
      if (!std::isfinite(value))
        return bad_numbers(*this, fmt::format("has scale {} for output {}, group {}", value, row, group));
    }
  }
  return {};
}

GroupedColumns columns_by_group(const std::vector<std::int32_t>& groups, std::size_t run) {
  std::vector<std::int32_t> sorted(groups.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto group_of = [&](std::int32_t k) { return groups[static_cast<std::size_t>(k)]; };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::int32_t a, std::int32_t b) { return group_of(a) < group_of(b); });
  GroupedColumns result;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    result.order.push_back(sorted[k]);
    if (k + 1 < sorted.size() && group_of(sorted[k + 1]) == group_of(sorted[k])) continue;
    while (result.order.size() % run != 0) result.order.push_back(-1);
    result.run_groups.resize(result.order.size() / run, group_of(sorted[k]));
  }
  return result;
}

void dequantize_rows(const TensorView& view, std::int64_t first, std::int64_t count, float* out) {
  if (!view.quantized) {
    const std::int64_t row_bytes = tensor_bytes(view.type, view.columns);
    dequantize(view.type, view.data + first * row_bytes, out, count * view.columns);
    return;
  }
  const QuantizedLinear& linear = *view.quantized;
  const std::vector<std::int32_t> groups = linear.column_groups();
  std::vector<std::uint8_t> codes(groups.size());
  for (std::int64_t row = view.first_row + first; count > 0; --count, ++row) {
    linear.row_codes(row, codes.data());
    for (std::size_t k = 0; k < codes.size(); ++k) {
      const float number = linear.type == TensorType::f8_e4m3
                               ? fp8_e4m3_to_float(codes[k])
                               : static_cast<float>(codes[k] - linear.zero(row, groups[k]));
      *out++ = linear.scale(row, groups[k]) * number;
    }
  }
}

}  // namespace pitwall
