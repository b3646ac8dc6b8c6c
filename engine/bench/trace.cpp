// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/trace.h"

#include <algorithm>
#include <cmath>

#include "engine/bench/random.h"

namespace pitwall {

namespace {

constexpr double kLatest = 9e9;  // seconds, nearly where Nanos end

Nanos nanos_of(double seconds) {
  return std::llround(std::min(seconds, kLatest) * static_cast<double>(kNanosPerSecond));
}

/// Mean 1.
double gap_of(double burstiness, Random& random) {
  if (std::isinf(burstiness)) return 1;
  return burstiness == 1 ? random.exponential() : random.gamma(burstiness) / burstiness;
}

}  // namespace

void pace(Trace& trace, const Pacing& pacing, std::uint64_t seed) {
  Random random(seed);
  double at = 0;  // seconds
  for (TraceRequest& request : trace.requests) {
    if (request.after >= 0) {
      request.arrival = trace.requests[static_cast<std::size_t>(request.after)].arrival;
      continue;
    }
    request.arrival = nanos_of(at);
    if (std::isfinite(pacing.rate)) at += gap_of(pacing.burstiness, random) / pacing.rate;
  }
}

void scale_to_rate(Trace& trace, double rate) {
  if (trace.requests.empty()) return;
  const auto span = static_cast<double>(trace.requests.back().arrival) / static_cast<double>(kNanosPerSecond);
  if (!(span > 0)) return;
  const double factor = static_cast<double>(trace.requests.size() - 1) / rate / span;
  for (TraceRequest& request : trace.requests) {
    request.arrival =
        nanos_of(static_cast<double>(request.arrival) / static_cast<double>(kNanosPerSecond) * factor);
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
