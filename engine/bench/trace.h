// SPDX-License-Identifier: GPL-3.0-or-later
// Trace: requests with arrival times and lengths, read from a file or made up from a workload, and the tokens
// that stand for their prompts.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

inline constexpr int kTraceBlockTokens = 512;  ///< of a Mooncake hash id

// Token ids below kFirstSimulatedToken: those of shared blocks, then one for each request.
inline constexpr TokenId kFirstOwnToken = TokenId{1} << 29;
inline constexpr std::int32_t kMaxTraceBlocks = kFirstOwnToken / kTraceBlockTokens;
inline constexpr std::int32_t kMaxTraceTokens = 1 << 24;  ///< of one prompt or output

struct TraceRequest {
  Nanos arrival = 0;  ///< from the trace's first request
  std::int32_t prompt_tokens = 0, output_tokens = 0;
  /// Block i stands for prompt tokens [512·i, 512·(i + 1)); equal numbers, equal tokens. Numbered from 0 in
  /// order of appearance. Prompt tokens beyond them belong to this request alone.
  std::vector<std::int32_t> blocks;
  /// A later turn of a conversation: due `think` after the end of the request with this index, which stands
  /// before it; −1 = waits for nobody.
  std::int32_t after = -1;
  Nanos think = 0;
};

struct Trace {
  std::string name;
  std::vector<TraceRequest> requests;  ///< in order of arrival
};

/// `.csv`: TIMESTAMP,ContextTokens,GeneratedTokens (Azure LLM inference traces). Anything else: one JSON
/// object a line, {"timestamp" in ms, "input_length", "output_length", "hash_ids"} (Mooncake); hash_ids may
/// be missing. A byte order mark, CRLF and empty lines at the end are fine. A broken line is an error that
/// names file, line, what and why; so is a file without requests.
Result<Trace> read_trace(const std::filesystem::path& file);

/// Gaps between arrivals: gamma distributed with mean 1/rate and shape `burstiness`, as vLLM's bench has it.
/// 1 is a Poisson process, below 1 is burstier, infinity is equal gaps. An infinite rate = all at once.
struct Pacing {
  double rate = 0;  ///< requests/s
  double burstiness = 1;
};

/// New arrival times, the same for the same seed. Later turns come with their conversation's first, so that
/// the rate is that of requests that wait for nobody.
void pace(Trace& trace, const Pacing& pacing, std::uint64_t seed);

/// Stretches the times so that the mean rate is `rate`; infinity = all at once. A trace whose requests all
/// come at one time stays as it is.
void scale_to_rate(Trace& trace, double rate);

/// The prompt of requests[index]. Tokens of a shared block are a fixed function of (block, offset) and those
/// of different blocks differ everywhere; tokens of its own are in no other request. All are below
/// kFirstSimulatedToken, so that no output is a prompt token.
std::vector<TokenId> prompt_of(const Trace& trace, std::size_t index);

}  // namespace pitwall
