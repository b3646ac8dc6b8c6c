// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/reply_stream.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/telemetry/record_json.h"

namespace pitwall::ui {

void ReplyStream::push(OutputEvent&& event) {
  const std::lock_guard lock(mutex_);
  news_.text += event.text;
  news_.tokens += static_cast<int>(event.tokens.size());
  if (event.finished) news_.end = std::move(event);
}

ReplyStream::News ReplyStream::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, News());
}

std::string record_to_json(const RequestRecord& record) {
  return dump_json(to_json_value(record));
}

std::optional<RequestRecord> record_from_json(const std::string& json) {
  if (json.empty()) return std::nullopt;
  try {
    RequestRecord record;
    read_json(Json::parse(json), record);
    return record;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace pitwall::ui
