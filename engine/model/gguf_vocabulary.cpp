// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_vocabulary.h"

#include <fmt/format.h>

#include "engine/model/first_error.h"

namespace pitwall {

namespace {

Result<std::optional<TokenId>> token_id(const GgufMetadata& metadata, std::string_view key,
                                        std::size_t tokens) {
  if (!metadata.has(key)) return std::optional<TokenId>();
  const auto id = metadata.integer(key);
  if (!id.ok()) return id.error();
  if (*id < 0 || static_cast<std::uint64_t>(*id) >= tokens) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("Metadata key \"{}\" is {}, outside the vocabulary of {} tokens", key, *id, tokens), "",
        "Fetch or convert the model again", std::string(key)};
  }
  return std::optional<TokenId>(static_cast<TokenId>(*id));
}

std::optional<bool> optional_flag(const GgufMetadata& metadata, std::string_view key, FirstError& first) {
  if (!metadata.has(key)) return std::nullopt;
  return first.take(metadata.flag(key));
}

void read_token_types(const GgufMetadata& metadata, VocabularyData& vocabulary, FirstError& first) {
  const std::string_view key = "tokenizer.ggml.token_type";
  if (!metadata.has(key)) return;
  for (const std::int64_t type : first.take(metadata.integers(key, vocabulary.tokens.size()))) {
    if (type < 0 || type > 6) {
      first.keep({Error::Kind::invalid_input,
                  fmt::format("Metadata key \"{}\" holds type {}; types are 0 to 6", key, type), "",
                  "Fetch or convert the model again", std::string(key)});
    }
    vocabulary.token_types.push_back(static_cast<std::int32_t>(type));
  }
}

}  // namespace

Result<VocabularyData> read_gguf_vocabulary(const GgufMetadata& metadata) {
  FirstError first;
  VocabularyData vocabulary;
  vocabulary.model = first.take(metadata.text("tokenizer.ggml.model", "no_vocab"));
  if (first.error()) return *first.error();
  if (vocabulary.model == "no_vocab") return vocabulary;

  vocabulary.source = VocabularyData::Source::gguf;
  vocabulary.name = first.take(metadata.text("general.name", ""));
  vocabulary.pre = first.take(metadata.text("tokenizer.ggml.pre", ""));
  vocabulary.tokens = first.take(metadata.texts("tokenizer.ggml.tokens"));
  const std::size_t tokens = vocabulary.tokens.size();
  read_token_types(metadata, vocabulary, first);
  if (metadata.has("tokenizer.ggml.scores"))
    vocabulary.scores = first.take(metadata.reals("tokenizer.ggml.scores", tokens));
  if (metadata.has("tokenizer.ggml.merges"))
    vocabulary.merges = first.take(metadata.texts("tokenizer.ggml.merges"));

  vocabulary.bos = first.take(token_id(metadata, "tokenizer.ggml.bos_token_id", tokens));
  vocabulary.eos = first.take(token_id(metadata, "tokenizer.ggml.eos_token_id", tokens));
  vocabulary.unknown = first.take(token_id(metadata, "tokenizer.ggml.unknown_token_id", tokens));
  vocabulary.padding = first.take(token_id(metadata, "tokenizer.ggml.padding_token_id", tokens));
  for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    if (const auto id = first.take(token_id(metadata, key, tokens))) vocabulary.ends.push_back(*id);
  }

  vocabulary.add_bos = optional_flag(metadata, "tokenizer.ggml.add_bos_token", first);
  vocabulary.add_eos = optional_flag(metadata, "tokenizer.ggml.add_eos_token", first);
  vocabulary.add_space_prefix = optional_flag(metadata, "tokenizer.ggml.add_space_prefix", first);
  vocabulary.remove_extra_spaces = optional_flag(metadata, "tokenizer.ggml.remove_extra_whitespaces", first);
  const std::string_view charsmap = "tokenizer.ggml.precompiled_charsmap";
  if (metadata.has(charsmap)) vocabulary.charsmap = first.take(metadata.octets(charsmap));
  if (first.error()) return *first.error();
  return vocabulary;
}

}  // namespace pitwall
