// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/reply_parser.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace pitwall {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kThink = "<think>", kThinkEnd = "</think>";
constexpr std::string_view kSpaces = " \n\r\t";

/// Bytes at the end of `text` that could be the beginning of `mark`.
std::size_t open_end(std::string_view text, std::string_view mark) {
  for (std::size_t size = std::min(text.size(), mark.size() - 1); size > 0; --size) {
    if (text.ends_with(mark.substr(0, size))) return size;
  }
  return 0;
}

struct Found {
  std::size_t at = kNone;  ///< of the earliest mark
  std::size_t which = 0;
  std::size_t safe = 0;  ///< bytes before anything that may become a mark
};

Found find_marks(std::string_view text, const std::vector<std::string_view>& marks) {
  Found found;
  std::size_t open = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::size_t at = text.find(marks[i]);
    if (at < found.at) found.at = at, found.which = i;
    open = std::max(open, open_end(text, marks[i]));
  }
  found.safe = std::min(found.at, text.size() - open);
  return found;
}

/// Length of the first `size` bytes without the blanks at their end.
std::size_t without_blanks(std::string_view text, std::size_t size) {
  const std::size_t last = text.substr(0, size).find_last_not_of(kSpaces);
  return last == kNone ? 0 : last + 1;
}

}  // namespace

ReplyParser::ReplyParser(ReplyFormat format, std::string tools)
    : format_(std::move(format)), tools_(std::move(tools)) {}

ReplyDelta ReplyParser::push(std::string_view text) {
  held_ += text;
  ReplyDelta delta;
  while (step(delta)) {
  }
  return delta;
}

/// Leaves State::start once enough is there to know what the reply begins with.
bool ReplyParser::begin(ReplyDelta& delta) {
  if (format_.reasons && format_.begins_reasoning && !reasoned_) {
    state_ = State::reasoning;
    return true;
  }
  if (!format_.only_tool.empty()) {
    called_ = true;
    delta.calls.push_back({format_.only_tool, {}});
    state_ = State::only;
    return true;
  }
  const std::size_t first = held_.find_first_not_of(kSpaces);
  if (first == kNone) return false;
  const std::string_view rest = std::string_view(held_).substr(first);
  if (format_.reasons && !reasoned_ && kThink.substr(0, rest.size()) == rest.substr(0, kThink.size())) {
    if (rest.size() < kThink.size()) return false;
    held_.erase(0, first + kThink.size());
    state_ = State::reasoning;
  } else if (format_.bare_calls && (rest[0] == '{' || rest[0] == '[') &&
             std::none_of(format_.marks.begin(), format_.marks.end(), [&](const ToolMarks& marks) {
               return marks.open.substr(0, rest.size()) == rest.substr(0, marks.open.size());
             })) {
    state_ = State::whole;
  } else {
    state_ = State::content;
  }
  return true;
}

/// Behind `before` bytes of held_: a call of which the arguments begin. What comes before them is let go.
bool ReplyParser::begin_call(ReplyDelta& delta, std::size_t before) {
  CallHead head = read_call_head(std::string_view(held_).substr(before));
  if (head.is != CallHead::Is::yes) return false;
  held_.erase(0, before + head.size);
  called_ = true;
  in_object_ = head.in_object;
  json_ = JsonEnd();
  delta.calls.push_back({std::move(head.name), {}});
  state_ = State::arguments;
  return true;
}

void ReplyParser::tell_arguments(ReplyDelta& delta, std::size_t size) {
  if (size == 0) return;
  if (delta.calls.empty()) delta.calls.emplace_back();
  delta.calls.back().arguments += held_.substr(0, size);
  held_.erase(0, size);
}

/// Inside a call that has begun, or behind one.
bool ReplyParser::go_on(ReplyDelta& delta) {
  if (state_ == State::between) return begin_call(delta, 0) || leave_calls();
  const std::size_t size = json_.take(held_);
  if (state_ == State::arguments) {
    tell_arguments(delta, size);
  } else {
    held_.erase(0, size);
  }
  if (!json_.ended()) return false;
  const bool to_call_end = state_ == State::arguments && in_object_;
  json_ = JsonEnd(1);
  state_ = to_call_end ? State::call_end : State::between;
  return true;
}

