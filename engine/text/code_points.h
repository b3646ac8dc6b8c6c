// SPDX-License-Identifier: GPL-3.0-or-later
// Classes of code points and normalization forms, as the Unicode Standard defines them (ICU's tables).
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

bool is_white_space(char32_t code);        ///< White_Space; unlike Python's strip() without U+001C to U+001F
bool is_mark(char32_t code);               ///< M: nonspacing, spacing and enclosing
bool is_nonspacing_mark(char32_t code);    ///< Mn
bool is_control_or_format(char32_t code);  ///< Cc, Cf, Co, Cs
/// What \w means to Unicode: Alphabetic, marks, decimal digits, connectors and joiners.
bool is_word_character(char32_t code);
bool continues_grapheme(char32_t code);  ///< Extend, SpacingMark or ZWJ: belongs to the character before it
char32_t simple_lower_case(char32_t code);  ///< one to one

/// Lower case of each character by itself: "İ" becomes two code points, "Σ" is always "σ".
std::string lower_case(std::string_view text);

enum class NormalizationForm { nfc, nfd, nfkc, nfkd };
/// Unicode Standard Annex 15. `text` is valid UTF-8.
std::string normalized(std::string_view text, NormalizationForm form);

}  // namespace pitwall
