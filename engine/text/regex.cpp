// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <string>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

/// PCRE2 counts U+180E as space, Unicode and the tokenizers do not; so \s and \S are spelled out. Inside a
/// bracket \S cannot be spelled and keeps the library's meaning.
std::string with_unicode_spaces(std::string_view pattern) {
  constexpr std::string_view kSpace = R"(\t-\r\x{85}\p{Z})";
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped == 's') {
        out += in_class ? std::string(kSpace) : fmt::format("[{}]", kSpace);
      } else if (escaped == 'S' && !in_class) {
        out += fmt::format("[^{}]", kSpace);
      } else {
        out += c;
        out += escaped;
      }
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    out += c;
  }
  return out;
}

}  // namespace

struct Regex::Code {
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }
  pcre2_code* code;
};

Result<Regex> Regex::compile(std::string_view pattern) {
  const std::string translated = with_unicode_spaces(pattern);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                   PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (code == nullptr) {
    std::array<PCRE2_UCHAR, 256> message{};
    pcre2_get_error_message(error, message.data(), message.size());
    return Error{Error::Kind::unsupported,
                 fmt::format("The pattern {} fails at character {}: {}", quote_for_message(translated),
                             offset, reinterpret_cast<const char*>(message.data())),
                 "It is written for another regular expression engine", "", ""};
  }
  // Without a JIT for this processor the interpreter does the same work, slower.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return Regex(std::make_shared<const Code>(code));
}

struct RegexSearch::State {
  // One pair of offsets is enough: groups are never asked for.
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  ~State() { pcre2_match_data_free(data); }
};

RegexSearch::RegexSearch() : state_(std::make_unique<State>()) {}
RegexSearch::~RegexSearch() = default;

std::optional<RegexSearch::Match> RegexSearch::find(const Regex& regex, std::string_view subject,
                                                    std::size_t from) {
  const auto* bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
  const std::uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
  pcre2_code* code = regex.code_->code;
  int found = pcre2_match(code, bytes, subject.size(), from, options, state_->data, nullptr);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
    // The interpreter keeps its backtracking on the heap.
    found = pcre2_match(code, bytes, subject.size(), from, options | PCRE2_NO_JIT, state_->data, nullptr);
  }
  if (found < 0) return std::nullopt;
  const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(state_->data);
  return Match{offsets[0], offsets[1]};
}

}  // namespace pitwall
