// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of products with few tokens. A pass is as many rows of a weight as a warp multiplies at once,
// weights as the 16-row operand, tokens as the other; blocks have passes of all outputs in equal shares.
// Chunks of a pass's columns go to the block's warps in turn, each through its ring of stages, of which the
// first are on their way before the kernel ahead has ended; the warps' sums of a pass are added up in the
// order of the warps. What differs between plain and quantised weights is `Weights`:
//
//   kWarps, kBlocks                  of a block, and blocks of a multiprocessor
//   kOnePass                         blocks have one pass each, which the hardware deals out
//   kStages, kStageBytes, kColumns   of a ring, and of a chunk
//   kKept                            chunks of tokens that a warp keeps in registers: its own are the same in
//                                    every pass; 0: its chunks go on from pass to pass, tokens are read again
//   kTokenTiles, kTiles, kPassRows   eights of tokens, 16s of rows, and rows of the output of a pass
//   Source                           what it reads, by value
//   Lane, aim(matrices, pass)        where a lane reads a pass
//   fill(lane, matrices, chunk, stage)                          sends for a chunk
//   Tokens, load_tokens(in, chunk)                              a lane's part of the tokens' columns
//   multiply(matrices, owner, chunk, stage, in, tokens, sums)
#pragma once
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/number16.cuh"
#include "kernels/cuda/skinny_parts.h"
#include "kernels/cuda/warp_ring.cuh"

namespace pitwall::cuda {

inline constexpr int kSkinnyOutputs = 4;
inline constexpr int kTileRows = 16;

/// The tokens that a lane has of the second operand: 4g + t has g, and g + 8 of two token tiles.
template <int kTokenTiles>
struct LaneTokens {
  const bf16* rows[kTokenTiles];  ///< past the last token any one: its products are not looked at
  const std::int32_t* order;      ///< column of x of each stored column; null: the same
  int columns, stored;            ///< of x, and of a row of the weight
  bool aligned;

  /// Whether `count` stored columns from `k` on lie side by side in x.
  __device__ bool straight(int k, int count) const {
    return order == nullptr && aligned && k + count <= columns;
  }
  /// One number, anywhere; zero past the ends.
  __device__ std::uint32_t number(const bf16* row, int k) const {
    int column = k < stored ? k : -1;
    if (order != nullptr && column >= 0) column = order[k];
    return column >= 0 && column < columns ? __bfloat16_as_ushort(row[column]) : 0;
  }
};

/// kCount (4 or 8) numbers of one token from stored column `k` on.
template <int kCount, int kTokenTiles>
__device__ inline void load_token(const LaneTokens<kTokenTiles>& in, bool straight, const bf16* row, int k,
                                  std::uint32_t (&out)[kCount / 2]) {
  if (!straight) {
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i)
      out[i] = in.number(row, k + 2 * i) | in.number(row, k + 2 * i + 1) << 16;
  } else if constexpr (kCount == 8) {
    const uint4 eight = *reinterpret_cast<const uint4*>(row + k);
    out[0] = eight.x, out[1] = eight.y, out[2] = eight.z, out[3] = eight.w;
  } else {
    const uint2 four = *reinterpret_cast<const uint2*>(row + k);
    out[0] = four.x, out[1] = four.y;
  }
}

/// `row_of`: the row of x of a token.
template <int kTokenTiles, class RowOf>
__device__ inline LaneTokens<kTokenTiles> lane_tokens(const SkinnyInput& in, int stored, int count,
                                                      const RowOf& row_of) {
  LaneTokens<kTokenTiles> tokens{{}, nullptr, in.x.columns, stored, in.aligned};
#pragma unroll
  for (int n = 0; n < kTokenTiles; ++n) {
    const int token = min(static_cast<int>(threadIdx.x) % 32 / 4 + 8 * n, count - 1);
    tokens.rows[n] = in.x.data + std::int64_t{row_of(token)} * in.x.stride;
  }
  return tokens;
}

