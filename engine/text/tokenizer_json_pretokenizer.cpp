// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-tokenizers of tokenizer.json.
#include <nlohmann/json.hpp>

#include "engine/text/tokenizer_json_parts.h"

namespace pitwall::tokenizer_json {

namespace {

using nlohmann::json;
using Stages = std::vector<PretokenizerStage>;

const char* const kNumberPattern = R"(\p{N})";
const char* const kNumbersPattern = R"(\p{N}+)";
/// Unicode punctuation, and ASCII's symbols.
const char* const kPunctuationPattern = R"([\p{P}!-/:-@\[-`{-~])";
const char* const kSpacePattern = R"(\s)";
/// Words are what Unicode says, which is more than \w of the other patterns.
const char* const kWordsPattern =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+)";

Result<void> add_split(Stages& stages, std::string_view pattern, SplitBehavior behavior,
                       bool invert = false) {
  auto regex = Regex::compile(pattern);
  if (!regex.ok()) return std::move(regex).error();
  stages.emplace_back(SplitStage{std::move(regex).value(), behavior, invert});
  return {};
}

Result<SplitBehavior> read_behavior(const std::string& name) {
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  return unsupported("Split behavior", name);
}

Result<void> add_pattern(const json& part, Stages& stages) {
  const auto behavior = read_behavior(part.at("behavior").get<std::string>());
  if (!behavior.ok()) return behavior.error();
  auto regex = read_pattern(part.at("pattern"));
  if (!regex.ok()) return std::move(regex).error();
  stages.emplace_back(SplitStage{std::move(regex).value(), *behavior, flag(part, "invert", false)});
  return {};
}

Result<void> add_metaspace(const json& part, Stages& stages) {
  const std::string replacement = text(part, "replacement", "▁");
  std::string scheme = text(part, "prepend_scheme", "always");
  if (!flag(part, "add_prefix_space", true)) scheme = "never";  // how older files say it
  MetaspaceStage stage{.replacement = replacement};
  if (scheme == "first") {
    stage.prepend = MetaspaceStage::Prepend::first;
  } else if (scheme == "never") {
    stage.prepend = MetaspaceStage::Prepend::never;
  } else if (scheme != "always") {
    return unsupported("Metaspace prepend_scheme", scheme);
  }
  stages.emplace_back(std::move(stage));
  if (!flag(part, "split", true)) return {};
  auto regex = read_pattern(json{{"String", replacement}});
  if (!regex.ok()) return std::move(regex).error();
  stages.emplace_back(SplitStage{std::move(regex).value(), SplitBehavior::merged_with_next});
  return {};
}

Result<void> add_byte_level(const json& part, Stages& stages) {
  for (const PretokenizerStage& stage : stages) {
    if (std::holds_alternative<ByteLevelStage>(stage))
      return unsupported("pre-tokenizer", "ByteLevel behind a ByteLevel");
  }
  if (flag(part, "add_prefix_space", true)) stages.emplace_back(PrefixSpaceStage{});
  if (flag(part, "use_regex", true)) {
    if (auto done = add_split(stages, kGpt2Pattern, SplitBehavior::isolated); !done.ok()) return done;
  }
  stages.emplace_back(ByteLevelStage{});
  return {};
}

Result<void> collect(const json& part, Stages& stages) {
  const std::string type = type_of(part);
  if (type.empty()) return {};
  if (type == "Sequence") {
    for (const json& inner : part.at("pretokenizers")) {
      if (auto done = collect(inner, stages); !done.ok()) return done;
    }
    return {};
  }
  if (type == "Split") return add_pattern(part, stages);
  if (type == "Metaspace") return add_metaspace(part, stages);
  if (type == "ByteLevel") return add_byte_level(part, stages);
  if (type == "Digits") {
    return flag(part, "individual_digits", false)
               ? add_split(stages, kNumberPattern, SplitBehavior::isolated)
               : add_split(stages, kNumbersPattern, SplitBehavior::isolated);
  }
  if (type == "Punctuation") {
    const auto behavior = read_behavior(text(part, "behavior", "Isolated"));
    if (!behavior.ok()) return behavior.error();
    return add_split(stages, kPunctuationPattern, *behavior);
  }
  if (type == "Whitespace") return add_split(stages, kWordsPattern, SplitBehavior::removed, true);
  if (type == "WhitespaceSplit") return add_split(stages, kSpacePattern, SplitBehavior::removed);
  if (type == "BertPreTokenizer") {
    if (auto done = add_split(stages, kSpacePattern, SplitBehavior::removed); !done.ok()) return done;
    return add_split(stages, kPunctuationPattern, SplitBehavior::isolated);
  }
  if (type == "CharDelimiterSplit") {
    auto regex = read_pattern(json{{"String", part.at("delimiter")}});
    if (!regex.ok()) return std::move(regex).error();
    stages.emplace_back(SplitStage{std::move(regex).value(), SplitBehavior::removed});
    return {};
  }
  return unsupported("pre-tokenizer", type);
}

}  // namespace

Result<Pretokenizer> read_pretokenizer(const json& part) {
  Stages stages;
  if (auto done = collect(part, stages); !done.ok()) return done.error();
  return Pretokenizer(std::move(stages));
}

}  // namespace pitwall::tokenizer_json
