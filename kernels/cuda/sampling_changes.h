// SPDX-License-Identifier: GPL-3.0-or-later
// Around the choice of tokens, in the steps that ask for it: rows of logits changed as engine/step's
// LogitChange says, beside those that the model gave, and logprobs of the latter. Both read a buffer that
// StagedChanges wrote.
#pragma once
#include "kernels/cuda/sampling.h"
#include "kernels/cuda/staged_changes.h"

namespace pitwall::cuda {

/// Device addresses of pinned memory.
struct ChangesView {
  const ChangedSample* samples = nullptr;  ///< in the order of StepView::samples
  const ChangedToken* tokens = nullptr;
  const std::uint32_t* masks = nullptr;
};
ChangesView changes_view(const StagedChanges& staged, const std::byte* buffer);

/// Row i of `changed` becomes the logits that sample i is to be chosen from, and changed_samples[i] that
/// sample with i as its row, for all `samples` of the step. −∞ where a mask forbids.
void change_rows(const StepView& step, Rows32 logits, const ChangesView& changes, int samples, Rows32 changed,
                 SampleRow* changed_samples, cudaStream_t stream);

/// reported[i] answers reports[i], from the logits as they are. `reports` and `reported` are device addresses
/// of pinned memory; `results` are those of sample_rows(). What is written is visible to the host once a
/// later kernel of the stream has released a word to it.
void report_rows(Rows32 logits, const ReportRow* reports, int count, const SampledRow* results,
                 ReportedRow* reported, cudaStream_t stream);

/// Brings the kernels to the device, so that their first step finds them there.
cudaError_t load_change_kernels();

}  // namespace pitwall::cuda
