// SPDX-License-Identifier: GPL-3.0-or-later
// The second kernel of sampling: a block for each row takes the statistics of its tiles together and chooses.
#include "kernels/cuda/sampling.h"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/sampling_head.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kMostSharedBytes = 208 * 1024;

/// Of a whole row.
struct RowStats {
  Order best = 0;
  float largest = 0;
  float log_sum = 0;      ///< log Σ exp(logit − largest)
  double scaled_sum = 0;  ///< Σ exp((logit − largest)/temperature)
  bool is_finite = false;
};

/// All lanes of a warp call this.
__device__ RowStats row_stats(const TileStats* tiles, int count, float slope) {
  constexpr unsigned kAll = 0xFFFFFFFFu;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  RowStats row;
  bool bad = false;
  for (int i = lane; i < count; i += 32) {
    row.best = max(row.best, tiles[i].best);
    bad = bad || tiles[i].is_bad != 0;
  }
  row.best = warp_largest(row.best);
  row.largest = logit_of(row.best);
  row.is_finite = __ballot_sync(kAll, bad) == 0 && row.largest > -INFINITY;
  if (!row.is_finite) return row;
  float sum = 0;
  for (int i = lane; i < count; i += 32) {
    const float below = logit_of(tiles[i].best) - row.largest;
    if (!(below > -INFINITY)) continue;
    sum += tiles[i].sum * expf(below);
    row.scaled_sum += static_cast<double>(tiles[i].scaled_sum * expf(below * slope));
  }
  row.log_sum = logf(warp_sum(sum));
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    row.scaled_sum += __shfl_xor_sync(kAll, row.scaled_sum, distance);
  return row;
}

/// The one with the largest value, the lowest id among equals.
class Winner {
 public:
  __device__ void offer(float value, int id) { best_ = max(best_, order_of(value, id)); }
  __device__ int of_warp() const { return token_of(warp_largest(best_)); }
  /// `of_warps`: room in shared memory.
  __device__ int of_block(Order* of_warps) const {
    const Order mine = warp_largest(best_);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
    __syncthreads();
    return token_of(warp_largest(of_warps[threadIdx.x % kHeadWarps]));
  }

 private:
  Order best_ = 0;
};

/// All tokens survive: a tile is drawn by its mass, then one of its chunks, then a token. One warp.
__device__ int draw_of_all(const RowView& row, const SlotSampling& wanted, const RowStats& stats,
                           const TileStats* tiles, int tile_count, const Noise& noise) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto offer = [&](Winner& winner, float largest, float sum, std::uint32_t place, int id) {
    const float scaled = (largest - stats.largest) / wanted.temperature;
    if (scaled >= kNegligible) winner.offer(logf(sum) + scaled + noise(place), id);
  };
  Winner tile_winner, chunk_winner, winner;
  for (int i = lane; i < tile_count; i += 32)
    offer(tile_winner, logit_of(tiles[i].best), tiles[i].scaled_sum,
          Noise::kOfTiles + static_cast<unsigned>(i), i);
  const int first = tile_winner.of_warp() * kTileChunks;
  for (int i = first + lane; i < first + kTileChunks; i += 32)
    offer(chunk_winner, row.chunks[i].largest, row.chunks[i].scaled_sum,
          Noise::kOfChunks + static_cast<unsigned>(i), i);
  const int token = first_of_lane(chunk_winner.of_warp(), lane);
  const float4 quad = load_quad(row.logits, token, row.vocabulary, row.wide);
  const float logits[] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) offer(winner, logits[i], 1, static_cast<unsigned>(token + i), token + i);
  return winner.of_warp();
}

struct Drawn {
  int token;
  std::uint32_t survivors;
};

/// A logit that no token below can survive with, from what is known of the row.
__device__ float least_survivor(const SlotSampling& wanted, const RowStats& stats, int vocabulary) {
  float least = -INFINITY;
  if (wanted.min_p > 0) least = stats.largest + (logf(wanted.min_p) - 1e-3f) * wanted.temperature;
  // Even all tokens together weigh less than what top_p leaves behind. Masses are sums in float32.
  const float rest = 1.0f - wanted.top_p;
  if (rest > 1e-3f) {
    const float weight = 0.95f * rest * static_cast<float>(stats.scaled_sum) / static_cast<float>(vocabulary);
    least = fmaxf(least, stats.largest + logf(weight) * wanted.temperature);
  }
  return least;
}

/// The block's threads call this together.
__device__ Drawn draw_of_head(const RowView& row, const SlotSampling& wanted, const RowStats& stats,
                              const Noise& noise, HeadShared& shared, std::uint32_t capacity) {
  RowHead head(row, wanted.temperature, stats.largest, shared, capacity);
  const bool by_count = wanted.top_k > 0 && wanted.top_k < row.vocabulary;
  head.begin(by_count ? head.guess(wanted.top_k) : least_survivor(wanted, stats, row.vocabulary));
  if (by_count) head.keep_count(wanted.top_k);
  if (wanted.top_p < 1) {
    const double mass =
        by_count ? static_cast<double>(head.mass()) : stats.scaled_sum * static_cast<double>(kMassUnit);
    head.keep_mass(
        max(static_cast<unsigned long long>(ceil(static_cast<double>(wanted.top_p) * mass)), 1ull));
  }
  const auto passes = [&](Order order) { return head.weight_of(logit_of(order)) >= wanted.min_p; };
  Winner winner;
  const auto offer = [&](Order order) {
    const int token = token_of(order);
    winner.offer(head.scaled(logit_of(order)) + noise(static_cast<unsigned>(token)), token);
  };
  Totals mine{};
  if (head.is_buffered()) {
    head.over_buffer([&](Order order) {
      if (!passes(order)) return;
      ++mine.count;
      offer(order);
    });
  } else {  // many: first the tokens of one thread are drawn by their mass
    head.over_row([&](Order order) {
      if (passes(order)) mine += {1, head.mass_of(order)};
    });
    Winner part;
    if (mine.mass > 0)
      part.offer(logf(static_cast<float>(mine.mass)) + noise(Noise::kOfParts + threadIdx.x),
                 static_cast<int>(threadIdx.x));
    row.over_part(part.of_block(shared.few), [&](float logit, int token) {
      if (!(logit > -INFINITY)) return;
      const Order order = order_of(logit, token);
      if (head.holds(order) && passes(order)) offer(order);
    });
  }
  const std::uint32_t survivors = head.sum(mine).count;
  return {winner.of_block(shared.few), survivors};
}

