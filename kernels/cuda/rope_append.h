// SPDX-License-Identifier: GPL-3.0-or-later
// After the projection of q, k and v: norms over heads, rotation, and k and v into their blocks, one kernel.
#pragma once
#include "engine/model/model_spec.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

struct HeadNorm {
  const float* weight = nullptr;  ///< null: no norm
  bool per_head = false;          ///< weight is [heads][head_dim] instead of [head_dim]
  NormSpec::Kind kind = NormSpec::Kind::rms;
  float epsilon = 0;
};

struct RopeView {
  /// [positions][rotary_dim]: cosines of the pairs, then sines; null: nothing is rotated.
  const float* table = nullptr;
  const float* long_table = nullptr;  ///< of slots with StepView::long_rope; null: they use `table`
  int rotary_dim = 0;
  RopeSpec::Pairing pairing = RopeSpec::Pairing::halves;
};

struct RopeAppendArgs {
  StepView step;
  KvView kv;
  RopeView rope;
  HeadNorm q_norm, k_norm;
  Rows16 q;     ///< rotated in place, rounded to what KV's numbers meet: bf16 where they are, else float16
  Rows16 k, v;  ///< read only, of q's kind; a column slice may begin at any number (no alignment beyond its)
  int heads = 0;
};

/// Arithmetic in float32; k is not rounded between norm, rotation and its KV format. float16 numbers are held
/// at ±65504. fp8: round to nearest even, cut at ±448·scale and counted (an atomic add of warps that cut).
/// int8: scale = max|x|/127 of the token and head. Rows with slot −1 write nothing. `rows`: the bound. All
/// but q, k and v is read, and the next kernel started, before the kernels ahead have ended (early_reads in
/// launch.cuh).
void rope_append(const RopeAppendArgs& args, int rows, cudaStream_t stream);

}  // namespace pitwall::cuda
