// SPDX-License-Identifier: GPL-3.0-or-later
// A lane's part of a cell of a quantised matrix (matrix_layout.h) and its scales, taken apart in registers.
#pragma once
#include <cstddef>

#include "kernels/cuda/matrix_layout.h"
#include "kernels/cuda/number16.cuh"

namespace pitwall::cuda {

/// stored_format() as a value, which device code may read.
template <TensorType kType>
inline constexpr StoredFormat kStored = stored_format(kType);

inline constexpr int kWideGroup = 128;  ///< of a quantised linear, from which on spans are as wide

/// What kernels read of a quantised matrix.
struct CellMatrix {
  const std::byte* values = nullptr;
  const std::byte* scales = nullptr;
  std::int64_t tile_values = 0, tile_scales = 0;  ///< bytes of 16 rows
  int cells = 0;                                  ///< in 16 rows
  int tiles = 0;                                  ///< of 16 rows
  int group_shift = 0;                            ///< of a quantised linear: column >> shift is its group
  int record_bytes = 0;                           ///< likewise
  TensorType scale_type = TensorType::f16;
};

__host__ __device__ inline CellMatrix cell_matrix(const DeviceMatrix& matrix, const StoredFormat& format) {
  CellMatrix cells;
  cells.values = matrix.values;
  cells.scales = matrix.scales;
  cells.cells = matrix.stride / kCellColumns;
  cells.tiles = (matrix.rows + kCellRows - 1) / kCellRows;
  cells.tile_values = std::int64_t{cells.cells} * (kCellRows * kCellColumns / 8 * format.bits);
  cells.scale_type = matrix.scale_type;
  if (format.grouped) {
    while ((1 << cells.group_shift) < matrix.group_columns) ++cells.group_shift;
    const int zero_bytes = matrix.type == TensorType::i4 ? 1 : matrix.type == TensorType::i8 ? 2 : 0;
    cells.record_bytes = kCellRows * ((matrix.scale_type == TensorType::f32 ? 4 : 2) + zero_bytes);
    const int groups = ((matrix.stride - 1) >> cells.group_shift) + 1;
    cells.tile_scales = std::int64_t{groups} * cells.record_bytes;
  } else {
    const int records = (matrix.stride + format.record_columns - 1) / format.record_columns;
    cells.tile_scales = std::int64_t{records} * format.record_bytes;
  }
  return cells;
}

/// The words of one lane; those of planes that a type lacks are never touched.
struct CellWords {
  std::uint32_t nibbles[4], bytes[2][4], pairs[2], singles;
};

/// Where cells and scales are read from.
struct FromGlobal {
  static __device__ uint4 four(const uint4* from) { return load_once(from); }
  template <class Words>
  static __device__ Words words(const Words* from) {
    return __ldg(from);
  }
};
struct FromShared {
  static __device__ uint4 four(const uint4* from) { return *from; }
  template <class Words>
  static __device__ Words words(const Words* from) {
    return *from;
  }
};

template <TensorType kType, class From = FromGlobal>
__device__ inline CellWords load_cell(const std::byte* cell, int lane) {
  constexpr StoredFormat kFormat = kStored<kType>;
  CellWords words;
  const auto four = [&](std::uint32_t(&to)[4]) {
    const uint4 from = From::four(reinterpret_cast<const uint4*>(cell) + lane);
    to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
    cell += 32 * 16;
  };
  if constexpr (kFormat.nibbles) four(words.nibbles);
  if constexpr (kFormat.bytes) four(words.bytes[0]), four(words.bytes[1]);
  if constexpr (kFormat.pairs) {
    const uint2 from = From::words(reinterpret_cast<const uint2*>(cell) + lane);
    words.pairs[0] = from.x, words.pairs[1] = from.y;
    cell += 32 * 8;
  }
  if constexpr (kFormat.singles)
    words.singles = From::words(reinterpret_cast<const std::uint32_t*>(cell) + lane);
  return words;
}

/// Codes of pair `i` of step `s`, one in each half of the result.
template <TensorType kType>
__device__ inline std::uint32_t pair_code(const CellWords& words, int s, int i) {
  constexpr StoredFormat kFormat = kStored<kType>;
  std::uint32_t code = 0;
  if constexpr (kFormat.nibbles) code = words.nibbles[s] >> (4 * i) & 0x000F000Fu;
  if constexpr (kFormat.bytes) code = words.bytes[i % 2][s] >> (8 * (i / 2)) & 0x00FF00FFu;
  if constexpr (kFormat.pairs)
    code |= (words.pairs[s / 2] >> (8 * (i / 2) + 4 * (s % 2) + 2 * (i % 2)) & 0x00030003u)
            << (kFormat.bits == 6 ? 4 : 0);
  if constexpr (kFormat.singles)
    code |= (words.singles >> (8 * (i / 2) + 2 * s + i % 2) & 0x00010001u) << (kFormat.bits - 1);
  return code;
}

/// The bfloat16 or float16 numbers of a type's table, low and high bytes apart, four codes a word.
struct TableBytes {
  std::uint32_t low[4], high[4];
};
constexpr TableBytes table_bytes(TensorType type, bool half) {
  const int fraction = half ? 10 : 7, bias = half ? 15 : 127;
  const std::int8_t* table = block_format(type).table;
  TableBytes result{};
  for (int c = 0; table != nullptr && c < 16; ++c) {
    const int number = table[c], size = number < 0 ? -number : number;
    std::uint32_t bits = number < 0 ? 0x8000u : 0;
    if (size > 0) {
      int exponent = 7;
      while ((size >> exponent) == 0) --exponent;
      const int below = (size << (fraction - exponent)) & ((1 << fraction) - 1);
      bits |= static_cast<std::uint32_t>((bias + exponent) << fraction | below);
    }
    result.low[c / 4] |= (bits & 0xFFu) << (c % 4 * 8);
    result.high[c / 4] |= (bits >> 8) << (c % 4 * 8);
  }
  return result;
}
template <TensorType kType, bool kIsHalf>
inline constexpr TableBytes kTable = table_bytes(kType, kIsHalf);

/// Table numbers of a pair of codes, as bfloat16 or float16.
template <TensorType kType, bool kIsHalf = false>
__device__ inline std::uint32_t table_pair(std::uint32_t code) {
  const std::uint32_t selector = (code & 0x7u) | (code >> 8 & 0x700u);
  const std::uint32_t upper = (code >> 3 & 0x00010001u) * 0xFFu;  // which take the table's second half
  const auto look_up = [&](std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
    return (__byte_perm(w0, w1, selector) & (0x00FF00FFu & ~upper)) | (__byte_perm(w2, w3, selector) & upper);
  };
  constexpr TableBytes kBytes = kTable<kType, kIsHalf>;
  return look_up(kBytes.low[0], kBytes.low[1], kBytes.low[2], kBytes.low[3]) |
         look_up(kBytes.high[0], kBytes.high[1], kBytes.high[2], kBytes.high[3]) << 8;
}

/// fp8_e4m3 codes of a pair as bfloat16 or float16, exactly: their fields moved to its places, times 2^120 or
/// 2^8 for the difference of the exponents' biases.
template <bool kIsHalf = false>
__device__ inline std::uint32_t fp8_pair(std::uint32_t code) {
  if constexpr (kIsHalf) {
    const std::uint32_t bits = (code & 0x00800080u) << 8 | (code & 0x007F007Fu) << 7;
    constexpr std::uint32_t kScale = 0x5C005C00u;
    const __half2 product =
        __hmul2(*reinterpret_cast<const __half2*>(&bits), *reinterpret_cast<const __half2*>(&kScale));
    return *reinterpret_cast<const std::uint32_t*>(&product);
  }
  const std::uint32_t bits = (code & 0x00800080u) << 8 | (code & 0x007F007Fu) << 4;
  constexpr std::uint32_t kScale = 0x7B807B80u;
  const __nv_bfloat162 product = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&bits),
                                         *reinterpret_cast<const __nv_bfloat162*>(&kScale));
  return *reinterpret_cast<const std::uint32_t*>(&product);
}

