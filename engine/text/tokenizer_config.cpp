// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/model/json_text.h"

namespace pitwall {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A token that is named as a text or as an object with "content".
std::string token_name(const json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end()) return "";
  const json& value = found->is_object() && found->contains("content") ? found->at("content") : *found;
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<bool> optional_flag(const json& config, const char* key) {
  const auto found = config.find(key);
  return found == config.end() || !found->is_boolean() ? std::nullopt : std::optional(found->get<bool>());
}

std::optional<TokenId> parse_id(const std::string& text) {
  TokenId id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0) return std::nullopt;
  return id;
}

void read_added_decoder(const json& config, std::vector<AddedToken>& added) {
  const auto decoder = config.find("added_tokens_decoder");
  if (decoder == config.end() || !decoder->is_object()) return;
  for (const auto& [key, entry] : decoder->items()) {
    const auto id = parse_id(key);
    if (!id || !entry.is_object()) continue;
    const std::string content = token_name(entry, "content");
    added.push_back({.id = *id,
                     .content = content,
                     .special = optional_flag(entry, "special").value_or(false),
                     .left_strip = optional_flag(entry, "lstrip").value_or(false),
                     .right_strip = optional_flag(entry, "rstrip").value_or(false),
                     .single_word = optional_flag(entry, "single_word").value_or(false)});
  }
}

/// {"text": id}; tokens that the configuration describes better are left as they are.
Result<void> read_added_file(const fs::path& file, std::vector<AddedToken>& added) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto list = read_json_object(file);
  if (!list.ok()) return list.error();
  for (const auto& [text, id] : list->items()) {
    if (!id.is_number_integer()) continue;
    const auto number = id.get<std::int64_t>();
    const bool known =
        std::any_of(added.begin(), added.end(), [&](const AddedToken& t) { return t.id == number; });
    if (known || number < 0 || number > INT32_MAX) continue;
    added.push_back({.id = static_cast<TokenId>(number), .content = text});
  }
  return {};
}

}  // namespace

Result<TokenizerConfig> read_tokenizer_config(const fs::path& file) {
  TokenizerConfig config;
  std::error_code ignored;
  if (file.empty()) return config;
  if (fs::exists(file, ignored)) {
    const auto read = read_json_object(file);
    if (!read.ok()) return read.error();
    config.bos = token_name(*read, "bos_token");
    config.eos = token_name(*read, "eos_token");
    config.add_bos = optional_flag(*read, "add_bos_token");
    config.add_eos = optional_flag(*read, "add_eos_token");
    config.legacy = optional_flag(*read, "legacy");
    read_added_decoder(*read, config.added);
  }
  if (auto done = read_added_file(file.parent_path() / "added_tokens.json", config.added); !done.ok())
    return done.error();
  return config;
}

std::optional<TokenId> find_token(const std::vector<std::string>& texts, std::string_view text) {
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (text.empty() || found == texts.end()) return std::nullopt;
  return static_cast<TokenId>(found - texts.begin());
}

void finish_end_tokens(TokenizerParts& parts, const VocabularyData& data) {
  std::vector<std::optional<TokenId>> known = {parts.eos, data.eos};
  known.insert(known.end(), data.ends.begin(), data.ends.end());
  parts.end_tokens = collect_end_tokens(known, parts.added);
}

}  // namespace pitwall
