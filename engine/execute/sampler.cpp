// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pitwall {

namespace {

using Candidate = std::pair<float, TokenId>;

bool better(const Candidate& a, const Candidate& b) {
  return a.first > b.first || (a.first == b.first && a.second < b.second);
}

Candidate largest(std::span<const float> logits) {
  Candidate best{logits[0], 0};
  for (std::size_t i = 1; i < logits.size(); ++i) {
    if (logits[i] > best.first) best = {logits[i], static_cast<TokenId>(i)};
  }
  return best;
}

double log_sum_exp(std::span<const float> logits, float maximum) {
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit - maximum));
  return static_cast<double>(maximum) + std::log(sum);
}

double sum_of(const std::vector<Candidate>& candidates) {
  double sum = 0;
  for (const Candidate& candidate : candidates) sum += candidate.first;
  return sum;
}

/// Keeps the shortest head of `candidates` (sorted, probabilities in `first`) that reaches `mass` of the
/// total.
void keep_mass(std::vector<Candidate>& candidates, double total, float mass) {
  double reached = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    reached += candidates[i].first;
    if (reached >= static_cast<double>(mass) * total) {
      candidates.resize(i + 1);
      return;
    }
  }
}

/// Best first; only the top-k survive, found before anything is sorted.
void sort_head(std::vector<Candidate>& candidates, const SlotSampling& sampling) {
  const std::size_t k = sampling.top_k > 0 ? static_cast<std::size_t>(sampling.top_k) : candidates.size();
  if (k < candidates.size()) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(k),
                     candidates.end(), better);
    candidates.resize(k);
  }
  std::sort(candidates.begin(), candidates.end(), better);
}

}  // namespace

double uniform_from(std::uint64_t seed, std::int64_t position) {
  // SplitMix64 (Steele, Lea, Flood 2014) over a counter: any (seed, position) can be drawn alone.
  std::uint64_t z = seed + 0x9E3779B97F4A7C15u * (static_cast<std::uint64_t>(position) + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

Sampled sample_token(std::span<const float> logits, const SlotSampling& sampling, std::int64_t position,
                     std::vector<Candidate>& scratch) {
  const Candidate best = largest(logits);
  const double normalizer = log_sum_exp(logits, best.first);
  // NaN anywhere, or infinity, shows here: what would be drawn is no choice of the model.
  if (!std::isfinite(normalizer)) return {0, std::numeric_limits<float>::quiet_NaN()};
  const auto chosen = [&](TokenId token) {
    return Sampled{
        token, static_cast<float>(static_cast<double>(logits[static_cast<std::size_t>(token)]) - normalizer)};
  };
  if (sampling.temperature <= 0) return chosen(best.second);

  // Unnormalised probabilities, exp((logit − max)/T); tokens far below the best cannot be drawn and are left
  // out.
  constexpr float kNegligible = -40.0f;
  scratch.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const float scaled = (logits[i] - best.first) / sampling.temperature;
    if (scaled >= kNegligible) scratch.emplace_back(std::exp(scaled), static_cast<TokenId>(i));
  }
  sort_head(scratch, sampling);
  if (sampling.top_p < 1) keep_mass(scratch, sum_of(scratch), sampling.top_p);
  if (sampling.min_p > 0) {
    const float least = sampling.min_p * scratch.front().first;
    std::erase_if(scratch, [least](const Candidate& candidate) { return candidate.first < least; });
  }
  double target = uniform_from(sampling.seed, position) * sum_of(scratch);
  for (const Candidate& candidate : scratch) {
    target -= candidate.first;
    if (target < 0) return chosen(candidate.second);
  }
  return chosen(scratch.back().second);
}

}  // namespace pitwall
