// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/character_bpe.h"

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

constexpr char32_t kNoCharacter = 0x110000;
constexpr char32_t kTableSize = 0x3000;

/// Pairs of code points, as a filter that may say yes to a pair that was never put in.
class PairFilter {
 public:
  explicit PairFilter(const std::vector<std::pair<char32_t, char32_t>>& pairs) {
    if (pairs.empty()) return;
    bits_.resize(std::size_t{1} << kBits);
    for (const auto& [left, right] : pairs) bits_[slot(left, right)] = true;
  }
  bool known() const { return !bits_.empty(); }
  bool may_hold(char32_t left, char32_t right) const { return bits_[slot(left, right)]; }

 private:
  static constexpr unsigned kBits = 20;
  static std::size_t slot(char32_t left, char32_t right) {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | right;
    return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15u >> (64 - kBits));
  }
  std::vector<bool> bits_;
};

class CharacterBpe final : public TokenModel {
 public:
  explicit CharacterBpe(CharacterBpeVocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)),
        merges_(vocabulary_.merges),
        joints_(vocabulary_.joints),
        plain_(vocabulary_.continuing_prefix.empty() && vocabulary_.end_suffix.empty()),
        table_(kTableSize, -1) {
    if (!plain_) return;
    for (const auto& [text, id] : vocabulary_.symbols) {
      const Utf8Step step = text.empty() ? Utf8Step{} : utf8_step(text);
      if (step.status != Utf8Step::Status::complete || step.length != text.size()) continue;
      if (step.code < kTableSize) {
        table_[step.code] = id;
      } else {
        rare_.emplace(step.code, id);
      }
    }
  }

  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const override {
    if (!vocabulary_.whole_pieces.empty()) {
      const auto whole = vocabulary_.whole_pieces.find(std::string(piece));
      if (whole != vocabulary_.whole_pieces.end()) {
        out.push_back(whole->second);
        return;
      }
    }
    const std::size_t begin = out.size();
    char32_t before = kNoCharacter;  // kNoCharacter: no cut here
    bool pending_unknown = false;
    for (std::size_t at = 0; at < piece.size();) {
      const Utf8Step step = utf8_step(piece.substr(at));
      const std::string_view character = piece.substr(at, step.length);
      const TokenId symbol = symbol_of(step.code, character, at == 0, at + step.length == piece.size());
      at += step.length;
      if (symbol >= 0) {
        if (pending_unknown) workspace.merges.push(vocabulary_.fallback.unknown);
        pending_unknown = false;
        if (before != kNoCharacter && joints_.known() && !joints_.may_hold(before, step.code))
          merges_.merge(workspace.merges, out);
        workspace.merges.push(symbol);
        before = step.code;
        continue;
      }
      before = kNoCharacter;
      if (push_bytes(character, workspace.merges)) continue;
      if (vocabulary_.fallback.unknown < 0) continue;
      if (pending_unknown && !vocabulary_.fuse_unknown) workspace.merges.push(vocabulary_.fallback.unknown);
      pending_unknown = true;
    }
    if (pending_unknown) workspace.merges.push(vocabulary_.fallback.unknown);
    merges_.merge(workspace.merges, out);
    if (!vocabulary_.fragments.empty()) replace_fragments(begin, out);
  }

  void encode_invalid(std::string_view bytes, Workspace&, std::vector<TokenId>& out) const override {
    if (vocabulary_.fallback.append_bytes(bytes, out)) return;
    if (vocabulary_.fallback.unknown >= 0) out.push_back(vocabulary_.fallback.unknown);
  }

 private:
  TokenId symbol_of(char32_t code, std::string_view character, bool first, bool last) const {
    if (plain_) {
      if (code < kTableSize) return table_[code];
      const auto found = rare_.find(code);
      return found == rare_.end() ? -1 : found->second;
    }
    std::string text(character);
    if (!first) text.insert(0, vocabulary_.continuing_prefix);
    if (last) text += vocabulary_.end_suffix;
    const auto found = vocabulary_.symbols.find(text);
    return found == vocabulary_.symbols.end() ? -1 : found->second;
  }

  bool push_bytes(std::string_view character, BpeMerges::Workspace& symbols) const {
    const auto& bytes = vocabulary_.fallback.bytes;
    if (bytes.empty()) return false;
    for (const char c : character) {
      if (bytes[static_cast<std::uint8_t>(c)] < 0) return false;
    }
    for (const char c : character) symbols.push(bytes[static_cast<std::uint8_t>(c)]);
    return true;
  }

  /// What did not merge into a token falls back as characters that are in no token do.
  void replace_fragments(std::size_t begin, std::vector<TokenId>& out) const {
    const std::vector<TokenId> merged(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
    out.resize(begin);
    const TokenId unknown = vocabulary_.fallback.unknown;
    for (const TokenId token : merged) {
      if (token < vocabulary_.first_fragment) {
        out.push_back(token);
        continue;
      }
      const auto& text = vocabulary_.fragments[static_cast<std::size_t>(token - vocabulary_.first_fragment)];
      if (vocabulary_.fallback.append_bytes(text, out) || unknown < 0) continue;
      const bool fused = vocabulary_.fuse_unknown && out.size() > begin && out.back() == unknown;
      if (!fused) out.push_back(unknown);
    }
  }

  const CharacterBpeVocabulary vocabulary_;
  const BpeMerges merges_;
  const PairFilter joints_;
  const bool plain_;
  std::vector<TokenId> table_;  ///< symbols of low code points
  std::unordered_map<char32_t, TokenId> rare_;
};

}  // namespace

std::shared_ptr<const TokenModel> make_character_bpe(CharacterBpeVocabulary vocabulary) {
  return std::make_shared<CharacterBpe>(std::move(vocabulary));
}

}  // namespace pitwall
