// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/charsmap.h"

#include <fmt/format.h>

#include <array>

#include "engine/text/code_points.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

Error damaged(std::string what) {
  return {Error::Kind::invalid_input, std::move(what), "The tokenizer's file is damaged",
          "Fetch the model again", "precompiled_charsmap"};
}

std::uint32_t read_unit(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  return value;
}

// The fields of a unit.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FF;
}
std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200) >> 6);
}

constexpr std::size_t kShortGrapheme = 6;

/// Length of the grapheme that `text` begins with; at most kShortGrapheme when it is not shorter.
std::size_t short_grapheme(std::string_view text, std::size_t first) {
  if (text[0] == '\r' && text.size() > 1 && text[1] == '\n') return 2;
  std::size_t length = first;
  while (length < text.size() && length < kShortGrapheme) {
    if (static_cast<std::uint8_t>(text[length]) < 0x80) break;
    const Utf8Step step = utf8_step(text.substr(length));
    if (!continues_grapheme(step.code)) break;
    length += step.length;
  }
  return length;
}

}  // namespace

Result<CharacterMap> CharacterMap::from_blob(std::string_view blob) {
  if (blob.size() < 4)
    return damaged(fmt::format("The character map has {} bytes, at least 4 are needed", blob.size()));
  const std::size_t trie_bytes = read_unit(blob);
  if (trie_bytes % 4 != 0 || trie_bytes > blob.size() - 4) {
    return damaged(fmt::format("The character map's trie has {} bytes, but {} follow its length", trie_bytes,
                               blob.size() - 4));
  }
  CharacterMap map;
  map.units_.reserve(trie_bytes / 4);
  for (std::size_t at = 0; at < trie_bytes; at += 4) map.units_.push_back(read_unit(blob.substr(4 + at)));
  map.replacements_ = std::string(blob.substr(4 + trie_bytes));
  return map;
}

Result<CharacterMap> CharacterMap::from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string blob;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t digit = kDigits.find(text[at]);
    if (digit == std::string_view::npos)
      return damaged(fmt::format("The character map is no base64 at character {}", at));
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    blob += static_cast<char>(static_cast<std::uint8_t>(bits >> count));
  }
  return from_blob(blob);
}

std::optional<CharacterMap::Match> CharacterMap::find(std::string_view text, bool longest) const {
  if (units_.empty()) return std::nullopt;
  std::optional<Match> match;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte == 0) break;
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) break;
    const bool leaf = has_leaf(units_[node]);
    node ^= offset_of(units_[node]);
    if (!leaf) continue;
    if (node >= units_.size()) break;
    const std::size_t at = value_of(units_[node]);
    if (at > replacements_.size()) break;
    match = Match{i + 1, std::string_view(replacements_.c_str() + at)};
    if (!longest) break;
  }
  return match;
}

std::string CharacterMap::map_graphemes(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t character = utf8_step(text).length;
    const std::size_t grapheme = short_grapheme(text, character);
    if (grapheme > character && grapheme < kShortGrapheme) {
      if (const auto match = find(text.substr(0, grapheme), false)) {
        out += match->replacement;
        text.remove_prefix(grapheme);
        continue;
      }
    }
    // A short grapheme that the map does not hold goes character by character too.
    const auto match = find(text.substr(0, character), false);
    out += match ? match->replacement : text.substr(0, character);
    text.remove_prefix(character);
    // What continues it must not be taken for a grapheme of its own.
    for (std::size_t rest = grapheme - character; rest > 0;) {
      const std::size_t length = utf8_step(text).length;
      const auto inner = find(text.substr(0, length), false);
      out += inner ? inner->replacement : text.substr(0, length);
      text.remove_prefix(length);
      rest -= std::min(rest, length);
    }
  }
  return out;
}

}  // namespace pitwall
