// SPDX-License-Identifier: GPL-3.0-or-later
// The survivors of top_k and top_p are a head of the row's tokens in their order (token_order.cuh), which is
// total: one number, the order of the last survivor, says who they are. RowHead finds it with histograms over
// a range that becomes narrower, of the row until what matters of it fits a buffer in shared memory. Mass is
// in fixed point, so that no sum depends on the order of its parts. A block works on a row.
#pragma once
#include "kernels/cuda/sampling_row.cuh"

namespace pitwall::cuda {

constexpr int kBinsLog = 11, kBins = 1 << kBinsLog;  ///< two for each thread
constexpr int kFew = 96;                             ///< so many are compared with each other
constexpr float kMassUnit = 0x1.0p44f;               ///< mass of the best token: 2^19 such still have a sum
static_assert(kBins == 2 * kHeadThreads);

struct Totals {
  std::uint32_t count;
  unsigned long long mass;
  __device__ Totals& operator+=(const Totals& other) {
    count += other.count;
    mass += other.mass;
    return *this;
  }
};

/// Masses in two words, since shared memory has no atomic add of 64 bits.
struct Histogram {
  std::uint32_t counts[kBins], low_masses[kBins], high_masses[kBins];

  __device__ void add_mass(int bin, unsigned long long mass) {
    const auto low = static_cast<std::uint32_t>(mass);
    const bool carries = atomicAdd(&low_masses[bin], low) + low < low;
    const std::uint32_t high = static_cast<std::uint32_t>(mass >> 32) + carries;
    if (high != 0) atomicAdd(&high_masses[bin], high);
  }
  __device__ Totals totals(int bin) const {
    return {counts[bin], static_cast<unsigned long long>(high_masses[bin]) << 32 | low_masses[bin]};
  }
};

/// Followed in shared memory by the buffer.
struct HeadShared {
  union {
    Histogram bins;
    Order queues[kHeadWarps][64];
  };
  Order few[kFew];
  unsigned long long few_masses[kFew];
  Totals of_warps[kHeadWarps];
  Totals above;
  Order found;
  std::uint32_t taken;
  int bin;

  __device__ Order* buffer() { return reinterpret_cast<Order*>(this + 1); }
};

/// [lo, hi) cut into kBins parts, the best first: equal parts of the logits while there are many of them,
/// then of the orders.
class Bins {
 public:
  __device__ Bins(Order lo, Order hi) : lo_(lo), hi_(hi), top_(logit_of(hi - 1)) {
    const float span = top_ - logit_of(lo);
    by_logit_ = ((hi - 1) >> 32) - (lo >> 32) > 2 * kBins && span > 1e-30f && span < 1e30f;
    per_logit_ = static_cast<float>(kBins) / span;
    shift_ = max(64 - __clzll(static_cast<long long>(hi - lo - 1)) - kBinsLog, 0);
  }
  /// Never less for a lower order.
  __device__ int of(Order order) const {
    if (by_logit_) return min(static_cast<int>((top_ - logit_of(order)) * per_logit_), kBins - 1);
    return static_cast<int>((hi_ - 1 - order) >> shift_);
  }
  /// The least order of bin −1 (behind all), 0, … All lanes of a warp call this.
  __device__ Order begin(int bin) const {
    if (bin < 0) return hi_;
    if (!by_logit_) {
      const Order behind = hi_ - lo_, end = (static_cast<Order>(bin) + 1) << shift_;
      return end < behind ? hi_ - end : lo_;
    }
    // The least key that is not in a later bin: it lies in [low, high], which the lanes cut into 32 parts.
    auto low = static_cast<std::uint32_t>(lo_ >> 32), high = static_cast<std::uint32_t>((hi_ - 1) >> 32);
    while (low < high) {
      const std::uint32_t step = (high - low) / 32 + 1;
      const std::uint32_t mine = min(low + (threadIdx.x % 32) * step, high);
      const unsigned reached = __ballot_sync(0xFFFFFFFFu, of(Order{mine} << 32) <= bin);
      const int first = reached == 0 ? 32 : __ffs(reached) - 1;
      if (first < 32) high = min(low + static_cast<std::uint32_t>(first) * step, high);
      if (first > 0) low = min(low + static_cast<std::uint32_t>(first - 1) * step + 1, high);
    }
    return max(Order{low} << 32, lo_);
  }

