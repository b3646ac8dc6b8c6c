// SPDX-License-Identifier: GPL-3.0-or-later
// A LogitChange applied on the host: what back ends do, said plainly.
#pragma once
#include <span>

#include "engine/step/step_plan.h"

namespace pitwall {

/// In the order that SamplingParams says: the repetition penalty, what is added, the mask (−∞ where a token
/// may not come). Tokens of the change are within `logits`.
void change_logits(const LogitChange& change, std::span<float> logits);

}  // namespace pitwall
