// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/perplexity.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/telemetry/quantiles.h"

namespace pitwall {

namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::ptrdiff_t likeliest(std::span<const float> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

Result<std::vector<TextChunk>> cut_text(std::span<const TokenId> text, int chunk_tokens,
                                        std::optional<TokenId> bos, int most) {
  const std::size_t size = std::min(text.size(), static_cast<std::size_t>(std::max(chunk_tokens, 0)));
  std::vector<TextChunk> chunks;
  std::int64_t scored = 0;
  for (std::size_t at = 0; size > 0 && at + size <= text.size(); at += size) {
    if (most > 0 && static_cast<int>(chunks.size()) == most) break;
    const auto part = text.subspan(at, size);
    TextChunk chunk{{part.begin(), part.end()}, static_cast<std::int32_t>(size / 2)};
    if (bos) chunk.tokens.front() = *bos;
    scored += chunk.scored();
    chunks.push_back(std::move(chunk));
  }
  if (scored >= 2) return chunks;
  return Error{Error::Kind::invalid_input,
               "The text has " + std::to_string(text.size()) + " tokens, in chunks of " +
                   std::to_string(chunk_tokens) + "; that leaves nothing to measure",
               "The second half of each chunk is scored", "Give a longer text or larger chunks", "file"};
}

std::vector<float> log_probabilities(std::span<const float> logits) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  const double shift = largest + std::log(sum);
  std::vector<float> all;
  all.reserve(logits.size());
  for (const float logit : logits) all.push_back(static_cast<float>(static_cast<double>(logit) - shift));
  return all;
}

double Perplexity::perplexity() const {
  return std::exp(mean_nll);
}

void PerplexityMeter::add(std::span<const float> log_probabilities, TokenId next,
                          std::span<const float> base) {
  nll_.push_back(-static_cast<double>(log_probabilities[static_cast<std::size_t>(next)]));
  if (base.empty()) return;
  double divergence = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double p = std::exp(static_cast<double>(base[i]));
    if (p > 0) divergence += p * (static_cast<double>(base[i]) - static_cast<double>(log_probabilities[i]));
  }
  divergence_.push_back(std::max(divergence, 0.0));  // below 0 only by rounding
  if (likeliest(log_probabilities) == likeliest(base)) ++same_top_;
}

Perplexity PerplexityMeter::result() const {
  Perplexity result;
  result.tokens = std::ssize(nll_);
  if (nll_.empty()) return result;
  result.mean_nll = mean_of(nll_);
  double squares = 0;
  for (const double value : nll_) squares += (value - result.mean_nll) * (value - result.mean_nll);
  const auto count = static_cast<double>(nll_.size());
  if (count > 1) result.error = std::sqrt(squares / (count - 1) / count);
  if (divergence_.empty()) return result;
  std::vector<double> sorted = divergence_;
  std::sort(sorted.begin(), sorted.end());
  result.divergence = {mean_of(sorted), quantile_sorted(sorted, 0.5), quantile_sorted(sorted, 0.99),
                       sorted.back(), static_cast<double>(same_top_) / static_cast<double>(sorted.size())};
  return result;
}

}  // namespace pitwall