/// Where the sums of one weight go.
struct SkinnyTarget {
  Rows16 out16;
  Rows32 out32;
  const float* bias = nullptr;
  Rows32 residual;
  float scale = 1;
  int rows = 0;  ///< of the weight
  NormAhead norm;

  /// What is known of an output before its sum.
  struct Early {
    float bias = 0, residual = 0, gain = 0;
  };
  __device__ Early early(int token, int row) const {
    Early known;
    if (row >= rows) return known;
    if (bias != nullptr) known.bias = bias[row];
    if (residual.data != nullptr) known.residual = residual.data[std::int64_t{token} * residual.stride + row];
    if (norm.gain != nullptr) known.gain = norm.gain[row];
    return known;
  }
  __device__ float finished(float sum, const Early& known) const {
    return (sum + known.bias) * scale + known.residual;
  }
  __device__ void put(int token, int row, float sum) const {
    if (out32.data != nullptr) {
      out32.data[std::int64_t{token} * out32.stride + row] = sum;
    } else {
      put_16(out16, out16.data + std::int64_t{token} * out16.stride + row, sum);
    }
  }
  __device__ void store(int token, int row, float sum) const {
    put(token, row, finished(sum, early(token, row)));
  }
  /// The same by 16 lanes with the outputs of a tile and token, of which some may not be there.
  __device__ void store_tile(int token, int row, float sum, const Early& known) const {
    const float number = finished(sum, known);
    if (row < rows) put(token, row, number);
    if (norm.gain != nullptr) prepare_norm(token, row, number, known.gain);
  }
  /// For the norm that follows, by the 16 lanes that have a tile's outputs of one token.
  __device__ void prepare_norm(int token, int row, float number, float gain) const {
    if (row < rows)
      put_16(norm.out, norm.out.data + std::int64_t{token} * norm.out.stride + row,
             norm.out.is_half() ? number * gain * (1 / kFoldedShrink) : number * gain);
    const unsigned lanes = 0xFFFFu << (threadIdx.x % 32 / kTileRows * kTileRows);
    float squares = row < rows ? number * number : 0.0f;
#pragma unroll
    for (int distance = kTileRows / 2; distance > 0; distance /= 2)
      squares += __shfl_xor_sync(lanes, squares, distance);
    if (row % kTileRows == 0 && row < rows)
      norm.squares.parts[std::int64_t{token} * norm.squares.stride + row / kTileRows] = squares;
  }
};

inline SkinnyTarget skinny_target(const SkinnyOutput& output) {
  return {output.out16, output.out32,       output.bias, output.residual,
          output.scale, output.weight.rows, output.norm};
}

/// What the sums of each token are multiplied by under the norm behind the products, if there is one.
struct NormFactors {
  const SkinnyInput& in;
  float* factors;  ///< shared memory, by token

  __device__ bool is_there() const { return in.norm.squares.parts != nullptr; }
  /// Each by a warp; to be seen after the next barrier.
  template <int kWarps>
  __device__ void find(int count) const {
    if (!is_there()) return;
    const NormBehind& norm = in.norm;
    const float grown = in.x.is_half() ? kFoldedShrink : 1.0f;
    const int lane = static_cast<int>(threadIdx.x) % 32, parts = norm.squares.count;
    for (int token = static_cast<int>(threadIdx.x) / 32; token < count; token += kWarps) {
      const float* of_token = norm.squares.parts + std::int64_t{token} * norm.squares.stride;
      constexpr int kAtOnce = 8;
      float sum = 0;
      for (int first = lane; first < parts; first += kAtOnce * 32) {
        float some[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          some[i] = first + 32 * i < parts ? __ldcg(of_token + first + 32 * i) : 0.0f;
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) sum += some[i];
      }
      sum = warp_sum(sum);
      if (lane == 0) factors[token] = grown / sqrtf(sum / static_cast<float>(norm.columns) + norm.epsilon);
    }
  }
  __device__ float applied(float sum, int token) const {
    return is_there() ? sum * factors[token] : sum;
  }
};

