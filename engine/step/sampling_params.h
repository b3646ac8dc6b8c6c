// SPDX-License-Identifier: GPL-3.0-or-later
// How a request wants its tokens chosen and when it ends.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/step/token_guide.h"

namespace pitwall {

inline constexpr int kMostLogprobs = 20;  ///< likeliest tokens that may be reported of a position

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
  std::int32_t min_tokens = 0;    ///< no end token is chosen before these, unless the guide leaves no other
  std::vector<std::string> stop;  ///< stop strings; not part of the output
  bool skip_special = true;       ///< special tokens have no text in the output
  std::vector<TokenId>
      end_tokens;  ///< tokens that end the reply (model's own, unless ignore_eos, and stop_token_ids)
  bool prompt_logits = false;  ///< return the logits of every prompt position (`logits` command)

  // Logits are changed in this order before they are scaled by the temperature: repetition penalty r over
  // tokens of prompt and reply (l > 0 ? l / r : l · r), frequency and presence penalties over tokens of the
  // reply (l − frequency · count − presence), bias (l + bias), then the guide's mask. As vLLM and OpenAI.
  float repetition_penalty = 1.0f;                          ///< (0, 2]
  float frequency_penalty = 0.0f, presence_penalty = 0.0f;  ///< [−2, 2]
  std::vector<std::pair<TokenId, float>> logit_bias;        ///< [−100, 100]; those of one token add up
  std::shared_ptr<const GuideSource> guide;                 ///< null: any token may come
  /// Report this many likeliest tokens beside each chosen one, at most kMostLogprobs.
  std::optional<std::int32_t> logprobs;
  std::optional<std::int32_t> prompt_logprobs;  ///< the same for each prompt token, the first left out

  bool penalises() const {
    return repetition_penalty != 1 || frequency_penalty != 0 || presence_penalty != 0;
  }
  bool changes_logits() const {
    return penalises() || min_tokens > 0 || !logit_bias.empty() || guide != nullptr;
  }
  bool reads_prompt() const { return prompt_logits || prompt_logprobs.has_value(); }  ///< all of its logits

  /// Bounds of every number; Error::param carries the OpenAI field name.
  Result<void> check() const;
};

}  // namespace pitwall
