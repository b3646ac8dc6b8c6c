// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/word_models.h"

#include "engine/text/token_trie.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

class WordLevel final : public TokenModel {
 public:
  WordLevel(WordVocabulary words, TokenId unknown) : words_(std::move(words)), unknown_(unknown) {}

  void encode(std::string_view piece, Workspace&, std::vector<TokenId>& out) const override {
    const auto found = words_.find(std::string(piece));
    const TokenId id = found == words_.end() ? unknown_ : found->second;
    if (id >= 0) out.push_back(id);
  }
  void encode_invalid(std::string_view, Workspace&, std::vector<TokenId>& out) const override {
    if (unknown_ >= 0) out.push_back(unknown_);
  }

 private:
  const WordVocabulary words_;
  const TokenId unknown_;
};

TokenTrie trie_of(const WordVocabulary& words, std::string_view prefix) {
  std::vector<std::pair<std::string_view, TokenId>> tokens;
  for (const auto& [text, id] : words) {
    if (text.starts_with(prefix)) tokens.emplace_back(std::string_view(text).substr(prefix.size()), id);
  }
  return TokenTrie(std::move(tokens));
}

class WordPiece final : public TokenModel {
 public:
  WordPiece(const WordVocabulary& words, WordPieceOptions options)
      : options_(std::move(options)),
        first_(trie_of(words, "")),
        inside_(trie_of(words, options_.continuing_prefix)) {}

  void encode(std::string_view piece, Workspace&, std::vector<TokenId>& out) const override {
    const std::size_t begin = out.size();
    bool known = utf8_length(piece) <= options_.longest_word;
    for (std::size_t at = 0; known && at < piece.size();) {
      TokenId longest = -1;
      std::size_t length = 0;
      (at == 0 ? first_ : inside_).prefixes(piece.substr(at), [&](std::size_t size, TokenId id) {
        longest = id;
        length = size;
      });
      known = longest >= 0;
      out.push_back(longest);
      at += length;
    }
    if (known) return;
    out.resize(begin);
    if (options_.unknown >= 0) out.push_back(options_.unknown);
  }
  void encode_invalid(std::string_view, Workspace&, std::vector<TokenId>& out) const override {
    if (options_.unknown >= 0) out.push_back(options_.unknown);
  }

 private:
  const WordPieceOptions options_;
  const TokenTrie first_, inside_;
};

}  // namespace

std::shared_ptr<const TokenModel> make_word_level(WordVocabulary words, TokenId unknown) {
  return std::make_shared<WordLevel>(std::move(words), unknown);
}

std::shared_ptr<const TokenModel> make_word_piece(const WordVocabulary& words, WordPieceOptions options) {
  return std::make_shared<WordPiece>(words, std::move(options));
}

}  // namespace pitwall
