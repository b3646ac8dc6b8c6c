// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/text_search.h"

#include <string.h>

#include <string>

namespace pitwall {

std::vector<std::size_t> fallback_lengths(std::string_view text) {
  std::vector<std::size_t> fallback(text.size() + 1, 0);
  std::size_t length = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    while (length > 0 && text[i] != text[length]) length = fallback[length];
    if (text[i] == text[length]) ++length;
    fallback[i + 1] = length;
  }
  return fallback;
}

std::size_t find_first(std::string_view text, std::string_view wanted, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  // The C library's search is linear and vectorised; std::string_view's compares from every place anew.
  const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return text.size();
  const std::string reversed(wanted.rbegin(), wanted.rend());
  const std::vector<std::size_t> fallback = fallback_lengths(reversed);
  std::size_t matched = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    while (matched > 0 && reversed[matched] != text[at]) matched = fallback[matched];
    if (reversed[matched] == text[at]) ++matched;
    if (matched == reversed.size()) return at;
  }
  return std::string_view::npos;
}

std::string replace_all(std::string_view text, std::string_view wanted, std::string_view replacement) {
  if (wanted.empty()) return std::string(text);
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  for (;;) {
    const std::size_t found = find_first(text, wanted, at);
    if (found == std::string_view::npos) return out.append(text.substr(at));
    out.append(text.substr(at, found - at)).append(replacement);
    at = found + wanted.size();
  }
}

}  // namespace pitwall
