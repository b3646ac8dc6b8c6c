// SPDX-License-Identifier: GPL-3.0-or-later
// Added tokens: texts that stand for one id wherever they are written, found before anything else is done to
// a text.
#pragma once
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall {

struct AddedToken {
  TokenId id = -1;
  std::string content;
  bool special = false;      ///< a control token: found only when the caller asks for it
  bool left_strip = false;   ///< takes the white space before it along
  bool right_strip = false;  ///< takes the white space after it along
  bool single_word = false;  ///< not found inside a word
  bool normalized = false;   ///< found in the normalized text, with its content normalized too
};

/// Immutable, shared between threads.
class SpecialTokens {
 public:
  /// Tokens without content are ignored.
  explicit SpecialTokens(std::vector<AddedToken> tokens);

  struct Segment {
    std::string_view text;  ///< plain text when id is −1
    TokenId id = -1;
  };
  /// Cuts a text at its added tokens: the leftmost first, the longest where several start. Special ones count
  /// only with `parse_special`. Time is linear in the text times the longest token.
  std::vector<Segment> split(std::string_view text, bool parse_special) const;
  /// Length of the longest token that `text` begins with, whatever its flags; 0 when there is none.
  std::size_t match_at(std::string_view text) const;

 private:
  const AddedToken* longest_at(std::string_view text) const;
  std::vector<AddedToken> tokens_;  ///< sorted by content
  std::bitset<256> first_bytes_;
};

}  // namespace pitwall
