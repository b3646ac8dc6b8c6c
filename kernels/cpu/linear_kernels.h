// SPDX-License-Identifier: GPL-3.0-or-later
// One tile of a weight times a block of rows. Every output element is one chain over the columns in ascending
// order, whatever the number of rows at a time: that makes results independent of batch neighbours and
// chunking.
#pragma once
#include "engine/model/packed_matrix.h"

namespace pitwall {

template <class S>
struct LinearKernels {
  using F = typename S::F;
  using B = typename S::B;
  static constexpr int kParts = kTileRows / S::kLanes;  // vectors a tile is wide
  static constexpr int kMostRows = S::kRowsAtOnce;

  /// A block of 32 columns of a tile.
  template <TensorType T>
  struct Group {
    static constexpr PackedFormat kFormat = packed_format(T);
    static constexpr int kHalves = kFormat.halves ? 2 : 1;
    const std::byte* codes;
    const std::byte* record;  ///< of scales
    int sub;                  ///< the first of its sub-blocks in the record
    TensorType scale_type;

    Group(const PackedMatrix& w, int tile, int group) {
      const int groups = w.columns / kQuantBlock;
      constexpr int kBytes = group_bytes(kFormat.bits);
      codes = w.values + (std::int64_t{tile} * groups + group) * kBytes;
      if constexpr (kFormat.grouped) {
        const int columns = w.group_columns;
        const int records = (w.columns + columns - 1) / columns;
        const int bytes =
            kTileRows * ((w.scale_type == TensorType::f32 ? 4 : 2) + (kFormat.bits == 8 ? 2 : 1));
        record = w.scales + (std::int64_t{tile} * records + group * kQuantBlock / columns) * bytes;
      } else {
        constexpr int kGroups = kFormat.record_columns / kQuantBlock;
        record =
            w.scales + (std::int64_t{tile} * (groups / kGroups) + group / kGroups) * kFormat.record_bytes;
        sub = group % kGroups * kHalves;
      }
      scale_type = w.scale_type;
    }

    B word(int v, int part) const { return S::load_bytes(codes + v * 4 * kTileRows + part * 4 * S::kLanes); }
    /// Codes of columns 4·V … 4·V + 3.
    template <int V>
    [[gnu::always_inline]] B code(int part) const {
      if constexpr (kFormat.bits == 8) return word(V, part);
      B low = zero_bytes();
      if constexpr (kFormat.nibbles) low = S::template bits < V < 4 ? 0 : 4, 15 > (word(V % 4, part));
      if constexpr (kFormat.pairs) {
        constexpr int kTo = kFormat.nibbles ? 4 : 0;  // where the two bits belong
        const B pairs = word((kFormat.nibbles ? 4 : 0) + V / 4, part);
        low = S::either(low, S::template bits<2 * (V % 4) - kTo, 3 << kTo>(pairs));
      }
      if constexpr (kFormat.singles) {
        constexpr int kTo = kFormat.bits - 1;
        low = S::either(low, S::template bits<V - kTo, 1 << kTo>(word(kTo, part)));
      }
      if constexpr (has_table(T)) low = S::look_up(kFormat.block.table, low);
      return low;
    }
    static B zero_bytes() { return B{}; }

    /// 16-bit numbers or bytes of the record, each a run of 16 rows.
    const std::uint16_t* words(int run, int part) const {
      return reinterpret_cast<const std::uint16_t*>(record) + run * kTileRows + part * S::kLanes;
    }
    const std::uint8_t* bytes(int run, int part) const {
      constexpr int kStart = kFormat.minimum ? 4 : 2;
      return reinterpret_cast<const std::uint8_t*>(record) + (kStart + run) * kTileRows + part * S::kLanes;
    }
    F small(int run, int part) const {
      return S::load_int8(reinterpret_cast<const std::int8_t*>(bytes(run, part)));
    }
    F group_scale(int part) const {
      if (scale_type == TensorType::f16) return S::load_half(words(0, part));
      if (scale_type == TensorType::bf16) return S::load_bfloat(words(0, part));
      return S::load(reinterpret_cast<const float*>(record) + part * S::kLanes);
    }
    F minus_zero(int part) const {
      const std::byte* zeros = record + kTileRows * (scale_type == TensorType::f32 ? 4 : 2);
      if constexpr (kFormat.bits == 8)
        return S::load_half(reinterpret_cast<const std::uint16_t*>(zeros) + part * S::kLanes);
      return S::load_int8(reinterpret_cast<const std::int8_t*>(zeros) + part * S::kLanes);
    }
    F scale(int half, int part) const {
      using Scale = BlockFormat::Scale;
      if constexpr (kFormat.grouped) return group_scale(part);
      if constexpr (kFormat.block.scale == Scale::bfloat) return S::load_bfloat(words(0, part));
      const F d = S::load_half(words(0, part));
      if constexpr (kFormat.block.scale == Scale::sub) return S::mul(d, small(sub + half, part));
      if constexpr (kFormat.block.scale == Scale::sub_minimum) {
        if constexpr (kFormat.bits == 2) return S::mul(d, S::load_low_nibbles(bytes(sub + half, part)));
        return S::mul(d, small(sub + half, part));
      }
      return d;
    }
    F minimum(int half, int part) const {
      const F m = S::load_half(words(1, part));
      if constexpr (kFormat.block.scale == BlockFormat::Scale::half_minimum) return m;
      constexpr int kSubs = kFormat.block.columns / kFormat.block.sub_columns;
      const F minus = S::mul(m, S::broadcast(-1.0f));
      if constexpr (kFormat.bits == 2) return S::mul(minus, S::load_high_nibbles(bytes(sub + half, part)));
      return S::mul(minus, small(kSubs + sub + half, part));
    }
  };

