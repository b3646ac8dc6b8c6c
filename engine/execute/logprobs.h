// SPDX-License-Identifier: GPL-3.0-or-later
// Log probabilities of one position on the host.
#pragma once
#include <span>

#include "engine/step/step_plan.h"

namespace pitwall {

/// Of `token` and of the `top` likeliest tokens, under softmax of the logits as they are (no temperature).
/// The rank counts the tokens before it, likelier or as likely with a lower id. Where the logits are not
/// finite every logprob is NaN.
PositionLogprobs position_logprobs(std::span<const float> logits, TokenId token, int top);

}  // namespace pitwall
