// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/text/template_budget.h"
#include "engine/text/template_literals.h"
#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

using Type = Token::Type;

/// All line ends become "\n", and one at the very end is dropped.
std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && source.substr(i + 1, 1) == "\n") continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::string_view kLongSymbols[] = {"//", "**", "==", "!=", ">=", "<="};
constexpr std::string_view kSymbols = "+-/*%~[](){}><=.:|,;";

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      const std::size_t begin = find_begin();
      if (begin == std::string_view::npos) {
        add_data(rest());
        advance(source_.size() - at_);
        break;
      }
      switch (source_[begin + 1]) {
        case '#':
          comment(begin);
          break;
        case '{':
          print(begin);
          break;
        default:
          tag(begin);
          break;
      }
    }
    add(Type::end);
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return source_.substr(at_); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool next_is(std::string_view text) const { return rest().starts_with(text); }
  [[noreturn]] void fail_here(std::string message) const { throw TemplateFailure{std::move(message), line_}; }

  void advance(std::size_t count) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_ + count), '\n'));
    at_ += count;
  }
  void skip_space() { advance(rest().size() - trim_left(rest()).size()); }

  void add(Type type, std::string text = {}) { tokens_.push_back({type, std::move(text), line_, 0, 0}); }
  void add_data(std::string_view data) {
    if (!data.empty()) add(Type::data, std::string(data));
  }

  std::size_t find_begin() const {
    for (std::size_t at = source_.find('{', at_); at != std::string_view::npos;
         at = source_.find('{', at + 1)) {
      const char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return at;
    }
    return std::string_view::npos;
  }

  /// Emits the text before a tag at `begin` and stands behind the tag's opening and sign. `strips_line`:
  /// white space between a line's start and the tag goes (lstrip_blocks).
  void open(std::size_t begin, bool strips_line) {
    std::string_view data = source_.substr(at_, begin - at_);
    const char sign = begin + 2 < source_.size() ? source_[begin + 2] : '\0';
    if (sign == '-') {
      data = trim_right(data);
    } else if (sign != '+' && strips_line) {
      const std::size_t line = data.rfind('\n') + 1;
      const bool at_line_start = line > 0 || after_line_end_;
      if (at_line_start && trim_left(data.substr(line)).empty()) data = data.substr(0, line);
    }
    add_data(data);
    advance(begin - at_ + 2);
    if (sign == '-' || sign == '+') advance(1);
  }

  /// Behind a closing "%}" or "#}" and its sign.
  void close(char sign, bool trims_line_end) {
    const std::size_t begin = at_;
    if (sign == '-') {
      skip_space();
    } else if (sign != '+' && trims_line_end && peek() == '\n') {
      advance(1);
    }
    after_line_end_ = at_ > begin && source_[at_ - 1] == '\n';
  }

  void comment(std::size_t begin) {
    open(begin, true);
    const std::size_t end = source_.find("#}", at_);
    if (end == std::string_view::npos) fail_here("Missing end of comment tag");
    const char sign = end > at_ ? source_[end - 1] : '\0';
    advance(end + 2 - at_);
    close(sign, true);
  }

  void print(std::size_t begin) {
    open(begin, false);
    add(Type::print_begin);
    const char sign = expression("}}");
    add(Type::print_end);
    close(sign, false);
  }

  void tag(std::size_t begin) {
    open(begin, true);
    if (raw()) return;
    add(Type::tag_begin);
    const char sign = expression("%}");
    add(Type::tag_end);
    close(sign, true);
  }

  /// {% raw %} … {% endraw %}: what lies between is text.
  bool raw() {
    std::string_view inside = trim_left(rest());
    if (!inside.starts_with("raw")) return false;
    inside = trim_left(inside.substr(3));
    const bool strips = inside.starts_with("-%}");
    if (!strips && !inside.starts_with("%}")) return false;
    advance(rest().size() - inside.size() + (strips ? 3 : 2));
    if (strips) skip_space();
    after_line_end_ = strips && source_[at_ - 1] == '\n';
    for (std::size_t begin = source_.find("{%", at_); begin != std::string_view::npos;
         begin = source_.find("{%", begin + 2)) {
      if (end_raw(begin)) return true;
    }
    fail_here("Missing end of raw directive");
  }

  /// Whether the tag at `begin` is endraw; then stands behind it.
  bool end_raw(std::size_t begin) {
    std::string_view inside = source_.substr(begin + 2);
    if (inside.starts_with('-') || inside.starts_with('+')) inside.remove_prefix(1);
    inside = trim_left(inside);
    if (!inside.starts_with("endraw")) return false;
    inside = trim_left(inside.substr(6));
    const char sign = inside.starts_with("-%}") ? '-' : inside.starts_with("+%}") ? '+' : '\0';
    if (sign == '\0' && !inside.starts_with("%}")) return false;
    open(begin, true);
    advance(rest().size() - inside.size() + (sign == '\0' ? 2 : 3));
    close(sign, true);
    return true;
  }

  /// Tokens up to the closing `end`, which counts only outside of brackets. Gives the sign before it.
  char expression(std::string_view end) {
    std::string brackets;
    for (;;) {
      skip_space();
      if (at_ >= source_.size()) fail_here(fmt::format("unexpected end of template, expected '{}'", end));
      if (brackets.empty()) {
        const char sign = peek() == '-' || peek() == '+' ? peek() : '\0';
        if (next_is(end)) {
          advance(end.size());
          return '\0';
        }
        // A variable may end in "-}}"; "+}}" is no sign there.
        if ((sign == '-' || (sign == '+' && end == "%}")) && rest().substr(1).starts_with(end)) {
          advance(end.size() + 1);
          return sign;
        }
      }
      one_token(brackets);
    }
  }

  void one_token(std::string& brackets) {
    const char c = peek();
    if (is_digit(c)) return number();
    if (is_name_start(c)) return name();
    if (c == '\'' || c == '"') return quoted();
    for (const std::string_view symbol : kLongSymbols) {
      if (!next_is(symbol)) continue;
      add(Type::symbol, std::string(symbol));
      return advance(symbol.size());
    }
    if (kSymbols.find(c) == std::string_view::npos)
      fail_here(fmt::format("unexpected char {}", quote_for_message(std::string(1, c))));
    balance(c, brackets);
    add(Type::symbol, std::string(1, c));
    advance(1);
  }

  void balance(char c, std::string& brackets) const {
    if (c == '(') brackets += ')';
    if (c == '[') brackets += ']';
    if (c == '{') brackets += '}';
    if (c != ')' && c != ']' && c != '}') return;
    if (brackets.empty()) fail_here(fmt::format("unexpected '{}'", c));
    if (brackets.back() != c) fail_here(fmt::format("unexpected '{}', expected '{}'", c, brackets.back()));
    brackets.pop_back();
  }

  void name() {
    std::size_t length = 0;
    while (is_name_start(peek(length)) || is_digit(peek(length))) ++length;
    const std::string_view text = rest().substr(0, length);
    for (std::string_view left = text; !left.empty();) {
      const std::size_t size = utf8_step(left).length;
      if (!starts_with_word_character(left)) {
        fail_here(fmt::format("unexpected char {}", quote_for_message(left.substr(0, size))));
      }
      left.remove_prefix(size);
    }
    add(Type::name, std::string(text));
    advance(length);
  }

  void number() {
    // Behind a dot (x.1.2) digits are an index, not a fraction.
    const bool may_be_real = at_ == 0 || source_[at_ - 1] != '.';
    const NumberLiteral literal = read_number(rest(), may_be_real);
    const std::string_view digits = rest().substr(0, literal.length);
    if (!literal.is_real && digits.size() > 1 && digits[0] == '0' &&
        (is_digit(digits[1]) || digits[1] == '_') &&
        digits.find_first_of("123456789") != std::string_view::npos) {
      fail_here(fmt::format("a decimal number begins with 0: {}", digits));
    }
    if (literal.overflow)
      fail_here(fmt::format("the number {} does not fit into 64 bits", rest().substr(0, literal.length)));
    add(literal.is_real ? Type::real : Type::integer);
    tokens_.back().integer = literal.integer;
    tokens_.back().real = literal.real;
    advance(literal.length);
  }

  void quoted() {
    const char quote = peek();
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail_here("unexpected end of a string");
    const auto text = unescape(source_.substr(at_ + 1, end - at_ - 1));
    if (!text) fail_here("a string holds an escape that is not complete");
    add(Type::text, *text);
    advance(end + 1 - at_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool after_line_end_ = true;  ///< the last tag took its line's end along, or nothing has been read
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize_template(std::string_view source) {
  const std::string text = normalized(source);
  return Lexer(text).run();
}

}  // namespace pitwall::jinja
