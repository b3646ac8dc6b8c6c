// SPDX-License-Identifier: GPL-3.0-or-later
// The survivors of top_k and top_p are a head of the row's tokens in their order (token_order.cuh), which is
// total: one number, the order of the last survivor, says who they are. RowHead finds it by halving a range,
// with passes over the row until what is left of the range fits a buffer in shared memory. Mass is in fixed
// point, so that no sum depends on the order of its parts. A block works on a row.
#pragma once
#include "kernels/cuda/sampling.cuh"

namespace pitwall::cuda {

using Order = unsigned long long;

constexpr int kHeadThreads = 512;
constexpr int kItems = 16;  ///< of the buffer, by thread
constexpr int kHeadWarps = kHeadThreads / 32;
constexpr int kCapacity = kHeadThreads * kItems;
constexpr float kNegligible = -40.0f;   ///< below the best after temperature: cannot be drawn
constexpr float kMassUnit = 0x1.0p44f;  ///< mass of the best token: 2^19 such still have a sum

struct Totals {
  std::uint32_t count;
  unsigned long long mass;
  __device__ Totals& operator+=(const Totals& other) {
    count += other.count;
    mass += other.mass;
    return *this;
  }
};

/// A row's logits.
struct RowView {
  const float* logits;
  int vocabulary;
  bool wide;

  /// body(logit, token) for tokens [first, end), from all threads. A body refuses −∞: it also stands for
  /// nothing.
  template <class Body>
  __device__ void over(int first, int end, const Body& body) const {
    constexpr int kAtOnce = 8;
    const int quads = wide ? (end - first) / 4 : 0;
    const auto* from = reinterpret_cast<const float4*>(logits + first);
    for (int begin = static_cast<int>(threadIdx.x); begin < quads; begin += kAtOnce * kHeadThreads) {
      float4 numbers[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int quad = begin + i * kHeadThreads;
        numbers[i] =
            quad < quads ? __ldcg(from + quad) : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int token = first + (begin + i * kHeadThreads) * 4;
        body(numbers[i].x, token);
        body(numbers[i].y, token + 1);
        body(numbers[i].z, token + 2);
        body(numbers[i].w, token + 3);
      }
    }
    for (int token = first + quads * 4 + static_cast<int>(threadIdx.x); token < end; token += kHeadThreads)
      body(logits[token], token);
  }
};

struct HeadShared {
  Totals partials[2][kHeadWarps];
  Order largest[kHeadWarps];
  int taken;
};

/// Sums over the block, the same in every thread.
class BlockSums {
 public:
  __device__ explicit BlockSums(HeadShared& shared) : shared_(shared) {}

  /// Without `kMass`, counts alone.
  template <bool kMass>
  __device__ Totals sum(const Totals& mine) {
    Totals* partials = shared_.partials[turn_];
    turn_ ^= 1;  // a warp may still read the ones of the last call
    const Totals of_warp = warp_totals<kMass>(mine);
    if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = of_warp;
    __syncthreads();
    Totals part{};
    if (threadIdx.x % 32 < kHeadWarps) part = partials[threadIdx.x % 32];
    return warp_totals<kMass>(part);
  }

 private:
  /// Masses below 2^63 in three pieces whose sums over a warp fit 32 bits.
  template <bool kMass>
  __device__ static Totals warp_totals(const Totals& mine) {
    Totals sum{__reduce_add_sync(0xFFFFFFFFu, mine.count), 0};
    if constexpr (kMass) {
      constexpr std::uint32_t kPiece = (1u << 22) - 1;
      const auto piece = [&](int shift) -> unsigned long long {
        return __reduce_add_sync(0xFFFFFFFFu, static_cast<std::uint32_t>(mine.mass >> shift) & kPiece);
      };
      sum.mass = piece(0) + (piece(22) << 22) + (piece(44) << 44);
    }
    return sum;
  }

  HeadShared& shared_;
  int turn_ = 0;
};

/// Between lo and hi, halving the distance of the logits while they differ by more than one key.
__device__ inline Order middle(Order lo, Order hi) {
  if ((hi >> 32) - (lo >> 32) > 1) {
    const float half = 0.5f * logit_of(lo) + 0.5f * logit_of(hi);
    const Order by_logit = static_cast<Order>(key_of(half)) << 32;
    if (by_logit > lo && by_logit < hi) return by_logit;
  }
  return lo + (hi - lo) / 2;
}

class RowHead {
 public:
  /// `best`: the order of the row's best token.
  __device__ RowHead(const RowView& row, float temperature, Order best, Order* buffer, HeadShared& shared)
      : row_(row),
        temperature_(temperature),
        best_(logit_of(best)),
        end_(((best >> 32) + 1) << 32),
        least_(fmaxf(best_ + kNegligible * temperature, -3e38f)),
        buffer_(buffer),
        shared_(shared),
        sums_(shared) {
    head_ = Order{key_of(least_)} << 32;
  }

  /// Where a first cut leaves a small part of a long row, and at least `count` tokens if that is not many:
  /// from the largest logits of `chunks` parts of the row.
  __device__ void guess(const float* chunk_logits, int chunks, int count) {
    if (row_.vocabulary <= kCapacity) return;
    const int looked_at = min(chunks, kCapacity);
    Items items;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int chunk = i * kHeadThreads + static_cast<int>(threadIdx.x);
      items.orders[i] = chunk < looked_at ? order_of(chunk_logits[chunk], chunk) : 0;
      items.masses[i] = 0;
    }
    const int wanted = max(min(count, looked_at * 3 / 4), 1);
    const Range range{head_, end_, {}, static_cast<std::uint32_t>(looked_at)};
    guess_ = max(finish<false>(items, range, static_cast<unsigned long long>(wanted)) >> 32 << 32, head_);
  }

