// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/pattern_syntax.h"

#include <algorithm>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/grammar/json_strings.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

using Ranges = std::vector<CharacterRange>;
using Node = PatternNode;

Ranges sorted(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  Ranges out;
  for (const CharacterRange& range : ranges) {
    if (!out.empty() && range.low <= out.back().high + 1) {
      out.back().high = std::max(out.back().high, range.high);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

Ranges without_surrogates(const Ranges& ranges) {
  Ranges out;
  for (const auto& [low, high] : ranges) {
    if (low < 0xD800) out.push_back({low, std::min<char32_t>(high, 0xD7FF)});
    if (high > 0xDFFF) out.push_back({std::max<char32_t>(low, 0xE000), high});
  }
  return out;
}

Ranges complement(const Ranges& ranges) {
  Ranges out;
  char32_t next = 0;
  for (const auto& [low, high] : sorted(ranges)) {
    if (low > next) out.push_back({next, low - 1});
    next = high + 1;
  }
  if (next <= kLastCharacter) out.push_back({next, kLastCharacter});
  return out;
}

/// \d, \w, \s as ECMA-262 defines them (§22.2.2.9, WhiteSpace and LineTerminator), capitals their complement.
std::optional<Ranges> class_named(char name) {
  switch (name) {
    case 'd':
      return Ranges{{'0', '9'}};
    case 'w':
      return Ranges{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    case 's':
      return Ranges{{0x09, 0x0D},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                    {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    case 'D':
    case 'W':
    case 'S':
      return complement(*class_named(static_cast<char>(name - 'A' + 'a')));
    default:
      return std::nullopt;
  }
}

std::optional<char32_t> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<char32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<char32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<char32_t>(c - 'A' + 10);
  return std::nullopt;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Failure {
  Error error;
};

/// Recursive descent; leaves by Failure.
class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  PatternTree parse() {
    tree_.root = choice(0);
    if (!at_end()) fail(Error::Kind::invalid_input, "a closing bracket without an opening one");
    return std::move(tree_);
  }

 private:
  [[noreturn]] void fail(Error::Kind kind, const std::string& what) const {
    throw Failure{{.kind = kind,
                   .what = "The pattern " + quote_for_message(pattern_) + " has " + what + " at byte " +
                           std::to_string(at_),
                   .cause = kind == Error::Kind::unsupported
                                ? "A guided reply takes patterns that stay regular expressions"
                                : "It is read as ECMA-262 reads it",
                   .action = "Write the pattern without it",
                   .param = "pattern"}};
  }

  bool at_end() const { return at_ == pattern_.size(); }
  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool skip(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
  }
  char32_t character() {
    const Utf8Step step = utf8_step(pattern_.substr(at_));
    at_ += step.length;
    return step.code;
  }

  std::size_t add(Node node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }
  std::size_t add_characters(const Ranges& ranges) {
    return add({.kind = Node::Kind::characters, .ranges = without_surrogates(sorted(ranges))});
  }

  std::size_t choice(int depth) {
    if (depth > kDeepestPattern) fail(Error::Kind::out_of_memory, "groups nested too deep");
    std::vector<std::size_t> parts{sequence(depth)};
    while (skip("|")) parts.push_back(sequence(depth));
    return parts.size() == 1 ? parts[0] : add({.kind = Node::Kind::choice, .parts = std::move(parts)});
  }

  std::size_t sequence(int depth) {
    std::vector<std::size_t> parts;
    while (!at_end() && !next_is("|") && !next_is(")")) parts.push_back(repeated(depth));
    return add({.kind = Node::Kind::sequence, .parts = std::move(parts)});
  }

  std::size_t repeated(int depth) {
    const std::size_t part = atom(depth);
    const auto count = quantifier();
    if (!count) return part;
    const Node::Kind kind = tree_.nodes[part].kind;
    if (kind == Node::Kind::begin || kind == Node::Kind::end)
      fail(Error::Kind::invalid_input, "a repeated anchor");
    skip("?");
    if (quantifier()) fail(Error::Kind::invalid_input, "a repeat of a repeat");
    return add({.kind = Node::Kind::repeat, .parts = {part}, .min = count->first, .max = count->second});
  }

  std::optional<std::pair<std::uint32_t, std::uint32_t>> quantifier() {
    if (skip("*")) return std::pair{0u, kUnlimited};
    if (skip("+")) return std::pair{1u, kUnlimited};
    if (skip("?")) return std::pair{0u, 1u};
    const std::size_t before = at_;
    if (!skip("{")) return std::nullopt;
    const auto min = number();
    auto max = min;
    if (min && skip(",")) max = next_is("}") ? std::optional(kUnlimited) : number();
    if (!min || !max || !skip("}")) {
      at_ = before;
      return std::nullopt;
    }
    if (*min > *max) fail(Error::Kind::invalid_input, "a repeat whose largest count is below its smallest");
    return std::pair{*min, *max};
  }

  std::optional<std::uint32_t> number() {
    std::uint32_t value = 0;
    const std::size_t begin = at_;
    for (; !at_end() && is_digit(pattern_[at_]); ++at_) {
      value = value * 10 + static_cast<std::uint32_t>(pattern_[at_] - '0');
      if (value > 1'000'000) fail(Error::Kind::out_of_memory, "a count above a million");
    }
    return at_ > begin ? std::optional(value) : std::nullopt;
  }

  std::size_t atom(int depth) {
    if (skip("(")) return group(depth);
    if (skip("[")) return add_characters(bracket());
    if (skip("^")) return add({.kind = Node::Kind::begin});
    if (skip("$")) return add({.kind = Node::Kind::end});
    if (skip(".")) return add_characters(complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
    if (next_is("*") || next_is("+") || next_is("?")) fail(Error::Kind::invalid_input, "a repeat of nothing");
    if (skip("\\")) {
      if (skip("A")) return add({.kind = Node::Kind::begin});
      if (skip("z") || skip("Z")) return add({.kind = Node::Kind::end});
      return add_characters(escape());
    }
    const char32_t c = character();
    return add_characters({{c, c}});
  }

  std::size_t group(int depth) {
    if (skip("?")) {
      if (next_is("=") || next_is("!") || next_is("<=") || next_is("<!"))
        fail(Error::Kind::unsupported, "look-around");
      skip("P");
      if (skip("<")) {
        const std::size_t close = pattern_.find('>', at_);
        if (close == std::string_view::npos) fail(Error::Kind::invalid_input, "an open group name");
        at_ = close + 1;
      } else if (!skip(":")) {
        fail(Error::Kind::unsupported, "flags or a group of an unknown kind");
      }
    }
    const std::size_t inner = choice(depth + 1);
    if (!skip(")")) fail(Error::Kind::invalid_input, "an open group");
    // A group is one part: what stands in it keeps together under a repeat.
    return add({.kind = Node::Kind::sequence, .parts = {inner}});
  }

  Ranges bracket() {
    const bool negated = skip("^");
    Ranges ranges;
    while (!skip("]")) {
      if (at_end()) fail(Error::Kind::invalid_input, "an open bracket");
      const Ranges low = bracket_part();
      if (next_is("-") && !next_is("-]")) {
        skip("-");
        if (at_end()) fail(Error::Kind::invalid_input, "an open bracket");
        const Ranges high = bracket_part();
        const auto single = [](const Ranges& part) {
          return part.size() == 1 && part[0].low == part[0].high;
        };
        if (!single(low) || !single(high) || low[0].low > high[0].low)
          fail(Error::Kind::invalid_input, "a range that runs backwards or between classes");
        ranges.push_back({low[0].low, high[0].low});
      } else {
        ranges.insert(ranges.end(), low.begin(), low.end());
      }
    }
    return negated ? complement(ranges) : ranges;
  }

  Ranges bracket_part() {
    if (skip("\\")) {
      if (skip("b")) return {{'\b', '\b'}};
      return escape();
    }
    const char32_t c = character();
    return {{c, c}};
  }

  /// Behind the backslash.
  Ranges escape() {
    if (at_end()) fail(Error::Kind::invalid_input, "a lone backslash");
    const char c = pattern_[at_];
    if (auto named = class_named(c)) {
      ++at_;
      return *std::move(named);
    }
    const char32_t one = escaped_character(c);
    return {{one, one}};
  }

  char32_t escaped_character(char c) {
    if (c >= '1' && c <= '9') fail(Error::Kind::unsupported, "a back-reference");
    if (c == 'b' || c == 'B') fail(Error::Kind::unsupported, "a word boundary");
    if (c == 'p' || c == 'P') fail(Error::Kind::unsupported, "a Unicode property");
    if (c == 'k') fail(Error::Kind::unsupported, "a back-reference");
    if (!is_letter(c) && c != '0') return character();
    ++at_;
    switch (c) {
      case '0':
        if (!at_end() && is_digit(pattern_[at_])) fail(Error::Kind::unsupported, "an octal escape");
        return 0;
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'c':
        if (at_end() || !is_letter(pattern_[at_])) fail(Error::Kind::invalid_input, "\\c without a letter");
        return static_cast<char32_t>(pattern_[at_++] & 0x1F);
      case 'x':
        return hex_digits(2);
      case 'u':
        return skip("{") ? braced_code() : surrogate_pair(hex_digits(4));
      default:
        --at_;
        fail(Error::Kind::invalid_input, "an unknown escape");
    }
  }

  char32_t hex_digits(int count) {
    char32_t value = 0;
    for (; count > 0; --count, ++at_) {
      const auto digit = at_end() ? std::nullopt : hex_value(pattern_[at_]);
      if (!digit) fail(Error::Kind::invalid_input, "an escape with too few hex digits");
      value = value * 16 + *digit;
    }
    return value;
  }

  char32_t braced_code() {
    char32_t value = 0;
    const std::size_t begin = at_;
    while (!skip("}")) {
      value = value * 16 + hex_digits(1);
      if (value > kLastCharacter) fail(Error::Kind::invalid_input, "a character above U+10FFFF");
    }
    if (at_ == begin + 1) fail(Error::Kind::invalid_input, "an escape without hex digits");
    return value;
  }

  char32_t surrogate_pair(char32_t high) {
    if (high < 0xD800 || high > 0xDBFF || !next_is("\\u")) return high;
    const std::size_t before = at_;
    at_ += 2;
    const char32_t low = next_is("{") ? 0 : hex_digits(4);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    at_ = before;
    return high;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  PatternTree tree_;
};

}  // namespace

Result<PatternTree> parse_pattern(std::string_view pattern) {
  const auto refused = [](Error::Kind kind, std::string what) {
    return Error{.kind = kind,
                 .what = std::move(what),
                 .cause = {},
                 .action = "Use another pattern",
                 .param = "pattern"};
  };
  if (pattern.size() > kLongestPattern) {
    return refused(Error::Kind::out_of_memory, "The pattern has " + std::to_string(pattern.size()) +
                                                   " bytes, above " + std::to_string(kLongestPattern));
  }
  if (!is_valid_utf8(pattern)) return refused(Error::Kind::invalid_input, "The pattern is not valid UTF-8");
  try {
    return Parser(pattern).parse();
  } catch (Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace pitwall
