// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders of tokenizer.json: what each token is inside a text, and as the first of one. A decoder that needs
// to see other tokens too is refused.
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/text/byte_alphabet.h"
#include "engine/text/text_search.h"
#include "engine/text/tokenizer_json_parts.h"
#include "engine/text/utf8.h"

namespace pitwall::tokenizer_json {

namespace {

using nlohmann::json;
/// Changes the text of a token; `first`: it begins the text.
using Step = std::function<void(std::string& token, bool first)>;

struct Steps {
  std::vector<Step> steps;
  bool fused = false;  ///< what follows acts on the whole text
};

std::optional<unsigned> byte_value(std::string_view token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  unsigned value = 0;
  for (const char c : token.substr(3, 2)) {
    const std::size_t digit = kDigits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

void strip(std::string& token, std::string_view content, std::size_t start, std::size_t stop) {
  std::string_view rest = token;
  for (; start > 0 && rest.starts_with(content); --start) rest.remove_prefix(content.size());
  for (; stop > 0 && rest.ends_with(content); --stop) rest.remove_suffix(content.size());
  token = std::string(rest);
}

Result<void> add_replace(const json& part, Steps& steps) {
  const json& pattern = part.at("pattern");
  const std::string content = part.at("content").get<std::string>();
  if (pattern.contains("String")) {
    const std::string wanted = pattern.at("String").get<std::string>();
    if (steps.fused && utf8_length(wanted) != 1)
      return unsupported("decoder", "Replace of a text behind Fuse");
    steps.steps.emplace_back([=](std::string& token, bool) { token = replace_all(token, wanted, content); });
    return {};
  }
  if (steps.fused) return unsupported("decoder", "Replace of a pattern behind Fuse");
  auto regex = read_pattern(pattern);
  if (!regex.ok()) return std::move(regex).error();
  steps.steps.emplace_back([replace = replace_step(std::move(regex).value(), content)](
                               std::string& token, bool first) { token = replace(token, first); });
  return {};
}

Result<void> add_strip(const json& part, Steps& steps) {
  const std::string content = part.at("content").get<std::string>();
  const auto start = part.at("start").get<std::size_t>(), stop = part.at("stop").get<std::size_t>();
  if (content.empty()) return {};
  if (steps.fused && stop > 0) return unsupported("decoder", "Strip of a text's end");
  steps.steps.emplace_back([=, fused = steps.fused](std::string& token, bool first) {
    if (first || !fused) strip(token, content, start, stop);
  });
  return {};
}

void add_metaspace(const json& part, Steps& steps) {
  const std::string replacement = text(part, "replacement", "▁");
  const bool prepends =
      text(part, "prepend_scheme", "always") != "never" && flag(part, "add_prefix_space", true);
  steps.steps.emplace_back([=](std::string& token, bool first) {
    token = replace_all(token, replacement, first && prepends ? "" : " ");
  });
}

/// The spaces that BERT's decoder takes away in front of English punctuation.
std::string without_odd_spaces(std::string token) {
  constexpr std::pair<std::string_view, std::string_view> kCleanUp[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [odd, right] : kCleanUp) token = replace_all(token, odd, right);
  return token;
}

void add_word_piece(const json& part, Steps& steps) {
  const std::string prefix = text(part, "prefix", "##");
  const bool clean_up = flag(part, "cleanup", true);
  steps.steps.emplace_back([=](std::string& token, bool first) {
    if (!first && token.starts_with(prefix)) {
      token.erase(0, prefix.size());
    } else if (!first) {
      token.insert(token.begin(), ' ');
    }
    if (clean_up) token = without_odd_spaces(token);
  });
}

Result<void> collect(const json& part, Steps& steps) {
  const std::string type = type_of(part);
  if (type == "Sequence") {
    for (const json& inner : part.at("decoders")) {
      if (auto done = collect(inner, steps); !done.ok()) return done;
    }
    return {};
  }
  if (type == "Replace") return add_replace(part, steps);
  if (type == "Strip") return add_strip(part, steps);
  if (type == "Fuse") {
    steps.fused = true;
  } else if (type == "ByteFallback") {
    steps.steps.emplace_back([](std::string& token, bool) {
      if (const auto byte = byte_value(token)) token = std::string(1, static_cast<char>(*byte));
    });
  } else if (type == "ByteLevel") {
    steps.steps.emplace_back([](std::string& token, bool) {
      if (auto bytes = bytes_from_alphabet(token)) token = *std::move(bytes);
    });
  } else if (type == "Metaspace" && !steps.fused) {
    add_metaspace(part, steps);
  } else if (type == "WordPiece" && !steps.fused) {
    add_word_piece(part, steps);
  } else {
    return unsupported("decoder", type);
  }
  return {};
}

}  // namespace

Result<TokenRendering> read_decoder(const json& part, const TokenTexts& texts) {
  Steps steps;
  if (type_of(part).empty()) {
    steps.steps.emplace_back([](std::string& token, bool first) {
      if (!first) token.insert(token.begin(), ' ');
    });
  } else if (auto done = collect(part, steps); !done.ok()) {
    return done.error();
  }
  TokenRendering rendering;
  rendering.bytes.reserve(texts.size());
  for (std::size_t id = 0; id < texts.size(); ++id) {
    std::string inside = texts[id], first = texts[id];
    if (!inside.empty()) {
      for (const Step& step : steps.steps) {
        step(inside, false);
        step(first, true);
      }
    }
    if (first != inside) rendering.first_bytes.emplace(static_cast<TokenId>(id), std::move(first));
    rendering.bytes.push_back(std::move(inside));
  }
  return rendering;
}

}  // namespace pitwall::tokenizer_json
