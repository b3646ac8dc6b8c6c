// SPDX-License-Identifier: GPL-3.0-or-later
// The second kernel of sampling: a block for each row takes the statistics of its tiles together and chooses.
#include "kernels/cuda/sampling.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/sampling_head.cuh"

namespace pitwall::cuda {

namespace {

constexpr std::uint32_t kTileNoise = 0x80000000u;  ///< noise of tile i is that of index kTileNoise + i

/// Of a whole row.
struct RowStats {
  Order best = 0;
  float largest = 0;
  float log_sum = 0;      ///< log Σ exp(logit − largest)
  double scaled_sum = 0;  ///< Σ exp((logit − largest)/temperature)
  bool is_finite = false;
};

/// Afterwards the sums of `tiles`, in shared memory, are relative to the row's largest logit.
__device__ RowStats row_stats(TileStats* tiles, int count, float slope) {
  RowStats row;
  bool bad = false;
  for (int i = 0; i < count; ++i) {
    row.best = max(row.best, tiles[i].best);
    bad = bad || tiles[i].is_bad != 0;
  }
  row.largest = logit_of(row.best);
  row.is_finite = !bad && row.largest > -INFINITY;
  if (!row.is_finite) return row;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kHeadThreads) {
    const float below = logit_of(tiles[i].best) - row.largest;
    tiles[i].sum *= expf(below);
    tiles[i].scaled_sum *= expf(below * slope);
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += tiles[i].sum;
    row.scaled_sum += static_cast<double>(tiles[i].scaled_sum);
  }
  row.log_sum = logf(sum);
  return row;
}

/// The one with the largest value, the lowest token among equals.
class Winner {
 public:
  __device__ void offer(float value, int token) { best_ = max(best_, order_of(value, token)); }
  /// Over the block.
  __device__ int token(HeadShared& shared) const {
    __syncthreads();
    const Order of_warp = warp_largest(best_);
    if (threadIdx.x % 32 == 0) shared.largest[threadIdx.x / 32] = of_warp;
    __syncthreads();
    Order best = 0;
    for (int warp = 0; warp < kHeadWarps; ++warp) best = max(best, shared.largest[warp]);
    return token_of(best);
  }

 private:
  Order best_ = 0;
};

/// All tokens survive: first a tile is drawn by its mass, then one of its tokens.
__device__ int draw_of_all(const RowView& row, const SlotSampling& wanted, const RowStats& stats,
                           const TileStats* tiles, int tile_count, const Noise& noise, HeadShared& shared) {
  Winner tile_winner;
  for (int i = static_cast<int>(threadIdx.x); i < tile_count; i += kHeadThreads) {
    if (tiles[i].scaled_sum > 0)
      tile_winner.offer(logf(tiles[i].scaled_sum) + noise(kTileNoise + static_cast<unsigned>(i)), i);
  }
  const int first = tile_winner.token(shared) * kTileNumbers;
  Winner winner;
  row.over(first, min(first + kTileNumbers, row.vocabulary), [&](float logit, int token) {
    const float scaled = (logit - stats.largest) / wanted.temperature;
    if (scaled >= kNegligible) winner.offer(scaled + noise(static_cast<unsigned>(token)), token);
  });
  return winner.token(shared);
}

struct Drawn {
  int token;
  std::uint32_t survivors;
};

__device__ Drawn draw_of_head(const RowView& row, const SlotSampling& wanted, const RowStats& stats,
                              const float* chunks, int chunk_count, const Noise& noise, Order* buffer,
                              HeadShared& shared) {
  RowHead head(row, wanted.temperature, stats.best, buffer, shared);
  const bool by_count = wanted.top_k > 0 && wanted.top_k < row.vocabulary;
  if (by_count || wanted.top_p < 1) head.guess(chunks, chunk_count, by_count ? wanted.top_k : chunk_count);
  if (by_count) head.keep_count(wanted.top_k);
  if (wanted.top_p < 1) {
    const double mass =
        by_count ? static_cast<double>(head.mass()) : stats.scaled_sum * static_cast<double>(kMassUnit);
    head.keep_mass(
        max(static_cast<unsigned long long>(ceil(static_cast<double>(wanted.top_p) * mass)), 1ull));
  }
  Winner winner;
  std::uint32_t mine = 0;
  head.over([&](float logit, int token) {
    if (!(head.weight_of(logit) >= wanted.min_p)) return;
    ++mine;
    winner.offer(head.scaled(logit) + noise(static_cast<unsigned>(token)), token);
  });
  const std::uint32_t survivors = head.sum(mine);
  return {winner.token(shared), survivors};
}

__global__ void __launch_bounds__(kHeadThreads)
    choose_kernel(StepView step, Rows32 logits, const SlotSampling* sampling, SamplingWorkspace workspace,
                  SampledRow* results, std::int32_t* last_token, bool wide) {
  extern __shared__ __align__(16) Order buffer[];
  __shared__ HeadShared shared;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x), tile_count = workspace.tiles_per_row;
  if (index >= step.counts->samples) return;
  const SampleRow sample = step.samples[index];
  const SlotSampling wanted = sampling[sample.slot];
  const RowView row{logits.data + std::int64_t{sample.logit_row} * logits.stride, logits.columns, wide};