/// Behind a call: the mark that ends them, one that begins others, or something that is no call.
bool ReplyParser::leave_calls() {
  const std::size_t first = std::min(held_.find_first_not_of(kBetweenCalls), held_.size());
  // A mark may begin with what stands between calls.
  for (std::size_t at = held_.find_first_not_of(kSpaces); at <= first && at < held_.size(); ++at) {
    const std::string_view rest = std::string_view(held_).substr(at);
    for (const std::string_view mark : {open_marks_.close, open_marks_.open}) {
      if (mark.empty()) continue;
      if (rest.starts_with(mark)) {
        held_.erase(0, at + mark.size());
        trims_ = true;  // blanks between one call and the next are no content
        state_ = mark == open_marks_.close ? State::content : State::between;
        return true;
      }
      if (mark.starts_with(rest)) return false;
    }
  }
  const std::string_view rest = std::string_view(held_).substr(first);
  if (rest.empty() || read_call_head(rest).is == CallHead::Is::unfinished) return false;
  held_.erase(0, first);
  state_ = State::content;
  return true;
}

/// True where the state has changed, so that held_ must be looked at again.
bool ReplyParser::step(ReplyDelta& delta) {
  switch (state_) {
    case State::start:
      return begin(delta);
    case State::only:
      tell_arguments(delta, held_.size());
      return false;
    case State::whole:
      return begin_call(delta, 0);
    case State::arguments:
    case State::call_end:
    case State::between:
      return go_on(delta);
    case State::reasoning: {
      const Found found = find_marks(held_, {kThinkEnd});
      std::string piece = held_.substr(0, found.safe);
      held_.erase(0, found.safe);
      delta.reasoning += piece;
      if (found.at == kNone) return false;
      held_.erase(0, kThinkEnd.size());
      trims_ = reasoned_ = true;
      state_ = State::start;
      return true;
    }
    case State::content: {
      if (trims_) {
        const std::size_t first = held_.find_first_not_of(kSpaces);
        if (first == kNone) return false;
        held_.erase(0, first);
        trims_ = false;
      }
      std::vector<std::string_view> opens;
      for (const ToolMarks& marks : format_.marks) opens.push_back(marks.open);
      const Found found = find_marks(held_, opens);
      // Blanks before a call are no content.
      const std::size_t blank = opens.empty() ? found.safe : without_blanks(held_, found.safe);
      delta.content += held_.substr(0, blank);
      held_.erase(0, found.at == kNone ? blank : found.at);
      if (found.at == kNone) return false;
      open_marks_ = format_.marks[found.which];
      state_ = State::calls;
      return true;
    }
    case State::calls: {
      if (begin_call(delta, open_marks_.open.size())) return true;
      if (open_marks_.close.empty()) return false;
      const std::size_t end = held_.find(open_marks_.close);
      if (end == kNone) return false;
      const std::size_t size = end + open_marks_.close.size();
      const std::string around = held_.substr(0, size);
      held_.erase(0, size);
      // The mark of a tag style is a part of what it marks.
      const bool is_tag = open_marks_.open.back() == '=';
      const std::string_view inside =
          is_tag ? std::string_view(around)
                 : std::string_view(around).substr(open_marks_.open.size(), end - open_marks_.open.size());
      take_calls(delta, inside, around);
      state_ = State::content;
      return true;
    }
  }
  return false;
}

void ReplyParser::take_calls(ReplyDelta& delta, std::string_view text, std::string_view around) {
  const auto tools = nlohmann::ordered_json::parse(tools_, nullptr, false);
  auto calls = read_tool_calls(text, tools);
  if (!calls) {
    delta.content += around;
    return;
  }
  called_ = true;
  trims_ = true;  // blanks between one call and the next are no content
  for (ToolCall& call : *calls) delta.calls.push_back({std::move(call.name), std::move(call.arguments)});
}

ReplyDelta ReplyParser::flush() {
  ReplyDelta delta;
  const std::string rest = std::exchange(held_, {});
  switch (state_) {
    case State::reasoning:
      delta.reasoning = rest;
      break;
    case State::start:
    case State::content:
      if (!trims_) delta.content = rest;
      break;
    case State::calls: {
      const bool open_ended = open_marks_.close.empty();
      const std::string_view inside = std::string_view(rest).substr(open_marks_.open.size());
      if (open_ended) {
        take_calls(delta, inside, rest);
      } else {
        delta.content = rest;  // cut off inside a call
      }
      break;
    }
    case State::whole:
      take_calls(delta, rest, rest);
      break;
    case State::arguments:  // all of them have been told; so much of a call as there was
    case State::call_end:
    case State::only:
      break;
    case State::between:
      delta.content = rest.substr(std::min(rest.size(), rest.find_first_not_of(kBetweenCalls)));
      break;
  }
  state_ = State::content;
  return delta;
}

}  // namespace pitwall