struct NothingEarly {};
__device__ inline NothingEarly nothing_early(int /*pass*/, int /*slot*/, int /*token*/) {
  return {};
}

/// The matrices of a launch, over the same columns.
template <class Source>
struct SkinnyMatrices {
  Source sources[kSkinnyOutputs];  ///< gated: the gate and what it gates, both with the passes of the first
  const std::int32_t* orders[kSkinnyOutputs];
  int first_pass[kSkinnyOutputs + 1];
  int stride = 0;

  __device__ int owner(int pass) const {
    int i = 0;
    while (i + 1 < kSkinnyOutputs && pass >= first_pass[i + 1]) ++i;
    return i;
  }
};

/// One matrix alone, of which a block may know nothing before it runs.
template <class Source>
struct SkinnyMatrix {
  Source sources[1];
  const std::int32_t* orders[1];
  int first_pass[2];
  int stride = 0;
  __device__ int owner(int /*pass*/) const { return 0; }
};

struct PassRange {
  int first, end;
};

/// A warp's sums: [tile][token tile][lane][the four of multiply_bf16()].
template <class Weights>
using WarpSums = float[Weights::kTiles][Weights::kTokenTiles][32][4];

template <class Weights>
struct SkinnyShared {
  unsigned char stages[Weights::kWarps][Weights::kStages * Weights::kStageBytes];
  WarpSums<Weights> sums[Weights::kWarps];
  float factors[8 * Weights::kTokenTiles];  ///< of the norm behind, by token
};

template <class Weights>
__device__ inline SkinnyShared<Weights>& skinny_shared() {
  extern __shared__ __align__(128) unsigned char memory[];
  return *reinterpret_cast<SkinnyShared<Weights>*>(memory);
}

/// All products of a block. `ready` waits for the kernel ahead and gives the tokens, of which there are
/// `count`; `settle` comes once the first of them are on their way, and may leave what `finish` reads in
/// shared memory. `early` takes a pass, one of its rows and a token, and gives what is known of the output
/// before its sum; `finish` takes these, and the sums by tile and row of the tile.
template <class Weights, class Matrices, class Ready, class Settle, class Early, class Finish>
__device__ inline void skinny_products(const Matrices& matrices, PassRange passes, int count,
                                       const Ready& ready, const Settle& settle, const Early& early,
                                       const Finish& finish) {
  constexpr int kKept = Weights::kKept, kPassRows = Weights::kPassRows;
  SkinnyShared<Weights>& shared = skinny_shared<Weights>();
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int chunks = (matrices.stride + Weights::kColumns - 1) / Weights::kColumns;
  WarpRing<Weights::kStages, Weights::kStageBytes> ring(shared.stages[warp]);
  int pass_ahead = passes.first, chunk_ahead = warp;
  typename Weights::Lane from = Weights::aim(matrices, pass_ahead);
  const auto fill = [&] {
    if (chunk_ahead >= chunks && pass_ahead < passes.end) {
      while (chunk_ahead >= chunks && pass_ahead < passes.end) {
        chunk_ahead = kKept > 0 ? warp : chunk_ahead - chunks;
        ++pass_ahead;
      }
      if (pass_ahead < passes.end) from = Weights::aim(matrices, pass_ahead);
    }
    if (pass_ahead < passes.end) Weights::fill(from, matrices, chunk_ahead, ring.next_fill());
    chunk_ahead += Weights::kWarps;
    ring.sent();
  };
  for (int s = 0; s < Weights::kStages; ++s) fill();
  LaneTokens<Weights::kTokenTiles> in = ready();
  typename Weights::Tokens kept[kKept > 0 ? kKept : 1];
#pragma unroll
  for (int i = 0; i < kKept; ++i) kept[i] = Weights::load_tokens(in, warp + i * Weights::kWarps);
  settle();
  int chunk = warp;
  for (int pass = passes.first; pass < passes.end; ++pass) {
    const int owner = matrices.owner(pass);
    in.order = matrices.orders[owner];
    auto known = early(pass, thread % kPassRows, thread / kPassRows);
    float sums[Weights::kTiles][Weights::kTokenTiles][4] = {};
    const auto take = [&](int at, const typename Weights::Tokens& tokens) {
      Weights::multiply(matrices, owner, at, ring.wait(), in, tokens, sums);
      ring.done();
      fill();
    };
    if constexpr (kKept > 0) {
#pragma unroll
      for (int i = 0; i < kKept; ++i) {
        if (warp + i * Weights::kWarps < chunks) take(warp + i * Weights::kWarps, kept[i]);
      }
    } else {
      for (; chunk < chunks; chunk += Weights::kWarps) take(chunk, Weights::load_tokens(in, chunk));
      chunk -= chunks;
    }
#pragma unroll
    for (int m = 0; m < Weights::kTiles; ++m) {
#pragma unroll
      for (int n = 0; n < Weights::kTokenTiles; ++n) {
        *reinterpret_cast<float4*>(shared.sums[warp][m][n][lane]) =
            make_float4(sums[m][n][0], sums[m][n][1], sums[m][n][2], sums[m][n][3]);
      }
    }
    __syncthreads();
    for (int i = thread; i < kPassRows * count; i += 32 * Weights::kWarps) {
      const int slot = i % kPassRows, token = i / kPassRows;
      if (i != thread) known = early(pass, slot, token);
      finish(pass, slot, token, known, [&](int tile, int row) {
        float sum = 0;
#pragma unroll
        for (int w = 0; w < Weights::kWarps; ++w)
          sum += shared.sums[w][tile][token / 8][row % 8 * 4 + token % 8 / 2][row / 8 * 2 + token % 2];
        return sum;
      });
    }
    if (pass + 1 < passes.end) __syncthreads();
  }
}

