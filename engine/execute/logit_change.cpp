// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/logit_change.h"

#include <limits>

namespace pitwall {

void change_logits(const LogitChange& change, std::span<float> logits) {
  for (const LogitChange::Token& changed : change.tokens) {
    float& logit = logits[static_cast<std::size_t>(changed.token)];
    if (changed.penalised) logit = logit > 0 ? logit / change.repetition : logit * change.repetition;
    logit += changed.add;
  }
  if (!change.mask) return;
  const std::vector<std::uint32_t>& words = change.mask->words;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const std::uint32_t word = i / 32 < words.size() ? words[i / 32] : 0;
    if ((word >> (i % 32) & 1) == 0) logits[i] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace pitwall
