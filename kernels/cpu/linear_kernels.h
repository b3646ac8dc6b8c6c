// SPDX-License-Identifier: GPL-3.0-or-later
// One tile of a weight times a block of rows. Every output element is one chain over the columns in ascending
// order, whatever the number of rows at a time: that makes results independent of batch neighbours and
// chunking.
#pragma once
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

template <class S>
struct LinearKernels {
  using F = typename S::F;
  using B = typename S::B;
  static constexpr int kParts = kTileRows / S::kLanes;  // vectors a tile is wide
  static constexpr int kMostRows = S::kRowsAtOnce;

  static constexpr bool quantised(TensorType t) { return t >= TensorType::q4_0; }
  static constexpr int value_bytes(TensorType t) {
    return t == TensorType::q8_0 ? 512 : 256;
  }  // of 16 × 32 weights
  static constexpr int scale_count(TensorType t) {
    return t == TensorType::q4_1 ? 2 : 1;
  }  // per row and block

  /// Where a block of 32 columns of a tile lies.
  template <TensorType T>
  struct QuantGroup {
    const std::byte* values;
    const std::uint16_t* scales;
    QuantGroup(const PackedMatrix& w, int tile, int group) {
      const std::int64_t index = std::int64_t{tile} * (w.columns / kQuantBlock) + group;
      values = w.values + index * value_bytes(T);
      scales = reinterpret_cast<const std::uint16_t*>(w.scales) + index * kTileRows * scale_count(T);
    }
    F scale(int part) const { return S::load_half(scales + part * S::kLanes); }
    F minimum(int part) const { return S::load_half(scales + kTileRows + part * S::kLanes); }
    B bytes(int v, int part) const {
      return S::load_bytes(values + v * 4 * kTileRows + part * 4 * S::kLanes);
    }
  };