template <class Source>
struct SkinnyJobs {
  SkinnyMatrices<Source> matrices;
  SkinnyTarget targets[kSkinnyOutputs];
  SkinnyInput in;
};

template <class Weights>
__device__ inline LaneTokens<Weights::kTokenTiles> await_tokens(const SkinnyInput& in, int stride) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  return lane_tokens<Weights::kTokenTiles>(in, stride, in.rows, [](int token) { return token; });
}

/// The first blocks have one pass more than the others: they come to lie on different multiprocessors.
__device__ inline PassRange block_passes(int passes) {
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  const int each = passes / blocks, more = passes % blocks;
  const int first = each * block + min(block, more);
  return {first, first + each + (block < more ? 1 : 0)};
}

template <class Weights>
__global__ void __launch_bounds__(32 * Weights::kWarps, Weights::kBlocks)
    skinny_kernel(const __grid_constant__ SkinnyJobs<typename Weights::Source> jobs) {
  const auto& matrices = jobs.matrices;
  const int count = jobs.in.rows;
  const NormFactors factors{jobs.in, skinny_shared<Weights>().factors};
  const auto row_of = [&](int owner, int pass, int slot) {
    return (pass - matrices.first_pass[owner]) * Weights::kPassRows + slot;
  };
  const auto early = [&](int pass, int slot, int token) {
    const int owner = matrices.owner(pass), row = row_of(owner, pass, slot);
    return token < count ? jobs.targets[owner].early(token, row) : SkinnyTarget::Early{};
  };
  const auto finish = [&](int pass, int slot, int token, const SkinnyTarget::Early& known, const auto& sum) {
    const int owner = matrices.owner(pass), row = row_of(owner, pass, slot);
    jobs.targets[owner].store_tile(token, row,
                                   factors.applied(sum(slot / kTileRows, slot % kTileRows), token), known);
  };
  skinny_products<Weights>(
      matrices, block_passes(matrices.first_pass[kSkinnyOutputs]), count,
      [&] { return await_tokens<Weights>(jobs.in, matrices.stride); },
      [&] { factors.find<Weights::kWarps>(count); }, early, finish);
}

