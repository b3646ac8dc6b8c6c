// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "engine/model/quantized_linear.h"
#include "kernels/cpu/scalar_convert.h"

namespace pitwall {

namespace {

constexpr int kWordBytes = 4;                 // what one row has in one vector
constexpr int kMostGroupBytes = kQuantBlock;  // of a row in a block of 32 columns

std::uint8_t byte_of(int value) {
  return static_cast<std::uint8_t>(value);
}

int rows_in_tile(std::int64_t rows, int tile) {
  return static_cast<int>(std::min<std::int64_t>(kTileRows, rows - std::int64_t{tile} * kTileRows));
}

/// 32 codes of a row as the planes that the format has; unsigned codes of any width.
void write_planes(const PackedFormat& format, const std::uint8_t* codes, std::uint8_t* out) {
  if (format.bits == 8) {
    std::memcpy(out, codes, kQuantBlock);
    return;
  }
  if (format.nibbles) {
    for (int i = 0; i < 16; ++i) out[i] = byte_of((codes[i] & 15) | (codes[i + 16] & 15) << 4);
    out += 16;
  }
  if (format.pairs) {
    const int from = format.nibbles ? 4 : 0;
    for (int p = 0; p < 2; ++p) {
      for (int j = 0; j < 4; ++j) {
        int pairs = 0;
        for (int i = 0; i < 4; ++i) pairs |= (codes[16 * p + 4 * i + j] >> from & 3) << (2 * i);
        *out++ = byte_of(pairs);
      }
    }
  }
  if (format.singles) {
    for (int j = 0; j < 4; ++j) {
      int singles = 0;
      for (int v = 0; v < 8; ++v) singles |= (codes[4 * v + j] >> (format.bits - 1) & 1) << v;
      out[j] = byte_of(singles);
    }
  }
}

void read_planes(const PackedFormat& format, const std::uint8_t* in, std::uint8_t* codes) {
  if (format.bits == 8) {
    std::memcpy(codes, in, kQuantBlock);
    return;
  }
  std::memset(codes, 0, kQuantBlock);
  if (format.nibbles) {
    for (int i = 0; i < 16; ++i) codes[i] = in[i] & 15, codes[i + 16] = in[i] >> 4;
    in += 16;
  }
  if (format.pairs) {
    const int to = format.nibbles ? 4 : 0;
    for (int i = 0; i < kQuantBlock; ++i)
      codes[i] = byte_of(codes[i] | (in[i / 16 * 4 + i % 4] >> (i % 16 / 4 * 2) & 3) << to);
    in += 8;
  }
  if (format.singles) {
    for (int i = 0; i < kQuantBlock; ++i)
      codes[i] = byte_of(codes[i] | (in[i % 4] >> (i / 4) & 1) << (format.bits - 1));
  }
}

void put_codes(const PackedFormat& format, const std::uint8_t* codes, std::int64_t group, int row,
               std::byte* values) {
  std::uint8_t planes[kMostGroupBytes];
  write_planes(format, codes, planes);
  std::byte* at = values + group * group_bytes(format.bits) + row * kWordBytes;
  for (int word = 0; word < format.bits; ++word)
    std::memcpy(at + word * kTileRows * kWordBytes, planes + word * kWordBytes, kWordBytes);
}

void take_codes(const PackedFormat& format, const std::byte* values, std::int64_t group, int row,
                std::uint8_t* codes) {
  std::uint8_t planes[kMostGroupBytes];
  const std::byte* at = values + group * group_bytes(format.bits) + row * kWordBytes;
  for (int word = 0; word < format.bits; ++word)
    std::memcpy(planes + word * kWordBytes, at + word * kTileRows * kWordBytes, kWordBytes);
  read_planes(format, planes, codes);
}

/// A row's place in a record of block scales.
struct RecordRow {
  std::byte* record;
  int row;
  void put_word(int run, std::uint16_t word) const {
    std::memcpy(record + 2 * (run * kTileRows + row), &word, sizeof word);
  }
  std::byte& byte(int start, int run) const { return record[(start + run) * kTileRows + row]; }
};

void put_record(const PackedFormat& format, const BlockCodes& block, std::byte* record, int row) {
  const RecordRow at{record, row};
  at.put_word(0, block.d);
  if (format.minimum) at.put_word(1, block.m);
  using Scale = BlockFormat::Scale;
  if (format.block.scale != Scale::sub && format.block.scale != Scale::sub_minimum) return;
  const int subs = format.block.columns / format.block.sub_columns, start = format.minimum ? 4 : 2;
  for (int s = 0; s < subs; ++s) {
    if (format.block.scale == Scale::sub_minimum && format.bits == 2) {
      at.byte(start, s) = static_cast<std::byte>(block.scales[s] | block.minima[s] << 4);
      continue;
    }
    at.byte(start, s) = static_cast<std::byte>(block.scales[s]);
    if (format.minimum) at.byte(start + subs, s) = static_cast<std::byte>(block.minima[s]);
  }
}

/// Scale and minimum of sub-block `sub` of a row.
std::pair<float, float> take_scales(const PackedFormat& format, const std::byte* record, int row, int sub) {
  using Scale = BlockFormat::Scale;
  const auto word = [&](int run) {
    std::uint16_t bits;
    std::memcpy(&bits, record + 2 * (run * kTileRows + row), sizeof bits);
    return bits;
  };
  const float d =
      format.block.scale == Scale::bfloat ? bfloat_bits_to_float(word(0)) : half_bits_to_float(word(0));
  const float m = format.minimum ? half_bits_to_float(word(1)) : 0;
  const int subs = format.block.columns / format.block.sub_columns, start = format.minimum ? 4 : 2;
  const auto byte = [&](int run) {
    return static_cast<std::int8_t>(record[(start + run) * kTileRows + row]);
  };
  if (format.block.scale == Scale::sub) return {d * byte(sub), 0.0f};
  if (format.block.scale != Scale::sub_minimum) return {d, m};
  if (format.bits == 2) return {d * (byte(sub) & 15), -m * (byte(sub) >> 4 & 15)};
  return {d * byte(sub), -m * byte(subs + sub)};
}

void pack_blocks(const TensorView& source, int tile, std::byte* values, std::byte* scales) {
  const PackedFormat format = packed_format(source.type);
  const std::int64_t blocks = source.columns / format.block.columns;
  const int block_bytes = tensor_type_info(source.type).block_bytes;
  const int groups = format.block.columns / kQuantBlock;
  BlockCodes codes;
  for (int r = 0; r < rows_in_tile(source.rows, tile); ++r) {
    const std::byte* block = source.data + (std::int64_t{tile} * kTileRows + r) * blocks * block_bytes;
    for (std::int64_t b = tile * blocks; b < (tile + 1) * blocks; ++b, block += block_bytes) {
      split_block(source.type, block, codes);
      put_record(format, codes, scales + b * format.record_bytes, r);
      for (int g = 0; g < groups; ++g)
        put_codes(format, codes.codes + g * kQuantBlock, b * groups + g, r, values);
    }
  }
}

void unpack_blocks(const PackedMatrix& weight, int row, float* out) {
  const PackedFormat format = packed_format(weight.type);
  const int groups = weight.columns / kQuantBlock, lane = row % kTileRows;
  const std::int64_t first = std::int64_t{row / kTileRows} * groups;
  std::uint8_t codes[kQuantBlock];
  for (std::int64_t g = first; g < first + groups; ++g, out += kQuantBlock) {
    take_codes(format, weight.values, g, lane, codes);
    const std::int64_t column = g * kQuantBlock;
    const std::byte* record = weight.scales + column / format.block.columns * format.record_bytes;
    for (int i = 0; i < kQuantBlock; ++i) {
      const auto sub = static_cast<int>((column + i) % format.block.columns / format.block.sub_columns);
      const auto [d, m] = take_scales(format, record, lane, sub);
      const int number = format.block.table != nullptr ? format.block.table[codes[i]]
                         : format.block.is_signed      ? static_cast<std::int8_t>(codes[i])
                                                       : codes[i] - format.block.zero;
      out[i] = d * static_cast<float>(number) + m;
    }
  }
}

template <class Number>
void pack_plain(const TensorView& source, int tile, std::byte* values) {
  auto* target = reinterpret_cast<Number*>(values) + std::int64_t{tile} * kTileRows * source.columns;
  for (int r = 0; r < rows_in_tile(source.rows, tile); ++r) {
    const std::byte* row = source.data + (std::int64_t{tile} * kTileRows + r) * source.columns *
                                             static_cast<std::int64_t>(sizeof(Number));
    for (std::int64_t k = 0; k < source.columns; ++k) {
      std::memcpy(&target[k * kTileRows + r], row + k * static_cast<std::int64_t>(sizeof(Number)),
                  sizeof(Number));
    }
  }
}

template <class Number, class Widen>
void unpack_plain(const PackedMatrix& weight, int row, float* out, const Widen& widen) {
  const auto* values = reinterpret_cast<const Number*>(weight.values) +
                       std::int64_t{row / kTileRows} * kTileRows * weight.columns + row % kTileRows;
  for (int k = 0; k < weight.columns; ++k) out[k] = widen(values[std::int64_t{k} * kTileRows]);
}

// Quantised linears.

void put_linear_record(const QuantizedLinear& linear, std::int64_t row, std::int64_t group,
                       const PackedMatrix& matrix, std::byte* record, int lane) {
  const float scale = linear.scale(row, group);
  if (matrix.scale_type == TensorType::f32) {
    std::memcpy(record + 4 * lane, &scale, sizeof scale);
  } else {
    const std::uint16_t bits =
        matrix.scale_type == TensorType::f16 ? float_to_half_bits(scale) : float_to_bfloat_bits(scale);
    std::memcpy(record + 2 * lane, &bits, sizeof bits);
  }
  std::byte* zeros = record + kTileRows * tensor_type_info(matrix.scale_type).block_bytes;
  if (matrix.type == TensorType::i4) zeros[lane] = static_cast<std::byte>(-linear.zero(row, group));
  if (matrix.type == TensorType::i8) {
    const std::uint16_t bits = float_to_half_bits(static_cast<float>(128 - linear.zero(row, group)));
    std::memcpy(zeros + 2 * lane, &bits, sizeof bits);
  }
}

void pack_linear(const TensorView& source, const PackedLayout& layout, int tile, std::byte* values,
                 std::byte* scales) {
  const QuantizedLinear& linear = *source.quantized;
  const PackedMatrix& matrix = layout.matrix;
  const bool fp8 = matrix.type == TensorType::f8_e4m3;
  const PackedFormat format = packed_format(matrix.type);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(source.columns)), ordered = codes;
  const auto record_count = static_cast<std::int64_t>(layout.record_groups.size());
  for (int r = 0; r < rows_in_tile(source.rows, tile); ++r) {
    const std::int64_t row = source.first_row + std::int64_t{tile} * kTileRows + r;
    linear.row_codes(row, codes.data());
    for (std::int64_t g = 0; g < record_count; ++g) {
      std::byte* record = scales + (tile * record_count + g) * packed_record_bytes(matrix);
      put_linear_record(linear, row, layout.record_groups[static_cast<std::size_t>(g)], matrix, record, r);
    }
    if (fp8) {
      std::byte* to = values + std::int64_t{tile} * kTileRows * matrix.columns + r;
      for (int k = 0; k < matrix.columns; ++k)
        to[std::int64_t{k} * kTileRows] = static_cast<std::byte>(codes[static_cast<std::size_t>(k)]);
      continue;
    }
    if (!layout.order.empty()) {
      ordered.assign(layout.order.size(), 0);
      for (std::size_t k = 0; k < ordered.size(); ++k) {
        if (layout.order[k] >= 0) ordered[k] = codes[static_cast<std::size_t>(layout.order[k])];
      }
      ordered.swap(codes);
    }
    if (matrix.type == TensorType::i8) {
      for (std::uint8_t& code : codes) code ^= 0x80;  // signed, 128 less
    }
    for (int g = 0; g < matrix.columns / kQuantBlock; ++g) {
      put_codes(format, codes.data() + g * kQuantBlock,
                std::int64_t{tile} * (matrix.columns / kQuantBlock) + g, r, values);
    }
    codes.resize(static_cast<std::size_t>(source.columns));
  }
}

void unpack_linear(const PackedMatrix& weight, int row, float* out) {
  const PackedFormat format = packed_format(weight.type);
  const bool fp8 = weight.type == TensorType::f8_e4m3;
  const int tile = row / kTileRows, lane = row % kTileRows, bytes = packed_record_bytes(weight);
  std::uint8_t codes[kQuantBlock];
  for (int k = 0; k < weight.columns; ++k) {
    const std::byte* record =
        weight.scales + (std::int64_t{tile} * packed_records(weight) + k / weight.group_columns) * bytes;
    const int scale_bytes = tensor_type_info(weight.scale_type).block_bytes;
    float scale, number;
    dequantize(weight.scale_type, record + lane * scale_bytes, &scale, 1);
    if (fp8) {
      const std::byte code = weight.values[(std::int64_t{tile} * weight.columns + k) * kTileRows + lane];
      number = fp8_bits_to_float(std::to_integer<std::uint8_t>(code));
    } else {
      if (k % kQuantBlock == 0) {
        const std::int64_t group = (std::int64_t{tile} * weight.columns + k) / kQuantBlock;
        take_codes(format, weight.values, group, lane, codes);
      }
      const std::uint8_t code = codes[k % kQuantBlock];
      const std::byte* zeros = record + kTileRows * scale_bytes;
      if (weight.type == TensorType::i4) {
        number = static_cast<float>(code + static_cast<std::int8_t>(zeros[lane]));
      } else {
        std::uint16_t zero;
        std::memcpy(&zero, zeros + 2 * lane, sizeof zero);
        number = static_cast<float>(static_cast<std::int8_t>(code)) + half_bits_to_float(zero);
      }
    }
    const int column = weight.order == nullptr ? k : weight.order[k];
    if (column >= 0) out[column] = scale * number;
  }
}

}  // namespace

