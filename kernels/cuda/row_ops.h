// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on rows of activations: memory-bound, one pass over their input. float32 arithmetic.
#pragma once
#include "engine/model/model_spec.h"
#include "kernels/cuda/device_matrix.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

struct NormView {
  const float* weight = nullptr;  ///< null: no norm, rows are rounded as they are
  NormSpec::Kind kind = NormSpec::Kind::rms;
  float epsilon = 0;
};

/// out = norm(in) of the float32 residual stream. `with_rest`: the `rows` rows behind get what rounding left
/// out, so that a product of both and their sum is of the norm itself.
void norm_rows(Rows32 in, const NormView& norm, Rows16 out, int rows, cudaStream_t stream,
               bool with_rest = false);

/// residual += scale·norm(in)
void norm_add(Rows16 in, const NormView& norm, float scale, Rows32 residual, int rows, cudaStream_t stream);

/// out[r] = scale·table row of StepView::tokens[r]; padding rows get zeros. The table may be packed.
void embed_rows(const StepView& step, const DeviceMatrix& table, float scale, Rows32 out, int rows,
                cudaStream_t stream);

/// out = act(gate) ⊙ up; gate and up may be column slices of one tensor. Biases may be null.
void gate_rows(Rows16 gate, Rows16 up, const float* gate_bias, const float* up_bias, Activation activation,
               Rows16 out, int rows, cudaStream_t stream);

/// What follows a product that the product itself could not do, in place or into another tensor:
/// y = scale·(y + bias), capped at softcap (0 = none), times sigmoid(gate[r][0]), plus residual.
struct Epilogue {
  const float* bias = nullptr;
  float scale = 1, softcap = 0;
  Rows16 gate;      ///< one column; data null = none
  Rows32 residual;  ///< data null = none; may be the output
  bool is_plain() const { return !bias && scale == 1 && softcap == 0 && !gate.data && !residual.data; }
};
void finish_rows(Rows32 y, const Epilogue& epilogue, Rows32 out, int rows, cudaStream_t stream);
void finish_rows(Rows16 y, const Epilogue& epilogue, Rows16 out, int rows, cudaStream_t stream);

/// out[i] = in[StepView::logit_rows[i]]; rows from the live count on get zeros.
void gather_rows(const StepView& step, Rows32 in, Rows32 out, int rows, cudaStream_t stream);

}  // namespace pitwall::cuda