  /// Calls use(column, part, weights) for all columns in ascending order.
  template <TensorType T, class Use>
  [[gnu::always_inline]] static inline void walk_columns(const PackedMatrix& w, int tile, const Use& use) {
    if constexpr (quantised(T)) {
      for (int group = 0; group < w.columns / kQuantBlock; ++group) walk_group<T>(w, tile, group, use);
    } else {
      const std::int64_t start = std::int64_t{tile} * w.columns * kTileRows;
      const auto* floats = reinterpret_cast<const float*>(w.values) + start;
      const auto* words = reinterpret_cast<const std::uint16_t*>(w.values) + start;
      for (int k = 0; k < w.columns; ++k, floats += kTileRows, words += kTileRows) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
          const int lane = part * S::kLanes;
          if constexpr (T == TensorType::f32) use(k, part, S::load(floats + lane));
          if constexpr (T == TensorType::f16) use(k, part, S::load_half(words + lane));
          if constexpr (T == TensorType::bf16) use(k, part, S::load_bfloat(words + lane));
        }
      }
    }
  }

  template <TensorType T, class Use>
  [[gnu::always_inline]] static inline void walk_group(const PackedMatrix& w, int tile, int group,
                                                       const Use& use) {
    const QuantGroup<T> g(w, tile, group);
    F d[kParts], m[kParts];
    for (int part = 0; part < kParts; ++part) {
      d[part] = g.scale(part);
      if constexpr (T == TensorType::q4_1) m[part] = g.minimum(part);
      if constexpr (T == TensorType::q4_0) m[part] = S::mul(d[part], S::broadcast(-8.0f));
    }
    for (int v = 0; v < 8; ++v) {
      B bytes[kParts];
      for (int part = 0; part < kParts; ++part) {
        if constexpr (T == TensorType::q8_0) {
          bytes[part] = g.bytes(v, part);
        } else {
          bytes[part] = v < 4 ? S::low_nibbles(g.bytes(v, part)) : S::high_nibbles(g.bytes(v - 4, part));
        }
      }
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
          const int k = group * kQuantBlock + 4 * v + j;
          if constexpr (T == TensorType::q8_0) {
            use(k, part, S::mul(S::signed_column(bytes[part], j), d[part]));
          } else {
            use(k, part, S::fma(S::column(bytes[part], j), d[part], m[part]));
          }
        }
      }
    }
  }

  template <TensorType T, int R>
  static void float_rows(const PackedMatrix& w, int tile, const float* x, std::int64_t stride, float* out) {
    F sum[R][kParts];
    for (auto& row : sum) {
      for (F& part : row) part = S::zero();
    }
    walk_columns<T>(w, tile, [&](int k, int part, F weight) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r)
        sum[r][part] = S::fma(weight, S::broadcast(x[r * stride + k]), sum[r][part]);
    });
    for (int r = 0; r < R; ++r) {
      for (int part = 0; part < kParts; ++part)
        S::store(out + r * kTileRows + part * S::kLanes, sum[r][part]);
    }
  }

  /// Parts [first, first + P) of the tile against R rows.
  template <TensorType T, int R, int P>
  static void quantized_parts(const PackedMatrix& w, int tile, int first, const ActivationBlock* x,
                              float* out) {
    const int groups = w.columns / kQuantBlock;
    F sum[R][P];
    for (auto& row : sum) {
      for (F& part : row) part = S::zero();
    }
    for (int group = 0; group < groups; ++group) {
      const QuantGroup<T> g(w, tile, group);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) add_group<T, R, P>(g, first + p, x + group, groups, sum, p);
    }
    for (int r = 0; r < R; ++r) {
      for (int p = 0; p < P; ++p) S::store(out + r * kTileRows + (first + p) * S::kLanes, sum[r][p]);
    }
  }

  template <TensorType T, int R, int P>
  [[gnu::always_inline]] static inline void add_group(const QuantGroup<T>& g, int part,
                                                      const ActivationBlock* x, int stride, F (&sum)[R][P],
                                                      int p) {
    const F d = g.scale(part);
    if constexpr (T == TensorType::q8_0) {
      typename S::Signed weights[8];
      for (int v = 0; v < 8; ++v) weights[v] = S::to_signed(g.bytes(v, part));
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const ActivationBlock& a = x[r * stride];
        auto dot = S::join_digits(S::dot_signed(weights, a.high), S::dot_signed(weights, a.low));
        if constexpr (S::kSignedBias != 0) dot = S::subtract(dot, S::kSignedBias * a.sum);
        sum[r][p] = S::fma(S::to_float(dot), S::mul(d, S::broadcast(a.scale)), sum[r][p]);
      }
    } else {
      B weights[8];
      for (int v = 0; v < 4; ++v) {
        const B bytes = g.bytes(v, part);
        weights[v] = S::low_nibbles(bytes);
        weights[v + 4] = S::high_nibbles(bytes);
      }
      F m = d;
      if constexpr (T == TensorType::q4_1) m = g.minimum(part);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const ActivationBlock& a = x[r * stride];
        auto dot = S::join_digits(S::dot_nibbles(weights, a.high), S::dot_nibbles(weights, a.low));
        if constexpr (T == TensorType::q4_0) dot = S::subtract(dot, 8 * a.sum);
        sum[r][p] = S::fma(S::to_float(dot), S::mul(d, S::broadcast(a.scale)), sum[r][p]);
        if constexpr (T == TensorType::q4_1) sum[r][p] = S::fma(m, S::broadcast(a.scaled_sum), sum[r][p]);
      }
    }
  }

  /// One row waits for memory and takes the tile in one go; several rows compute, and half a tile leaves
  /// registers for sums.
  template <TensorType T, int R>
  static void quantized_rows(const PackedMatrix& w, int tile, const ActivationBlock* x, float* out) {
    if constexpr (R == 1) {
      quantized_parts<T, R, kParts>(w, tile, 0, x, out);
    } else {
      for (int part = 0; part < kParts; ++part) quantized_parts<T, R, 1>(w, tile, part, x, out);
    }
  }

  /// Calls block.template operator()<R>(first row) so that the blocks cover all rows.
  template <class Block>
  static void in_row_blocks(int rows, const Block& block) {
    int r = 0;
    for (; r + kMostRows <= rows; r += kMostRows) block.template operator()<kMostRows>(r);
    if constexpr (kMostRows == 8) {
      if (r + 4 <= rows) block.template operator()<4>(r), r += 4;
    }
    if constexpr (kMostRows >= 4) {
      if (r + 2 <= rows) block.template operator()<2>(r), r += 2;
    }
    if (r < rows) block.template operator()<1>(r);
  }

  template <TensorType T>
  static void float_tile(const PackedMatrix& w, int tile, const float* x, std::int64_t stride, int rows,
                         float* out) {
    in_row_blocks(
        rows, [&]<int R>(int r) { float_rows<T, R>(w, tile, x + r * stride, stride, out + r * kTileRows); });
  }

  template <TensorType T>
  static void quantized_tile(const PackedMatrix& w, int tile, const ActivationBlock* x, int rows,
                             float* out) {
    const int groups = w.columns / kQuantBlock;
    in_row_blocks(rows, [&]<int R>(int r) {
      quantized_rows<T, R>(w, tile, x + std::int64_t{r} * groups, out + r * kTileRows);
    });
  }

  static void linear_float(const PackedMatrix& w, int tile, const float* x, std::int64_t stride, int rows,
                           float* out) {
    switch (w.type) {
      case TensorType::f32:
        return float_tile<TensorType::f32>(w, tile, x, stride, rows, out);
      case TensorType::f16:
        return float_tile<TensorType::f16>(w, tile, x, stride, rows, out);
      case TensorType::bf16:
        return float_tile<TensorType::bf16>(w, tile, x, stride, rows, out);
      case TensorType::q4_0:
        return float_tile<TensorType::q4_0>(w, tile, x, stride, rows, out);
      case TensorType::q4_1:
        return float_tile<TensorType::q4_1>(w, tile, x, stride, rows, out);
      case TensorType::q8_0:
        return float_tile<TensorType::q8_0>(w, tile, x, stride, rows, out);
    }
  }

  static void linear_quantized(const PackedMatrix& w, int tile, const ActivationBlock* x, int rows,
                               float* out) {
    switch (w.type) {
      case TensorType::q4_0:
        return quantized_tile<TensorType::q4_0>(w, tile, x, rows, out);
      case TensorType::q4_1:
        return quantized_tile<TensorType::q4_1>(w, tile, x, rows, out);
      case TensorType::q8_0:
        return quantized_tile<TensorType::q8_0>(w, tile, x, rows, out);
      case TensorType::f32:
      case TensorType::f16:
      case TensorType::bf16:
        return;  // the back end multiplies these in float
    }
  }
};

}  // namespace pitwall
