// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/bpe_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text_escape.h"
#include "engine/text/byte_alphabet.h"

namespace pitwall {

namespace {

/// Files often name one end token only, while the chat template closes a turn with another.
constexpr std::array<std::string_view, 9> kEndNames = {"<|im_end|>",      "<|endoftext|>", "<|end_of_text|>",
                                                       "<|eot_id|>",      "<|eom_id|>",    "<|end|>",
                                                       "<|end_of_turn|>", "<end_of_turn>", "<|EOT|>"};

Error merge_error(std::size_t rank, std::string what) {
  return {Error::Kind::invalid_input, fmt::format("Merge {} of the vocabulary {}", rank, what),
          "The vocabulary and its merges are not of the same model, or the file is damaged",
          "Fetch the model again", ""};
}

}  // namespace

std::string token_bytes(std::string_view text) {
  return bytes_from_alphabet(text).value_or(std::string(text));
}

Result<BpeMerge> resolve_merge(const TokenIndex& index, std::string_view left, std::string_view right,
                               std::size_t rank) {
  const std::string merged = std::string(left).append(right);
  std::array<TokenId, 3> ids{};
  const std::array<std::string_view, 3> texts = {left, right, merged};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto found = index.find(texts[i]);
    if (found == index.end()) {
      return merge_error(rank, fmt::format("names {}, which is no token", quote_for_message(texts[i])));
    }
    ids[i] = found->second;
  }
  return BpeMerge{ids[0], ids[1], ids[2]};
}

Result<BpeMerge> resolve_merge_line(const TokenIndex& index, std::string_view line, std::size_t rank) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
    return merge_error(
        rank, fmt::format("is {}, not two tokens with one space between them", quote_for_message(line)));
  }
  return resolve_merge(index, line.substr(0, space), line.substr(space + 1), rank);
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
