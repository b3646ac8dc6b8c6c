// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/model/json_text.h"

namespace pitwall {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Error unsupported(std::string_view part, std::string_view value) {
  return {Error::Kind::unsupported,
          fmt::format("The {} {} of the tokenizer is not supported", part, quote_for_message(value)),
          "Byte-level BPE pipelines can be read", "Use a model of a supported family, or its GGUF file",
          std::string(part)};
}

/// The "type" of a pipeline part; empty when the part is absent or null.
std::string type_of(const json& holder, const char* key) {
  const auto part = holder.find(key);
  if (part == holder.end() || part->is_null()) return "";
  return part->at("type").get<std::string>();
}

// ---- Pre-tokenizer ----

std::string quote_literal(std::string_view text) {
  // \Q…\E takes everything literally but its own end.
  std::string out = "\\Q";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool ends = text.substr(at, 2) == "\\E";
    out += ends ? "\\E\\\\\\Q" : std::string(1, text[at]);
  }
  return out + "\\E";
}

Result<std::string> split_pattern(const json& part) {
  const std::string behavior = part.at("behavior").get<std::string>();
  if (behavior != "Isolated") return unsupported("Split behavior", behavior);
  const json& pattern = part.at("pattern");
  if (pattern.contains("Regex")) return pattern.at("Regex").get<std::string>();
  return quote_literal(pattern.at("String").get<std::string>());
}

/// Appends the patterns of one pre-tokenizer and those inside it. `byte_level` is set when the byte alphabet
/// is used.
Result<void> collect_patterns(const json& part, std::vector<std::string>& patterns, bool& byte_level) {
  const std::string type = part.at("type").get<std::string>();
  if (type == "Sequence") {
    for (const json& inner : part.at("pretokenizers")) {
      if (inner.at("type") == "Sequence") return unsupported("pre-tokenizer", "Sequence inside a Sequence");
      if (auto done = collect_patterns(inner, patterns, byte_level); !done.ok()) return done;
    }
  } else if (type == "Split") {
    auto pattern = split_pattern(part);
    if (!pattern.ok()) return std::move(pattern).error();
    patterns.push_back(std::move(pattern).value());
  } else if (type == "Digits") {
    patterns.emplace_back(part.value("individual_digits", false) ? kDigitPattern : kDigitsPattern);
  } else if (type == "ByteLevel") {
    if (part.value("add_prefix_space", true)) return unsupported("pre-tokenizer option", "add_prefix_space");
    if (part.value("use_regex", true)) patterns.emplace_back(kGpt2Pattern);
    byte_level = true;
  } else {
    return unsupported("pre-tokenizer", type);
  }
  return {};
}

Result<Pretokenizer> read_pretokenizer(const json& file) {
  const std::string type = type_of(file, "pre_tokenizer");
  if (type.empty()) return unsupported("pre-tokenizer", "none");
  std::vector<std::string> patterns;
  bool byte_level = false;
  if (auto done = collect_patterns(file.at("pre_tokenizer"), patterns, byte_level); !done.ok())
    return done.error();
  if (!byte_level) return unsupported("pre-tokenizer", type + " without ByteLevel");
  return Pretokenizer::compile(patterns);
}

// ---- Post-processor ----

void read_template(const json& processor, BpeVocabulary& vocabulary) {
  bool before_text = true;
  for (const json& piece : processor.at("single")) {
    if (piece.contains("Sequence")) {
      before_text = false;
      continue;
    }
    const std::string name = piece.at("SpecialToken").at("id").get<std::string>();
    const auto ids = processor.at("special_tokens").at(name).at("ids").get<std::vector<TokenId>>();
    auto& side = before_text ? vocabulary.prefix : vocabulary.suffix;
    side.insert(side.end(), ids.begin(), ids.end());
  }
}

Result<void> read_post_processor(const json& file, BpeVocabulary& vocabulary) {
  const std::string type = type_of(file, "post_processor");
  if (type.empty()) return {};
  const json& processor = file.at("post_processor");
  for (const json& part : type == "Sequence" ? processor.at("processors") : json::array({processor})) {
    const std::string part_type = part.at("type").get<std::string>();
    if (part_type == "TemplateProcessing") {
      read_template(part, vocabulary);
    } else if (part_type != "ByteLevel") {  // which only moves offsets
      return unsupported("post-processor", part_type);
    }
  }
  return {};
}

// ---- Vocabulary ----

Result<void> check_model(const json& file) {
  const json& model = file.at("model");
  const std::string type = model.value("type", "BPE");
  if (type != "BPE") return unsupported("model", type);
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto found = model.find(affix);
    if (found != model.end() && !found->is_null() && *found != "") return unsupported("model option", affix);
  }
  if (model.value("byte_fallback", false)) return unsupported("model option", "byte_fallback");
  if (const std::string normalizer = type_of(file, "normalizer"); !normalizer.empty()) {
    return unsupported("normalizer", normalizer);
  }
  if (const std::string decoder = type_of(file, "decoder"); decoder != "ByteLevel") {
    return unsupported("decoder", decoder.empty() ? "none" : decoder);
  }
  return {};
}

