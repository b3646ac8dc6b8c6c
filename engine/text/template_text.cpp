// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_text.h"

#include <algorithm>
#include <limits>

#include "engine/text/text_search.h"
#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

std::string_view first_character(std::string_view text) {
  return text.substr(0, utf8_step(text).length);
}

std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u) --begin;
  return text.substr(begin);
}

std::size_t cuts_allowed(std::int64_t most) {
  return most < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
}

bool is_space(std::string_view character) {
  return is_unicode_space(utf8_step(character).code);
}

/// Where Python's splitlines() ends a line.
bool is_line_end(char32_t code) {
  return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 || code == 0x2028 ||
         code == 0x2029;
}

}  // namespace

std::string_view strip_space(std::string_view text, StripSide side) {
  if (side != StripSide::right) text = trim_left(text);
  if (side != StripSide::left) text = trim_right(text);
  return text;
}

std::string_view strip_characters(std::string_view text, std::string_view drop, StripSide side) {
  std::vector<char32_t> codes;
  for (; !drop.empty(); drop.remove_prefix(utf8_step(drop).length)) codes.push_back(utf8_step(drop).code);
  std::sort(codes.begin(), codes.end());
  const auto dropped = [&](std::string_view character) {
    return std::binary_search(codes.begin(), codes.end(), utf8_step(character).code);
  };
  while (side != StripSide::right && !text.empty() && dropped(first_character(text))) {
    text.remove_prefix(first_character(text).size());
  }
  while (side != StripSide::left && !text.empty() && dropped(last_character(text))) {
    text.remove_suffix(last_character(text).size());
  }
  return text;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t most,
                                       bool from_right) {
  std::vector<std::string_view> pieces;
  for (std::size_t left = cuts_allowed(most); left > 0; --left) {
    const std::size_t at = from_right ? find_last(text, separator) : find_first(text, separator);
    if (at == std::string_view::npos) break;
    const std::size_t behind = at + separator.size();
    pieces.push_back(from_right ? text.substr(behind) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(behind);
  }
  pieces.push_back(text);
  if (from_right) std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<std::string_view> split_at_space(std::string_view text, std::int64_t most, bool from_right) {
  std::vector<std::string_view> pieces;
  text = from_right ? trim_right(text) : trim_left(text);
  for (std::size_t left = cuts_allowed(most); left > 0 && !text.empty(); --left) {
    std::string_view rest = text;
    if (from_right) {
      while (!rest.empty() && !is_space(last_character(rest)))
        rest.remove_suffix(last_character(rest).size());
      pieces.push_back(text.substr(rest.size()));
      text = trim_right(rest);
    } else {
      while (!rest.empty() && !is_space(first_character(rest)))
        rest.remove_prefix(first_character(rest).size());
      pieces.push_back(text.substr(0, text.size() - rest.size()));
      text = trim_left(rest);
    }
  }
  if (!text.empty()) pieces.push_back(text);
  if (from_right) std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    const std::size_t end = at;
    at += step.length;
    if (!is_line_end(step.code)) continue;
    if (step.code == '\r' && text.substr(at, 1) == "\n") ++at;
    lines.push_back(text.substr(begin, (keep_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string replace_text(Context& context, std::string_view text, std::string_view old,
                         std::string_view fresh, std::int64_t count) {
  context.budget().step_over(text.size());
  TextBuilder out(context);
  std::size_t left = cuts_allowed(count);
  std::size_t at = 0;
  while (left > 0 && at <= text.size()) {
    const std::size_t found = find_first(text, old, at);
    if (found == std::string_view::npos) break;
    out << text.substr(at, found - at) << fresh;
    at = found + old.size();
    --left;
    if (!old.empty()) continue;
    // The empty text is found before every character and once at the end.
    if (at == text.size()) return out.take();
    const std::string_view character = first_character(text.substr(at));
    out << character;
    at += character.size();
  }
  out << text.substr(at);
  return out.take();
}

}  // namespace pitwall::jinja
