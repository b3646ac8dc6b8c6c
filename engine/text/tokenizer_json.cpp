// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/model/json_text.h"
#include "engine/text/tokenizer_config.h"
#include "engine/text/tokenizer_json_parts.h"

namespace pitwall {

namespace tokenizer_json {

using nlohmann::json;

Error unsupported(std::string_view part, std::string_view value) {
  return {Error::Kind::unsupported,
          fmt::format("The {} {} of the tokenizer is not supported", part, quote_for_message(value)), "",
          "Use a model of a supported family, or its GGUF file", std::string(part)};
}

Error damaged(std::string what) {
  return {Error::Kind::invalid_input, std::move(what), "The file is damaged", "Fetch the model again",
          "tokenizer.json"};
}

std::string type_of(const json& part) {
  return part.is_null() ? std::string() : text(part, "type", "");
}

bool flag(const json& part, const char* key, bool fallback) {
  const auto found = part.find(key);
  return found == part.end() || found->is_null() ? fallback : found->get<bool>();
}

std::string text(const json& part, const char* key, std::string fallback) {
  const auto found = part.find(key);
  return found == part.end() || found->is_null() ? fallback : found->get<std::string>();
}

Result<Regex> read_pattern(const json& pattern) {
  if (pattern.contains("Regex")) return Regex::compile(pattern.at("Regex").get_ref<const std::string&>());
  return Regex::compile(Regex::quote(pattern.at("String").get_ref<const std::string&>()));
}

Result<void> place_token(TokenTexts& texts, std::int64_t id, std::string token) {
  if (id < 0 || id > kLargestId) {
    return damaged(
        fmt::format("The token {} has the id {}; ids are 0 to {}", quote_for_message(token), id, kLargestId));
  }
  const auto index = static_cast<std::size_t>(id);
  if (texts.size() <= index) texts.resize(index + 1);
  texts[index] = std::move(token);
  return {};
}

namespace {

const json& part_of(const json& file, const char* key) {
  static const json kNone;
  const auto found = file.find(key);
  return found == file.end() ? kNone : *found;
}

// ---- Post-processor ----

/// The ids that a processor puts in front come before those of the ones before it.
void put_around(TokenizerParts& parts, const std::vector<TokenId>& before,
                const std::vector<TokenId>& after) {
  parts.prefix.insert(parts.prefix.begin(), before.begin(), before.end());
  parts.suffix.insert(parts.suffix.end(), after.begin(), after.end());
}

void read_template(const json& processor, TokenizerParts& parts) {
  std::vector<TokenId> before, after;
  bool before_text = true;
  for (const json& piece : processor.at("single")) {
    if (piece.contains("Sequence")) {
      before_text = false;
      continue;
    }
    const std::string name = piece.at("SpecialToken").at("id").get<std::string>();
    const auto ids = processor.at("special_tokens").at(name).at("ids").get<std::vector<TokenId>>();
    auto& side = before_text ? before : after;
    side.insert(side.end(), ids.begin(), ids.end());
  }
  put_around(parts, before, after);
}

Result<void> read_post_processor(const json& processor, TokenizerParts& parts) {
  const std::string type = type_of(processor);
  if (type == "Sequence") {
    for (const json& inner : processor.at("processors")) {
      if (auto done = read_post_processor(inner, parts); !done.ok()) return done;
    }
  } else if (type == "TemplateProcessing") {
    read_template(processor, parts);
  } else if (type == "RobertaProcessing" || type == "BertProcessing") {
    put_around(parts, {processor.at("cls").at(1).get<TokenId>()}, {processor.at("sep").at(1).get<TokenId>()});
  } else if (!type.empty() && type != "ByteLevel") {  // which only moves offsets
    return unsupported("post-processor", type);
  }
  return {};
}

Result<void> check_ids(const std::vector<TokenId>& ids, std::size_t tokens) {
  for (const TokenId id : ids) {
    if (id >= 0 && static_cast<std::size_t>(id) < tokens) continue;
    return damaged(
        fmt::format("The post-processor adds the id {}, outside the vocabulary of {} tokens", id, tokens));
  }
  return {};
}

// ---- The whole ----

Result<void> read_added_tokens(const json& list, TokenTexts& texts, std::vector<AddedToken>& added) {
  for (const json& entry : list) {
    const auto id = entry.at("id").get<std::int64_t>();
    AddedToken token{.content = entry.at("content").get<std::string>(),
                     .special = flag(entry, "special", false),
                     .left_strip = flag(entry, "lstrip", false),
                     .right_strip = flag(entry, "rstrip", false),
                     .single_word = flag(entry, "single_word", false)};
    token.normalized = flag(entry, "normalized", !token.special);
    if (auto placed = place_token(texts, id, token.content); !placed.ok()) return placed;
    token.id = static_cast<TokenId>(id);
    added.push_back(std::move(token));
  }
  return {};
}

Result<TokenizerParts> read_parts(const json& file, const TokenizerConfig& config,
                                  const VocabularyData& data) {
  TokenizerParts parts;
  auto normalizer = read_normalizer(part_of(file, "normalizer"));
  if (!normalizer.ok()) return std::move(normalizer).error();
  parts.normalizer = std::move(normalizer).value();
  auto pretokenizer = read_pretokenizer(part_of(file, "pre_tokenizer"));
  if (!pretokenizer.ok()) return std::move(pretokenizer).error();
  parts.pretokenizer = std::move(pretokenizer).value();

  auto texts = read_model_tokens(file.at("model"));
  if (!texts.ok()) return std::move(texts).error();
  auto model = read_model(file.at("model"), *texts, parts.pretokenizer.byte_level());
  if (!model.ok()) return std::move(model).error();
  parts.model = std::move(model).value();

  if (const json& added = part_of(file, "added_tokens"); !added.is_null()) {
    if (auto done = read_added_tokens(added, *texts, parts.added); !done.ok()) return done.error();
  }
  auto rendering = read_decoder(part_of(file, "decoder"), *texts);
  if (!rendering.ok()) return std::move(rendering).error();
  parts.rendering = std::move(rendering).value();

  if (auto done = read_post_processor(part_of(file, "post_processor"), parts); !done.ok())
    return done.error();
  for (const auto* ids : {&parts.prefix, &parts.suffix}) {
    if (auto checked = check_ids(*ids, texts->size()); !checked.ok()) return checked.error();
  }
  parts.bos = config.bos.empty() ? data.bos : find_token(*texts, config.bos);
  parts.eos = config.eos.empty() ? data.eos : find_token(*texts, config.eos);
  // The file's own post-processor counts; where it has none, the configuration may still ask for a BOS.
  if (config.add_bos == true && parts.bos && parts.prefix.empty()) parts.prefix = {*parts.bos};
  if (config.add_eos == true && parts.eos && parts.suffix.empty()) parts.suffix = {*parts.eos};
  finish_end_tokens(parts, data);
  return parts;
}

}  // namespace

}  // namespace tokenizer_json

namespace {

/// Gemma's file has 34 MB; the parsed tree is several times as large as the text.
constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

}  // namespace

Result<TokenizerParts> read_tokenizer_json(const VocabularyData& data) {
  const auto config = read_tokenizer_config(data.tokenizer_config_json);
  if (!config.ok()) return config.error();
  const std::string name = data.tokenizer_json.string();
  auto text = read_file(data.tokenizer_json, kMaxFileBytes);
  if (!text.ok()) return std::move(text).error();
  auto file = parse_json_object(*text, data.tokenizer_json);
  if (!file.ok()) return std::move(file).error();
  try {
    auto parts = tokenizer_json::read_parts(*file, *config, data);
    if (parts.ok()) return parts;
    Error error = std::move(parts).error();
    error.what = fmt::format("{}: {}", name, error.what);
    return error;
  } catch (const nlohmann::json::exception& error) {
    return Error{Error::Kind::invalid_input, fmt::format("{} is no tokenizer.json: {}", name, error.what()),
                 "A part of the format is missing or of another type", "Fetch the model again",
                 "tokenizer.json"};
  }
}

}  // namespace pitwall
