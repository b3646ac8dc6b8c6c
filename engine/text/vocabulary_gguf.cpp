// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/vocabulary_gguf.h"

#include <fmt/format.h>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

enum TokenType : std::int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4 };

std::int32_t type_of(const VocabularyData& data, std::size_t id) {
  return id < data.token_types.size() ? data.token_types[id] : kNormal;
}

Result<std::vector<BpeMerge>> resolve_merges(const VocabularyData& data) {
  TokenIndex index;
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    index.emplace(data.tokens[id], static_cast<TokenId>(id));
  }
  std::vector<BpeMerge> merges;
  merges.reserve(data.merges.size());
  for (const std::string& line : data.merges) {
    auto merge = resolve_merge_line(index, line, merges.size());
    if (!merge.ok()) return std::move(merge).error();
    merges.push_back(*merge);
  }
  return merges;
}

Error unsupported_model(const std::string& model) {
  return {Error::Kind::unsupported,
          fmt::format("The tokenizer model {} is not supported", quote_for_message(model)),
          "Byte-level BPE (\"gpt2\") is the kind that can be read", "Use a model of a supported family",
          "tokenizer.ggml.model"};
}

}  // namespace

Result<BpeVocabulary> bpe_vocabulary_of_gguf(const VocabularyData& data) {
  if (data.model != "gpt2") return unsupported_model(data.model);
  auto pretokenizer = Pretokenizer::named(data.pre);
  if (!pretokenizer.ok()) return std::move(pretokenizer).error();
  auto merges = resolve_merges(data);
  if (!merges.ok()) return std::move(merges).error();

  BpeVocabulary vocabulary{.tokens = {},
                           .merges = std::move(merges).value(),
                           .added = {},
                           .pretokenizer = std::move(pretokenizer).value(),
                           .prefix = {},
                           .suffix = {},
                           .bos = data.bos,
                           .eos = data.eos,
                           .end_tokens = {}};
  vocabulary.tokens.reserve(data.tokens.size());
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    const std::int32_t type = type_of(data, id);
    const std::string& text = data.tokens[id];
    vocabulary.tokens.push_back(type == kNormal ? token_bytes(text) : text);
    if (type == kUnknown || type == kControl || type == kUserDefined) {
      vocabulary.added.push_back(
          {.id = static_cast<TokenId>(id), .content = text, .special = type != kUserDefined});
    }
  }
  if (data.add_bos && data.bos) vocabulary.prefix.push_back(*data.bos);
  if (data.add_eos && data.eos) vocabulary.suffix.push_back(*data.eos);
  vocabulary.end_tokens = collect_end_tokens({data.eos, data.end_of_turn}, vocabulary.added);
  return vocabulary;
}

}  // namespace pitwall
