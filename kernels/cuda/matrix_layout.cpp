// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/matrix_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/model/quantized_linear.h"

namespace pitwall::cuda {

namespace {

constexpr int kRun = 32;  ///< columns that no group divides

int round_up(std::int64_t value, int multiple) {
  return static_cast<int>((value + multiple - 1) / multiple * multiple);
}

int place_in_run(int row) {
  return row % 8 * 2 + row / 8;
}

int records(const DeviceMatrix& matrix, const StoredFormat& format) {
  const int columns = format.grouped ? matrix.group_columns : format.record_columns;
  return static_cast<int>((std::int64_t{matrix.stride} + columns - 1) / columns);
}
int scale_width(const DeviceMatrix& matrix) {
  return tensor_type_info(matrix.scale_type).block_bytes;
}
int record_bytes(const DeviceMatrix& matrix, const StoredFormat& format) {
  if (!format.grouped) return format.record_bytes;
  const int zero = matrix.type == TensorType::i4 ? 1 : matrix.type == TensorType::i8 ? 2 : 0;
  return kCellRows * (scale_width(matrix) + zero);
}

struct TileBytes {
  std::int64_t values, scales;
};
TileBytes tile_bytes(const DeviceMatrix& matrix) {
  if (matrix.is_plain()) return {std::int64_t{kCellRows} * matrix.stride * 2, 0};
  const StoredFormat format = stored_format(matrix.type);
  return {std::int64_t{matrix.stride / kCellColumns} * format.cell_bytes,
          std::int64_t{records(matrix, format)} * record_bytes(matrix, format)};
}

/// The group of each run of 32 columns, where no run has two; else empty.
std::vector<std::int32_t> run_groups(const std::vector<std::int32_t>& groups) {
  std::vector<std::int32_t> runs;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (k % kRun == 0) runs.push_back(groups[k]);
    if (groups[k] != runs.back()) return {};
  }
  return runs;
}

/// Columns in the order of their groups, each group filled up to whole runs.
void order_by_group(const std::vector<std::int32_t>& groups, MatrixLayout& layout) {
  GroupedColumns grouped = columns_by_group(groups, kRun);
  layout.order = std::move(grouped.order);
  layout.record_groups = std::move(grouped.run_groups);
  while (layout.order.size() % kCellColumns != 0) layout.order.push_back(-1);
}

/// One record for as many runs as share their group everywhere.
void join_records(MatrixLayout& layout) {
  std::vector<std::int32_t>& runs = layout.record_groups;
  runs.resize(static_cast<std::size_t>(layout.matrix.stride / kRun), runs.back());
  const auto uniform = [&](std::size_t wide) {
    for (std::size_t b = 0; b < runs.size(); ++b) {
      if (runs[b] != runs[b / wide * wide]) return false;
    }
    return true;
  };
  if (uniform(runs.size())) {
    layout.matrix.group_columns = kWholeRow;
    runs.resize(1);
    return;
  }
  std::size_t wide = 1;
  while (uniform(2 * wide)) wide *= 2;
  for (std::size_t b = 0; b * wide < runs.size(); ++b) runs[b] = runs[b * wide];
  runs.resize((runs.size() + wide - 1) / wide);
  layout.matrix.group_columns = static_cast<int>(wide) * kRun;
}

void group_columns(const QuantizedLinear& linear, MatrixLayout& layout) {
  DeviceMatrix& matrix = layout.matrix;
  const std::vector<std::int32_t> groups = linear.column_groups();
  layout.record_groups = run_groups(groups);
  if (layout.record_groups.empty()) {
    order_by_group(groups, layout);
    matrix.stride = static_cast<int>(layout.order.size());
  }
  join_records(layout);
}

/// Codes of one tile, [16 rows][stride].
class TileCodes {
 public:
  explicit TileCodes(int stride) : stride_(static_cast<std::size_t>(stride)), codes_(kCellRows * stride_) {}
  void clear() { std::fill(codes_.begin(), codes_.end(), std::uint8_t{0}); }
  std::uint8_t* row(int row) { return codes_.data() + static_cast<std::size_t>(row) * stride_; }
  void write(const StoredFormat& format, std::byte* values) const;

