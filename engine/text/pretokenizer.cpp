// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/pretokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"

namespace pitwall {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const char* const kDigitPattern = R"(\p{N})";
const char* const kDigitsPattern = R"(\p{N}+)";

namespace {

struct NamedPatterns {
  std::string_view name;
  std::vector<std::string> patterns;
};

/// Files that name no pre-tokenizer, or "default", are cut at punctuation first and into groups of three
/// digits last: what GGUF's first tools did before the key existed.
const std::vector<NamedPatterns>& named_patterns() {
  static const std::vector<std::string> kFirstTools = {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Pattern,
                                                       kDigitsPattern, R"([0-9][0-9][0-9])"};
  static const std::vector<NamedPatterns> kNamed = {
      {"smollm", {kDigitPattern, kGpt2Pattern}},
      {"gpt-2", {kGpt2Pattern}},
      {"default", kFirstTools},
      {"", kFirstTools},
  };
  return kNamed;
}

void cut(const Regex& regex, std::string_view piece, RegexSearch& search,
         std::vector<std::string_view>& out) {
  std::size_t at = 0;
  while (at < piece.size()) {
    const auto match = search.find(regex, piece, at);
    if (!match) break;
    if (match->begin > at) out.push_back(piece.substr(at, match->begin - at));
    out.push_back(piece.substr(match->begin, match->end - match->begin));
    at = match->end;
  }
  if (at < piece.size()) out.push_back(piece.substr(at));
}

}  // namespace

Result<Pretokenizer> Pretokenizer::compile(const std::vector<std::string>& patterns) {
  std::vector<Regex> stages;
  for (const std::string& pattern : patterns) {
    auto regex = Regex::compile(pattern);
    if (!regex.ok()) return std::move(regex).error();
    stages.push_back(std::move(regex).value());
  }
  return Pretokenizer(std::move(stages));
}

Result<Pretokenizer> Pretokenizer::named(std::string_view name) {
  const auto& known = named_patterns();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const NamedPatterns& entry) { return entry.name == name; });
  if (found == known.end()) {
    return Error{Error::Kind::unsupported,
                 fmt::format("The pre-tokenizer {} is not known", quote_for_message(name)),
                 "The model was made for a newer or different tokenizer", "Use a model of a supported family",
                 "tokenizer.ggml.pre"};
  }
  return compile(found->patterns);
}

void Pretokenizer::split(std::string_view text, Workspace& workspace) const {
  workspace.pieces.clear();
  if (!text.empty()) workspace.pieces.push_back(text);
  for (const Regex& stage : stages_) {
    workspace.finer.clear();
    for (const std::string_view piece : workspace.pieces)
      cut(stage, piece, workspace.search, workspace.finer);
    workspace.pieces.swap(workspace.finer);
  }
}

}  // namespace pitwall
