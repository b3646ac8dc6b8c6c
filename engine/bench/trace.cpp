// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/trace.h"

#include <algorithm>
#include <cmath>

#include "engine/bench/random.h"

namespace pitwall {

void pace(Trace& trace, double rate, std::uint64_t seed) {
  constexpr double kLatest = 9e9;  // seconds, nearly where Nanos end
  Random random(seed);
  double at = 0;  // seconds
  for (TraceRequest& request : trace.requests) {
    request.arrival = std::llround(std::min(at, kLatest) * static_cast<double>(kNanosPerSecond));
    if (std::isfinite(rate)) at += random.exponential() / rate;
  }
}

std::vector<TokenId> prompt_of(const Trace& trace, std::size_t index) {
  const TraceRequest& request = trace.requests[index];
  std::vector<TokenId> tokens;
  tokens.reserve(static_cast<std::size_t>(request.prompt_tokens));
  for (const std::int32_t block : request.blocks) {
    for (int i = 0; i < kTraceBlockTokens && static_cast<std::int32_t>(tokens.size()) < request.prompt_tokens;
         ++i) {
      tokens.push_back(block * kTraceBlockTokens + i);
    }
  }
  tokens.resize(static_cast<std::size_t>(request.prompt_tokens),
                kFirstOwnToken + static_cast<TokenId>(index));
  return tokens;
}

}  // namespace pitwall
