// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/logprobs_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

double printed(float logprob) {
  return std::max(static_cast<double>(logprob), kLeastLogprob);
}

std::string token_text(const Tokenizer& tokenizer, TokenId token) {
  return replace_invalid_utf8(tokenizer.bytes_of(token));
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Json chat_token(const Tokenizer& tokenizer, const TokenLogprob& token) {
  Json bytes = Json::array();
  for (const char byte : tokenizer.bytes_of(token.token)) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", token_text(tokenizer, token.token)},
          {"logprob", printed(token.logprob)},
          {"bytes", std::move(bytes)}};
}

void append_position(Json& lists, const Tokenizer& tokenizer, const PositionLogprobs& position,
                     std::size_t& offset) {
  const std::string text = token_text(tokenizer, position.chosen.token);
  Json top = Json::object();
  for (const TokenLogprob& each : position.top)
    top[token_text(tokenizer, each.token)] = printed(each.logprob);
  top[text] = printed(position.chosen.logprob);
  lists["text_offset"].push_back(offset);
  lists["token_logprobs"].push_back(printed(position.chosen.logprob));
  lists["tokens"].push_back(text);
  lists["top_logprobs"].push_back(std::move(top));
  offset += characters(text);
}

Json empty_lists() {
  Json lists;
  for (const char* name : {"text_offset", "token_logprobs", "tokens", "top_logprobs"})
    lists[name] = Json::array();
  return lists;
}

}  // namespace

Json chat_logprobs(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions) {
  Json content = Json::array();
  for (const PositionLogprobs& position : positions) {
    Json entry = chat_token(tokenizer, position.chosen);
    entry["top_logprobs"] = Json::array();
    for (const TokenLogprob& each : position.top)
      entry["top_logprobs"].push_back(chat_token(tokenizer, each));
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}};
}

Json completion_logprobs(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions,
                         std::size_t offset) {
  Json lists = empty_lists();
  for (const PositionLogprobs& position : positions) append_position(lists, tokenizer, position, offset);
  return lists;
}

std::size_t text_characters(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions) {
  std::size_t count = 0;
  for (const PositionLogprobs& position : positions)
    count += characters(token_text(tokenizer, position.chosen.token));
  return count;
}

void put_prompt_first(Json& logprobs, const Tokenizer& tokenizer, TokenId first,
                      std::span<const PositionLogprobs> rest) {
  Json lists = empty_lists();
  const std::string text = token_text(tokenizer, first);
  lists["text_offset"].push_back(0);
  lists["token_logprobs"].push_back(nullptr);
  lists["tokens"].push_back(text);
  lists["top_logprobs"].push_back(nullptr);
  std::size_t offset = characters(text);
  for (const PositionLogprobs& position : rest) append_position(lists, tokenizer, position, offset);
  for (auto& [name, list] : lists.items()) {
    for (Json& each : logprobs[name])
      list.push_back(name == "text_offset" ? Json(each.get<std::size_t>() + offset) : std::move(each));
  }
  logprobs = std::move(lists);
}

Json prompt_logprobs_json(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions) {
  Json list = Json::array({nullptr});
  for (const PositionLogprobs& position : positions) {
    Json entry = Json::object();
    const auto add = [&](const TokenLogprob& token) {
      entry[std::to_string(token.token)] = {{"logprob", printed(token.logprob)},
                                            {"rank", token.rank},
                                            {"decoded_token", token_text(tokenizer, token.token)}};
    };
    add(position.chosen);
    for (const TokenLogprob& each : position.top) add(each);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace pitwall
