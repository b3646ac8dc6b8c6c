// SPDX-License-Identifier: GPL-3.0-or-later
// Paged causal attention: decode rows split over their length with a plan made on the device, segments of a
// prompt in tiles. out = softmax(scale·q·kᵀ, capped)·v over the positions that a row sees: its own and all
// before, or the last `window` of those. float32 accumulation and softmax. 16-bit KV multiplies as it is
// stored, fp8 and int8 exactly in float16. The same batch gives the same bits.
#pragma once
#include <cstddef>

#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/rope_append.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// k and v of the rows, as rope_append() takes them; q is not rotated yet either.
struct NewTokens {
  Rows16 k, v;  ///< data null: rope_append() has run
  RopeView rope;
};
/// Whether decode_attention() is to do what rope_append() would: it can rotate whole heads of 64 or 128
/// numbers by halves and append them, without norms, and does so sooner where rows are not many.
bool takes_new_tokens(const RopeAppendArgs& args, int rows);

/// What attention can do; anything else is refused when KV is allocated.
/// head_dim: 1 … 256. heads/kv_heads: any group.
struct AttentionArgs {
  StepView step;
  KvView kv;
  Rows16 q;    ///< [rows][heads·head_dim] as rope_append() leaves it, or takes it where tokens are fresh;
               ///< columns may begin anywhere
  Rows16 out;  ///< a whole tensor
  int heads = 0;
  float scale = 0;
  float softcap = 0;  ///< 0 = none; c·tanh(score/c) after scale
  int window = 0;     ///< 0 = full
  NewTokens fresh;    ///< decode only; those of a step without segments
};

/// The device's memory for decode: the work list and the partial results. One for each (kv_heads, window)
/// pair may be planned at a time; layers of a pair share the plan.
struct DecodeWorkspace {
  void* memory = nullptr;  ///< decode_workspace_bytes(); counters in it are zero before the first launch and
                           ///< after each
};
struct DecodeShape {                          ///< bounds over all layers
  int rows = 0;                               ///< decode rows of a step
  int heads = 0, kv_heads = 0, head_dim = 0;  ///< heads: the most; kv_heads, head_dim likewise
};
std::size_t decode_workspace_bytes(const DecodeShape& shape, int multiprocessors);

/// Writes the work list for `kv_heads` and `window` from StepView (positions of decode_rows); decode_plan.h
/// says how. `rows`: bound. Launched once a step for each pair before its first layer.
void plan_decode(const StepView& step, int rows, int kv_heads, int window, const DecodeWorkspace& workspace,
                 int multiprocessors, cudaStream_t stream);

/// Rows of StepView::decode_rows only; `rows`, `multiprocessors`, args.window, args.kv.kv_heads and
/// args.kv.dtype as the plan had them. The grid depends on multiprocessors alone. A row that sees nothing
/// gets zeros. The plan, block tables and all tokens but a row's last are read before the kernels ahead have
/// ended (early_reads in launch.cuh); plan_decode and rope_append see to it that they may stand right ahead.
void decode_attention(const AttentionArgs& args, int rows, const DecodeWorkspace& workspace,
                      int multiprocessors, cudaStream_t stream);

/// Rows of StepView::segments only. `segments` is StepView::segments in host memory: steps with prompts are
/// not captured.
void prefill_attention(const AttentionArgs& args, const Segment* segments, int count, cudaStream_t stream);

}  // namespace pitwall::cuda
