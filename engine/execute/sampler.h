// SPDX-License-Identifier: GPL-3.0-or-later
// Choosing a token from logits on the host.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/step/sampling_params.h"

namespace pitwall {

struct Sampled {
  TokenId token = 0;
  float logprob = 0;  ///< under softmax of the unscaled logits; NaN where one is not finite: no token then
};

/// Order: temperature, top-k, top-p, min-p (as vLLM: min-p on the scaled distribution), then an inverse-CDF
/// draw with a number made from (seed, position) by a counter-based generator (SplitMix64). `scratch` is
/// reused between calls.
Sampled sample_token(std::span<const float> logits, const SlotSampling& sampling, std::int64_t position,
                     std::vector<std::pair<float, TokenId>>& scratch);

double uniform_from(std::uint64_t seed, std::int64_t position);  ///< [0, 1), 53 bits

}  // namespace pitwall
