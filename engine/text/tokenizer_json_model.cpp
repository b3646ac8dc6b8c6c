// SPDX-License-Identifier: GPL-3.0-or-later
// Models of tokenizer.json.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/text/bpe_vocabulary.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/byte_bpe.h"
#include "engine/text/character_bpe.h"
#include "engine/text/tokenizer_json_parts.h"
#include "engine/text/unigram.h"
#include "engine/text/utf8.h"
#include "engine/text/word_models.h"

namespace pitwall::tokenizer_json {

namespace {

using nlohmann::json;
using ModelResult = Result<std::shared_ptr<const TokenModel>>;

/// How far SentencePiece puts an unknown character below the least likely token.
constexpr double kUnknownPenalty = 10;

/// A model of text behind a byte-level pre-tokenizer: it sees the byte alphabet.
class AlphabetModel final : public TokenModel {
 public:
  explicit AlphabetModel(std::shared_ptr<const TokenModel> model) : model_(std::move(model)) {}
  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const override {
    model_->encode(alphabet_from_bytes(piece), workspace, out);
  }
  void encode_invalid(std::string_view bytes, Workspace& workspace,
                      std::vector<TokenId>& out) const override {
    encode(bytes, workspace, out);
  }

 private:
  std::shared_ptr<const TokenModel> model_;
};

std::string model_type(const json& model) {
  if (const std::string type = type_of(model); !type.empty()) return type;
  // Files of the first versions do not say.
  if (model.contains("merges")) return "BPE";
  return model.at("vocab").is_array() ? "Unigram" : "WordPiece";
}

TokenId find(const TokenIndex& index, std::string_view text) {
  const auto found = index.find(text);
  return found == index.end() ? -1 : found->second;
}

/// The named unknown token; an error when it is no token.
Result<TokenId> unknown_token(const json& model, const TokenIndex& index, std::string_view fallback) {
  const std::string name = text(model, "unk_token", std::string(fallback));
  if (name.empty()) return TokenId{-1};
  const TokenId id = find(index, name);
  if (id < 0 && model.contains("unk_token") && !model.at("unk_token").is_null())
    return damaged(fmt::format("The unknown token {} is not in the vocabulary", quote_for_message(name)));
  return id;
}

Result<std::vector<BpeMerge>> read_merges(const json& model, const TokenIndex& index,
                                          std::size_t prefix_characters) {
  std::vector<BpeMerge> merges;
  const json& lines = model.at("merges");
  if (!lines.is_array()) return damaged("\"merges\" is no list");
  merges.reserve(lines.size());
  for (const json& line : lines) {
    const std::size_t rank = merges.size();
    auto merge = line.is_array()
                     ? resolve_merge(index, line.at(0).get_ref<const std::string&>(),
                                     line.at(1).get_ref<const std::string&>(), rank, prefix_characters)
                     : resolve_merge_line(index, line.get_ref<const std::string&>(), rank, prefix_characters);
    if (!merge.ok()) return std::move(merge).error();
    merges.push_back(*merge);
  }
  return merges;
}

/// Null when the bytes alone do not say what becomes of a piece.
ModelResult read_plain_byte_bpe(const json& model, const TokenIndex& index) {
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!text(model, affix, "").empty()) return std::shared_ptr<const TokenModel>();
  }
  ByteBpeVocabulary vocabulary{byte_tokens_of_alphabet(index), {}, {}};
  const bool complete = *std::min_element(vocabulary.bytes.begin(), vocabulary.bytes.end()) >= 0;
  const bool drops_bytes = text(model, "unk_token", "").empty() && !flag(model, "byte_fallback", false);
  if (!complete && !drops_bytes) return std::shared_ptr<const TokenModel>();
  auto merges = read_merges(model, index, 0);
  if (!merges.ok()) return std::move(merges).error();
  vocabulary.merges = std::move(merges).value();
  if (flag(model, "ignore_merges", false)) {
    for (const auto& [token, id] : index) vocabulary.whole_pieces.emplace_back(token_bytes(token), id);
  }
  return make_byte_bpe(std::move(vocabulary));
}