/// The numbers of a pair without scale, zero or minimum.
template <TensorType kType>
__device__ inline float2 pair_numbers(std::uint32_t code) {
  if constexpr (kStored<kType>.table) return bf16_floats(table_pair<kType>(code));
  if constexpr (kType == TensorType::f8_e4m3) return bf16_floats(fp8_pair(code));
  return {static_cast<float>(code & 0xFFFFu), static_cast<float>(code >> 16)};
}

/// Scales of one span as they are stored, both rows of a lane in each word; what a type lacks is untouched.
struct ScaleWords {
  std::uint32_t d[2];  ///< two float16 or bfloat16 numbers in the first, or two floats
  std::uint32_t m, zero, sub, minimum;
};

/// Of the span of columns that begins at `column`; `tile` is the tile's records, `g` the lane's row. kHalves:
/// scales of a quantised linear have 16 bits.
template <TensorType kType, class From = FromGlobal, bool kHalves = false>
__device__ inline ScaleWords load_scale(const CellMatrix& matrix, const std::byte* tile, int column, int g) {
  constexpr StoredFormat kFormat = kStored<kType>;
  ScaleWords words;
  const auto word = [g](const std::byte* record) {
    return From::words(reinterpret_cast<const std::uint32_t*>(record) + g);
  };
  const auto bytes = [g](const std::byte* record) {
    return static_cast<std::uint32_t>(From::words(reinterpret_cast<const std::uint16_t*>(record) + g));
  };
  if constexpr (kFormat.grouped) {
    const std::byte* record = tile + (column >> matrix.group_shift) * matrix.record_bytes;
    const bool wide = !kHalves && matrix.scale_type == TensorType::f32;
    if (wide) {
      const uint2 pair = From::words(reinterpret_cast<const uint2*>(record) + g);
      words.d[0] = pair.x, words.d[1] = pair.y;
    } else {
      words.d[0] = word(record);
    }
    const std::byte* zeros = record + (wide ? 4 : 2) * kCellRows;
    if constexpr (kType == TensorType::i4) words.zero = bytes(zeros);
    if constexpr (kType == TensorType::i8) words.zero = word(zeros);
  } else {
    constexpr int kWords = 2 * kCellRows;
    const std::byte* record = tile + column / kFormat.record_columns * kFormat.record_bytes;
    words.d[0] = word(record);
    if constexpr (kFormat.minimum) words.m = word(record + kWords);
    if constexpr (kFormat.sub_scales) {
      constexpr int kSubs = kFormat.record_columns / kFormat.span;
      const int sub = column % kFormat.record_columns / kFormat.span;
      const std::byte* scales = record + (kFormat.minimum ? 2 * kWords : kWords) + sub * kCellRows;
      words.sub = bytes(scales);
      if constexpr (kFormat.minimum && !kFormat.shared_byte)
        words.minimum = bytes(scales + kSubs * kCellRows);
    }
  }
  return words;
}