 private:
  Order lo_, hi_;
  float top_, per_logit_;
  int shift_;
  bool by_logit_;
};

class RowHead {
 public:
  /// `best`: the row's largest logit. The head is all tokens from `least` up.
  __device__ RowHead(const RowView& row, float temperature, float best, HeadShared& shared,
                     std::uint32_t capacity)
      : row_(row),
        temperature_(temperature),
        best_(best),
        end_((Order{key_of(best)} + 1) << 32),
        shared_(shared),
        buffer_(shared.buffer()),
        capacity_(capacity) {}

  /// At least `count` tokens, as many as the chunks whose largest logits are not below it, and little more.
  __device__ float guess(int count) {
    const int chunks = min(row_.chunk_count, static_cast<int>(capacity_));
    if (count > chunks) return -INFINITY;
    for (int i = static_cast<int>(threadIdx.x); i < chunks; i += kHeadThreads)
      buffer_[i] = order_of(row_.chunks[i].largest, i);
    __syncthreads();
    Range range{least_order(-INFINITY), end_, {}, 0};
    narrow<false>(range, static_cast<unsigned long long>(count), static_cast<std::uint32_t>(chunks));
    return logit_of(range.lo);
  }

  /// The head becomes all tokens from `least` up.
  __device__ void begin(float least) {
    head_ = least_order(least);
    count_ = gather(head_, end_);
    buffered_ = count_ <= capacity_;
  }

  /// Keeps the `count` best of the head; all of it where they are fewer.
  __device__ void keep_count(int count) { keep<false>(static_cast<unsigned long long>(count)); }

  /// Keeps the shortest head whose mass reaches `mass`, in kMassUnit.
  __device__ void keep_mass(unsigned long long mass) { keep<true>(mass); }

  __device__ unsigned long long mass() {
    unsigned long long mine = 0;
    over(head_, end_, [&](Order order) { mine += mass_of(order); });
    return sum({0, mine}).mass;
  }

  __device__ unsigned long long mass_of(Order order) const {
    return __float2ull_rn(weight_of(logit_of(order)) * kMassUnit);
  }
  /// exp((logit − best)/temperature)
  __device__ float weight_of(float logit) const { return expf(scaled(logit)); }
  __device__ float scaled(float logit) const { return (logit - best_) / temperature_; }

  /// Whether the head is in the buffer.
  __device__ bool is_buffered() const { return buffered_; }
  __device__ bool holds(Order order) const { return order >= head_; }

  /// body(order) for each token of the head; tokens wait until a warp's lanes all have one.
  template <class Body>
  __device__ void over_buffer(const Body& body) {
    const auto warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Order* queue = shared_.queues[warp];
    unsigned queued = 0;
    for (std::uint32_t first = warp * 32; first < count_; first += kHeadThreads) {
      const Order order = first + lane < count_ ? buffer_[first + lane] : 0;
      const unsigned held = __ballot_sync(0xFFFFFFFFu, holds(order));
      if (holds(order)) queue[queued + static_cast<unsigned>(__popc(held & ((1u << lane) - 1)))] = order;
      queued += static_cast<unsigned>(__popc(held));
      __syncwarp();
      if (queued >= 32) {
        queued -= 32;
        body(queue[queued + lane]);
        __syncwarp();
      }
    }
    if (lane < queued) body(queue[lane]);
  }
  /// The same, by the threads that RowView says.
  template <class Body>
  __device__ void over_row(const Body& body) const {
    row_.over(logit_of(head_), [&](float logit, int token) {
      if (const Order order = order_of(logit, token); holds(order)) body(order);
    });
  }

  /// Over the block.
  __device__ Totals sum(const Totals& mine) {
    const Totals of_warp = warp_sum_of<true>(mine);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared_.of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return warp_sum_of<true>(lane < kHeadWarps ? shared_.of_warps[lane] : Totals{});
  }

 private:
  /// The head's end lies in [lo, hi), where `count` tokens are; `above`: the tokens from hi on.
  struct Range {
    Order lo, hi;
    Totals above;
    std::uint32_t count;
  };