  /// use.operator()<V>() for V = 0 … 7: codes are cut out with constant shifts.
  template <class Use>
  [[gnu::always_inline]] static inline void for_words(const Use& use) {
    use.template operator()<0>(), use.template operator()<1>(), use.template operator()<2>();
    use.template operator()<3>(), use.template operator()<4>(), use.template operator()<5>();
    use.template operator()<6>(), use.template operator()<7>();
  }

  /// Calls use(column, part, weights) for all columns in ascending order.
  template <TensorType T, class Use>
  [[gnu::always_inline]] static inline void walk_columns(const PackedMatrix& w, int tile, const Use& use) {
    if constexpr (is_packed_quantised(T)) {
      for (int group = 0; group < w.columns / kQuantBlock; ++group) walk_group<T>(w, tile, group, use);
    } else if constexpr (T == TensorType::f8_e4m3) {
      walk_fp8(w, tile, use);
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

  template <class Use>
  [[gnu::always_inline]] static inline void walk_fp8(const PackedMatrix& w, int tile, const Use& use) {
    const int groups = (w.columns + w.group_columns - 1) / w.group_columns;
    const auto* codes =
        reinterpret_cast<const std::uint8_t*>(w.values) + std::int64_t{tile} * w.columns * kTileRows;
    const auto* scales = reinterpret_cast<const float*>(w.scales) + std::int64_t{tile} * groups * kTileRows;
    for (int first = 0; first < w.columns; first += w.group_columns, scales += kTileRows) {
      F scale[kParts];
      for (int part = 0; part < kParts; ++part)  // load_fp8 gives numbers over kFp8Unit
        scale[part] = S::mul(S::load(scales + part * S::kLanes), S::broadcast(S::kFp8Unit));
      const int end = first + w.group_columns < w.columns ? first + w.group_columns : w.columns;
      for (int k = first; k < end; ++k, codes += kTileRows) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
          use(k, part, S::mul(S::load_fp8(codes + part * S::kLanes), scale[part]));
        }
      }
    }
  }

