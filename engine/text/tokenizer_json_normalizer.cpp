// SPDX-License-Identifier: GPL-3.0-or-later
// Normalizers of tokenizer.json.
#include <nlohmann/json.hpp>

#include "engine/text/charsmap.h"
#include "engine/text/tokenizer_json_parts.h"

namespace pitwall::tokenizer_json {

namespace {

using nlohmann::json;

Result<NormalizerStep> read_replace(const json& part) {
  const json& pattern = part.at("pattern");
  const std::string content = part.at("content").get<std::string>();
  if (pattern.contains("String")) return replace_step(pattern.at("String").get<std::string>(), content);
  auto regex = read_pattern(pattern);
  if (!regex.ok()) return std::move(regex).error();
  return replace_step(std::move(regex).value(), content);
}

Result<NormalizerStep> read_charsmap(const json& part) {
  auto map = CharacterMap::from_base64(part.at("precompiled_charsmap").get_ref<const std::string&>());
  if (!map.ok()) return std::move(map).error();
  return NormalizerStep(
      [map = std::move(map).value()](std::string_view text, bool) { return map.map_graphemes(text); });
}

NormalizerStep read_bert(const json& part) {
  const bool lower = flag(part, "lowercase", true);
  return bert_step({.clean_text = flag(part, "clean_text", true),
                    .chinese_characters = flag(part, "handle_chinese_chars", true),
                    .strip_accents = flag(part, "strip_accents", lower),
                    .lower_case = lower});
}

Result<NormalizerStep> read_step(const json& part, const std::string& type) {
  if (type == "NFC") return unicode_form_step(NormalizationForm::nfc);
  if (type == "NFD") return unicode_form_step(NormalizationForm::nfd);
  if (type == "NFKC") return unicode_form_step(NormalizationForm::nfkc);
  if (type == "NFKD") return unicode_form_step(NormalizationForm::nfkd);
  if (type == "Lowercase") return lower_case_step();
  if (type == "Strip") return strip_step(flag(part, "strip_left", true), flag(part, "strip_right", true));
  if (type == "StripAccents") return strip_accents_step();
  if (type == "Prepend") return prepend_step(part.at("prepend").get<std::string>());
  if (type == "Nmt") return nmt_step();
  if (type == "ByteLevel") return byte_alphabet_step();
  if (type == "BertNormalizer") return read_bert(part);
  if (type == "Replace") return read_replace(part);
  if (type == "Precompiled") return read_charsmap(part);
  return unsupported("normalizer", type);
}

Result<void> collect(const json& part, std::vector<NormalizerStep>& steps) {
  const std::string type = type_of(part);
  if (type.empty()) return {};
  if (type == "Sequence") {
    for (const json& inner : part.at("normalizers")) {
      if (auto done = collect(inner, steps); !done.ok()) return done;
    }
    return {};
  }
  auto step = read_step(part, type);
  if (!step.ok()) return std::move(step).error();
  steps.push_back(std::move(step).value());
  return {};
}

}  // namespace

Result<Normalizer> read_normalizer(const json& part) {
  Normalizer normalizer;
  if (auto done = collect(part, normalizer.steps); !done.ok()) return done.error();
  return normalizer;
}

}  // namespace pitwall::tokenizer_json
