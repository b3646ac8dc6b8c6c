// SPDX-License-Identifier: GPL-3.0-or-later
// How a request wants its tokens chosen and when it ends.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

/// What the sampler needs of a sequence; lives in StepState by slot.
struct SlotSampling {
  float temperature = 1.0f;  ///< 0 = greedy: the largest logit, the lowest id on a tie
  float top_p = 1.0f;        ///< (0, 1]
  float min_p = 0.0f;        ///< [0, 1): tokens below min_p × the largest probability are dropped
  std::int32_t top_k = 0;    ///< 0 = off
  std::uint64_t seed =
      0;  ///< the choice depends on (seed, position) alone: not on batch, chunking or preemption
};

struct SamplingParams {
  SlotSampling choice;
  std::int32_t max_tokens = 0;    ///< 0 = up to the context's end
  std::vector<std::string> stop;  ///< stop strings; not part of the output
  std::vector<TokenId>
      end_tokens;  ///< tokens that end the reply (model's own, unless ignore_eos, and stop_token_ids)
  bool prompt_logits = false;  ///< return the logits of every prompt position (`logits` command)

  /// Bounds of every number; Error::param carries the OpenAI field name.
  Result<void> check() const;
};

}  // namespace pitwall