  template <TensorType T, class Use>
  [[gnu::always_inline]] static inline void walk_group(const PackedMatrix& w, int tile, int group,
                                                       const Use& use) {
    constexpr PackedFormat kFormat = packed_format(T);
    const Group<T> g(w, tile, group);
    F d[2][kParts], m[2][kParts];
    for (int half = 0; half < Group<T>::kHalves; ++half) {
      for (int part = 0; part < kParts; ++part) {
        d[half][part] = g.scale(half, part);
        if constexpr (kFormat.minimum) m[half][part] = g.minimum(half, part);
        if constexpr (kFormat.block.zero != 0)
          m[half][part] = S::mul(d[half][part], S::broadcast(static_cast<float>(-kFormat.block.zero)));
        if constexpr (kFormat.grouped) m[half][part] = g.minus_zero(part);
      }
    }
    for_words([&]<int V>() __attribute__((always_inline)) {
      constexpr int kHalf = V / 4 * (Group<T>::kHalves - 1);
      B codes[kParts];
      for (int part = 0; part < kParts; ++part) codes[part] = g.template code<V>(part);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
          const int k = group * kQuantBlock + 4 * V + j;
          constexpr bool kSigned = kFormat.block.is_signed || has_table(T);
          const F code = kSigned ? S::signed_column(codes[part], j) : S::column(codes[part], j);
          if constexpr (kFormat.grouped) {
            use(k, part, S::mul(S::add(code, m[0][part]), d[0][part]));
          } else if constexpr (kSigned) {
            use(k, part, S::mul(code, d[kHalf][part]));
          } else {
            use(k, part, S::fma(code, d[kHalf][part], m[kHalf][part]));
          }
        }
      }
    });
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
      const Group<T> g(w, tile, group);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) add_group<T, R, P>(g, first + p, x + group, groups, sum, p);
    }
    for (int r = 0; r < R; ++r) {
      for (int p = 0; p < P; ++p) S::store(out + r * kTileRows + (first + p) * S::kLanes, sum[r][p]);
    }
  }

  template <TensorType T, int R, int P>
  [[gnu::always_inline]] static inline void add_group(const Group<T>& g, int part, const ActivationBlock* x,
                                                      int stride, F (&sum)[R][P], int p) {
    constexpr PackedFormat kFormat = packed_format(T);
    constexpr bool kSigned = kFormat.block.is_signed || has_table(T);
    constexpr int kHalves = Group<T>::kHalves, kWords = 8 / kHalves, kMost = (1 << (kFormat.bits % 8)) - 1;
    B codes[8];
    for_words([&]<int V>() __attribute__((always_inline)) { codes[V] = g.template code<V>(part); });
    if constexpr (kSigned) {
      for (B& word : codes) word = S::to_signed(word);
    }
    F d[kHalves], m[kHalves];
    for (int half = 0; half < kHalves; ++half) {
      d[half] = g.scale(half, part);
      if constexpr (kFormat.minimum) m[half] = g.minimum(half, part);
      if constexpr (kFormat.grouped) m[half] = g.minus_zero(part);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const ActivationBlock& a = x[r * stride];
      const F scale = S::broadcast(a.scale);
#pragma GCC unroll 2
      for (int half = 0; half < kHalves; ++half) {
        const std::int8_t *high = a.high + 16 * half, *low = a.low + 16 * half;
        const std::int32_t digits = kHalves == 1 ? a.sum : half == 0 ? a.first_sum : a.sum - a.first_sum;
        typename S::I dot;
        if constexpr (kSigned) {
          dot = S::join_digits(S::dot_signed(codes, high), S::dot_signed(codes, low));
          if constexpr (S::kSignedBias != 0) dot = S::subtract(dot, S::kSignedBias * a.sum);
        } else {
          const B* words = codes + kWords * half;
          dot = S::join_digits(S::template dot_codes<kMost, kWords>(words, high),
                               S::template dot_codes<kMost, kWords>(words, low));
        }
        if constexpr (kFormat.block.zero != 0) dot = S::subtract(dot, kFormat.block.zero * digits);
        F number = S::to_float(dot);
        if constexpr (kFormat.grouped)
          number = S::fma(m[0], S::broadcast(static_cast<float>(digits)), number);
        sum[r][p] = S::fma(number, S::mul(d[half], scale), sum[r][p]);
        if constexpr (kFormat.minimum) {
          const float shift = kHalves == 1 ? a.scaled_sum : a.scale * static_cast<float>(digits);
          sum[r][p] = S::fma(m[half], S::broadcast(shift), sum[r][p]);
        }
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

  /// with.operator()<T>() for the weight's type.
  template <class With>
  static void with_type(TensorType type, const With& with) {
    switch (type) {
      case TensorType::f32:
        return with.template operator()<TensorType::f32>();
      case TensorType::f16:
        return with.template operator()<TensorType::f16>();
      case TensorType::bf16:
        return with.template operator()<TensorType::bf16>();
      case TensorType::f8_e4m3:
        return with.template operator()<TensorType::f8_e4m3>();
      case TensorType::q4_0:
        return with.template operator()<TensorType::q4_0>();
      case TensorType::q4_1:
        return with.template operator()<TensorType::q4_1>();
      case TensorType::q5_0:
        return with.template operator()<TensorType::q5_0>();
      case TensorType::q5_1:
        return with.template operator()<TensorType::q5_1>();
      case TensorType::q8_0:
        return with.template operator()<TensorType::q8_0>();
      case TensorType::q2_k:
        return with.template operator()<TensorType::q2_k>();
      case TensorType::q3_k:
        return with.template operator()<TensorType::q3_k>();
      case TensorType::q4_k:
        return with.template operator()<TensorType::q4_k>();
      case TensorType::q5_k:
        return with.template operator()<TensorType::q5_k>();
      case TensorType::q6_k:
        return with.template operator()<TensorType::q6_k>();
      case TensorType::iq4_nl:
        return with.template operator()<TensorType::iq4_nl>();
      case TensorType::iq4_xs:
        return with.template operator()<TensorType::iq4_xs>();
      case TensorType::mxfp4:
        return with.template operator()<TensorType::mxfp4>();
      case TensorType::i4:
        return with.template operator()<TensorType::i4>();
      case TensorType::i8:
        return with.template operator()<TensorType::i8>();
      default:
        return;  // no weight has another type
    }
  }

  static void linear_float(const PackedMatrix& w, int tile, const float* x, std::int64_t stride, int rows,
                           float* out) {
    with_type(w.type, [&]<TensorType T>() { float_tile<T>(w, tile, x, stride, rows, out); });
  }

  static void linear_quantized(const PackedMatrix& w, int tile, const ActivationBlock* x, int rows,
                               float* out) {
    with_type(w.type, [&]<TensorType T>() {
      if constexpr (is_packed_quantised(T)) quantized_tile<T>(w, tile, x, rows, out);
    });
  }
};

}  // namespace pitwall
