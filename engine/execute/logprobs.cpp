// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/logprobs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pitwall {

namespace {

using Candidate = std::pair<float, TokenId>;

bool better(const Candidate& a, const Candidate& b) {
  return a.first > b.first || (a.first == b.first && a.second < b.second);
}

/// A heap of the best so far, the worst of them on top: most tokens are turned away by one comparison.
std::vector<Candidate> likeliest(std::span<const float> logits, std::size_t count) {
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < logits.size() && count > 0; ++i) {
    const Candidate candidate{logits[i], static_cast<TokenId>(i)};
    if (kept.size() == count) {
      if (!better(candidate, kept.front())) continue;
      std::pop_heap(kept.begin(), kept.end(), better);
      kept.pop_back();
    }
    kept.push_back(candidate);
    std::push_heap(kept.begin(), kept.end(), better);
  }
  std::sort_heap(kept.begin(), kept.end(), better);
  return kept;
}

}  // namespace

PositionLogprobs position_logprobs(std::span<const float> logits, TokenId token, int top) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - static_cast<double>(largest));
  const double normalizer = static_cast<double>(largest) + std::log(sum);
  const auto logprob = [&](float logit) {
    return static_cast<float>(static_cast<double>(logit) - normalizer);
  };
  const Candidate own{logits[static_cast<std::size_t>(token)], token};
  std::int32_t rank = 1;
  for (std::size_t i = 0; i < logits.size(); ++i)
    rank += better({logits[i], static_cast<TokenId>(i)}, own) ? 1 : 0;
  PositionLogprobs result{{token, logprob(own.first), rank}, {}};
  for (const Candidate& candidate : likeliest(logits, static_cast<std::size_t>(top))) {
    const auto place = static_cast<std::int32_t>(result.top.size()) + 1;
    result.top.push_back({candidate.second, logprob(candidate.first), place});
  }
  return result;
}

}  // namespace pitwall