  auto* tiles = reinterpret_cast<TileStats*>(buffer);
  for (int i = static_cast<int>(threadIdx.x); i < tile_count; i += kHeadThreads)
    tiles[i] = workspace.tiles[std::int64_t{index} * tile_count + i];
  __syncthreads();
  const RowStats stats = row_stats(tiles, tile_count, wanted.temperature > 0 ? slope_of(wanted) : 0.0f);

  Drawn drawn{token_of(stats.best), 0};
  if (!stats.is_finite) {
    drawn.token = 0;
  } else if (keeps_some(wanted, logits.columns)) {
    const float* chunks = workspace.chunks + std::int64_t{index} * tile_count * kTileChunks;
    drawn = draw_of_head(row, wanted, stats, chunks, tile_count * kTileChunks,
                         Noise(wanted.seed, sample.position), buffer, shared);
  } else if (wanted.temperature > 0) {
    drawn.token =
        draw_of_all(row, wanted, stats, tiles, tile_count, Noise(wanted.seed, sample.position), shared);
  }
  if (threadIdx.x != 0) return;
  const float logprob =
      stats.is_finite ? row.logits[drawn.token] - stats.largest - stats.log_sum : __int_as_float(0x7FC00000);
  results[index] = {drawn.token, logprob};
  last_token[sample.slot] = drawn.token;
  workspace.survivors[index] = static_cast<std::int32_t>(drawn.survivors);
}

std::size_t padded(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

int tiles_of(int vocabulary) {
  return (vocabulary + kTileNumbers - 1) / kTileNumbers;
}

}  // namespace

std::size_t sampling_workspace_bytes(int rows, int vocabulary) {
  const auto count = static_cast<std::size_t>(rows);
  const std::size_t tiles = count * static_cast<std::size_t>(tiles_of(vocabulary));
  return padded(count * sizeof(std::int32_t)) + padded(tiles * sizeof(TileStats)) +
         padded(tiles * kTileChunks * sizeof(float));
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
  parts.chunks = reinterpret_cast<float*>(take(tiles * kTileChunks * sizeof(float)));
  parts.tiles_per_row = tile_count;
  scan_tiles(step, logits, sampling, rows, parts, stream);
  const bool wide = reinterpret_cast<std::uintptr_t>(logits.data) % 16 == 0 && logits.stride % 4 == 0;
  launch(choose_kernel, dim3(static_cast<unsigned>(rows)), dim3(kHeadThreads), kCapacity * sizeof(Order),
         stream, step, logits, sampling, parts, results, last_token, wide);
}

}  // namespace pitwall::cuda
