// SPDX-License-Identifier: GPL-3.0-or-later
// StreamRecord: what a client saw of one request, and the times that follow from it. One record yields our
// definitions and vLLM's (README.md lists both).
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/telemetry/records.h"

namespace pitwall {

/// A chunk of a reply, when it was read.
struct ChunkTime {
  Nanos at = 0;
  std::int32_t tokens = -1;  ///< −1 = the server does not say
  bool choice = false;       ///< it holds a choice; a role or an empty text will do
  bool output = false;       ///< text, reasoning or a tool call that is not empty
  bool answer = false;       ///< text that is not empty and no reasoning
};

/// How a request ended. All but `ended` are failures.
enum class StreamEnd : std::uint8_t {
  ended,         ///< whole, with a finish reason or [DONE]
  refused,       ///< a status other than 200
  unreachable,   ///< no connection, or it broke before an answer
  cut,           ///< the stream broke off
  stream_error,  ///< an error came inside the stream
  malformed,     ///< what came is no stream of completions
  timed_out,     ///< silence for too long
  cancelled,     ///< on our side
};
inline constexpr int kStreamEndCount = 8;
std::string_view stream_end_name(StreamEnd end);  ///< as the enumerator

/// Steady times; 0 = did not happen.
struct StreamRecord {
  std::size_t index = 0;         ///< in the trace
  std::size_t conversation = 0;  ///< index of its first turn
  int turn = 0;
  Nanos due = 0;     ///< by the schedule
  Nanos ready = 0;   ///< due, or when the limit of requests at once let it go
  Nanos sent = 0;    ///< just before it was written, or the connection was begun
  Nanos closed = 0;  ///< the stream's end
  std::vector<ChunkTime> chunks;
  std::int32_t planned_prompt_tokens = 0, planned_output_tokens = 0;
  std::int32_t prompt_tokens = -1, completion_tokens = -1, cached_tokens = -1;  ///< as the server says
  StreamEnd end = StreamEnd::cancelled;
  int status = 0;  ///< of HTTP; 0 = none
  std::string reason, finish_reason, id;
  std::string text;                     ///< of the reply, where it is kept
  std::optional<RequestRecord> engine;  ///< of the engine in this process

  bool ended_well() const { return end == StreamEnd::ended; }
  std::int32_t input_tokens() const { return prompt_tokens >= 0 ? prompt_tokens : planned_prompt_tokens; }
  /// As the server counts; else the tokens that its chunks state; else chunks with output.
  std::int32_t output_tokens() const;
  std::int32_t stated_tokens() const;  ///< by the chunks; −1 = not all state it
};

/// Of one stream, in ms; NaN when undefined.
struct StreamTimes {
  double ttft, ttfa, tpot, e2e, stream_end;
  double ttft_due, e2e_due;  ///< from the time by the schedule
  std::vector<double> itl_chunk, itl_token;
  bool tokens_known = false;  ///< itl_token has every token
};
StreamTimes stream_times(const StreamRecord& record);

/// By vllm/benchmarks/serve.py and lib/endpoint_request_func.py at 02cfb534.
struct VllmTimes {
  double ttft, e2e, tpot;  ///< ms; tpot is NaN where it is left out of vLLM's list
  std::vector<double> itl;
};
VllmTimes vllm_times(const StreamRecord& record);

}  // namespace pitwall