 private:
  void write_cell(const StoredFormat& format, const std::uint8_t* cell, std::byte* out) const;
  std::size_t stride_;
  std::vector<std::uint8_t> codes_;
};

void TileCodes::write(const StoredFormat& format, std::byte* values) const {
  for (std::size_t column = 0; column < stride_; column += kCellColumns, values += format.cell_bytes)
    write_cell(format, codes_.data() + column, values);
}

void TileCodes::write_cell(const StoredFormat& format, const std::uint8_t* cell, std::byte* out) const {
  constexpr int kLanes = 32, kFourWords = 4, kPairWords = 2;
  struct Words {
    std::uint32_t nibbles[kFourWords], bytes[2][kFourWords], pairs[kPairWords], singles;
  };
  const int pair_shift = format.bits == 6 ? 4 : 0, single_shift = format.bits - 1;
  for (int lane = 0; lane < kLanes; ++lane) {
    Words words{};
    const std::uint8_t* rows[2] = {cell + static_cast<std::size_t>(lane / 4) * stride_ + lane % 4 * 4,
                                   cell + static_cast<std::size_t>(lane / 4 + 8) * stride_ + lane % 4 * 4};
    for (int s = 0; s < 4; ++s) {
      for (int i = 0; i < 4; ++i) {
        const std::uint8_t* pair = rows[i % 2] + 16 * s + 2 * (i / 2);
        for (int half = 0; half < 2; ++half) {
          const std::uint32_t code = pair[half];
          const int byte = 8 * (i / 2) + 16 * half;
          words.nibbles[s] |= (code & 15) << (4 * i + 16 * half);
          words.bytes[i % 2][s] |= code << byte;
          words.pairs[s / 2] |= (code >> pair_shift & 3) << (byte + 4 * (s % 2) + 2 * (i % 2));
          words.singles |= (code >> single_shift & 1) << (byte + 2 * s + i % 2);
        }
      }
    }
    std::byte* plane = out;
    const auto put = [&](bool there, const std::uint32_t* from, int count) {
      if (!there) return;
      std::memcpy(plane + lane * count * 4, from, static_cast<std::size_t>(count) * 4);
      plane += kLanes * count * 4;
    };
    put(format.nibbles, words.nibbles, kFourWords);
    put(format.bytes, words.bytes[0], kFourWords);
    put(format.bytes, words.bytes[1], kFourWords);
    put(format.pairs, words.pairs, kPairWords);
    put(format.singles, &words.singles, 1);
  }
}

/// Row `row` of a tile in a record of 16 rows.
struct RecordRow {
  std::byte* record;
  int row;
  void put_word(int start, std::uint16_t word) const {
    std::memcpy(record + start + 2 * place_in_run(row), &word, sizeof word);
  }
  void put_byte(int start, int byte) const {
    record[start + place_in_run(row)] = static_cast<std::byte>(byte);
  }
};

void put_block_scales(const StoredFormat& format, int subs, const BlockCodes& block, const RecordRow& at) {
  constexpr int kWords = 2 * kCellRows;
  at.put_word(0, block.d);
  if (format.minimum) at.put_word(kWords, block.m);
  if (!format.sub_scales) return;
  const int start = format.minimum ? 2 * kWords : kWords;
  for (int s = 0; s < subs; ++s) {
    if (format.shared_byte) {
      at.put_byte(start + s * kCellRows, block.scales[s] | block.minima[s] << 4);
      continue;
    }
    at.put_byte(start + s * kCellRows, block.scales[s]);
    if (format.minimum) at.put_byte(start + (subs + s) * kCellRows, block.minima[s]);
  }
}

void take_blocks(const TensorView& source, const StoredFormat& format, std::int64_t row, int row_in_tile,
                 std::uint8_t* codes, std::byte* records) {
  const int block_bytes = tensor_type_info(source.type).block_bytes;
  const std::int64_t blocks = source.columns / format.record_columns;
  const std::byte* block = source.data + row * blocks * block_bytes;
  const std::uint8_t flip = source.type == TensorType::q8_0 ? 0x80 : 0;
  BlockCodes split;
  for (std::int64_t b = 0; b < blocks; ++b, block += block_bytes, records += format.record_bytes) {
    split_block(source.type, block, split);
    put_block_scales(format, format.record_columns / format.span, split, {records, row_in_tile});
    for (int i = 0; i < format.record_columns; ++i)
      *codes++ = static_cast<std::uint8_t>(split.codes[i] ^ flip);
  }
}

void put_linear_scale(const QuantizedLinear& linear, const DeviceMatrix& matrix, std::int64_t row, int group,
                      const RecordRow& at) {
  const float scale = linear.scale(row, group);
  if (matrix.scale_type == TensorType::f32) {
    std::memcpy(at.record + 4 * place_in_run(at.row), &scale, sizeof scale);
  } else {
    at.put_word(0, matrix.scale_type == TensorType::f16 ? float_to_half(scale) : float_to_bfloat(scale));
  }
  const int zeros = kCellRows * scale_width(matrix);
  if (matrix.type == TensorType::i4) at.put_byte(zeros, linear.zero(row, group));
  if (matrix.type == TensorType::i8) at.put_word(zeros, static_cast<std::uint16_t>(linear.zero(row, group)));
}

void take_linear(const TensorView& source, const MatrixLayout& layout, std::int64_t row, int row_in_tile,
                 std::uint8_t* codes, std::byte* records) {
  const DeviceMatrix& matrix = layout.matrix;
  const int bytes = record_bytes(matrix, stored_format(matrix.type));
  if (!source.quantized) {  // fp8 numbers alone
    std::memcpy(codes, source.data + row * source.columns, static_cast<std::size_t>(source.columns));
    constexpr float kOne = 1;
    std::memcpy(records + 4 * place_in_run(row_in_tile), &kOne, sizeof kOne);
    return;
  }
  const QuantizedLinear& linear = *source.quantized;
  row += source.first_row;
  for (const std::int32_t group : layout.record_groups) {
    put_linear_scale(linear, matrix, row, group, {records, row_in_tile});
    records += bytes;
  }
  if (layout.order.empty()) return linear.row_codes(row, codes);
  std::vector<std::uint8_t> in_order(static_cast<std::size_t>(source.columns));
  linear.row_codes(row, in_order.data());
  for (const std::int32_t column : layout.order)
    *codes++ = column < 0 ? std::uint8_t{0} : in_order[static_cast<std::size_t>(column)];
}

/// As pack_rows().
float pack_plain(const TensorView& source, const DeviceMatrix& matrix, std::int64_t row, std::byte* out) {
  const auto columns = static_cast<std::size_t>(source.columns);
  const std::byte* from = source.data + tensor_bytes(source.type, row * source.columns);
  std::memset(out, 0, static_cast<std::size_t>(matrix.stride) * 2);
  if (source.type == matrix.type) {
    std::memcpy(out, from, columns * 2);
    return 0;
  }
  constexpr float kMostHalf = 65504;
  const bool half = matrix.type == TensorType::f16;
  float beyond = 0;
  std::vector<float> numbers(columns);
  dequantize(source.type, from, numbers.data(), source.columns);
  for (const float number : numbers) {
    const std::uint16_t bits = half ? float_to_half(number) : float_to_bfloat(number);
    if (half && std::fabs(number) > kMostHalf) beyond = std::max(beyond, std::fabs(number));
    std::memcpy(out, &bits, sizeof bits);
    out += sizeof bits;
  }
  return beyond;
}

bool is_float_type(TensorType type) {
  return type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

}  // namespace

MatrixLayout matrix_layout(const TensorView& source, TensorType plain) {
  MatrixLayout layout;
  DeviceMatrix& matrix = layout.matrix;
  matrix.type = source.quantized ? source.quantized->type : is_float_type(source.type) ? plain : source.type;
  matrix.rows = static_cast<int>(source.rows);
  matrix.columns = static_cast<int>(source.columns);
  if (matrix.is_plain()) {
    matrix.stride = round_up(source.columns, 8);
    layout.value_bytes = std::int64_t{matrix.rows} * matrix.stride * 2;
    return layout;
  }
  matrix.stride = round_up(source.columns, kCellColumns);
  if (!is_block_type(matrix.type)) {
    matrix.scale_type = matrix.type == TensorType::f8_e4m3 ? TensorType::f32 : source.quantized->scale_type;
    matrix.group_columns = kWholeRow;
    if (source.quantized) group_columns(*source.quantized, layout);
  }
  const TileBytes tile = tile_bytes(matrix);
  const std::int64_t tiles = round_up(matrix.rows, kCellRows) / kCellRows;
  layout.value_bytes = tiles * tile.values;
  layout.scale_bytes = tiles * tile.scales;
  return layout;
}

float pack_rows(const TensorView& source, const MatrixLayout& layout, int first, int count, std::byte* values,
                std::byte* scales) {
  const DeviceMatrix& matrix = layout.matrix;
  float beyond = 0;
  if (matrix.is_plain()) {
    for (int r = 0; r < count; ++r) {
      std::byte* to = values + std::int64_t{r} * matrix.stride * 2;
      beyond = std::max(beyond, pack_plain(source, matrix, first + r, to));
    }
    return beyond;
  }
  const StoredFormat format = stored_format(matrix.type);
  const TileBytes tile = tile_bytes(matrix);
  TileCodes codes(matrix.stride);
  for (int start = 0; start < count; start += kCellRows, values += tile.values, scales += tile.scales) {
    codes.clear();
    std::memset(scales, 0, static_cast<std::size_t>(tile.scales));
    for (int r = 0; r < std::min(kCellRows, count - start); ++r) {
      if (format.grouped) {
        take_linear(source, layout, first + start + r, r, codes.row(r), scales);
      } else {
        take_blocks(source, format, first + start + r, r, codes.row(r), scales);
      }
    }
    codes.write(format, values);
  }
  return beyond;
}

PackPlace pack_place(const MatrixLayout& layout, int first) {
  const TileBytes tile = tile_bytes(layout.matrix);
  return {first / kCellRows * tile.values, first / kCellRows * tile.scales};
}

}  // namespace pitwall::cuda
