// SPDX-License-Identifier: GPL-3.0-or-later
// The printable alphabet of byte-level vocabularies: every byte is written as one character, so that token
// files are valid text. Printable Latin-1 bytes stand for themselves, the other 68 are U+0100 … in order.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pitwall {

/// The bytes that a token's text stands for; none if a character is not of the alphabet (added tokens are
/// plain text).
std::optional<std::string> bytes_from_alphabet(std::string_view token);

/// Every byte as its character.
std::string alphabet_from_bytes(std::string_view bytes);

}  // namespace pitwall
