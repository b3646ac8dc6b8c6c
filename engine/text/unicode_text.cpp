// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/unicode_text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "engine/text/regex.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

struct ClassPatterns {
  Regex inside, outside;
};

ClassPatterns compile_class(const char* body) {
  return {Regex::compile(fmt::format("[{}]", body)).value(),
          Regex::compile(fmt::format("[^{}]", body)).value()};
}

const ClassPatterns& patterns_of(CharacterClass wanted) {
  static const std::array<ClassPatterns, 8> kPatterns = {
      compile_class(R"(\p{L})"),
      compile_class(R"(\p{Nd})"),
      compile_class(R"(\p{N})"),
      compile_class(R"(\p{L}\p{N})"),
      compile_class(R"(\p{Lu})"),
      compile_class(R"(\p{Ll}\p{Lt})"),
      compile_class(R"(\p{C}\p{Zl}\p{Zp}\xa0\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000})"),
      compile_class(R"(\p{L}\p{M}\p{N}\p{Pc})"),
  };
  return kPatterns[static_cast<std::size_t>(wanted)];
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The last character of a text that is not empty.
std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u) --begin;
  return text.substr(begin);
}

/// PCRE2's substitution knows the case of every character; `replacement` switches it on.
std::string map_case(std::string_view text, const char* replacement) {
  static pcre2_code* const kAnything = [] {
    int error = 0;
    PCRE2_SIZE offset = 0;
    return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(".+"), PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_DOTALL, &error, &offset, nullptr);
  }();
  // No character grows by more than half: two bytes become three at most.
  std::string out(text.size() * 3 / 2 + 1, '\0');
  PCRE2_SIZE length = out.size();
  pcre2_substitute(kAnything, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                   PCRE2_SUBSTITUTE_EXTENDED | PCRE2_NO_UTF_CHECK, nullptr, nullptr,
                   reinterpret_cast<PCRE2_SPTR>(replacement), PCRE2_ZERO_TERMINATED,
                   reinterpret_cast<PCRE2_UCHAR*>(out.data()), &length);
  out.resize(length);
  return out;
}

}  // namespace

bool is_unicode_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

std::string_view trim_left(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!is_unicode_space(step.code)) break;
    text.remove_prefix(step.length);
  }
  return text;
}

std::string_view trim_right(std::string_view text) {
  while (!text.empty()) {
    const std::string_view last = last_character(text);
    if (!is_unicode_space(utf8_step(last).code)) break;
    text.remove_suffix(last.size());
  }
  return text;
}

bool any_of_class(std::string_view text, CharacterClass wanted) {
  return RegexSearch().find(patterns_of(wanted).inside, text, 0).has_value();
}

bool all_of_class(std::string_view text, CharacterClass wanted) {
  return !text.empty() && !RegexSearch().find(patterns_of(wanted).outside, text, 0);
}

bool starts_with_word_character(std::string_view text) {
  return !text.empty() && all_of_class(text.substr(0, utf8_step(text).length), CharacterClass::word);
}

bool ends_with_word_character(std::string_view text) {
  return !text.empty() && all_of_class(last_character(text), CharacterClass::word);
}

std::string to_upper(std::string_view text) {
  if (!is_ascii(text)) return map_case(text, "\\U$0");
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string to_lower(std::string_view text) {
  if (!is_ascii(text)) return map_case(text, "\\L$0");
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace pitwall
