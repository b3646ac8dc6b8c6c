// SPDX-License-Identifier: GPL-3.0-or-later
// Causal attention over paged KV with an online softmax. Tiles of kKvTile positions start at position 0
// whatever the block size, and each query's chain of operations depends on its own position alone: chunking,
// neighbours and block tables cannot change a bit. Queries of a task share the widened tile.
#pragma once
#include "kernels/cpu/row_kernels.h"

namespace pitwall {

template <class S>
class AttentionKernel {
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kHalfTile = 16;  // the smallest block: half a tile lies in one block
  static constexpr int kQueriesAtOnce = 4;
  static constexpr float kMinusInfinity = -__builtin_inff();

 public:
  static void run(const AttentionTask& task) {
    switch (task.dtype) {
      case KvDtype::float32:
        return AttentionKernel(task).attend<KvDtype::float32>();
      case KvDtype::bfloat16:
        return AttentionKernel(task).attend<KvDtype::bfloat16>();
      case KvDtype::float16:
        return AttentionKernel(task).attend<KvDtype::float16>();
      case KvDtype::fp8_e4m3:
        return AttentionKernel(task).attend<KvDtype::fp8_e4m3>();
      case KvDtype::int8:
        return AttentionKernel(task).attend<KvDtype::int8>();
    }
  }

 private:
  struct Range {  ///< positions of the tile that a query sees
    int begin, end;
    bool operator==(const Range&) const = default;
  };

  explicit AttentionKernel(const AttentionTask& task)
      : t_(task), queries_(task.rows * task.heads), width_((task.head_dim + 15) / 16 * 16) {
    keys_ = task.scratch;
    values_ = keys_ + task.head_dim * kKvTile;
    sums_ = values_ + kKvTile * width_;
    largest_ = sums_ + queries_ * width_;
    weight_ = largest_ + queries_;
  }

  template <KvDtype D>
  void attend() {
    for (int i = 0; i < kKvTile * width_; ++i) values_[i] = 0;  // the lanes beyond head_dim stay so
    for (int i = 0; i < queries_ * width_; ++i) sums_[i] = 0;
    for (int i = 0; i < queries_; ++i) largest_[i] = kMinusInfinity, weight_[i] = 0;

    const int last = t_.first_position + t_.rows - 1;
    const int first = first_seen(t_.first_position);
    for (int tile = first / kKvTile * kKvTile; tile <= last; tile += kKvTile) {
      prefetch<D>(tile + kKvTile, last);
      load_keys<D>(tile, first, last);
      load_values<D>(tile, first, last);
      for (int query = 0; query < queries_;) query += attend_group(query, tile);
    }
    finish();
  }

  int first_seen(int position) const {
    return t_.window > 0 && position >= t_.window ? position - t_.window + 1 : 0;
  }

  Range range(int query, int tile) const {
    const int position = t_.first_position + query / t_.heads;
    const int begin = first_seen(position) - tile, end = position + 1 - tile;
    return {begin < 0 ? 0 : begin, end > kKvTile ? kKvTile : end};
  }

  const std::byte* block_of(int position) const {
    return t_.pool + std::int64_t{t_.block_table[position / t_.block_size]} * t_.block_bytes;
  }

  static constexpr int number_bytes(KvDtype dtype) {
    return dtype == KvDtype::float32 ? 4 : dtype == KvDtype::bfloat16 || dtype == KvDtype::float16 ? 2 : 1;
  }

  /// int8: a head's scales by column, behind its numbers.
  const float* scales(const std::byte* head) const {
    return reinterpret_cast<const float*>(head + std::int64_t{t_.head_dim} * t_.block_size);
  }

  /// `scale` counts in the 8-bit formats alone; that of fp8_e4m3 contains kFp8Unit.
  template <KvDtype D>
  [[gnu::always_inline]] static inline F widen(const std::byte* base, std::int64_t element, F scale) {
    if constexpr (D == KvDtype::fp8_e4m3)
      return S::mul(S::load_fp8(reinterpret_cast<const std::uint8_t*>(base) + element), scale);
    if constexpr (D == KvDtype::int8)
      return S::mul(S::load_int8(reinterpret_cast<const std::int8_t*>(base) + element), scale);
    if constexpr (D == KvDtype::float32) return S::load(reinterpret_cast<const float*>(base) + element);
    if constexpr (D == KvDtype::bfloat16)
      return S::load_bfloat(reinterpret_cast<const std::uint16_t*>(base) + element);
    if constexpr (D == KvDtype::float16)
      return S::load_half(reinterpret_cast<const std::uint16_t*>(base) + element);
  }
  template <KvDtype D>
  static float widen_one(const std::byte* base, std::int64_t element, float scale) {
    if constexpr (D == KvDtype::fp8_e4m3)
      return fp8_bits_to_float(reinterpret_cast<const std::uint8_t*>(base)[element]) * scale;
    if constexpr (D == KvDtype::int8)
      return static_cast<float>(reinterpret_cast<const std::int8_t*>(base)[element]) * scale;
    if constexpr (D == KvDtype::float32) return reinterpret_cast<const float*>(base)[element];
    if constexpr (D == KvDtype::bfloat16)
      return bfloat_bits_to_float(reinterpret_cast<const std::uint16_t*>(base)[element]);
    if constexpr (D == KvDtype::float16)
      return half_bits_to_float(reinterpret_cast<const std::uint16_t*>(base)[element]);
  }

