// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/pipeline_tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

/// Files often name one end token only, while the chat template closes a turn with another.
constexpr std::array<std::string_view, 17> kEndNames = {"<|im_end|>",
                                                        "<|endoftext|>",
                                                        "<|end_of_text|>",
                                                        "<|eot_id|>",
                                                        "<|eom_id|>",
                                                        "<|end|>",
                                                        "<|end_of_turn|>",
                                                        "<end_of_turn>",
                                                        "<|EOT|>",
                                                        "<|eot|>",
                                                        "<|eom|>",
                                                        "<|return|>",
                                                        "<|call|>",
                                                        "<turn|>",
                                                        "<EOT>",
                                                        "<|END_OF_TURN_TOKEN|>",
                                                        "<｜end▁of▁sentence｜>"};

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

std::vector<AddedToken> raw_tokens(const TokenizerParts& parts) {
  std::vector<AddedToken> tokens = parts.added;
  std::erase_if(tokens, [](const AddedToken& token) { return token.normalized; });
  return tokens;
}

std::vector<AddedToken> normalized_tokens(const TokenizerParts& parts) {
  std::vector<AddedToken> tokens;
  for (AddedToken token : parts.added) {
    if (!token.normalized) continue;
    token.content = parts.normalizer.apply(token.content, true);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerParts parts)
      : parts_(std::move(parts)),
        raw_(raw_tokens(parts_)),
        normalized_(normalized_tokens(parts_)),
        special_(parts_.rendering.bytes.size()) {
    for (const AddedToken& token : parts_.added) {
      if (token.special && contains(token.id)) special_[static_cast<std::size_t>(token.id)] = true;
    }
  }

  std::vector<TokenId> encode(std::string_view text, bool add_special, bool parse_special) const override {
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 3 + 8);
    if (add_special) ids.insert(ids.end(), parts_.prefix.begin(), parts_.prefix.end());
    Workspace workspace;
    for (const SpecialTokens::Segment& segment : raw_.split(text, parse_special)) {
      if (segment.id >= 0) {
        ids.push_back(segment.id);
      } else {
        encode_segment(segment.text, segment.text.data() == text.data(), parse_special, workspace, ids);
      }
    }
    if (add_special) ids.insert(ids.end(), parts_.suffix.begin(), parts_.suffix.end());
    return ids;
  }

  std::string_view bytes_of(TokenId id) const override {
    return contains(id) ? std::string_view(parts_.rendering.bytes[static_cast<std::size_t>(id)])
                        : std::string_view();
  }
  std::string_view first_bytes_of(TokenId id) const override {
    const auto found = parts_.rendering.first_bytes.find(id);
    return found == parts_.rendering.first_bytes.end() ? bytes_of(id) : std::string_view(found->second);
  }
  bool is_special(TokenId id) const override {
    return contains(id) && special_[static_cast<std::size_t>(id)];
  }
  int size() const override { return static_cast<int>(parts_.rendering.bytes.size()); }
  std::optional<TokenId> bos() const override { return parts_.bos; }
  std::optional<TokenId> eos() const override { return parts_.eos; }
  const std::vector<TokenId>& end_tokens() const override { return parts_.end_tokens; }

 private:
  /// Buffers of one encode call.
  struct Workspace {
    Pretokenizer::Workspace pretokenizer;
    TokenModel::Workspace model;
  };

  bool contains(TokenId id) const { return id >= 0 && id < size(); }

  /// Normalizer and patterns see valid UTF-8 only; what is part of no character goes around them.
  void encode_segment(std::string_view text, bool starts_text, bool parse_special, Workspace& workspace,
                      std::vector<TokenId>& ids) const {
    bool starts_segment = true;
    while (!text.empty()) {
      const std::size_t valid = valid_prefix(text);
      if (valid > 0)
        encode_valid(text.substr(0, valid), {starts_segment, starts_text}, parse_special, workspace, ids);
      text.remove_prefix(valid);
      if (text.empty()) return;
      const std::size_t invalid = utf8_step(text).length;
      parts_.model->encode_invalid(text.substr(0, invalid), workspace.model, ids);
      text.remove_prefix(invalid);
      starts_segment = starts_text = false;
    }
  }

  struct Place {
    bool starts_segment, starts_text;
  };
  void encode_valid(std::string_view text, Place place, bool parse_special, Workspace& workspace,
                    std::vector<TokenId>& ids) const {
    std::string changed;
    std::string_view normal = text;
    if (!parts_.normalizer.steps.empty()) {
      changed = parts_.normalizer.apply(text, parts_.prefix_once ? place.starts_text : place.starts_segment);
      normal = changed;
    }
    for (const SpecialTokens::Segment& segment : normalized_.split(normal, parse_special)) {
      if (segment.id >= 0) {
        ids.push_back(segment.id);
      } else {
        const bool first = segment.text.data() == normal.data();
        encode_plain(segment.text, place.starts_text && first, workspace, ids);
      }
    }
  }

  void encode_plain(std::string_view text, bool starts_text, Workspace& workspace,
                    std::vector<TokenId>& ids) const {
    parts_.pretokenizer.split(text, starts_text, workspace.pretokenizer);
    for (const Pretokenizer::Piece& piece : workspace.pretokenizer.pieces)
      parts_.model->encode(piece.text, workspace.model, ids);
  }

  const TokenizerParts parts_;
  const SpecialTokens raw_, normalized_;
  std::vector<bool> special_;
};

}  // namespace

std::shared_ptr<const Tokenizer> make_pipeline_tokenizer(TokenizerParts parts) {
  return std::make_shared<PipelineTokenizer>(std::move(parts));
}

std::vector<TokenId> collect_end_tokens(const std::vector<std::optional<TokenId>>& known,
                                        const std::vector<AddedToken>& added) {
  std::vector<TokenId> ids;
  const auto add = [&](TokenId id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const auto& id : known) {
    if (id) add(*id);
  }
  for (const AddedToken& token : added) {
    const bool ends = std::find(kEndNames.begin(), kEndNames.end(), token.content) != kEndNames.end();
    if (token.special && ends) add(token.id);
  }
  return ids;
}

}  // namespace pitwall
