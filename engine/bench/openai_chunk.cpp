// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/openai_chunk.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

using nlohmann::json;

/// Goes through a JSON text once and notes what a chunk may say, by the keys that lead there.
class ChunkWalk {
 public:
  explicit ChunkWalk(std::string_view data) : data_(data) {}

  std::optional<ChunkFacts> run() {
    if (next() != '{' || !value(0) || next() != '\0') return std::nullopt;
    return facts_;
  }

 private:
  static constexpr int kDeepest = 32;

  /// The next byte that is no space, not taken; 0 at the end.
  char next() {
    while (at_ < data_.size() && std::string_view(" \n\r\t").find(data_[at_]) != std::string_view::npos)
      ++at_;
    return at_ < data_.size() ? data_[at_] : '\0';
  }

  bool value(int depth) {
    if (depth == kDeepest) return false;
    const char first = next();
    switch (first) {
      case '{':
        note(depth, first, {});
        return members(depth);
      case '[':
        note(depth, first, {});
        return entries(depth);
      case '"': {
        const auto text = string();
        if (text) note(depth, first, *text);
        return text.has_value();
      }
      default:
        return word();
    }
  }

  bool members(int depth) {
    ++at_;
    if (next() == '}') return ++at_, true;
    for (;;) {
      if (next() != '"') return false;
      const auto key = string();
      if (!key || next() != ':') return false;
      ++at_;
      path_[static_cast<std::size_t>(depth)] = {*key, 0};
      if (!value(depth + 1)) return false;
      const char after = next();
      ++at_;
      if (after == '}') return true;
      if (after != ',') return false;
    }
  }

  bool entries(int depth) {
    ++at_;
    if (next() == ']') return ++at_, true;
    for (int index = 0;; ++index) {
      path_[static_cast<std::size_t>(depth)] = {{}, index};
      note_entry(depth + 1);
      if (!value(depth + 1)) return false;
      const char after = next();
      ++at_;
      if (after == ']') return true;
      if (after != ',') return false;
    }
  }

  /// Between the quotes, escapes as they are.
  std::optional<std::string_view> string() {
    const std::size_t begin = ++at_;
    for (;;) {
      const std::size_t quote = data_.find('"', at_);
      if (quote == std::string_view::npos) return std::nullopt;
      std::size_t slashes = 0;
      while (quote - slashes > begin && data_[quote - slashes - 1] == '\\') ++slashes;
      at_ = quote + 1;
      if (slashes % 2 == 0) return data_.substr(begin, quote - begin);
    }
  }

  /// A number, true, false or null.
  bool word() {
    const std::size_t begin = at_;
    while (at_ < data_.size() && std::string_view(",]} \n\r\t").find(data_[at_]) == std::string_view::npos)
      ++at_;
    return at_ > begin;
  }

  std::string_view key(int level) const { return path_[static_cast<std::size_t>(level)].key; }
  bool in_first_choice() const { return key(0) == "choices" && path_[1].index == 0; }

  /// `kind` is the first byte of the value that the first `depth` steps of the path lead to.
  void note(int depth, char kind, std::string_view text) {
    const bool some_text = kind == '"' && !text.empty();
    if (depth == 1) {
      if (key(0) == "usage") facts_.usage = kind == '{';
      if (key(0) == "error") facts_.error = true;
      if (key(0) == "id") facts_.id = text;
    } else if (depth == 3 && in_first_choice()) {
      if (key(2) == "text") facts_.content |= some_text;
      if (key(2) == "finish_reason") facts_.finish_reason = text;
      if (key(2) == "token_ids" && kind == '[') facts_.token_ids = 0;
    } else if (depth == 4 && in_first_choice() && key(2) == "delta") {
      if (key(3) == "content") facts_.content |= some_text;
      if (key(3) == "reasoning_content" || key(3) == "reasoning") facts_.reasoning |= some_text;
    }
  }

  void note_entry(int depth) {
    if (depth == 2 && key(0) == "choices") facts_.choice = true;
    if (depth == 4 && in_first_choice() && key(2) == "token_ids") ++facts_.token_ids;
    if (depth == 5 && in_first_choice() && key(2) == "delta" && key(3) == "tool_calls")
      facts_.reasoning = true;
  }

  struct Step {
    std::string_view key;  // of an object's member
    int index = 0;         // of a list's entry
  };

  std::string_view data_;
  std::size_t at_ = 0;
  std::array<Step, kDeepest> path_;
  ChunkFacts facts_;
};

std::int32_t number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return -1;
  const auto number = found->get<std::uint64_t>();
  return number <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(number) : -1;
}

void add_text(const json& object, const char* key, std::string& text) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_string()) text += found->get_ref<const std::string&>();
}

}  // namespace

std::optional<ChunkFacts> read_chunk(std::string_view data) {
  return ChunkWalk(data).run();
}

std::optional<ChunkUsage> chunk_usage(std::string_view data) {
  const json document = json::parse(data, nullptr, false);
  if (!document.is_object() || !document.contains("usage") || !document["usage"].is_object())
    return std::nullopt;
  const json& usage = document["usage"];
  ChunkUsage result{number_of(usage, "prompt_tokens"), number_of(usage, "completion_tokens"), -1};
  const auto details = usage.find("prompt_tokens_details");
  if (details != usage.end() && details->is_object())
    result.cached_tokens = number_of(*details, "cached_tokens");
  return result;
}

std::string chunk_text(std::string_view data) {
  std::string text;
  const json document = json::parse(data, nullptr, false);
  if (!document.is_object() || !document.contains("choices") || !document["choices"].is_array() ||
      document["choices"].empty() || !document["choices"][0].is_object())
    return text;
  const json& choice = document["choices"][0];
  add_text(choice, "text", text);
  if (const auto delta = choice.find("delta"); delta != choice.end() && delta->is_object()) {
    for (const char* key : {"reasoning_content", "reasoning", "content"}) add_text(*delta, key, text);
  }
  return text;
}

std::string error_message(std::string_view data) {
  constexpr std::size_t kLongest = 300;
  const json document = json::parse(data, nullptr, false);
  std::string text;
  if (document.is_object()) {
    const json& error = document.contains("error") ? document["error"] : document;
    if (error.is_string()) text = error.get<std::string>();
    if (error.is_object()) add_text(error, "message", text);
    if (text.empty() && document.contains("detail")) text = document["detail"].dump();
  }
  return text.empty() ? quote_for_message(data, kLongest) : quote_for_message(text, kLongest);
}

}  // namespace pitwall
