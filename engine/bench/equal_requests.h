// SPDX-License-Identifier: GPL-3.0-or-later
// The plainest load: equal requests, all at once. What an engine does with a full batch, apart from how load
// arrives.
#pragma once
#include <cstdint>

#include "engine/serve/engine.h"

namespace pitwall {

struct EqualRequests {
  int count = 1;
  int prompt_tokens = 1024;  ///< of a request's own
  int shared_tokens = 0;     ///< before them, the same in all
  int output_tokens = 256;
  std::uint64_t seed = 1;  ///< of the prompts
};

struct EqualRequestsResult {
  double duration_s = 0;           ///< first submission to last token
  double first_tokens_s = 0;       ///< first submission to the last first token
  double prompt_tokens_per_s = 0;  ///< all prompt tokens / first_tokens_s
  double output_tokens_per_s = 0;  ///< all output tokens / duration_s
  /// Tokens that came after the last first token and before the first request ended, by that time. NaN where
  /// a request ended before the last prompt was done.
  double decode_tokens_per_s = 0;
  double ttft_p50_ms = 0, tpot_p50_ms = 0;
  std::int64_t cached_tokens = 0;  ///< prompt tokens found in the prefix cache
  double gap_percent = 0;          ///< executor idle within the decode window's steps, of their time
};

/// Prompts are random token ids below the vocabulary. Replies run to their full length.
Result<EqualRequestsResult> run_equal_requests(Engine& engine, const EqualRequests& load);

}  // namespace pitwall
