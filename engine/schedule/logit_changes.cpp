// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/logit_changes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace pitwall {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

std::int64_t allowed_by(const TokenMask& mask) {
  std::int64_t count = 0;
  for (const std::uint32_t word : mask.words) count += std::popcount(word);
  return count;
}

bool allows(const TokenMask& mask, TokenId token) {
  return static_cast<std::size_t>(token) / 32 < mask.words.size() && mask.allows(token);
}

Error guide_failed(const std::string& what) {
  return {.kind = Error::Kind::internal,
          .what = what,
          .cause = "The grammar has a place that no token of this vocabulary can pass",
          .action = "Change the grammar or the schema, or ask without it",
          .param = {}};
}

}  // namespace

LogitChanges::LogitChanges(const SamplingParams& sampling, std::span<const TokenId> prompt)
    : sampling_(sampling) {
  for (const auto& [token, bias] : sampling.logit_bias) {
    const std::size_t place = place_of(token);
    counts_[place].bias += bias;
    tokens_[place].add += bias;
  }
  if (sampling.repetition_penalty != 1) {
    for (const TokenId token : prompt) tokens_[place_of(token)].penalised = true;
  }
  if (sampling.min_tokens > 0) {
    ends_ = sampling.end_tokens;
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  }
}

std::size_t LogitChanges::place_of(TokenId token) {
  const auto [place, is_new] = places_.try_emplace(token, tokens_.size());
  if (is_new) {
    tokens_.push_back({.token = token});
    counts_.push_back({});
  }
  return place->second;
}

std::optional<LogitChange> LogitChanges::next(int outputs) {
  ask_guide();
  const bool never_ends = outputs < sampling_.min_tokens && !ends_.empty() && !leaves_only_ends();
  if (tokens_.empty() && !mask_ && !never_ends) return std::nullopt;
  LogitChange change;
  change.repetition = sampling_.repetition_penalty;
  change.tokens = tokens_;
  change.mask = mask_;
  if (never_ends) {
    for (const TokenId token : ends_) {
      const auto known = places_.find(token);
      if (known == places_.end()) {
        change.tokens.push_back({.token = token, .add = kNever});
      } else {
        change.tokens[known->second].add = kNever;
      }
    }
  }
  return change;
}

void LogitChanges::ask_guide() {
  if (!sampling_.guide || mask_) return;
  if (!guide_) guide_ = sampling_.guide->begin();
  mask_ = guide_->mask();
  if (mask_ && allowed_by(*mask_) == 0) mask_.reset();
}

bool LogitChanges::leaves_only_ends() const {
  if (!mask_) return false;
  const auto ends =
      std::count_if(ends_.begin(), ends_.end(), [this](TokenId token) { return allows(*mask_, token); });
  return allowed_by(*mask_) == ends;
}

Result<void> LogitChanges::take(TokenId token) {
  if (guide_ && !mask_) return guide_failed("The reply's grammar allows no token after what was written");
  if (guide_ && !guide_->accept(token))
    return guide_failed("The reply's grammar refuses token " + std::to_string(token) + ", which was chosen");
  mask_.reset();
  if (!sampling_.penalises()) return {};
  const std::size_t place = place_of(token);
  Count& count = counts_[place];
  ++count.outputs;
  tokens_[place].penalised = sampling_.repetition_penalty != 1;
  tokens_[place].add = count.bias - sampling_.frequency_penalty * static_cast<float>(count.outputs) -
                       sampling_.presence_penalty;
  return {};
}

}  // namespace pitwall
