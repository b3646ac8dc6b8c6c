// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/bpe_tokenizer.h"

#include <array>
#include <cstdint>
#include <unordered_map>

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

/// Buffers of one encode call.
struct Workspace {
  Pretokenizer::Workspace pretokenizer;
  BpeMerges::Workspace merges;
};

/// Length of the valid UTF-8 that `text` begins with.
std::size_t valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<std::uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Utf8Step step = utf8_step(text.substr(at));
    if (step.status != Utf8Step::Status::complete) break;
    at += step.length;
  }
  return at;
}

std::vector<bool> added_ids(const BpeVocabulary& vocabulary, bool only_special) {
  std::vector<bool> ids(vocabulary.tokens.size());
  for (const AddedToken& token : vocabulary.added) {
    if (token.special || !only_special) ids[static_cast<std::size_t>(token.id)] = true;
  }
  return ids;
}

std::array<TokenId, 256> tokens_of_bytes(const BpeVocabulary& vocabulary) {
  const std::vector<bool> added = added_ids(vocabulary, false);
  std::array<TokenId, 256> ids{};
  ids.fill(-1);
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string& bytes = vocabulary.tokens[id];
    if (bytes.size() == 1 && !added[id]) ids[static_cast<std::uint8_t>(bytes[0])] = static_cast<TokenId>(id);
  }
  return ids;
}

class BpeTokenizer final : public Tokenizer {
 public:
  explicit BpeTokenizer(BpeVocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)),
        byte_tokens_(tokens_of_bytes(vocabulary_)),
        merges_(vocabulary_.merges, byte_tokens_),
        special_(vocabulary_.added),
        is_special_(added_ids(vocabulary_, true)) {
    if (!vocabulary_.whole_pieces_first) return;
    for (std::size_t id = 0; id < vocabulary_.tokens.size(); ++id) {
      whole_pieces_.emplace(vocabulary_.tokens[id], static_cast<TokenId>(id));
    }
  }

  std::vector<TokenId> encode(std::string_view text, bool add_special, bool parse_special) const override {
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 3 + 8);
    if (add_special) ids.insert(ids.end(), vocabulary_.prefix.begin(), vocabulary_.prefix.end());
    Workspace workspace;
    for (const SpecialTokens::Segment& segment : special_.split(text, parse_special)) {
      if (segment.id >= 0) {
        ids.push_back(segment.id);
      } else {
        encode_plain(segment.text, workspace, ids);
      }
    }
    if (add_special) ids.insert(ids.end(), vocabulary_.suffix.begin(), vocabulary_.suffix.end());
    return ids;
  }

  std::string_view bytes_of(TokenId id) const override {
    return contains(id) ? std::string_view(vocabulary_.tokens[static_cast<std::size_t>(id)])
                        : std::string_view();
  }
  bool is_special(TokenId id) const override {
    return contains(id) && is_special_[static_cast<std::size_t>(id)];
  }
  int size() const override { return static_cast<int>(vocabulary_.tokens.size()); }
  std::optional<TokenId> bos() const override { return vocabulary_.bos; }
  std::optional<TokenId> eos() const override { return vocabulary_.eos; }
  const std::vector<TokenId>& end_tokens() const override { return vocabulary_.end_tokens; }

 private:
  bool contains(TokenId id) const { return id >= 0 && id < size(); }

  /// The patterns see valid UTF-8 only; a byte that is part of no character becomes its own token.
  void encode_plain(std::string_view text, Workspace& workspace, std::vector<TokenId>& ids) const {
    while (!text.empty()) {
      const std::size_t valid = valid_prefix(text);
      encode_valid(text.substr(0, valid), workspace, ids);
      if (valid == text.size()) return;
      const TokenId token = byte_tokens_[static_cast<std::uint8_t>(text[valid])];
      if (token >= 0) ids.push_back(token);
      text.remove_prefix(valid + 1);
    }
  }

  void encode_valid(std::string_view text, Workspace& workspace, std::vector<TokenId>& ids) const {
    vocabulary_.pretokenizer.split(text, workspace.pretokenizer);
    for (const std::string_view piece : workspace.pretokenizer.pieces) {
      const auto whole = whole_pieces_.find(piece);
      if (whole != whole_pieces_.end()) {
        ids.push_back(whole->second);
      } else {
        merges_.encode(piece, workspace.merges, ids);
      }
    }
  }

  const BpeVocabulary vocabulary_;
  const std::array<TokenId, 256> byte_tokens_;
  const BpeMerges merges_;
  const SpecialTokens special_;
  const std::vector<bool> is_special_;
  std::unordered_map<std::string_view, TokenId> whole_pieces_;  ///< empty unless whole_pieces_first
};

}  // namespace

std::shared_ptr<const Tokenizer> make_bpe_tokenizer(BpeVocabulary vocabulary) {
  return std::make_shared<BpeTokenizer>(std::move(vocabulary));
}

}  // namespace pitwall
