// SPDX-License-Identifier: GPL-3.0-or-later
// Case mapping as Python's str does it: by character where one becomes several ("ß" → "SS"), and the sigma at
// the end of a word.
#pragma once
#include <string>
#include <string_view>

namespace pitwall::jinja {

std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);
std::string folded_case(std::string_view text);  ///< casefold()
std::string capitalize(std::string_view text);   ///< the first character title case, the others lower case
std::string title_case(std::string_view text);   ///< capital letters after anything that has no case
std::string swap_case(std::string_view text);
/// Of one character: "ǆ" → "ǅ".
std::string title_character(std::string_view character);
/// Whether capital letters stand only behind what has no case, and small ones only behind letters.
bool is_title_case(std::string_view text);

}  // namespace pitwall::jinja
