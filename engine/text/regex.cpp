// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

/// PCRE2 counts U+180E as space and no marks as word characters, Unicode and the tokenizers do; so \s and \w
/// are spelled out; Oniguruma, which most files are written for, also counts Latin-1's fractions and
/// superscript digits as word characters. Inside a bracket \S and \W cannot be spelled and keep the library's
/// meaning.
constexpr std::string_view kSpace = R"(\t-\r\x{85}\p{Z})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";

/// Rewrites a pattern from left to right.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    std::string out;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (pattern_.substr(at_, 2) == "\\Q") {
        const std::size_t end = std::min(pattern_.find("\\E", at_), pattern_.size() - 2) + 2;
        out += pattern_.substr(at_, end - at_);
        at_ = end;
      } else if (c == '\\') {
        out += escape(false);
      } else if (c == '[') {
        out += bracket();
      } else {
        out += c;
        ++at_;
      }
    }
    return out;
  }

 private:
  std::string escape(bool in_class) {
    const std::string_view rest = pattern_.substr(at_);
    at_ += std::min<std::size_t>(rest.size(), 2);
    const char escaped = rest.size() > 1 ? rest[1] : '\\';
    if (escaped == 's') return in_class ? std::string(kSpace) : fmt::format("[{}]", kSpace);
    if (escaped == 'w') return in_class ? std::string(kWord) : fmt::format("[{}]", kWord);
    if (escaped == 'h') return in_class ? "0-9a-fA-F" : "[0-9a-fA-F]";
    if (escaped == 'S' && !in_class) return fmt::format("[^{}]", kSpace);
    if (escaped == 'W' && !in_class) return fmt::format("[^{}]", kWord);
    return std::string(rest.substr(0, 2));
  }

  /// A bracket whose parts are joined by && is one character that each of the parts agrees to.
  std::string bracket() {
    ++at_;
    const bool negated = at_ < pattern_.size() && pattern_[at_] == '^';
    if (negated) ++at_;
    std::vector<std::string> parts(1);
    bool empty = true;
    while (at_ < pattern_.size() && (pattern_[at_] != ']' || empty)) {
      if (pattern_.substr(at_, 2) == "&&") {
        at_ += 2;
        parts.emplace_back();
      } else if (pattern_.substr(at_, 2) == "[:") {
        const std::size_t end = std::min(pattern_.find(":]", at_), pattern_.size() - 2) + 2;
        parts.back() += pattern_.substr(at_, end - at_);
        at_ = end;
      } else if (pattern_[at_] == '[' && parts.size() > 1 && parts.back().empty()) {
        parts.back() = bracket();
      } else {
        parts.back() += pattern_[at_] == '\\' ? escape(true) : std::string(1, pattern_[at_++]);
      }
      empty = false;
    }
    if (at_ < pattern_.size()) ++at_;
    if (parts.size() == 1) return fmt::format("[{}{}]", negated ? "^" : "", parts[0]);
    std::string out = negated ? "(?!" : "(?:";
    for (const std::string& part : parts) {
      const bool whole = part.starts_with('[') || part.starts_with("(?");
      out += whole ? fmt::format("(?={})", part) : fmt::format("(?=[{}])", part);
    }
    return out + (negated ? ")(?s:.)" : "(?s:.))");
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
};

}  // namespace

struct Regex::Code {
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }
  pcre2_code* code;
};

std::string Regex::quote(std::string_view text) {
  // \Q…\E takes everything literally but its own end.
  std::string out = "\\Q";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool ends = text.substr(at, 2) == "\\E";
    out += ends ? "\\E\\\\\\Q" : std::string(1, text[at]);
  }
  return out + "\\E";
}

Result<Regex> Regex::compile(std::string_view pattern) {
  const std::string translated = Translator(pattern).translate();
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
                                                    std::size_t from, bool empty_too) {
  const auto* bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
  const std::uint32_t options = PCRE2_NO_UTF_CHECK | (empty_too ? 0u : PCRE2_NOTEMPTY);
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
