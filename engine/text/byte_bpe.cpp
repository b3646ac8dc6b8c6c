// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/byte_bpe.h"

#include <unordered_map>

namespace pitwall {

namespace {

class ByteBpe final : public TokenModel {
 public:
  explicit ByteBpe(ByteBpeVocabulary vocabulary)
      : bytes_(std::move(vocabulary.bytes)),
        merges_(vocabulary.merges),
        whole_texts_(std::move(vocabulary.whole_pieces)) {
    for (const auto& [text, id] : whole_texts_) whole_pieces_.emplace(text, id);
  }

  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const override {
    if (!whole_pieces_.empty()) {
      const auto whole = whole_pieces_.find(piece);
      if (whole != whole_pieces_.end()) {
        out.push_back(whole->second);
        return;
      }
    }
    for (const char c : piece) {
      const TokenId token = bytes_[static_cast<std::uint8_t>(c)];
      if (token >= 0) workspace.merges.push(token);
    }
    merges_.merge(workspace.merges, out);
  }

  void encode_invalid(std::string_view bytes, Workspace& workspace,
                      std::vector<TokenId>& out) const override {
    encode(bytes, workspace, out);
  }

 private:
  const std::vector<TokenId> bytes_;
  const BpeMerges merges_;
  const std::vector<std::pair<std::string, TokenId>> whole_texts_;
  std::unordered_map<std::string_view, TokenId> whole_pieces_;  ///< views of whole_texts_
};

}  // namespace

std::shared_ptr<const TokenModel> make_byte_bpe(ByteBpeVocabulary vocabulary) {
  return std::make_shared<ByteBpe>(std::move(vocabulary));
}

}  // namespace pitwall