/// Of rows g and g + 8: number = d·(code − zero) + m.
struct CellScale {
  float d[2], m[2], zero[2];
};

template <TensorType kType, bool kHalves = false>
__device__ inline CellScale cell_scale(const ScaleWords& words, TensorType scale_type) {
  constexpr StoredFormat kFormat = kStored<kType>;
  constexpr auto kZero = static_cast<float>(kFormat.zero);
  CellScale scale{{}, {0, 0}, {kZero, kZero}};
  const auto set = [](float(&to)[2], float2 from) { to[0] = from.x, to[1] = from.y; };
  if constexpr (kFormat.grouped) {
    if (!kHalves && scale_type == TensorType::f32) {
      set(scale.d, {__uint_as_float(words.d[0]), __uint_as_float(words.d[1])});
    } else {
      set(scale.d, scale_type == TensorType::f16 ? f16_floats(words.d[0]) : bf16_floats(words.d[0]));
    }
    constexpr int kZeroBits = kType == TensorType::i4 ? 8 : 16;
    // The bits of a small integer below those of 2^23 are their sum: no conversion, which is slow.
    constexpr std::uint32_t k23 = 0x4B000000u;
    const auto number = [](std::uint32_t bits) { return __uint_as_float(bits | k23) - 0x1p23f; };
    if constexpr (kType != TensorType::f8_e4m3)
      set(scale.zero, {number(words.zero & ((1u << kZeroBits) - 1)), number(words.zero >> kZeroBits)});
    return scale;
  }
  set(scale.d, kFormat.bfloat ? bf16_floats(words.d[0]) : f16_floats(words.d[0]));
  if constexpr (kFormat.minimum) set(scale.m, f16_floats(words.m));
  if constexpr (kFormat.shared_byte) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      scale.d[h] *= static_cast<float>(words.sub >> (8 * h) & 15u);
      scale.m[h] *= -static_cast<float>(words.sub >> (8 * h + 4) & 15u);
    }
  } else if constexpr (kFormat.sub_scales) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      scale.d[h] *= static_cast<float>(static_cast<std::int8_t>(words.sub >> (8 * h) & 0xFFu));
      if constexpr (kFormat.minimum) scale.m[h] *= -static_cast<float>(words.minimum >> (8 * h) & 0xFFu);
    }
  }
  return scale;
}

/// Numbers of pair `i` of step `s`, in float32.
template <TensorType kType>
__device__ inline float2 dequantized_pair(const CellWords& words, int s, int i, const CellScale& scale) {
  const float2 number = pair_numbers<kType>(pair_code<kType>(words, s, i));
  const float d = scale.d[i % 2], m = scale.m[i % 2], zero = scale.zero[i % 2];
  return {fmaf(d, number.x - zero, m), fmaf(d, number.y - zero, m)};
}

/// Calls `body` with the type as a template argument: a GGUF block type …
template <class Body>
void with_block_type(TensorType type, const Body& body) {
  switch (type) {
#define PITWALL_TYPE(name) \
  case TensorType::name:   \
    return body.template operator()<TensorType::name>();
    PITWALL_TYPE(q4_0)
    PITWALL_TYPE(q4_1)
    PITWALL_TYPE(q5_0)
    PITWALL_TYPE(q5_1)
    PITWALL_TYPE(q8_0)
    PITWALL_TYPE(q2_k)
    PITWALL_TYPE(q3_k)
    PITWALL_TYPE(q4_k)
    PITWALL_TYPE(q5_k)
    PITWALL_TYPE(q6_k)
    PITWALL_TYPE(iq4_nl)
    PITWALL_TYPE(iq4_xs)
    PITWALL_TYPE(mxfp4)
    default:
      return;
  }
}
/// … that of a quantised linear …
template <class Body>
void with_grouped_type(TensorType type, const Body& body) {
  switch (type) {
    PITWALL_TYPE(i4)
    PITWALL_TYPE(i8)
    PITWALL_TYPE(f8_e4m3)
#undef PITWALL_TYPE
    default:
      return;
  }
}
/// … or either.
template <class Body>
void with_quantised_type(TensorType type, const Body& body) {
  with_block_type(type, body);
  with_grouped_type(type, body);
}

}  // namespace pitwall::cuda