bool is_quantised(TensorType type) {
  return is_packed_quantised(type);
}

void pack_tile(const TensorView& source, const PackedLayout& layout, int tile, std::byte* values,
               std::byte* scales) {
  if (source.quantized) return pack_linear(source, layout, tile, values, scales);
  if (is_block_type(source.type)) return pack_blocks(source, tile, values, scales);
  if (source.type == TensorType::f32) return pack_plain<float>(source, tile, values);
  if (source.type != TensorType::f8_e4m3) return pack_plain<std::uint16_t>(source, tile, values);
  pack_plain<std::uint8_t>(source, tile, values);
  std::fill_n(reinterpret_cast<float*>(scales) + tile * kTileRows, kTileRows, 1.0f);
}

void unpack_row(const PackedMatrix& weight, int row, float* out) {
  switch (weight.type) {
    case TensorType::f32:
      return unpack_plain<float>(weight, row, out, [](float x) { return x; });
    case TensorType::f16:
      return unpack_plain<std::uint16_t>(weight, row, out, half_bits_to_float);
    case TensorType::bf16:
      return unpack_plain<std::uint16_t>(weight, row, out, bfloat_bits_to_float);
    case TensorType::i4:
    case TensorType::i8:
    case TensorType::f8_e4m3:
      return unpack_linear(weight, row, out);
    default:
      return unpack_blocks(weight, row, out);
  }
}

}  // namespace pitwall
