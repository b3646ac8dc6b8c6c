// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/vocabulary_gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text_escape.h"
#include "engine/text/bpe_vocabulary.h"
#include "engine/text/byte_bpe.h"
#include "engine/text/character_bpe.h"
#include "engine/text/gguf_pretokenizers.h"
#include "engine/text/sentencepiece_normalizer.h"
#include "engine/text/sentencepiece_vocabulary.h"
#include "engine/text/tokenizer_config.h"
#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

using Type = SentencePiece::Type;

/// llama.cpp takes tokens of these names for control tokens whatever their type is.
constexpr std::array<std::string_view, 46> kControlNames = {"<|eot_id|>",
                                                            "<|im_end|>",
                                                            "<|end|>",
                                                            "<end_of_turn>",
                                                            "<|endoftext|>",
                                                            "<|end_of_text|>",
                                                            "<EOT>",
                                                            "_<EOT>",
                                                            "[EOT]",
                                                            "<｜end▁of▁sentence｜>",
                                                            "<end_of_utterance>",
                                                            "<|eom_id|>",
                                                            "<|fim_prefix|>",
                                                            "<fim-prefix>",
                                                            "<fim_prefix>",
                                                            "<｜fim▁begin｜>",
                                                            "<PRE>",
                                                            "▁<PRE>",
                                                            "<|code_prefix|>",
                                                            "<|prefix|>",
                                                            "<|fim_suffix|>",
                                                            "<fim-suffix>",
                                                            "<fim_suffix>",
                                                            "<｜fim▁hole｜>",
                                                            "<SUF>",
                                                            "▁<SUF>",
                                                            "<|code_suffix|>",
                                                            "<|suffix|>",
                                                            "<|fim_middle|>",
                                                            "<fim-middle>",
                                                            "<fim_middle>",
                                                            "<｜fim▁end｜>",
                                                            "<MID>",
                                                            "▁<MID>",
                                                            "<|code_middle|>",
                                                            "<|middle|>",
                                                            "<|fim_pad|>",
                                                            "<fim-pad>",
                                                            "<fim_pad>",
                                                            "<PAD>",
                                                            "[PAD]",
                                                            "<|fim_repo|>",
                                                            "<|repo_name|>",
                                                            "<fim-repo>",
                                                            "<reponame>",
                                                            "<|file_sep|>"};

std::vector<SentencePiece> pieces_of(const VocabularyData& data) {
  std::vector<SentencePiece> pieces;
  pieces.reserve(data.tokens.size());
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    const std::int32_t type = id < data.token_types.size() ? data.token_types[id] : 1;
    SentencePiece piece{.text = data.tokens[id],
                        .score = id < data.scores.size() ? data.scores[id] : 0,
                        .type = static_cast<Type>(std::max(type, 1))};
    const bool control =
        std::find(kControlNames.begin(), kControlNames.end(), piece.text) != kControlNames.end();
    if (control) piece.type = Type::control;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// GGUF has no place for the flags of added tokens. llama.cpp knows one family by the model's name, whose
/// tokens take the white space behind them along.
bool strips_behind(const VocabularyData& data, std::string_view token) {
  const std::string name = to_lower(data.name);
  const bool phi3 = name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
  return phi3 && token != "<unk>" && token != "<s>" && token != "<|endoftext|>";
}

std::vector<AddedToken> added_tokens(const VocabularyData& data, const std::vector<SentencePiece>& pieces) {
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const Type type = pieces[id].type;
    if (type == Type::unknown || type == Type::control || type == Type::user_defined) {
      added.push_back({.id = static_cast<TokenId>(id),
                       .content = pieces[id].text,
                       .special = type != Type::user_defined,
                       .right_strip = strips_behind(data, pieces[id].text)});
    }
  }
  return added;
}

void put_around(const VocabularyData& data, bool add_bos, bool add_eos, TokenizerParts& parts) {
  parts.bos = data.bos;
  parts.eos = data.eos;
  if (data.add_bos.value_or(add_bos) && data.bos) parts.prefix.push_back(*data.bos);
  if (data.add_eos.value_or(add_eos) && data.eos) parts.suffix.push_back(*data.eos);
  finish_end_tokens(parts, data);
}

// ---- "gpt2" and "gemma4": merges ----

/// Of two lines that name the same pair the first counts.
Result<std::vector<BpeMerge>> resolve_merges(const VocabularyData& data, const TokenIndex& index) {
  std::vector<BpeMerge> merges;
  merges.reserve(data.merges.size());
  for (const std::string& line : data.merges) {
    // The left token may begin with a space, so the first character is no separator.
    const std::size_t space = line.find(' ', 1);
    const std::string_view text = line;
    auto merge = space == std::string::npos
                     ? resolve_merge_line(index, line, merges.size())
                     : resolve_merge(index, text.substr(0, space), text.substr(space + 1), merges.size());
    if (!merge.ok()) return std::move(merge).error();
    merges.push_back(*merge);
  }
  std::reverse(merges.begin(), merges.end());
  return merges;
}

