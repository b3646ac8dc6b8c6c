// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/text/sentencepiece_normalizer.h"
#include "engine/text/sentencepiece_vocabulary.h"
#include "engine/text/tokenizer_config.h"

namespace pitwall {

namespace {

using Type = SentencePiece::Type;
using Kind = SentencePieceModel::Kind;

/// Added tokens lie behind the pieces, up to this many of them.
constexpr std::size_t kMostAdded = 1 << 20;

std::vector<AddedToken> user_defined(const SentencePieceModel& model) {
  std::vector<AddedToken> tokens;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].type == Type::user_defined)
      tokens.push_back({.id = static_cast<TokenId>(id), .content = model.pieces[id].text});
  }
  return tokens;
}

/// Control pieces, and what the configuration adds or describes better.
Result<std::vector<AddedToken>> added_tokens(SentencePieceModel& model, const TokenizerConfig& config) {
  std::vector<AddedToken> added = config.added;
  const auto described = [&](TokenId id) {
    return std::any_of(added.begin(), added.end(), [&](const AddedToken& t) { return t.id == id; });
  };
  const std::size_t pieces = model.pieces.size();
  for (std::size_t i = 0; i < pieces; ++i) {
    const bool special = model.pieces[i].type == Type::control || model.pieces[i].type == Type::unknown;
    const auto id = static_cast<TokenId>(i);
    if (special && !described(id))
      added.push_back({.id = id, .content = model.pieces[i].text, .special = true});
  }
  for (const AddedToken& token : added) {
    const auto id = static_cast<std::size_t>(token.id);
    if (id >= pieces + kMostAdded) {
      return Error{Error::Kind::invalid_input,
                   fmt::format("The added token {} has the id {}, far outside the vocabulary of {} pieces",
                               quote_for_message(token.content), token.id, pieces),
                   "The configuration belongs to another model", "Fetch the model again",
                   "added_tokens_decoder"};
    }
    if (id >= model.pieces.size()) model.pieces.resize(id + 1, {"", 0, Type::control});
    if (id >= pieces) model.pieces[id].text = token.content;
  }
  return added;
}

std::optional<TokenId> id_of(const SentencePieceModel& model, const std::string& name, int id) {
  if (!name.empty()) {
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
      if (model.pieces[i].text == name) return static_cast<TokenId>(i);
    }
  }
  return id < 0 ? std::nullopt : std::optional<TokenId>(id);
}

}  // namespace

Result<TokenizerParts> read_sentencepiece_tokenizer(const VocabularyData& data) {
  auto read = read_sentencepiece(data.sentencepiece);
  if (!read.ok()) return std::move(read).error();
  SentencePieceModel& model = *read;
  if (model.kind != Kind::bpe && model.kind != Kind::unigram) {
    return Error{Error::Kind::unsupported,
                 fmt::format("The SentencePiece model type {} is not supported",
                             model.kind == Kind::word ? "word" : "char"),
                 "Unigram and BPE can be read", "Use a model of a supported family",
                 data.sentencepiece.string()};
  }
  const auto config = read_tokenizer_config(data.tokenizer_config_json);
  if (!config.ok()) return config.error();

  TokenizerParts parts;
  SentencePieceNormalization normalization{.map = {},
                                           .dummy_prefix = model.dummy_prefix,
                                           .remove_extra_spaces = model.remove_extra_spaces,
                                           .escape_spaces = model.escape_spaces,
                                           .space_as_suffix = model.space_as_suffix,
                                           .kept = user_defined(model)};
  if (!model.charsmap.empty()) {
    auto map = CharacterMap::from_blob(model.charsmap);
    if (!map.ok()) return std::move(map).error();
    normalization.map = std::move(map).value();
  }
  parts.normalizer.steps.push_back(sentencepiece_step(std::move(normalization)));
  parts.prefix_once = config->legacy == false;
  const bool bpe = model.kind == Kind::bpe;
  parts.model = make_keeping(bpe ? make_scored_bpe(model.pieces, model.unknown)
                                 : make_scored_unigram(model.pieces, {.unknown = model.unknown,
                                                                      .byte_fallback = model.byte_fallback}),
                             user_defined(model));
  auto added = added_tokens(model, *config);
  if (!added.ok()) return std::move(added).error();
  parts.added = std::move(added).value();
  parts.rendering = render_pieces(model.pieces, model.dummy_prefix && !model.space_as_suffix);

  parts.bos = id_of(model, config->bos, model.bos);
  parts.eos = id_of(model, config->eos, model.eos);
  if (config->add_bos.value_or(bpe) && parts.bos) parts.prefix = {*parts.bos};
  if (config->add_eos.value_or(!bpe) && parts.eos) parts.suffix = {*parts.eos};
  finish_end_tokens(parts, data);
  return parts;
}

}  // namespace pitwall