template <class Source>
struct GatedJob {
  SkinnyMatrices<Source> matrices;
  Activation activation;
  Rows16 out;
  int rows = 0;
  SkinnyInput in;
};

template <class Weights>
__global__ void __launch_bounds__(32 * Weights::kWarps, Weights::kBlocks)
    gated_kernel(const __grid_constant__ GatedJob<typename Weights::Source> job) {
  const int count = job.in.rows;
  const NormFactors factors{job.in, skinny_shared<Weights>().factors};
  const auto finish = [&](int pass, int slot, int token, NothingEarly, const auto& sum) {
    const int row = pass * Weights::kPassRows + slot;
    if (row >= job.rows) return;
    const float gate = factors.applied(sum(0, slot), token);
    const float up =
        factors.applied(Weights::kTiles > 1 ? sum(1, slot) : sum(0, slot + Weights::kPassRows), token);
    put_16(job.out, job.out.data + std::int64_t{token} * job.out.stride + row,
           activated(gate, job.activation) * up);
  };
  skinny_products<Weights>(
      job.matrices, block_passes(job.matrices.first_pass[1]), count,
      [&] { return await_tokens<Weights>(job.in, job.matrices.stride); },
      [&] { factors.find<Weights::kWarps>(count); }, nothing_early, finish);
}

template <class Weights>
int skinny_passes(const DeviceMatrix& weight) {
  return (weight.rows + Weights::kPassRows - 1) / Weights::kPassRows;
}

template <class Weights, class Job>
void launch_shared(void (*kernel)(Job), int passes, int multiprocessors, const Job& job,
                   cudaStream_t stream) {
  static_assert(sizeof(SkinnyShared<Weights>) <= 113 * 1024);  // two where there is room
  const int blocks = Weights::kOnePass ? passes : std::min(passes, multiprocessors * Weights::kBlocks);
  launch(kernel, static_cast<unsigned>(blocks), 32 * Weights::kWarps, sizeof(SkinnyShared<Weights>), stream,
         job);
}

/// The parts that a launch has of the outputs' weights, `source` of each.
template <class Weights, class MakeSource>
void launch_skinny(const SkinnyInput& in, const SkinnyOutput* outputs, int count, const MakeSource& source,
                   cudaStream_t stream) {
  SkinnyJobs<typename Weights::Source> jobs{};
  jobs.in = in;
  jobs.matrices.stride = outputs[0].weight.stride;
  for (int i = 0; i < kSkinnyOutputs; ++i) {
    int& end = jobs.matrices.first_pass[i + 1];
    end = jobs.matrices.first_pass[i];
    if (i >= count) continue;
    const SkinnyOutput& from = outputs[i];
    end += skinny_passes<Weights>(from.weight);
    jobs.matrices.sources[i] = source(from.weight);
    jobs.matrices.orders[i] = from.weight.order;
    jobs.targets[i] = skinny_target(from);
  }
  launch_shared<Weights>(skinny_kernel<Weights>, jobs.matrices.first_pass[count], in.multiprocessors, jobs,
                         stream);
}

template <class Weights, class MakeSource>
void launch_gated(const SkinnyInput& in, const GatedMlp& mlp, const MakeSource& source, cudaStream_t stream) {
  const int passes = skinny_passes<Weights>(mlp.gate);
  GatedJob<typename Weights::Source> job{.matrices = {.sources = {source(mlp.gate), source(mlp.up)},
                                                      .orders = {mlp.gate.order, mlp.up.order},
                                                      .first_pass = {0, passes, passes, passes, passes},
                                                      .stride = mlp.gate.stride},
                                         .activation = mlp.activation,
                                         .out = mlp.out,
                                         .rows = mlp.gate.rows,
                                         .in = in};
  launch_shared<Weights>(gated_kernel<Weights>, passes, in.multiprocessors, job, stream);
}

}  // namespace pitwall::cuda
