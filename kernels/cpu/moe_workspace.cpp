// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/moe_workspace.h"

#include <algorithm>
#include <cmath>

namespace pitwall {

namespace {

/// softmax over the logits; of equal ones the expert of the lower number first.
void choose(const float* logits, const MoeSpec& spec, MoeWorkspace::Choice* choices) {
  const float largest = *std::max_element(logits, logits + spec.experts);
  float total = 0, chosen = 0;
  for (int e = 0; e < spec.experts; ++e) total += std::exp(logits[e] - largest);
  for (int k = 0; k < spec.top_k; ++k) {
    int best = -1;
    for (int e = 0; e < spec.experts; ++e) {
      const auto same = [e](const MoeWorkspace::Choice& choice) { return choice.expert == e; };
      if (best >= 0 && !(logits[e] > logits[best])) continue;
      if (std::none_of(choices, choices + k, same)) best = e;
    }
    choices[k] = {best, 0, std::exp(logits[best] - largest) / total};
    chosen += choices[k].weight;
  }
  if (!spec.renormalise) return;
  for (int k = 0; k < spec.top_k; ++k) choices[k].weight /= chosen;
}

}  // namespace

void MoeWorkspace::route(const MoeSpec& spec, int rows) {
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(spec.top_k);
  for (int row = 0; row < rows; ++row) {
    choose(router_logits.as<float>() + std::ptrdiff_t{row} * spec.experts, spec,
           choices.data() + std::ptrdiff_t{row} * spec.top_k);
  }
  std::fill_n(first_visit.begin(), spec.experts + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++first_visit[static_cast<std::size_t>(choices[i].expert) + 1];
  visited.clear();
  for (std::size_t e = 0; e < static_cast<std::size_t>(spec.experts); ++e) {
    if (first_visit[e + 1] > 0) visited.push_back(static_cast<std::int32_t>(e));
    first_visit[e + 1] += first_visit[e];
  }
  // Filled from the back, first_visit walks down from each expert's end to its begin.
  std::vector<std::int32_t>& next = first_visit;
  for (std::size_t i = count; i-- > 0;) {
    Choice& choice = choices[i];
    choice.visit = --next[static_cast<std::size_t>(choice.expert) + 1];
    visit_rows[static_cast<std::size_t>(choice.visit)] =
        static_cast<std::int32_t>(i / static_cast<std::size_t>(spec.top_k));
    visit_experts[static_cast<std::size_t>(choice.visit)] = choice.expert;
  }
  // first_visit[e + 1] is now the begin of expert e; move it into place.
  std::copy(first_visit.begin() + 1, first_visit.begin() + spec.experts + 1, first_visit.begin());
  first_visit[static_cast<std::size_t>(spec.experts)] = static_cast<std::int32_t>(count);
}

}  // namespace pitwall
