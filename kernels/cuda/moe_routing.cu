// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/moe_routing.h"

#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/row_vector.cuh"
#include "kernels/cuda/token_order.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kChooseThreads = 128;  ///< a warp for each row
constexpr int kChooseRows = kChooseThreads / 32;
constexpr int kSortThreads = 256;
constexpr int kSortWarps = kSortThreads / 32;

/// Experts lane, lane + 32, … of a row.
template <int kOfLane>
__global__ void __launch_bounds__(kChooseThreads)
    choose_kernel(const std::int32_t* slots, RouterLogits logits, int experts, int top_k, bool renormalise,
                  VisitList visits, int rows) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int row = static_cast<int>(blockIdx.x) * kChooseRows + static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  std::int32_t* chosen = visits.row_experts + std::int64_t{row} * top_k;
  float* weights = visits.row_weights + std::int64_t{row} * top_k;
  if (slots[row] < 0) {
    if (lane < top_k) {
      chosen[lane] = -1;
      weights[lane] = 0;
      visits.row_visits[std::int64_t{row} * top_k + lane] = -1;
    }
    return;
  }
  float own[kOfLane];
  unsigned long long orders[kOfLane];
#pragma unroll
  for (int i = 0; i < kOfLane; ++i) {
    const int expert = i * 32 + lane;
    own[i] = expert < experts ? logits.at(row, expert) : -INFINITY;
    orders[i] = expert < experts ? order_of(own[i], expert) : 0;
  }
  float largest = own[0];
#pragma unroll
  for (int i = 1; i < kOfLane; ++i) largest = fmaxf(largest, own[i]);
  largest = warp_max(largest);
  float total = 0;
#pragma unroll
  for (int i = 0; i < kOfLane; ++i) total += expf(own[i] - largest);
  total = warp_sum(total);

  float weight = 0, sum = 0;  // lane i keeps choice i
  int expert = -1;
  for (int choice = 0; choice < top_k; ++choice) {
    unsigned long long best = orders[0];
#pragma unroll
    for (int i = 1; i < kOfLane; ++i) best = max(best, orders[i]);
    best = warp_largest(best);
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) orders[i] = orders[i] == best ? 0 : orders[i];
    const float of_choice = expf(logit_of(best) - largest) / total;
    sum += of_choice;
    if (lane == choice) {
      weight = of_choice;
      expert = token_of(best);
    }
  }
  if (lane >= top_k) return;
  chosen[lane] = expert;
  weights[lane] = renormalise ? weight / sum : weight;
}

/// A block for each expert counts the visits before its own and writes its own, in the order of the rows. A
/// warp has a part of all choices.
__global__ void __launch_bounds__(kSortThreads) sort_kernel(VisitList visits, int choices, int top_k) {
  __shared__ int before_of[kSortWarps], own_of[kSortWarps];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int expert = static_cast<int>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int part = (choices + kSortThreads - 1) / kSortThreads * 32;
  const int first = warp * part, end = min(first + part, choices);
  int before = 0, own = 0;
  for (int i = first + lane; i < end; i += 32) {
    const int chosen = visits.row_experts[i];
    before += chosen >= 0 && chosen < expert ? 1 : 0;
    own += chosen == expert ? 1 : 0;
  }
  before = __reduce_add_sync(0xFFFFFFFFu, before);
  own = __reduce_add_sync(0xFFFFFFFFu, own);
  if (lane == 0) {
    before_of[warp] = before;
    own_of[warp] = own;
  }
  __syncthreads();
  int visit = 0, all_own = 0, all_before = 0;
  for (int i = 0; i < kSortWarps; ++i) {
    all_before += before_of[i];
    all_own += own_of[i];
    visit += before_of[i] + (i < warp ? own_of[i] : 0);
  }
  if (threadIdx.x == 0) {
    visits.first_visit[expert] = all_before;
    if (blockIdx.x + 1 == gridDim.x) visits.first_visit[expert + 1] = all_before + all_own;
  }
  for (int begin = first; begin < end; begin += 32) {
    const int i = begin + lane;
    const bool is_own = i < end && visits.row_experts[i] == expert;
    const unsigned owners = __ballot_sync(0xFFFFFFFFu, is_own);
    if (is_own) {
      const int place = visit + __popc(owners & ((1u << lane) - 1));
      visits.visit_rows[place] = i / top_k;
      visits.row_visits[i] = place;
    }
    visit += __popc(owners);
  }
}

