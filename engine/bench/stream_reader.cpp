// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/stream_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/bench/openai_chunk.h"

namespace pitwall {

namespace {

constexpr std::size_t kLongestErrorBody = 64 * 1024;

}  // namespace

void StreamReader::begin(StreamRecord& record) {
  record_ = &record;
  record.chunks.clear();
  response_.next();
  events_ = {};
  body_.clear();
  heard_ = reusable_ = last_mark_ = false;
}

bool StreamReader::feed(std::string_view bytes, Nanos at) {
  at_ = at;
  heard_ = true;
  const auto on_body = [this](std::string_view part) {
    const ResponseReader::Head& head = response_.head();
    if (head.status != 200 || !head.event_stream) {
      body_ += part.substr(0, kLongestErrorBody - std::min(body_.size(), kLongestErrorBody));
      return true;
    }
    const auto status = events_.feed(part, [this](std::string_view data) { return take_event(data); });
    if (status == SseParser::Status::too_long) end(StreamEnd::malformed, "One event is too long", at_);
    return status == SseParser::Status::more;
  };
  switch (response_.feed(bytes, on_body)) {
    case ResponseReader::Status::more:
      return false;
    case ResponseReader::Status::done:
      reusable_ = response_.keeps_alive();
      close_whole();
      return true;
    case ResponseReader::Status::stopped:
      return true;
    case ResponseReader::Status::broken:
      break;
  }
  end(StreamEnd::malformed, "The answer is not HTTP", at);
  return true;
}

void StreamReader::disconnected(Nanos at, const std::string& why) {
  at_ = at;
  if (response_.finish() == ResponseReader::Status::done || last_mark_) {
    close_whole();
  } else if (!response_.has_head()) {
    end(StreamEnd::unreachable, why, at);
  } else {
    end(StreamEnd::cut, fmt::format("{} after {} chunks", why, record_->chunks.size()), at);
  }
}

void StreamReader::end(StreamEnd end, std::string reason, Nanos at) {
  StreamRecord& record = *std::exchange(record_, nullptr);
  record.end = end;
  record.status = response_.has_head() ? response_.head().status : 0;
  record.reason = std::move(reason);
  record.closed = at;
  if (listener_ != nullptr) listener_->ended(record);
}

bool StreamReader::take_event(std::string_view data) {
  if (data == "[DONE]") {
    last_mark_ = true;
    return true;
  }
  const auto facts = read_chunk(data);
  if (!facts) {
    end(StreamEnd::malformed, "An event is no JSON object: " + quote_for_message(data), at_);
    return false;
  }
  if (facts->error) {
    end(StreamEnd::stream_error, error_message(data), at_);
    return false;
  }
  StreamRecord& record = *record_;
  if (facts->usage) {
    if (const auto usage = chunk_usage(data)) {
      record.prompt_tokens = usage->prompt_tokens;
      record.completion_tokens = usage->completion_tokens;
      record.cached_tokens = usage->cached_tokens;
    }
  }
  if (!facts->choice) return true;
  if (record.id.empty()) record.id = facts->id;
  if (!facts->finish_reason.empty()) record.finish_reason = facts->finish_reason;
  if (keep_text_) record.text += chunk_text(data);
  const ChunkTime chunk{at_, facts->token_ids, true, facts->content || facts->reasoning, facts->content};
  record.chunks.push_back(chunk);
  if (chunk.output && listener_ != nullptr) listener_->output(record, chunk);
  return true;
}

/// All of the answer has come.
void StreamReader::close_whole() {
  const ResponseReader::Head& head = response_.head();
  if (head.status != 200) {
    end(StreamEnd::refused, fmt::format("HTTP {}: {}", head.status, error_message(body_)), at_);
  } else if (!head.event_stream) {
    end(StreamEnd::malformed, "The answer is no event stream", at_);
  } else if (record_->chunks.empty()) {
    end(StreamEnd::malformed, "The stream holds no choice", at_);
  } else if (!last_mark_ && record_->finish_reason.empty()) {
    end(StreamEnd::cut,
        fmt::format("The stream ended without a finish reason after {} chunks", record_->chunks.size()), at_);
  } else {
    end(StreamEnd::ended, "", at_);
  }
}

}  // namespace pitwall
