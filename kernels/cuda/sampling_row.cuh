// SPDX-License-Identifier: GPL-3.0-or-later
// A row of logits under the block that chooses its token.
#pragma once
#include "kernels/cuda/sampling.cuh"

namespace pitwall::cuda {

constexpr int kHeadThreads = 1024, kHeadWarps = kHeadThreads / 32;

struct RowView {
  const float* logits;
  int vocabulary;
  const ChunkStats* chunks;
  int chunk_count;
  bool wide;

  /// body(logit, token) for tokens from `least` > −∞ up, from all threads. Warp w has chunks w, w +
  /// kHeadWarps, … and each lane its quad of them.
  template <class Body>
  __device__ void over(float least, const Body& body) const {
    constexpr int kAtOnce = 8;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    for (int begin = warp; begin < chunk_count; begin += kHeadThreads) {
      const int mine = begin + lane * kHeadWarps;
      unsigned left = __ballot_sync(0xFFFFFFFFu, mine < chunk_count && chunks[mine].largest >= least);
      while (left != 0) {
        float4 quads[kAtOnce];
        int tokens[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          tokens[i] = left == 0 ? vocabulary : first_of_lane(begin + (__ffs(left) - 1) * kHeadWarps, lane);
          left &= left - 1;
          quads[i] = load_quad(logits, tokens[i], vocabulary, wide);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          const float numbers[] = {quads[i].x, quads[i].y, quads[i].z, quads[i].w};
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            if (numbers[j] >= least) body(numbers[j], tokens[i] + j);
          }
        }
      }
    }
  }

  /// body(logit, token), from all threads, for the tokens that one thread has in over().
  template <class Body>
  __device__ void over_part(int thread, const Body& body) const {
    const int warp = thread / 32, lane = thread % 32;
    for (int i = static_cast<int>(threadIdx.x);; i += kHeadThreads) {
      const int chunk = warp + i / 4 * kHeadWarps;
      if (chunk >= chunk_count) return;
      const int token = first_of_lane(chunk, lane) + i % 4;
      if (token < vocabulary) body(logits[token], token);
    }
  }
};

}  // namespace pitwall::cuda
