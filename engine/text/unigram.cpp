// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/unigram.h"

#include <algorithm>

#include "engine/text/token_trie.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

constexpr TokenId kUnknownStep = -1;

TokenTrie trie_of(const UnigramVocabulary& vocabulary) {
  std::vector<std::pair<std::string_view, TokenId>> tokens;
  tokens.reserve(vocabulary.tokens.size());
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i)
    tokens.emplace_back(vocabulary.tokens[i].text, static_cast<TokenId>(i));
  return TokenTrie(std::move(tokens));
}

class Unigram final : public TokenModel {
 public:
  explicit Unigram(UnigramVocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)), trie_(trie_of(vocabulary_)) {}

  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const override {
    if (piece.empty()) return;
    find_best(piece, workspace.steps);
    const std::size_t begin = out.size();
    // From the end to the start; the ids of one stretch are put in reverse too.
    std::size_t unknown_end = 0;
    const auto end_unknown = [&](std::size_t from) {
      if (unknown_end > 0) append_unknown(piece.substr(from, unknown_end - from), out);
      unknown_end = 0;
    };
    for (std::size_t end = piece.size(); end > 0;) {
      const Step& step = workspace.steps[end];
      const auto from = static_cast<std::size_t>(step.from);
      if (step.id == kUnknownStep) {
        if (!vocabulary_.fuse_unknown) end_unknown(end);
        if (unknown_end == 0) unknown_end = end;
      } else {
        end_unknown(end);
        out.push_back(vocabulary_.tokens[static_cast<std::size_t>(step.id)].id);
      }
      end = from;
    }
    end_unknown(0);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  }

  void encode_invalid(std::string_view bytes, Workspace&, std::vector<TokenId>& out) const override {
    if (vocabulary_.fallback.append_bytes(bytes, out)) return;
    if (vocabulary_.fallback.unknown >= 0) out.push_back(vocabulary_.fallback.unknown);
  }

 private:
  void find_best(std::string_view piece, std::vector<Step>& steps) const {
    steps.assign(piece.size() + 1, {0, -1, kUnknownStep});
    steps[0].from = 0;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t length = utf8_step(piece.substr(at)).length;
      const double before = steps[at].score;
      bool character_is_token = false;
      const auto offer = [&](std::size_t end, double score, TokenId token) {
        double sum = before + score;
        if (vocabulary_.single_precision) sum = static_cast<float>(sum);
        Step& step = steps[end];
        if (step.from < 0 || sum > step.score) step = {sum, static_cast<std::int32_t>(at), token};
      };
      trie_.prefixes(piece.substr(at), [&](std::size_t size, TokenId token) {
        offer(at + size, vocabulary_.tokens[static_cast<std::size_t>(token)].score, token);
        character_is_token |= size == length;
      });
      if (!character_is_token) offer(at + length, vocabulary_.unknown_score, kUnknownStep);
      at += length;
    }
  }

  void append_unknown(std::string_view text, std::vector<TokenId>& reversed) const {
    const std::size_t begin = reversed.size();
    if (vocabulary_.fallback.append_bytes(text, reversed)) {
      std::reverse(reversed.begin() + static_cast<std::ptrdiff_t>(begin), reversed.end());
    } else if (vocabulary_.fallback.unknown >= 0) {
      reversed.push_back(vocabulary_.fallback.unknown);
    }
  }

  const UnigramVocabulary vocabulary_;
  const TokenTrie trie_;
};

}  // namespace

std::shared_ptr<const TokenModel> make_unigram(UnigramVocabulary vocabulary) {
  return std::make_shared<Unigram>(std::move(vocabulary));
}

}  // namespace pitwall