__global__ void __launch_bounds__(kHeadThreads)
    choose_kernel(StepView step, Rows32 logits, const SlotSampling* sampling, SamplingWorkspace workspace,
                  SampledRow* results, std::int32_t* last_token, std::uint32_t capacity, bool wide) {
  extern __shared__ __align__(16) unsigned char memory[];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x), tile_count = workspace.tiles_per_row;
  const int samples = __ldcg(&step.counts->samples);
  const SampleRow sample = step.samples[index];
  if (index >= samples) return;
  const SlotSampling wanted = sampling[sample.slot];
  const TileStats* tiles = workspace.tiles + std::int64_t{index} * tile_count;
  const RowView row{logits.data + std::int64_t{sample.logit_row} * logits.stride, logits.columns,
                    workspace.chunks + std::int64_t{index} * tile_count * kTileChunks,
                    tile_count * kTileChunks, wide};
  const bool filters = keeps_some(wanted, logits.columns);
  if (!filters && threadIdx.x >= 32) return;
  const RowStats stats = row_stats(tiles, tile_count, wanted.temperature > 0 ? slope_of(wanted) : 0.0f);
  const Noise noise(wanted.seed, sample.position);

  Drawn drawn{token_of(stats.best), 0};
  if (!stats.is_finite) {
    drawn.token = 0;
  } else if (filters) {
    drawn = draw_of_head(row, wanted, stats, noise, *reinterpret_cast<HeadShared*>(memory), capacity);
  } else if (wanted.temperature > 0) {
    drawn.token = draw_of_all(row, wanted, stats, tiles, tile_count, noise);
  }
  if (threadIdx.x != 0) return;
  const float logit = wanted.temperature > 0 && stats.is_finite ? row.logits[drawn.token] : stats.largest;
  const float logprob = stats.is_finite ? logit - stats.largest - stats.log_sum : __int_as_float(0x7FC00000);
  results[index] = {drawn.token, logprob};
  last_token[sample.slot] = drawn.token;
  workspace.survivors[index] = static_cast<std::int32_t>(drawn.survivors);
}

std::size_t padded(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// Tokens that fit into shared memory: the more do, the fewer rows are read again.
std::uint32_t buffer_capacity() {
  int device = 0, bytes = 48 * 1024;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const auto most = static_cast<std::size_t>(std::min(bytes, kMostSharedBytes));
  return static_cast<std::uint32_t>((most - sizeof(HeadShared)) / sizeof(Order));
}

int tiles_of(int vocabulary) {
  return (vocabulary + kTileNumbers - 1) / kTileNumbers;
}

}  // namespace

std::size_t sampling_workspace_bytes(int rows, int vocabulary) {
  const auto count = static_cast<std::size_t>(rows);
  const std::size_t tiles = count * static_cast<std::size_t>(tiles_of(vocabulary));
  return padded(count * sizeof(std::int32_t)) + padded(tiles * sizeof(TileStats)) +
         padded(tiles * kTileChunks * sizeof(ChunkStats));
}

void sample_rows(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows, void* workspace,
                 SampledRow* results, std::int32_t* last_token, cudaStream_t stream) {
  const int tile_count = tiles_of(logits.columns);
  const auto count = static_cast<std::size_t>(rows);
  auto* place = static_cast<std::byte*>(workspace);
  const auto take = [&](std::size_t bytes) {
    std::byte* taken = place;
    place += padded(bytes);
    return taken;
  };
  SamplingWorkspace parts{};
  const std::size_t tiles = count * static_cast<std::size_t>(tile_count);
  parts.survivors = reinterpret_cast<std::int32_t*>(take(count * sizeof(std::int32_t)));
  parts.tiles = reinterpret_cast<TileStats*>(take(tiles * sizeof(TileStats)));
  parts.chunks = reinterpret_cast<ChunkStats*>(take(tiles * kTileChunks * sizeof(ChunkStats)));
  parts.tiles_per_row = tile_count;
  scan_tiles(step, logits, sampling, rows, parts, stream);
  const bool wide = reinterpret_cast<std::uintptr_t>(logits.data) % 16 == 0 && logits.stride % 4 == 0;
  const std::uint32_t capacity = buffer_capacity();
  launch(choose_kernel, dim3(static_cast<unsigned>(rows)), dim3(kHeadThreads),
         sizeof(HeadShared) + capacity * sizeof(Order), stream, step, logits, sampling, parts, results,
         last_token, capacity, wide);
}

}  // namespace pitwall::cuda