/// Ids above this are no vocabulary but a damaged file.
constexpr TokenId kLargestId = (1 << 24) - 1;

Result<void> place_token(BpeVocabulary& vocabulary, TokenId id, std::string bytes) {
  if (id < 0 || id > kLargestId) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("The token {} has the id {}; ids are 0 to {}", quote_for_message(bytes), id, kLargestId),
        "The file is damaged", "Fetch the model again", "tokenizer.json"};
  }
  const auto index = static_cast<std::size_t>(id);
  if (vocabulary.tokens.size() <= index) vocabulary.tokens.resize(index + 1);
  vocabulary.tokens[index] = std::move(bytes);
  return {};
}

Result<void> read_tokens(const json& file, BpeVocabulary& vocabulary) {
  for (const auto& [text, id] : file.at("model").at("vocab").items()) {
    if (auto placed = place_token(vocabulary, id.get<TokenId>(), token_bytes(text)); !placed.ok())
      return placed;
  }
  if (!file.contains("added_tokens")) return {};
  for (const json& entry : file.at("added_tokens")) {
    AddedToken token{.id = entry.at("id").get<TokenId>(),
                     .content = entry.at("content").get<std::string>(),
                     .special = entry.value("special", false),
                     .left_strip = entry.value("lstrip", false),
                     .right_strip = entry.value("rstrip", false),
                     .single_word = entry.value("single_word", false)};
    if (auto placed = place_token(vocabulary, token.id, token.content); !placed.ok()) return placed;
    vocabulary.added.push_back(std::move(token));
  }
  return {};
}

Result<void> read_merges(const json& model, BpeVocabulary& vocabulary) {
  TokenIndex index;
  const json& vocab = model.at("vocab");
  index.reserve(vocab.size());
  for (auto entry = vocab.begin(); entry != vocab.end(); ++entry)
    index.emplace(entry.key(), entry->get<TokenId>());
  for (const json& line : model.at("merges")) {
    const std::size_t rank = vocabulary.merges.size();
    auto merge = line.is_array() ? resolve_merge(index, line.at(0).get_ref<const std::string&>(),
                                                 line.at(1).get_ref<const std::string&>(), rank)
                                 : resolve_merge_line(index, line.get_ref<const std::string&>(), rank);
    if (!merge.ok()) return std::move(merge).error();
    vocabulary.merges.push_back(*merge);
  }
  return {};
}

// ---- tokenizer_config.json ----

/// The id of a token that the configuration names, as a text or as an object with "content".
std::optional<TokenId> configured_token(const json& config, const char* key,
                                        const BpeVocabulary& vocabulary) {
  const auto found = config.find(key);
  if (found == config.end()) return std::nullopt;
  const json& value = found->is_object() && found->contains("content") ? found->at("content") : *found;
  if (!value.is_string()) return std::nullopt;
  const auto& name = value.get_ref<const std::string&>();
  const auto& added = vocabulary.added;
  const auto token =
      std::find_if(added.begin(), added.end(), [&](const AddedToken& t) { return t.content == name; });
  if (token == added.end()) return std::nullopt;
  return token->id;
}

Result<BpeVocabulary> read_vocabulary(const json& file, const json& config) {
  if (auto checked = check_model(file); !checked.ok()) return checked.error();
  auto pretokenizer = read_pretokenizer(file);
  if (!pretokenizer.ok()) return std::move(pretokenizer).error();
  BpeVocabulary vocabulary{.tokens = {},
                           .merges = {},
                           .added = {},
                           .pretokenizer = std::move(pretokenizer).value(),
                           .prefix = {},
                           .suffix = {},
                           .bos = {},
                           .eos = {},
                           .end_tokens = {}};
  const json& model = file.at("model");
  vocabulary.whole_pieces_first = model.value("ignore_merges", false);
  for (auto* read : {&read_tokens, &read_post_processor}) {
    if (auto done = read(file, vocabulary); !done.ok()) return done.error();
  }
  if (auto done = read_merges(model, vocabulary); !done.ok()) return done.error();
  vocabulary.bos = configured_token(config, "bos_token", vocabulary);
  vocabulary.eos = configured_token(config, "eos_token", vocabulary);
  vocabulary.end_tokens = collect_end_tokens({vocabulary.eos}, vocabulary.added);
  return vocabulary;
}

}  // namespace

Result<BpeVocabulary> bpe_vocabulary_of_json(const fs::path& file, const fs::path& config) {
  auto tokenizer = read_json_object(file);
  if (!tokenizer.ok()) return std::move(tokenizer).error();
  Result<json> settings = json::object();
  if (fs::exists(config)) settings = read_json_object(config);
  if (!settings.ok()) return std::move(settings).error();
  try {
    return read_vocabulary(*tokenizer, *settings);
  } catch (const json::exception& error) {
    return Error{
        Error::Kind::invalid_input, fmt::format("{} is no tokenizer.json: {}", file.string(), error.what()),
        "A part of the format is missing or of another type", "Fetch the model again", "tokenizer.json"};
  }
}

}  // namespace pitwall
