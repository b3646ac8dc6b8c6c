// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens chosen on the device, as engine/step/sampling_params.h says: temperature, then the top_k largest,
// then the shortest head whose probabilities reach top_p, then min_p. Greedy: the largest logit, the lowest
// id on a tie. At the edges of top_k and top_p the lower id survives. A draw takes the largest of log p +
// Gumbel noise among the survivors; where all or very many survive, among parts of the vocabulary and then
// within the part. The noise comes from a counter hash of (seed, position, token or part): a choice depends
// on its row's logits, its seed and its position alone. −∞ masks a token.
#pragma once
#include <cstddef>

#include "engine/step/sampling_params.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

struct SampledRow {
  std::int32_t token;
  float logprob;  ///< under softmax of the unscaled logits; NaN: they were not finite, and token is 0
};

/// The workspace begins with [rows] int32: the tokens that a row's filters let through, 0 where it has none.
std::size_t sampling_workspace_bytes(int rows, int vocabulary);

/// For each StepView::samples[i] (rows: their bound): results[i], and last_token[slot] = its token.
/// `sampling` by slot.
void sample_rows(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows, void* workspace,
                 SampledRow* results, std::int32_t* last_token, cudaStream_t stream);

}  // namespace pitwall::cuda
