// SPDX-License-Identifier: GPL-3.0-or-later
// The survivors of top_k and top_p are a head of the row's tokens in their order (token_order.cuh), which is
// total: one number, the order of the last survivor, says who they are. RowHead finds it with histograms over
// a range that becomes narrower, of the row until what matters of it fits a buffer in shared memory. Mass is
// in fixed point, so that no sum depends on the order of its parts. A block works on a row.
#pragma once
#include "kernels/cuda/sampling_row.cuh"

namespace pitwall::cuda {

constexpr int kBinsLog = 11, kBins = 1 << kBinsLog;  ///< two for each thread
constexpr int kFew = 256;                            ///< so many are compared with each other
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

/// Followed in shared memory by the buffer.
struct HeadShared {
  unsigned long long masses[kBins];
  std::uint32_t counts[kBins];
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
  /// The least order of bin −1 (behind all), 0, …
  __device__ Order begin(int bin) const {
    if (bin < 0) return hi_;
    if (!by_logit_) {
      const Order behind = hi_ - lo_, end = (static_cast<Order>(bin) + 1) << shift_;
      return end < behind ? hi_ - end : lo_;
    }
    std::uint32_t low = static_cast<std::uint32_t>(lo_ >> 32),
                  high = static_cast<std::uint32_t>((hi_ - 1) >> 32);
    while (low < high) {
      const std::uint32_t half = low + (high - low) / 2;
      if (of(Order{half} << 32) <= bin)
        high = half;
      else
        low = half + 1;
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
    Range range{Order{key_of(-3e38f)} << 32, end_, {}, 0};
    narrow<false>(range, static_cast<unsigned long long>(count), static_cast<std::uint32_t>(chunks));
    return logit_of(range.lo);
  }

  /// The head becomes all tokens from `least` up.
  __device__ void begin(float least) {
    least = fmaxf(least, fmaxf(best_ + kNegligible * temperature_, -3e38f));
    head_ = Order{key_of(least)} << 32;
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

  /// body(order) for each token of the head, from all threads.
  template <class Body>
  __device__ void over_buffer(const Body& body) const {
    for (std::uint32_t i = threadIdx.x; i < count_; i += kHeadThreads)
      if (holds(buffer_[i])) body(buffer_[i]);
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
    const Totals of_warp = warp_sum_of(mine);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared_.of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return warp_sum_of(lane < kHeadWarps ? shared_.of_warps[lane] : Totals{});
  }

 private:
  /// The head's end lies in [lo, hi), where `count` tokens are; `above`: the tokens from hi on.
  struct Range {
    Order lo, hi;
    Totals above;
    std::uint32_t count;
  };

  __device__ static Totals warp_sum_of(Totals mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      mine += {__shfl_xor_sync(0xFFFFFFFFu, mine.count, distance),
               __shfl_xor_sync(0xFFFFFFFFu, mine.mass, distance)};
    return mine;
  }

  /// Of all threads before this one.
  __device__ Totals sum_before(const Totals& mine) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    Totals upto = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Totals other{__shfl_up_sync(0xFFFFFFFFu, upto.count, distance),
                         __shfl_up_sync(0xFFFFFFFFu, upto.mass, distance)};
      if (lane >= distance) upto += other;
    }
    if (lane == 31) shared_.of_warps[warp] = upto;
    __syncthreads();
    Totals before = warp_sum_of(lane < warp ? shared_.of_warps[lane] : Totals{});
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

  /// Places of the buffer for a lane's tokens; all lanes of a warp call this.
  __device__ std::uint32_t take_places(std::uint32_t count) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t upto = count;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFu, upto, distance);
      if (lane >= distance) upto += other;
    }
    std::uint32_t base = 0;
    if (lane == 31) base = atomicAdd(&shared_.taken, upto);
    return __shfl_sync(0xFFFFFFFFu, base, 31) + upto - count;
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
      std::uint32_t place = take_places(static_cast<std::uint32_t>(__popc(hits)));
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
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kHeadThreads) {
      shared_.counts[bin] = 0;
      shared_.masses[bin] = 0;
    }
    if (threadIdx.x == 0) shared_.bin = -1;
    __syncthreads();
    const Bins bins(range.lo, range.hi);
    over(range.lo, range.hi, in_buffer, [&](Order order) {
      const int bin = bins.of(order);
      atomicAdd(&shared_.counts[bin], 1u);
      if constexpr (kByMass) atomicAdd(&shared_.masses[bin], mass_of(order));
    });
    __syncthreads();
    const int first = 2 * static_cast<int>(threadIdx.x);
    const Totals one{shared_.counts[first], shared_.masses[first]};
    const Totals two{shared_.counts[first + 1], shared_.masses[first + 1]};
    Totals both = one;
    both += two;
    Totals before = range.above;
    before += sum_before(both);
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
    if (threadIdx.x == 0) shared_.few[0] = bins.begin(bin);
    if (threadIdx.x == 32) shared_.few[1] = bins.begin(bin - 1);
    __syncthreads();
    range = {shared_.few[0], shared_.few[1], shared_.above, shared_.counts[bin]};
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
      shared_.few_masses[place] = mass_of(order);
    });
    __syncthreads();
    const int count = static_cast<int>(shared_.taken), lane = static_cast<int>(threadIdx.x) % 32;
    for (int i = static_cast<int>(threadIdx.x) / 32; i < count; i += kHeadWarps) {
      Totals before{};
      for (int j = lane; j < count; j += 32)
        if (shared_.few[j] > shared_.few[i]) before += {1, shared_.few_masses[j]};
      before = warp_sum_of(before);
      before += range.above;
      Totals upto = before;
      upto += {1, shared_.few_masses[i]};
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
