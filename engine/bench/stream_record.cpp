// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/stream_record.h"

#include <algorithm>
#include <array>

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double ms(Nanos from, Nanos to) {
  return static_cast<double>(to - from) / static_cast<double>(kNanosPerMs);
}

double per_token(double first, double last, std::int32_t tokens) {
  return tokens > 1 ? (last - first) / (tokens - 1) : kNaN;
}

}  // namespace

std::string_view stream_end_name(StreamEnd end) {
  static constexpr std::array<std::string_view, kStreamEndCount> kNames{
      "ended", "refused", "unreachable", "cut", "stream_error", "malformed", "timed_out", "cancelled"};
  return kNames[static_cast<std::size_t>(end)];
}

std::int32_t StreamRecord::stated_tokens() const {
  std::int32_t sum = 0;
  for (const ChunkTime& chunk : chunks) {
    if (chunk.output && chunk.tokens < 0) return -1;
    sum += std::max(chunk.tokens, 0);
  }
  return sum;
}

std::int32_t StreamRecord::output_tokens() const {
  if (completion_tokens >= 0) return completion_tokens;
  if (const std::int32_t stated = stated_tokens(); stated >= 0) return stated;
  return static_cast<std::int32_t>(
      std::count_if(chunks.begin(), chunks.end(), [](const ChunkTime& chunk) { return chunk.output; }));
}

StreamTimes stream_times(const StreamRecord& record) {
  StreamTimes times{kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, {}, {}, false};
  if (record.closed > 0) times.stream_end = ms(record.sent, record.closed);
  std::vector<ChunkTime> output;
  for (const ChunkTime& chunk : record.chunks) {
    if (chunk.output) output.push_back(chunk);
    if (chunk.answer && !(times.ttfa >= 0)) times.ttfa = ms(record.sent, chunk.at);
  }
  if (output.empty()) return times;
  times.ttft = ms(record.sent, output.front().at);
  times.e2e = ms(record.sent, output.back().at);
  times.tpot = per_token(times.ttft, times.e2e, record.output_tokens());
  times.ttft_due = ms(record.due, output.front().at);
  times.e2e_due = ms(record.due, output.back().at);

  // Servers that do not state tokens by chunk still give them away when there are as many as chunks.
  const bool stated = record.stated_tokens() >= 0;
  times.tokens_known = stated || record.output_tokens() == std::ssize(output);
  for (std::size_t i = 1; i < output.size(); ++i) {
    const double gap = ms(output[i - 1].at, output[i].at);
    times.itl_chunk.push_back(gap);
    if (!times.tokens_known) continue;
    const auto tokens = static_cast<std::size_t>(stated ? std::max(output[i].tokens, 1) : 1);
    times.itl_token.insert(times.itl_token.end(), tokens, gap / static_cast<double>(tokens));
  }
  return times;
}

VllmTimes vllm_times(const StreamRecord& record) {
  VllmTimes times{kNaN, kNaN, kNaN, {}};
  Nanos last = 0;
  for (const ChunkTime& chunk : record.chunks) {
    if (!chunk.choice) continue;
    if (last == 0) {
      times.ttft = ms(record.sent, chunk.at);
    } else {
      times.itl.push_back(ms(last, chunk.at));
    }
    last = chunk.at;
  }
  if (last == 0) return times;
  times.e2e = ms(record.sent, last);
  times.tpot = per_token(times.ttft, times.e2e, record.output_tokens());
  return times;
}

}  // namespace pitwall