ModelResult read_character_bpe(const json& model, const TokenTexts& texts, const TokenIndex& index) {
  CharacterBpeVocabulary vocabulary;
  vocabulary.continuing_prefix = text(model, "continuing_subword_prefix", "");
  vocabulary.end_suffix = text(model, "end_of_word_suffix", "");
  auto merges = read_merges(model, index, utf8_length(vocabulary.continuing_prefix));
  if (!merges.ok()) return std::move(merges).error();
  auto unknown = unknown_token(model, index, "");
  if (!unknown.ok()) return std::move(unknown).error();

  const bool plain = vocabulary.continuing_prefix.empty() && vocabulary.end_suffix.empty();
  const bool whole = flag(model, "ignore_merges", false);
  for (const auto& [token, id] : index) {
    if (!plain || utf8_length(token) == 1) vocabulary.symbols.emplace(token, id);
    if (whole) vocabulary.whole_pieces.emplace(token, id);
  }
  if (plain) vocabulary.joints = joints_of(*merges, texts);
  vocabulary.merges = std::move(merges).value();
  vocabulary.fallback.unknown = *unknown;
  if (flag(model, "byte_fallback", false)) vocabulary.fallback.bytes = fallback_bytes(index);
  vocabulary.fuse_unknown = flag(model, "fuse_unk", false);
  return make_character_bpe(std::move(vocabulary));
}

ModelResult read_unigram(const json& model, const TokenTexts& texts, const TokenIndex& index) {
  UnigramVocabulary vocabulary;
  double least = std::numeric_limits<double>::infinity();
  for (const json& entry : model.at("vocab")) {
    const auto id = static_cast<TokenId>(vocabulary.tokens.size());
    const double score = entry.at(1).get<double>();
    vocabulary.tokens.push_back({texts[static_cast<std::size_t>(id)], id, score});
    least = std::min(least, score);
  }
  if (const auto unknown = model.find("unk_id"); unknown != model.end() && !unknown->is_null()) {
    const auto id = unknown->get<std::int64_t>();
    if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.tokens.size())
      return damaged(
          fmt::format("\"unk_id\" is {}, outside the vocabulary of {} tokens", id, vocabulary.tokens.size()));
    vocabulary.fallback.unknown = static_cast<TokenId>(id);
  }
  vocabulary.unknown_score = (vocabulary.tokens.empty() ? 0 : least) - kUnknownPenalty;
  if (flag(model, "byte_fallback", false)) vocabulary.fallback.bytes = fallback_bytes(index);
  return make_unigram(std::move(vocabulary));
}

ModelResult read_words(const json& model, const std::string& type, const TokenIndex& index) {
  WordVocabulary words;
  for (const auto& [token, id] : index) words.emplace(token, id);
  auto unknown = unknown_token(model, index, type == "WordPiece" ? "[UNK]" : "<unk>");
  if (!unknown.ok()) return std::move(unknown).error();
  if (type == "WordLevel") return make_word_level(std::move(words), *unknown);
  WordPieceOptions options{.continuing_prefix = text(model, "continuing_subword_prefix", "##"),
                           .longest_word = model.value("max_input_chars_per_word", std::size_t{100}),
                           .unknown = *unknown};
  return make_word_piece(words, std::move(options));
}

/// A model of text, behind a byte-level pre-tokenizer where there is one.
ModelResult behind(bool byte_level, ModelResult model) {
  if (!model.ok() || !byte_level) return model;
  return std::shared_ptr<const TokenModel>(std::make_shared<AlphabetModel>(std::move(model).value()));
}

}  // namespace

Result<TokenTexts> read_model_tokens(const json& model) {
  TokenTexts texts;
  const json& vocab = model.at("vocab");
  if (model_type(model) == "Unigram") {
    if (!vocab.is_array()) return damaged("The vocabulary of a Unigram model is no list");
    for (const json& entry : vocab) texts.push_back(entry.at(0).get<std::string>());
    return texts;
  }
  if (!vocab.is_object()) return damaged("The vocabulary is no object of texts and ids");
  for (const auto& [token, id] : vocab.items()) {
    if (auto placed = place_token(texts, id.get<std::int64_t>(), token); !placed.ok()) return placed.error();
  }
  return texts;
}

ModelResult read_model(const json& model, const TokenTexts& texts, bool byte_level) {
  const std::string type = model_type(model);
  const TokenIndex index = index_of(texts);
  if (const auto dropout = model.find("dropout");
      dropout != model.end() && dropout->is_number() && dropout->get<double>() != 0)
    return unsupported("model option", "dropout");
  if (type == "BPE") {
    if (byte_level) {
      auto plain = read_plain_byte_bpe(model, index);
      if (!plain.ok() || *plain != nullptr) return plain;
    }
    return behind(byte_level, read_character_bpe(model, texts, index));
  }
  if (type == "Unigram") return behind(byte_level, read_unigram(model, texts, index));
  if (type == "WordLevel" || type == "WordPiece") return behind(byte_level, read_words(model, type, index));
  return unsupported("model", type);
}

}  // namespace pitwall::tokenizer_json
