// SPDX-License-Identifier: GPL-3.0-or-later
// q, k and v of few tokens, rotated and appended by the product that makes them.
#pragma once
#include "kernels/cuda/rope_append.h"
#include "kernels/cuda/skinny_plain.cuh"

namespace pitwall::cuda {

struct RotatedJob {
  SkinnyJobs<PlainSource> jobs;
  RopeAppendArgs rope;
  int block_log = 0;
};

inline constexpr int kMostRotary = 256;
struct RotatedTokens {
  float turns[8][kMostRotary];  ///< cosines, then sines
  long long lines[8];           ///< of a token's first head of k in its KV block; below 0: none
};

template <class Weights>
__global__ void __launch_bounds__(32 * Weights::kWarps, Weights::kResident)
    rotated_kernel(const __grid_constant__ RotatedJob job) {
  __shared__ RotatedTokens all;
  const SkinnyJobs<PlainSource>& jobs = job.jobs;
  const auto& matrices = jobs.matrices;
  const NormBehind& behind = jobs.in.norm;
  const KvView& kv = job.rope.kv;
  const int dim = kv.head_dim, half = dim / 2;
  float* factors = skinny_shared<Weights>().factors;
  const auto ready = [&] {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int token = Weights::kWarps - 1 - static_cast<int>(threadIdx.x) / 32; token < jobs.in.rows;
         token += Weights::kWarps) {
      const StepView& step = job.rope.step;
      const int slot = __ldcg(step.slots + token), position = __ldcg(step.positions + token);
      std::int64_t line = -1;
      if (slot >= 0) {
        const bool is_long = job.rope.rope.long_table != nullptr && step.long_rope[slot] != 0;
        const float* table =
            (is_long ? job.rope.rope.long_table : job.rope.rope.table) + std::int64_t{position} * dim;
        const std::int64_t block =
            __ldcg(step.block_tables + std::int64_t{slot} * step.max_blocks + (position >> job.block_log));
        for (int i = lane; i < dim; i += 32) all.turns[token][i] = __ldg(table + i);
        line = ((2 * block * kv.kv_heads) << job.block_log) + (position & ((1 << job.block_log) - 1));
      }
      if (lane == 0) all.lines[token] = line;
    }
    wait_for_kernel_ahead();
    let_next_kernel_start();
    return lane_tokens<Weights::kTokenTiles>(jobs.in, matrices.stride, jobs.in.rows,
                                             [](int token) { return token; });
  };
  const auto settle = [&] {
    if (behind.squares.parts != nullptr) norm_factors<Weights::kWarps>(behind, jobs.in.rows, factors);
  };
  skinny_products<Weights>(
      matrices, block_passes(matrices.first_pass[kSkinnyOutputs]), jobs.in.rows, ready, settle,
      [](int, int, int) { return 0; },
      [&](int pass, int slot, int token, int, const auto& sum) {
        const int owner = matrices.owner(pass);
        const SkinnyTarget& target = jobs.targets[owner];
        const int row = Weights::paired_row(dim, pass - matrices.first_pass[owner], slot), e = row % dim,
                  head = row / dim;
        float number = sum(0, slot);
        if (behind.squares.parts != nullptr) number *= factors[token];
        if (target.bias != nullptr) number += target.bias[row];
        const float partner = __shfl_xor_sync(0xFFFFu << (threadIdx.x % 32 / 16 * 16), number, 8);
        const float* turns = all.turns[token];
        if (owner < 2) {
          const int pair = e < half ? e : e - half;
          number = number * turns[pair] + (e < half ? -partner : partner) * turns[half + pair];
        }
        if (owner == 0) {
          target.out16.data[std::int64_t{token} * target.out16.stride + row] = __float2bfloat16(number);
          return;
        }
        const std::int64_t line =
            all.lines[token] + (std::int64_t{owner == 2 ? kv.kv_heads + head : head} << job.block_log);
        if (all.lines[token] >= 0)
          reinterpret_cast<bf16*>(kv.numbers)[line * kv.padded_dim + e] = __float2bfloat16(number);
      });
}

template <class Frame>
void skinny_rotated(Rows16 x, const SkinnyOutput* outputs, int rows, const NormBehind& norm,
                    const RopeAppendArgs& rope, int multiprocessors, cudaStream_t stream) {
  using Weights = PlainWeights<1, Frame, false, true>;
  RotatedJob job{};
  SkinnyJobs<PlainSource>& jobs = job.jobs;
  jobs.in = skinny_input(x, rows, norm, multiprocessors);
  jobs.matrices.stride = outputs[0].weight.stride;
  for (int i = 0; i < kSkinnyOutputs; ++i) {
    int& end = jobs.matrices.first_pass[i + 1];
    end = jobs.matrices.first_pass[i];
    if (i >= 3) continue;
    end += outputs[i].weight.rows / kTileRows;
    jobs.matrices.sources[i] = plain_source(outputs[i].weight);
    jobs.matrices.sources[i].head_dim = rope.kv.head_dim;
    jobs.matrices.orders[i] = nullptr;
    jobs.targets[i] = skinny_target(outputs[i]);
  }
  job.rope = rope;
  while (1 << job.block_log < rope.kv.block_size) ++job.block_log;
  const int passes = jobs.matrices.first_pass[3];
  const int blocks = std::min(passes, multiprocessors * Weights::kBlocks);
  launch(rotated_kernel<Weights>, static_cast<unsigned>(blocks), 32 * Weights::kWarps,
         sizeof(SkinnyShared<Weights>), stream, job);
}

}  // namespace pitwall::cuda