  template <KvDtype D>
  F key_scales(const std::byte* keys, int column) const {  ///< of neighbouring positions
    if constexpr (D == KvDtype::fp8_e4m3) return S::broadcast(t_.key_scale * S::kFp8Unit);
    if constexpr (D == KvDtype::int8) return S::load(scales(keys) + column);
    return S::zero();
  }
  template <KvDtype D>
  float value_scale(const std::byte* values, int column) const {
    return D == KvDtype::int8 ? scales(values)[column] : t_.value_scale;
  }

  /// Asks for a tile before it is needed: a block's keys of one head are too short a run for the hardware to
  /// foresee. Inlined, for a call without a visible effect would be optimised away.
  template <KvDtype D>
  [[gnu::always_inline]] inline void prefetch(int tile, int last) const {
    constexpr std::int64_t kBytes = number_bytes(D), kLine = 64;
    const int rows_in_line = static_cast<int>(kLine / (t_.block_size * kBytes));
    const int row_step = rows_in_line > 1 ? rows_in_line : 1;
    for (int half = tile; half < tile + kKvTile && half <= last; half += kHalfTile) {
      const std::byte* block = block_of(half);
      const int column = half % t_.block_size;
      const std::byte* keys = block + t_.key_offset + column * kBytes;
      for (int d = 0; d < t_.head_dim; d += row_step) __builtin_prefetch(keys + d * t_.block_size * kBytes);
      const std::byte* values = block + t_.value_offset + column * t_.head_dim * kBytes;
      for (std::int64_t at = 0; at < kHalfTile * t_.head_dim * kBytes; at += kLine)
        __builtin_prefetch(values + at);
      if constexpr (D == KvDtype::int8) {
        __builtin_prefetch(scales(block + t_.key_offset) + column);
        __builtin_prefetch(scales(block + t_.value_offset) + column);
      }
    }
  }

  /// keys_[d][position]: keys lie transposed in their block, so that 16 neighbours load at once.
  template <KvDtype D>
  void load_keys(int tile, int first, int last) {
    for (int half = 0; half < kKvTile; half += kHalfTile) {
      const int position = tile + half;
      if (position > last || position + kHalfTile <= first) continue;
      const std::byte* keys = block_of(position) + t_.key_offset;
      const int column = position % t_.block_size;
      for (int i = 0; i < kHalfTile; i += kLanes) {
        const F scale = key_scales<D>(keys, column + i);
        for (int d = 0; d < t_.head_dim; ++d) {
          S::store(keys_ + d * kKvTile + half + i,
                   widen<D>(keys, std::int64_t{d} * t_.block_size + column + i, scale));
        }
      }
    }
  }

  /// values_[position][d]
  template <KvDtype D>
  void load_values(int tile, int first, int last) {
    const int begin = first > tile ? first : tile;
    const int end = last + 1 < tile + kKvTile ? last + 1 : tile + kKvTile;
    for (int position = begin; position < end; ++position) {
      const std::byte* values = block_of(position) + t_.value_offset;
      const int column = position % t_.block_size;
      const std::int64_t start = std::int64_t{column} * t_.head_dim;
      const float scale = value_scale<D>(values, column);
      const F scales = S::broadcast(D == KvDtype::fp8_e4m3 ? scale * S::kFp8Unit : scale);
      float* row = values_ + (position - tile) * width_;
      int d = 0;
      for (; d + kLanes <= t_.head_dim; d += kLanes) S::store(row + d, widen<D>(values, start + d, scales));
      for (; d < t_.head_dim; ++d) row[d] = widen_one<D>(values, start + d, scale);
    }
  }

  const float* query(int index) const {
    return t_.q + index / t_.heads * t_.q_stride + index % t_.heads * t_.head_dim;
  }

  /// Takes the tile into neighbouring queries that see the same part of it; returns how many.
  int attend_group(int first, int tile) {
    const Range seen = range(first, tile);
    int count = 1;
    while (count < kQueriesAtOnce && first + count < queries_ && range(first + count, tile) == seen) ++count;
    if (seen.begin >= seen.end) return count;
    switch (count) {
      case 4:
        attend_queries<4>(first, seen);
        break;
      case 3:
        attend_queries<3>(first, seen);
        break;
      case 2:
        attend_queries<2>(first, seen);
        break;
      default:
        attend_queries<1>(first, seen);
        break;
    }
    return count;
  }

