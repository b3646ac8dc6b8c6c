// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_vocabulary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/text/bpe_vocabulary.h"
#include "engine/text/character_bpe.h"
#include "engine/text/sentencepiece_normalizer.h"
#include "engine/text/text_search.h"
#include "engine/text/unigram.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

using Type = SentencePiece::Type;

/// How far SentencePiece puts an unknown character below the least likely piece.
constexpr float kUnknownPenalty = 10;

bool is_text(const SentencePiece& piece) {
  return piece.type == Type::normal || piece.type == Type::user_defined || piece.type == Type::unused;
}

std::vector<TokenId> byte_tokens(const std::vector<SentencePiece>& pieces) {
  TokenIndex index;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].type == Type::byte) index.emplace(pieces[id].text, static_cast<TokenId>(id));
  }
  return index.empty() ? std::vector<TokenId>() : fallback_bytes(index);
}

/// The symbols that merging starts from: characters that are pieces, and fragments for those that only occur
/// inside of pieces.
void collect_symbols(const std::vector<SentencePiece>& pieces, CharacterBpeVocabulary& vocabulary) {
  vocabulary.first_fragment = static_cast<TokenId>(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (is_text(pieces[id]) && utf8_length(pieces[id].text) == 1)
      vocabulary.symbols.emplace(pieces[id].text, static_cast<TokenId>(id));
  }
  for (const SentencePiece& piece : pieces) {
    if (!is_text(piece)) continue;
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::string character(rest.substr(0, utf8_step(rest).length));
      rest.remove_prefix(character.size());
      const auto fragment = vocabulary.first_fragment + static_cast<TokenId>(vocabulary.fragments.size());
      if (vocabulary.symbols.emplace(character, fragment).second) vocabulary.fragments.push_back(character);
    }
  }
}

/// Every way to join two symbols to a piece. Pieces longer than this have been seen nowhere; the bound keeps
/// the work linear in the file.
constexpr std::size_t kLongestMerged = 512;

void collect_merges(const std::vector<SentencePiece>& pieces, CharacterBpeVocabulary& vocabulary) {
  TokenIndex index;
  for (const auto& [text, symbol] : vocabulary.symbols) index.emplace(text, symbol);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (is_text(pieces[id])) index.emplace(pieces[id].text, static_cast<TokenId>(id));
  }
  // Equal scores are equal ranks.
  std::vector<TokenId> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](TokenId id) {
    const float value = pieces[static_cast<std::size_t>(id)].score;
    return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;  // sorting needs an order
  };
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return score(a) > score(b); });
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && score(order[i]) < score(order[i - 1])) ++rank;
    const std::string_view text = pieces[static_cast<std::size_t>(order[i])].text;
    const auto merged = index.find(text);
    if (merged == index.end() || merged->second != order[i] || text.size() > kLongestMerged) continue;
    for (std::size_t cut = utf8_step(text).length; cut < text.size();
         cut += utf8_step(text.substr(cut)).length) {
      const auto left = index.find(text.substr(0, cut)), right = index.find(text.substr(cut));
      if (left == index.end() || right == index.end()) continue;
      vocabulary.merges.push_back({left->second, right->second, order[i], rank});
      vocabulary.joints.emplace_back(utf8_step(last_code_point(text.substr(0, cut))).code,
                                     utf8_step(text.substr(cut)).code);
    }
  }
}

class KeepingModel final : public TokenModel {
 public:
  KeepingModel(std::shared_ptr<const TokenModel> model, std::vector<AddedToken> kept)
      : model_(std::move(model)), kept_(std::move(kept)) {}
  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const override {
    for (const SpecialTokens::Segment& segment : kept_.split(piece, true)) {
      if (segment.id >= 0) {
        out.push_back(segment.id);
      } else {
        model_->encode(segment.text, workspace, out);
      }
    }
  }
  void encode_invalid(std::string_view bytes, Workspace& workspace,
                      std::vector<TokenId>& out) const override {
    model_->encode_invalid(bytes, workspace, out);
  }

 private:
  const std::shared_ptr<const TokenModel> model_;
  const SpecialTokens kept_;
};

}  // namespace

std::shared_ptr<const TokenModel> make_keeping(std::shared_ptr<const TokenModel> model,
                                               std::vector<AddedToken> kept) {
  if (kept.empty()) return model;
  return std::make_shared<KeepingModel>(std::move(model), std::move(kept));
}

std::shared_ptr<const TokenModel> make_scored_bpe(const std::vector<SentencePiece>& pieces, TokenId unknown) {
  CharacterBpeVocabulary vocabulary;
  collect_symbols(pieces, vocabulary);
  collect_merges(pieces, vocabulary);
  vocabulary.fallback = {byte_tokens(pieces), unknown};
  vocabulary.fuse_unknown = true;
  return make_character_bpe(std::move(vocabulary));
}

std::shared_ptr<const TokenModel> make_scored_unigram(const std::vector<SentencePiece>& pieces,
                                                      const ScoredUnigramOptions& options) {
  float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
  for (const SentencePiece& piece : pieces) {
    if (piece.type != Type::normal) continue;
    least = std::min(least, piece.score);
    most = std::max(most, piece.score);
  }
  UnigramVocabulary vocabulary;
  vocabulary.unknown_score = least - kUnknownPenalty;
  vocabulary.single_precision = options.as_sentencepiece;
  vocabulary.fallback.unknown = options.unknown;
  if (options.byte_fallback) vocabulary.fallback.bytes = byte_tokens(pieces);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const SentencePiece& piece = pieces[id];
    if (!is_text(piece) || (options.as_sentencepiece && piece.type == Type::unused)) continue;
    // User-defined pieces are to be preferred; scores are negative.
    const double score = piece.type == Type::user_defined ? 0.0 : piece.score;
    vocabulary.tokens.push_back({piece.text, static_cast<TokenId>(id), score});
  }
  return make_unigram(std::move(vocabulary));
}

TokenRendering render_pieces(const std::vector<SentencePiece>& pieces, bool drops_space) {
  TokenRendering rendering;
  rendering.bytes.reserve(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const SentencePiece& piece = pieces[id];
    std::string bytes = piece.text;
    if (piece.type == Type::byte) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        if (piece.text == fallback_byte_name(byte)) bytes = std::string(1, static_cast<char>(byte));
      }
    } else if (is_text(piece)) {
      bytes = replace_all(piece.text, kEscapedSpace, " ");
    }
    if (drops_space && bytes.starts_with(' '))
      rendering.first_bytes.emplace(static_cast<TokenId>(id), bytes.substr(1));
    rendering.bytes.push_back(std::move(bytes));
  }
  return rendering;
}

}  // namespace pitwall
