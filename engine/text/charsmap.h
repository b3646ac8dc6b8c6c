// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece's precompiled character map: texts and what replaces them, in a double-array trie
// (Darts-clone: units of 32 bits with label, leaf mark and XOR offset) in front of the replacements, each
// ended by NUL.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// Immutable. A damaged map replaces nothing or wrongly, but never reads outside itself.
class CharacterMap {
 public:
  static Result<CharacterMap> from_blob(std::string_view blob);
  static Result<CharacterMap> from_base64(std::string_view text);

  struct Match {
    std::size_t length = 0;  ///< bytes of the text that are replaced
    std::string_view replacement;
  };
  /// The longest text of the map that `text` begins with, as SentencePiece reads the map.
  std::optional<Match> longest(std::string_view text) const { return find(text, true); }

  /// As Hugging Face's tokenizers read it: a grapheme of less than six bytes is replaced whole by what its
  /// shortest start maps to; of other graphemes each character by itself.
  std::string map_graphemes(std::string_view text) const;

 private:
  std::optional<Match> find(std::string_view text, bool longest) const;
  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace pitwall