template <bool kWide, class Out>
__global__ void __launch_bounds__(kRowThreads)
    combine_kernel(Rows16 results, VisitList visits, int top_k, float scale, Rows32 residual, Out out) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (left <= 0) return;
  Eight sum{}, x{};
  if (residual.data != nullptr) x = load_eight<kWide>(residual, row, column, left);
  constexpr int kAtOnce = 4;
  for (int first = 0; first < top_k; first += kAtOnce) {
    Eight parts[kAtOnce];
    float weights[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t choice = std::int64_t{row} * top_k + first + i;
      const int visit = first + i < top_k ? visits.row_visits[choice] : -1;
      parts[i] = visit >= 0 ? load_eight<kWide>(results, visit, column, left) : Eight{};
      weights[i] = visit >= 0 ? visits.row_weights[choice] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
      for (int j = 0; j < kEight; ++j) sum.at[j] += weights[i] * parts[i].at[j];
    }
  }
#pragma unroll
  for (int j = 0; j < kEight; ++j) x.at[j] += scale * sum.at[j];
  store_eight<kWide>(out, row, column, x, left);
}

template <class Out>
void launch_combine(const Rows16& results, const VisitList& visits, int top_k, float scale,
                    const Rows32& residual, const Out& out, int rows, cudaStream_t stream) {
  const bool wide = is_wide(results) && is_wide(residual) && is_wide(out);
  launch_by_columns(wide ? combine_kernel<true, Out> : combine_kernel<false, Out>, rows, out.columns, stream,
                    results, visits, top_k, scale, residual, out);
}

/// Places in the order of VisitList, each a multiple of 16 bytes.
struct VisitPlaces {
  std::size_t visit_rows, row_experts, row_visits, row_weights, bytes;
  VisitPlaces(int rows, int experts, int top_k) {
    const auto padded = [](std::size_t count) { return (count * 4 + 15) / 16 * 16; };
    const std::size_t choices = padded(static_cast<std::size_t>(rows) * static_cast<std::size_t>(top_k));
    visit_rows = padded(static_cast<std::size_t>(experts) + 1);
    row_experts = visit_rows + choices;
    row_visits = row_experts + choices;
    row_weights = row_visits + choices;
    bytes = row_weights + choices;
  }
};

}  // namespace

std::size_t visit_list_bytes(int rows, int experts, int top_k) {
  return VisitPlaces(rows, experts, top_k).bytes;
}

VisitList visit_list_at(void* memory, int rows, int experts, int top_k) {
  const VisitPlaces places(rows, experts, top_k);
  auto* start = static_cast<std::byte*>(memory);
  const auto numbers = [&](std::size_t place) { return reinterpret_cast<std::int32_t*>(start + place); };
  return {numbers(0), numbers(places.visit_rows), numbers(places.row_experts), numbers(places.row_visits),
          reinterpret_cast<float*>(start + places.row_weights)};
}

void route_rows(const StepView& step, const RouterLogits& router_logits, const MoeSpec& spec,
                const VisitList& visits, int rows, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((rows + kChooseRows - 1) / kChooseRows));
  const auto choose = [&](auto kernel) {
    launch(kernel, grid, dim3(kChooseThreads), 0, stream, step.slots, router_logits, spec.experts, spec.top_k,
           spec.renormalise, visits, rows);
  };
  if (spec.experts <= 64) {
    choose(choose_kernel<2>);
  } else if (spec.experts <= 128) {
    choose(choose_kernel<4>);
  } else {
    choose(choose_kernel<kMostExperts / 32>);
  }
  launch(sort_kernel, dim3(static_cast<unsigned>(spec.experts)), dim3(kSortThreads), 0, stream, visits,
         rows * spec.top_k, spec.top_k);
}

void combine_visits(const StepView&, Rows16 results, const VisitList& visits, int top_k, float scale,
                    Rows32 residual, Rows32 out, int rows, cudaStream_t stream) {
  launch_combine(results, visits, top_k, scale, residual, out, rows, stream);
}

void combine_visits(const StepView&, Rows16 results, const VisitList& visits, int top_k, float scale,
                    Rows32 residual, Rows16 out, int rows, cudaStream_t stream) {
  launch_combine(results, visits, top_k, scale, residual, out, rows, stream);
}

}  // namespace pitwall::cuda