  template <int N>
  void attend_queries(int first, Range seen) {
    alignas(64) float scores[N][kKvTile];
    score<N>(first, scores);
    for (int n = 0; n < N; ++n) {
      for (int i = 0; i < seen.begin; ++i) scores[n][i] = kMinusInfinity;
      for (int i = seen.end; i < kKvTile; ++i) scores[n][i] = kMinusInfinity;
      softmax_step(first + n, scores[n]);
    }
    add_values<N>(first, seen, scores);
  }

  /// scores[n][position] = scale·(q·k), capped, each one chain over d.
  template <int N>
  void score(int first, float (&scores)[N][kKvTile]) {
    constexpr int kVectors = N * kKvTile / kLanes <= 12 ? kKvTile / kLanes : 2;  // as the registers allow
    const float* q[N];
    for (int n = 0; n < N; ++n) q[n] = query(first + n);
    const F scale = S::broadcast(t_.scale);
    for (int at = 0; at < kKvTile; at += kVectors * kLanes) {
      F sum[N][kVectors];
      for (auto& row : sum) {
        for (F& x : row) x = S::zero();
      }
      for (int d = 0; d < t_.head_dim; ++d) {
        F key[kVectors];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) key[v] = S::load(keys_ + d * kKvTile + at + v * kLanes);
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n) {
          const F x = S::broadcast(q[n][d]);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) sum[n][v] = S::fma(key[v], x, sum[n][v]);
        }
      }
      for (int n = 0; n < N; ++n) {
        for (int v = 0; v < kVectors; ++v) {
          F x = S::mul(sum[n][v], scale);
          if (t_.softcap > 0) x = vector_softcap<S>(x, t_.softcap);
          S::store(scores[n] + at + v * kLanes, x);
        }
      }
    }
  }

  /// Turns scores into weights relative to the largest score so far, and rescales what was summed before.
  void softmax_step(int query, float* scores) {
    F most = S::load(scores);
    for (int i = kLanes; i < kKvTile; i += kLanes) most = S::max(most, S::load(scores + i));
    const float before = largest_[query], tile_most = S::max_across(most);
    const float now = tile_most > before ? tile_most : before;
    const F shift = S::broadcast(-now);
    F total = S::zero();
    for (int i = 0; i < kKvTile; i += kLanes) {
      const F p = vector_exp<S>(S::add(S::load(scores + i), shift));
      S::store(scores + i, p);
      total = S::add(total, p);
    }
    const F fade = vector_exp<S>(S::broadcast(before - now));
    alignas(64) float fade_lanes[kLanes];
    S::store(fade_lanes, fade);
    weight_[query] = weight_[query] * fade_lanes[0] + S::sum(total);
    largest_[query] = now;
    if (before == now) return;  // fade is 1
    float* sums = sums_ + query * width_;
    for (int d = 0; d < width_; d += kLanes) S::store(sums + d, S::mul(S::load(sums + d), fade));
  }

  template <int N>
  void add_values(int first, Range seen, const float (&weights)[N][kKvTile]) {
    constexpr int kVectors = kLanes == 16 || N <= 2 ? 4 : 2;
    int d = 0;
    for (; d + kVectors * kLanes <= width_; d += kVectors * kLanes)
      add_columns<N, kVectors>(first, seen, weights, d);
    for (; d < width_; d += kLanes) add_columns<N, 1>(first, seen, weights, d);
  }

  template <int N, int V>
  void add_columns(int first, Range seen, const float (&weights)[N][kKvTile], int d) {
    F sum[N][V];
    for (int n = 0; n < N; ++n) {
      for (int v = 0; v < V; ++v) sum[n][v] = S::load(sums_ + (first + n) * width_ + d + v * kLanes);
    }
    for (int i = seen.begin; i < seen.end; ++i) {
      F value[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) value[v] = S::load(values_ + i * width_ + d + v * kLanes);
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) {
        const F p = S::broadcast(weights[n][i]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[n][v] = S::fma(value[v], p, sum[n][v]);
      }
    }
    for (int n = 0; n < N; ++n) {
      for (int v = 0; v < V; ++v) S::store(sums_ + (first + n) * width_ + d + v * kLanes, sum[n][v]);
    }
  }

  void finish() {
    for (int i = 0; i < queries_; ++i) {
      float* out = t_.out + i / t_.heads * t_.out_stride + i % t_.heads * t_.head_dim;
      const float inverse = 1.0f / weight_[i];
      for (int d = 0; d < t_.head_dim; ++d) out[d] = sums_[i * width_ + d] * inverse;
    }
  }

  const AttentionTask& t_;
  int queries_, width_;  // width_: head_dim rounded up to 16
  float *keys_, *values_, *sums_, *largest_, *weight_;
};

}  // namespace pitwall
