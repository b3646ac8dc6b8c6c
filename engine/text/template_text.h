// SPDX-License-Identifier: GPL-3.0-or-later
// Text functions that string methods and filters share; Python's str methods on UTF-8.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

enum class StripSide { left, right, both };
std::string_view strip_space(std::string_view text, StripSide side);
/// Without any of the characters in `drop` at the ends.
std::string_view strip_characters(std::string_view text, std::string_view drop, StripSide side);

/// At most `most` cuts (all of them when negative), counted from the left or the right.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t most,
                                       bool from_right);
/// At runs of white space; ends do not count.
std::vector<std::string_view> split_at_space(std::string_view text, std::int64_t most, bool from_right);
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

/// At most `count` replacements from the left; all when negative.
std::string replace_text(Context& context, std::string_view text, std::string_view old,
                         std::string_view fresh, std::int64_t count);

}  // namespace pitwall::jinja
