// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/scalar_convert.h"

namespace pitwall {

namespace {

constexpr Bytes kAlignment = 64;
constexpr int kWordBytes = 4;  // what one row has in one vector: four columns, or four pairs of nibbles

Bytes align(Bytes bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Where the numbers of a quantised format stand in its block.
struct BlockFormat {
  int bytes, scales, words;  ///< of a block; scales are float16 at its front, words of values follow
};
BlockFormat block_format(TensorType type) {
  switch (type) {
    case TensorType::q4_1:
      return {sizeof(BlockQ4_1), 2, 4};
    case TensorType::q8_0:
      return {sizeof(BlockQ8_0), 1, 8};
    default:
      return {sizeof(BlockQ4_0), 1, 4};
  }
}

void pack_quantised(const TensorView& source, int tile, std::byte* values, std::byte* scales) {
  const BlockFormat format = block_format(source.type);
  const std::int64_t blocks = source.columns / kQuantBlock;
  const int rows =
      static_cast<int>(std::min<std::int64_t>(kTileRows, source.rows - std::int64_t{tile} * kTileRows));
  for (int r = 0; r < rows; ++r) {
    const std::byte* block = source.data + (std::int64_t{tile} * kTileRows + r) * blocks * format.bytes;
    for (std::int64_t b = 0; b < blocks; ++b, block += format.bytes) {
      const std::int64_t group = tile * blocks + b;
      for (int s = 0; s < format.scales; ++s) {
        std::memcpy(scales + ((group * format.scales + s) * kTileRows + r) * 2, block + 2 * s, 2);
      }
      const std::byte* words = block + 2 * format.scales;
      for (int w = 0; w < format.words; ++w) {
        std::memcpy(values + ((group * format.words + w) * kTileRows + r) * kWordBytes,
                    words + w * kWordBytes, kWordBytes);
      }
    }
  }
}

template <class Number>
void pack_plain(const TensorView& source, int tile, std::byte* values) {
  const int rows =
      static_cast<int>(std::min<std::int64_t>(kTileRows, source.rows - std::int64_t{tile} * kTileRows));
  auto* target = reinterpret_cast<Number*>(values) + std::int64_t{tile} * kTileRows * source.columns;
  for (int r = 0; r < rows; ++r) {
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

void unpack_quantised(const PackedMatrix& weight, int row, float* out) {
  const BlockFormat format = block_format(weight.type);
  const int blocks = weight.columns / kQuantBlock, lane = row % kTileRows;
  for (int b = 0; b < blocks; ++b, out += kQuantBlock) {
    const std::int64_t group = std::int64_t{row / kTileRows} * blocks + b;
    const auto* scales =
        reinterpret_cast<const std::uint16_t*>(weight.scales) + group * format.scales * kTileRows + lane;
    const float d = half_bits_to_float(scales[0]);
    const float m = weight.type == TensorType::q4_1 ? half_bits_to_float(scales[kTileRows]) : -8 * d;
    for (int i = 0; i < format.words * kWordBytes; ++i) {
      const std::int64_t word = group * format.words + i / kWordBytes;
      const auto byte = std::to_integer<std::uint8_t>(
          weight.values[(word * kTileRows + lane) * kWordBytes + i % kWordBytes]);
      if (weight.type == TensorType::q8_0) {
        out[i] = d * static_cast<float>(static_cast<std::int8_t>(byte));
      } else {
        out[i] = d * static_cast<float>(byte & 0x0F) + m;
        out[i + 16] = d * static_cast<float>(byte >> 4) + m;
      }
    }
  }
}

}  // namespace

PackedSize packed_size(TensorType type, std::int64_t rows, std::int64_t columns) {
  const std::int64_t padded = (rows + kTileRows - 1) / kTileRows * kTileRows;
  if (!is_quantised(type)) return {align(tensor_bytes(type, padded * columns)), 0};
  const BlockFormat format = block_format(type);
  const std::int64_t blocks = padded * (columns / kQuantBlock);
  return {align(blocks * format.words * kWordBytes), align(blocks * format.scales * 2)};
}

void pack_tile(const TensorView& source, int tile, std::byte* values, std::byte* scales) {
  if (is_quantised(source.type)) {
    pack_quantised(source, tile, values, scales);
  } else if (source.type == TensorType::f32) {
    pack_plain<float>(source, tile, values);
  } else {
    pack_plain<std::uint16_t>(source, tile, values);
  }
}

void unpack_row(const PackedMatrix& weight, int row, float* out) {
  switch (weight.type) {
    case TensorType::f32:
      return unpack_plain<float>(weight, row, out, [](float x) { return x; });
    case TensorType::f16:
      return unpack_plain<std::uint16_t>(weight, row, out, half_bits_to_float);
    case TensorType::bf16:
      return unpack_plain<std::uint16_t>(weight, row, out, bfloat_bits_to_float);
    case TensorType::q4_0:
    case TensorType::q4_1:
    case TensorType::q8_0:
      return unpack_quantised(weight, row, out);
  }
}

}  // namespace pitwall
