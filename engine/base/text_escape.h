// SPDX-License-Identifier: GPL-3.0-or-later
// Small text helpers that several modules need.
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

bool is_valid_utf8(std::string_view text);                ///< strict: no surrogates, no overlong forms
std::string replace_invalid_utf8(std::string_view text);  ///< each maximal bad part becomes one U+FFFD
std::string escape_html(std::string_view text);           ///< & < > " ', the quotes by number as Jinja does
std::string quote_for_message(std::string_view text,
                              std::size_t limit = 80);  ///< printable, cut, in “”-free double quotes

/// %XX becomes a byte; a % without two hex digits stays.
std::string percent_decode(std::string_view text);
/// All but letters, digits and - . _ ~ becomes %XX.
std::string percent_encode(std::string_view text);

}  // namespace pitwall