std::shared_ptr<const TokenModel> byte_model(const TokenIndex& index, std::vector<BpeMerge> merges,
                                             bool whole_pieces_first) {
  ByteBpeVocabulary vocabulary{byte_tokens_of_alphabet(index), std::move(merges), {}};
  for (const auto& [text, id] : index) {
    if (whole_pieces_first) vocabulary.whole_pieces.emplace_back(token_bytes(text), id);
  }
  return make_byte_bpe(std::move(vocabulary));
}

/// Runs of line ends are cut out by the pattern and become a token where there is one.
std::shared_ptr<const TokenModel> character_model(const VocabularyData& data, const TokenIndex& index,
                                                  std::vector<BpeMerge> merges) {
  CharacterBpeVocabulary vocabulary;
  for (const auto& [text, id] : index) {
    if (utf8_length(text) == 1) vocabulary.symbols.emplace(text, id);
    if (text.find_first_not_of('\n') == std::string_view::npos) vocabulary.whole_pieces.emplace(text, id);
  }
  vocabulary.joints = joints_of(merges, data.tokens);
  vocabulary.merges = std::move(merges);
  vocabulary.fallback.bytes = fallback_bytes(index);
  return make_character_bpe(std::move(vocabulary));
}

Result<TokenizerParts> read_merged(const VocabularyData& data) {
  auto named = gguf_pretokenizer(data.model == "gemma4" ? std::string_view("gemma4") : data.pre);
  if (!named.ok()) return std::move(named).error();
  TokenizerParts parts;
  auto pretokenizer = Pretokenizer::compile(named->patterns);
  if (!pretokenizer.ok()) return std::move(pretokenizer).error();
  parts.pretokenizer = std::move(pretokenizer).value();

  const TokenIndex index = index_of(data.tokens);
  auto merges = resolve_merges(data, index);
  if (!merges.ok()) return std::move(merges).error();
  const std::vector<SentencePiece> pieces = pieces_of(data);
  parts.added = added_tokens(data, pieces);
  if (named->byte_level) {
    parts.model = byte_model(index, std::move(merges).value(), named->whole_pieces_first);
    for (const SentencePiece& piece : pieces)
      parts.rendering.bytes.push_back(piece.type == Type::normal ? token_bytes(piece.text) : piece.text);
  } else {
    parts.normalizer.steps.push_back(replace_step(" ", std::string(kEscapedSpace)));
    parts.model = character_model(data, index, std::move(merges).value());
    parts.rendering = render_pieces(pieces, false);
  }
  put_around(data, named->add_bos, false, parts);
  return parts;
}

// ---- "llama" and "t5": scores ----

Error no_scores(const VocabularyData& data) {
  return {Error::Kind::invalid_input,
          fmt::format("The vocabulary of {} tokens has no scores", data.tokens.size()),
          "A vocabulary of this kind cannot be read without them", "Convert the model again",
          "tokenizer.ggml.scores"};
}

TokenizerParts read_llama(const VocabularyData& data) {
  TokenizerParts parts;
  const std::vector<SentencePiece> pieces = pieces_of(data);
  const bool adds_space = data.add_space_prefix.value_or(true);
  if (adds_space) parts.normalizer.steps.push_back(prepend_step(" "));
  parts.normalizer.steps.push_back(replace_step(" ", std::string(kEscapedSpace)));
  parts.model = make_scored_bpe(pieces, data.unknown.value_or(0));
  parts.rendering = render_pieces(pieces, adds_space);
  parts.added = added_tokens(data, pieces);
  put_around(data, true, false, parts);
  return parts;
}

Result<TokenizerParts> read_t5(const VocabularyData& data) {
  TokenizerParts parts;
  const std::vector<SentencePiece> pieces = pieces_of(data);
  const bool adds_space = data.add_space_prefix.value_or(false);
  SentencePieceNormalization normalization{.map = {},
                                           .dummy_prefix = adds_space,
                                           .remove_extra_spaces = data.remove_extra_spaces.value_or(false),
                                           .kept = {}};
  if (!data.charsmap.empty()) {
    auto map = CharacterMap::from_blob(data.charsmap);
    if (!map.ok()) return std::move(map).error();
    normalization.map = std::move(map).value();
  }
  parts.normalizer.steps.push_back(sentencepiece_step(std::move(normalization)));
  parts.model = make_scored_unigram(pieces, {.unknown = data.unknown.value_or(2), .as_sentencepiece = false});
  parts.rendering = render_pieces(pieces, adds_space);
  parts.added = added_tokens(data, pieces);
  put_around(data, false, true, parts);
  return parts;
}

}  // namespace

Result<TokenizerParts> read_gguf_tokenizer(const VocabularyData& data) {
  if (data.model == "gpt2" || data.model == "gemma4") return read_merged(data);
  if (data.model == "llama" || data.model == "t5") {
    if (data.scores.empty()) return no_scores(data);
    return data.model == "llama" ? Result<TokenizerParts>(read_llama(data)) : read_t5(data);
  }
  return Error{Error::Kind::unsupported,
               fmt::format("The tokenizer model {} is not supported", quote_for_message(data.model)),
               "\"gpt2\", \"llama\", \"t5\" and \"gemma4\" can be read", "Use a model of a supported family",
               "tokenizer.ggml.model"};
}

}  // namespace pitwall