  /// Keeps the `count` best of the head; all of it where they are fewer.
  __device__ void keep_count(int count) {
    keep<false>(static_cast<unsigned long long>(count));
  }

  /// Keeps the shortest head whose mass reaches `mass`, in kMassUnit.
  __device__ void keep_mass(unsigned long long mass) {
    keep<true>(mass);
  }

  __device__ unsigned long long mass() {
    unsigned long long mine = 0;
    over([&](float logit, int) { mine += mass_of(logit); });
    return sums_.sum<true>({0, mine}).mass;
  }

  __device__ bool holds(float logit, int token) const {
    return logit >= least_ && order_of(logit, token) >= head_;
  }
  /// exp((logit − best)/temperature)
  __device__ float weight_of(float logit) const {
    return expf(scaled(logit));
  }
  __device__ float scaled(float logit) const {
    return (logit - best_) / temperature_;
  }

  /// body(logit, token) for each token of the head, from all threads.
  template <class Body>
  __device__ void over(const Body& body) {
    if (!buffered_) {
      row_.over(0, row_.vocabulary, [&](float logit, int token) {
        if (holds(logit, token)) body(logit, token);
      });
      return;
    }
    for (std::uint32_t i = threadIdx.x; i < in_buffer_; i += kHeadThreads) {
      const Order order = buffer_[i];
      if (order >= head_) body(logit_of(order), token_of(order));
    }
  }

  __device__ std::uint32_t sum(std::uint32_t mine) {
    return sums_.sum<false>({mine, 0}).count;
  }

 private:
  struct Items {
    Order orders[kItems];
    unsigned long long masses[kItems];
  };
  /// The head's end lies in [lo, hi), where `count` tokens are, or fewer; `above`: the tokens from hi on.
  struct Range {
    Order lo, hi;
    Totals above;
    std::uint32_t count;
  };

  __device__ unsigned long long mass_of(float logit) const {
    return __float2ull_rn(weight_of(logit) * kMassUnit);
  }

  /// Tokens in [lo, hi) into the buffer, as far as they fit.
  template <bool kByMass>
  __device__ Totals gather(Order lo, Order hi) {
    __syncthreads();
    if (threadIdx.x == 0) shared_.taken = 0;
    __syncthreads();
    const float least = logit_of(lo);
    Totals mine{};
    row_.over(0, row_.vocabulary, [&](float logit, int token) {
      if (!(logit >= least)) return;
      const Order order = order_of(logit, token);
      if (order < lo || order >= hi) return;
      if (const int place = take_place(); place < kCapacity) buffer_[place] = order;
      mine += {1, kByMass ? mass_of(logit) : 0};
    });
    return sums_.sum<kByMass>(mine);
  }

  /// At kCapacity and above there is none.
  __device__ int take_place() {
    const volatile int& taken = shared_.taken;
    return taken < kCapacity ? atomicAdd(&shared_.taken, 1) : kCapacity;
  }

  __device__ Items load_items(std::uint32_t count) const {
    Items items;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const std::uint32_t place = static_cast<std::uint32_t>(i) * kHeadThreads + threadIdx.x;
      items.orders[i] = place < count ? buffer_[place] : 0;
      items.masses[i] = place < count ? mass_of(logit_of(items.orders[i])) : 0;
    }
    return items;
  }

  /// The order at which the head ends that reaches what is wanted, with all of the range in `items`.
  template <bool kByMass>
  __device__ Order finish(const Items& items, Range range, unsigned long long wanted) {
    const int used = static_cast<int>((range.count + kHeadThreads - 1) / kHeadThreads);
    while (range.hi - range.lo > 1 && range.count > 1) {
      const Order cut = middle(range.lo, range.hi);
      Totals mine{};
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        if (i >= used) break;
        if (items.orders[i] >= cut && items.orders[i] < range.hi) mine += {1, items.masses[i]};
      }
      take<kByMass>(range, cut, sums_.sum<kByMass>(mine), wanted);
    }
    return range.lo;
  }

  /// `found`: the tokens in [cut, range.hi). True where the head ends among them.
  template <bool kByMass>
  __device__ static bool take(Range& range, Order cut, const Totals& found, unsigned long long wanted) {
    Totals head = range.above;
    head += found;
    const bool reached = cut == range.lo || (kByMass ? head.mass : head.count) >= wanted;
    if (reached) {
      range.lo = cut;
      range.count = found.count;
    } else {
      range.hi = cut;
      range.above = head;
      range.count -= found.count;
    }
    return reached;
  }

  template <bool kByMass>
  __device__ void keep(unsigned long long wanted) {
    Range range{head_, end_, {}, static_cast<std::uint32_t>(row_.vocabulary)};
    if (buffered_) {
      range.count = in_buffer_;
    } else {
      Order cut = max(guess_, head_);
      while (!take<kByMass>(range, cut, gather<kByMass>(cut, range.hi), wanted) || range.count > kCapacity)
        cut = range.count <= kCapacity ? range.lo : middle(range.lo, range.hi);
      buffered_ = range.hi == end_;
      in_buffer_ = range.count;
    }
    head_ = finish<kByMass>(load_items(range.count), range, wanted);
  }

  RowView row_;
  float temperature_, best_;
  Order end_;    ///< behind all tokens
  float least_;  ///< logits below are negligible
  Order* buffer_;
  HeadShared& shared_;
  BlockSums sums_;
  Order head_;  ///< survivors are at and above
  Order guess_ = 0;
  bool buffered_ = false;        ///< the buffer has all survivors …
  std::uint32_t in_buffer_ = 0;  ///< … in its first places, perhaps among others
};

}  // namespace pitwall::cuda
