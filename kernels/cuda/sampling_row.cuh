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

  static constexpr int kQuads = 4;
  /// A lane's quads of some chunks; beyond the vocabulary there is −∞.
  struct Batch {
    float numbers[4 * kQuads];
    int tokens[kQuads];
    __device__ int token(int i) const { return tokens[i / 4] + i % 4; }
  };

  /// body(batch) of all chunks with a logit from `least` > −∞ up, from whole warps. Warp w has chunks w, w +
  /// kHeadWarps, … and each lane its quad of them.
  template <class Body>
  __device__ void over_batches(float least, const Body& body) const {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    for (int begin = warp; begin < chunk_count; begin += kHeadThreads) {
      const int mine = begin + lane * kHeadWarps;
      unsigned left = __ballot_sync(0xFFFFFFFFu, mine < chunk_count && chunks[mine].largest >= least);
      while (left != 0) {
        Batch batch;
#pragma unroll
        for (int i = 0; i < kQuads; ++i) {
          batch.tokens[i] =
              left == 0 ? vocabulary : first_of_lane(begin + (__ffs(left) - 1) * kHeadWarps, lane);
          left &= left - 1;
          const float4 quad = load_quad(logits, batch.tokens[i], vocabulary, wide);
          batch.numbers[4 * i] = quad.x;
          batch.numbers[4 * i + 1] = quad.y;
          batch.numbers[4 * i + 2] = quad.z;
          batch.numbers[4 * i + 3] = quad.w;
        }
        body(batch);
      }
    }
  }

  /// body(logit, token) for tokens from `least` > −∞ up, from all threads.
  template <class Body>
  __device__ void over(float least, const Body& body) const {
    over_batches(least, [&](const Batch& batch) {
#pragma unroll
      for (int i = 0; i < 4 * kQuads; ++i) {
        if (batch.numbers[i] >= least) body(batch.numbers[i], batch.token(i));
      }
    });
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
