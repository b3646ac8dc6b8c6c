// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/bpe_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text_escape.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

Error merge_error(std::size_t rank, std::string what) {
  return {Error::Kind::invalid_input, fmt::format("Merge {} of the vocabulary {}", rank, what),
          "The vocabulary and its merges are not of the same model, or the file is damaged",
          "Fetch the model again", "merges"};
}

}  // namespace

TokenIndex index_of(const std::vector<std::string>& texts) {
  TokenIndex index;
  index.reserve(texts.size());
  for (std::size_t id = 0; id < texts.size(); ++id) {
    if (!texts[id].empty()) index.emplace(texts[id], static_cast<TokenId>(id));
  }
  return index;
}

std::string token_bytes(std::string_view text) {
  return bytes_from_alphabet(text).value_or(std::string(text));
}

std::vector<TokenId> byte_tokens_of_alphabet(const TokenIndex& index) {
  std::vector<TokenId> tokens(256, -1);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char raw = static_cast<char>(static_cast<std::uint8_t>(byte));
    const auto found = index.find(alphabet_from_bytes(std::string_view(&raw, 1)));
    if (found != index.end()) tokens[byte] = found->second;
  }
  return tokens;
}

std::string fallback_byte_name(unsigned byte) {
  return fmt::format("<0x{:02X}>", byte);
}

std::vector<TokenId> fallback_bytes(const TokenIndex& index) {
  std::vector<TokenId> tokens(256, -1);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto found = index.find(fallback_byte_name(byte));
    if (found != index.end()) tokens[byte] = found->second;
  }
  return tokens;
}

Result<BpeMerge> resolve_merge(const TokenIndex& index, std::string_view left, std::string_view right,
                               std::size_t rank, std::size_t prefix_characters) {
  const std::string merged = std::string(left).append(right.substr(utf8_offset(right, prefix_characters)));
  std::array<TokenId, 3> ids{};
  const std::array<std::string_view, 3> texts = {left, right, merged};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto found = index.find(texts[i]);
    if (found == index.end()) {
      return merge_error(rank, fmt::format("names {}, which is no token", quote_for_message(texts[i])));
    }
    ids[i] = found->second;
  }
  return BpeMerge{ids[0], ids[1], ids[2], static_cast<std::uint32_t>(rank)};
}

Result<BpeMerge> resolve_merge_line(const TokenIndex& index, std::string_view line, std::size_t rank,
                                    std::size_t prefix_characters) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
    return merge_error(
        rank, fmt::format("is {}, not two tokens with one space between them", quote_for_message(line)));
  }
  return resolve_merge(index, line.substr(0, space), line.substr(space + 1), rank, prefix_characters);
}

std::vector<std::pair<char32_t, char32_t>> joints_of(const std::vector<BpeMerge>& merges,
                                                     const std::vector<std::string>& texts) {
  std::vector<std::pair<char32_t, char32_t>> joints;
  joints.reserve(merges.size());
  for (const BpeMerge& merge : merges) {
    joints.emplace_back(utf8_step(last_code_point(texts[static_cast<std::size_t>(merge.left)])).code,
                        utf8_step(texts[static_cast<std::size_t>(merge.right)]).code);
  }
  return joints;
}

}  // namespace pitwall