  /// Of tokens from `least` up that are not negligible.
  __device__ Order least_order(float least) const {
    return Order{key_of(fmaxf(least, fmaxf(best_ + kNegligible * temperature_, -3e38f)))} << 32;
  }

  /// Without kMass, counts alone.
  template <bool kMass>
  __device__ static Totals warp_sum_of(Totals mine) {
    mine.count = __reduce_add_sync(0xFFFFFFFFu, mine.count);
    if constexpr (kMass) {
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2)
        mine.mass += __shfl_xor_sync(0xFFFFFFFFu, mine.mass, distance);
    }
    return mine;
  }

  /// Of all threads before this one.
  template <bool kMass>
  __device__ Totals sum_before(const Totals& mine) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    Totals upto = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      Totals other{__shfl_up_sync(0xFFFFFFFFu, upto.count, distance), 0};
      if constexpr (kMass) other.mass = __shfl_up_sync(0xFFFFFFFFu, upto.mass, distance);
      if (lane >= distance) upto += other;
    }
    if (lane == 31) shared_.of_warps[warp] = upto;
    __syncthreads();
    Totals before = warp_sum_of<kMass>(lane < warp ? shared_.of_warps[lane] : Totals{});
    before += {upto.count - mine.count, upto.mass - mine.mass};
    return before;
  }

  /// body(order) for tokens in [lo, hi) of the buffer or the row.
  template <class Body>
  __device__ void over(Order lo, Order hi, const Body& body) const {
    over(lo, hi, buffered_ ? count_ : capacity_ + 1, body);
  }
  template <class Body>
  __device__ void over(Order lo, Order hi, std::uint32_t in_buffer, const Body& body) const {
    const auto take = [&](Order order) {
      if (order >= lo && order < hi) body(order);
    };
    if (in_buffer <= capacity_) {
      for (std::uint32_t i = threadIdx.x; i < in_buffer; i += kHeadThreads) take(buffer_[i]);
    } else {
      row_.over(logit_of(lo), [&](float logit, int token) { take(order_of(logit, token)); });
    }
  }

  /// Tokens of the row in [lo, hi) into the buffer, as far as they fit; how many there are.
  __device__ std::uint32_t gather(Order lo, Order hi) {
    __syncthreads();
    if (threadIdx.x == 0) shared_.taken = 0;
    __syncthreads();
    const float least = logit_of(lo), most = logit_of(hi - 1);
    const auto is_in = [&](float logit, int token) {
      if (!(logit >= least && logit <= most)) return false;
      if (logit > least && logit < most) return true;
      const Order order = order_of(logit, token);
      return order >= lo && order < hi;
    };
    row_.over_batches(least, [&](const RowView::Batch& batch) {
      constexpr int kNumbers = 4 * RowView::kQuads;
      std::uint32_t hits = 0;
#pragma unroll
      for (int i = 0; i < kNumbers; ++i)
        hits |= static_cast<std::uint32_t>(is_in(batch.numbers[i], batch.token(i))) << i;
      if (hits == 0) return;
      std::uint32_t place = atomicAdd(&shared_.taken, static_cast<std::uint32_t>(__popc(hits)));
#pragma unroll
      for (int i = 0; i < kNumbers; ++i) {
        if ((hits >> i & 1) == 0) continue;
        if (place < capacity_) buffer_[place] = order_of(batch.numbers[i], batch.token(i));
        ++place;
      }
    });
    __syncthreads();
    return shared_.taken;
  }

  template <bool kByMass>
  __device__ static bool reaches(const Totals& totals, unsigned long long wanted) {
    return (kByMass ? totals.mass : totals.count) >= wanted;
  }

  /// The range becomes the bin where the head ends; false: the head reaches beyond it.
  template <bool kByMass>
  __device__ bool narrow(Range& range, unsigned long long wanted, std::uint32_t in_buffer) {
    Histogram& histogram = shared_.bins;
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kHeadThreads) {
      histogram.counts[bin] = 0;
      histogram.low_masses[bin] = 0;
      histogram.high_masses[bin] = 0;
    }
    if (threadIdx.x == 0) shared_.bin = -1;
    __syncthreads();
    const Bins bins(range.lo, range.hi);
    over(range.lo, range.hi, in_buffer, [&](Order order) {
      const int bin = bins.of(order);
      atomicAdd(&histogram.counts[bin], 1u);
      if constexpr (kByMass) histogram.add_mass(bin, mass_of(order));
    });
    __syncthreads();
    const int first = 2 * static_cast<int>(threadIdx.x);
    const Totals one = histogram.totals(first), two = histogram.totals(first + 1);
    Totals both = one;
    both += two;
    Totals before = range.above;
    before += sum_before<kByMass>(both);
    const auto look_at = [&](const Totals& part, int bin) {
      Totals upto = before;
      upto += part;
      if (!reaches<kByMass>(before, wanted) && reaches<kByMass>(upto, wanted)) {
        shared_.bin = bin;
        shared_.above = before;
      }
      before = upto;
    };
    look_at(one, first);
    look_at(two, first + 1);
    __syncthreads();
    const int bin = shared_.bin;
    if (bin < 0) return false;
    if (threadIdx.x < 64) {
      const auto end = threadIdx.x / 32;
      const Order begin = bins.begin(bin - static_cast<int>(end));
      if (threadIdx.x % 32 == 0) shared_.few[end] = begin;
    }
    __syncthreads();
    range = {shared_.few[0], shared_.few[1], shared_.above, histogram.counts[bin]};
    __syncthreads();
    return true;
  }

  /// The last of the head among few tokens of the buffer: those are compared with each other.
  template <bool kByMass>
  __device__ Order last_of_few(const Range& range, unsigned long long wanted, std::uint32_t in_buffer) {
    __syncthreads();
    if (threadIdx.x == 0) {
      shared_.taken = 0;
      shared_.found = range.lo;
    }
    __syncthreads();
    over(range.lo, range.hi, in_buffer, [&](Order order) {
      const std::uint32_t place = atomicAdd(&shared_.taken, 1u);
      shared_.few[place] = order;
      if constexpr (kByMass) shared_.few_masses[place] = mass_of(order);
    });
    __syncthreads();
    const int count = static_cast<int>(shared_.taken), lane = static_cast<int>(threadIdx.x) % 32;
    for (int i = static_cast<int>(threadIdx.x) / 32; i < count; i += kHeadWarps) {
      Totals before{};
      for (int j = lane; j < count; j += 32)
        if (shared_.few[j] > shared_.few[i]) before += {1, kByMass ? shared_.few_masses[j] : 0};
      before = warp_sum_of<kByMass>(before);
      before += range.above;
      Totals upto = before;
      upto += {1, kByMass ? shared_.few_masses[i] : 0};
      if (lane == 0 && !reaches<kByMass>(before, wanted) && reaches<kByMass>(upto, wanted))
        shared_.found = shared_.few[i];
    }
    __syncthreads();
    return shared_.found;
  }

  template <bool kByMass>
  __device__ void keep(unsigned long long wanted) {
    Range range{head_, end_, {}, count_};
    std::uint32_t in_buffer = buffered_ ? count_ : capacity_ + 1;
    while (range.count > kFew || in_buffer > capacity_) {
      if (in_buffer > capacity_ && range.count <= capacity_) {
        buffered_ = range.above.count + range.count <= capacity_;
        in_buffer = gather(range.lo, buffered_ ? end_ : range.hi);
        continue;
      }
      if (range.hi - range.lo == 1) break;
      if (!narrow<kByMass>(range, wanted, in_buffer)) break;
    }
    const bool is_few = range.count <= kFew && in_buffer <= capacity_;
    head_ = is_few ? last_of_few<kByMass>(range, wanted, in_buffer) : range.lo;
    count_ = buffered_ ? in_buffer : range.above.count + range.count;
  }

  RowView row_;
  float temperature_, best_;
  Order end_;  ///< behind all tokens
  HeadShared& shared_;
  Order* buffer_;
  std::uint32_t capacity_;   ///< of the buffer
  Order head_ = 0;           ///< survivors are at and above
  bool buffered_ = false;    ///< the buffer has all survivors, perhaps among others …
  std::uint32_t count_ = 0;  ///< … so many in all; or, not buffered, at least the survivors of the row
};

}  // namespace pitwall::cuda
