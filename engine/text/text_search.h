// SPDX-License-Identifier: GPL-3.0-or-later
// Search for a text in a text in linear time, whatever the two are.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pitwall {

/// For every n ≤ text.size(): how many bytes the longest proper prefix of the first n bytes has that they
/// also end with (Knuth, Morris, Pratt 1977).
std::vector<std::size_t> fallback_lengths(std::string_view text);

/// Offset of the first occurrence at or after `from`, of the last one; npos when there is none.
std::size_t find_first(std::string_view text, std::string_view wanted, std::size_t from = 0);
std::size_t find_last(std::string_view text, std::string_view wanted);

/// Every occurrence of `wanted`, from the left, replaced; an empty one is found nowhere.
std::string replace_all(std::string_view text, std::string_view wanted, std::string_view replacement);

}  // namespace pitwall
