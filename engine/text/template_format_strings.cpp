// SPDX-License-Identifier: GPL-3.0-or-later
// Format strings: "…%s…" % values and "…{}…".format(values).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/text/template_access.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

constexpr std::int64_t kLargestNumber = 1'000'000'000;

/// Reads a format string from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  char next() {
    if (rest_.empty()) fail("a format string ends inside a field");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool skip(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// What comes before the first of `ends`, or the rest.
  std::string_view until(std::string_view ends) {
    const std::string_view part = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(part.size());
    return part;
  }
  std::string_view character() {
    const std::string_view one = rest_.substr(0, rest_.empty() ? 0 : utf8_step(rest_).length);
    rest_.remove_prefix(one.size());
    return one;
  }
  std::int64_t number() {
    std::int64_t value = 0;
    while (peek() >= '0' && peek() <= '9') value = std::min(value * 10 + (next() - '0'), kLargestNumber);
    return value;
  }
  std::string_view rest() const { return rest_; }
  void skip_bytes(std::size_t count) { rest_.remove_prefix(count); }

 private:
  std::string_view rest_;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// ---- Percent ----

/// Hands the right operand of % out, one value after another or by key.
class PercentValues {
 public:
  PercentValues(Context& context, const Value& arguments) : context_(context), arguments_(arguments) {
    const Value::Kind kind = arguments.kind();
    const bool tuple = kind == Value::Kind::tuple;
    may_stay_unused_ = kind == Value::Kind::list || kind == Value::Kind::dict || kind == Value::Kind::range ||
                       kind == Value::Kind::undefined;
    items_ = tuple ? arguments.sequence().items : Items{arguments};
  }
  Value next() {
    if (used_ >= items_.size()) fail("not enough arguments for format string");
    return items_[used_++];
  }
  Value by_key(std::string_view key) {
    if (!arguments_.is_dict()) fail("format requires a mapping");
    used_ = items_.size();
    const Value value = get_item(context_, arguments_, context_.text(std::string(key)));
    if (value.is_undefined()) fail(fmt::format("the format string names '{}', which is not given", key));
    return value;
  }
  void finish() const {
    if (used_ < items_.size() && !may_stay_unused_)
      fail("not all arguments converted during string formatting");
  }

 private:
  Context& context_;
  const Value& arguments_;
  Items items_;
  std::size_t used_ = 0;
  bool may_stay_unused_ = false;  ///< what can be subscripted could be a mapping for named fields
};

/// A width or precision: digits, or * for the next value.
std::int64_t percent_number(Cursor& cursor, PercentValues& values) {
  if (!cursor.skip('*')) return cursor.number();
  const Value value = values.next();
  if (!value.is_integral()) fail("* wants int");
  return std::clamp(value.integer(), -kLargestNumber, kLargestNumber);
}

void read_percent_flags(Cursor& cursor, FieldFormat& format) {
  format.align = '>';
  bool left = false;
  for (;; cursor.next()) {
    switch (cursor.peek()) {
      case '-':
        left = true;
        break;
      case '+':
        format.sign = '+';
        break;
      case ' ':
        format.sign = format.sign == '+' ? '+' : ' ';
        break;
      case '#':
        format.alternate = true;
        break;
      case '0':
        format.fill = "0";
        format.align = '=';
        break;
      default:
        if (left) format.align = '<';
        if (left) format.fill = " ";
        return;
    }
  }
}

std::string percent_field(Context& context, Cursor& cursor, PercentValues& values) {
  std::optional<std::string> key;
  if (cursor.skip('(')) {
    key = std::string(cursor.until(")"));
    cursor.next();
  }
  FieldFormat format;
  read_percent_flags(cursor, format);
  format.width = percent_number(cursor, values);
  if (format.width < 0) {
    format.width = -format.width;
    format.align = '<';
  }
  if (cursor.skip('.')) {
    format.precision = static_cast<int>(std::clamp<std::int64_t>(percent_number(cursor, values), 0, 1 << 20));
  }
  if (std::string_view("hlL").find(cursor.peek()) != std::string_view::npos && !cursor.at_end())
    cursor.next();
  format.type = cursor.next();
  if (format.type == '%') return "%";
  if (std::string_view("diuoxXeEfFgGcrsa").find(format.type) == std::string_view::npos) {
    fail(fmt::format("unsupported format character '{}'", format.type));
  }
  if (format.type == 'i' || format.type == 'u') format.type = 'd';
  const Value value = key ? values.by_key(*key) : values.next();
  if ((format.type == 'x' || format.type == 'X' || format.type == 'o') && value.kind() == Value::Kind::real) {
    fail(fmt::format("%{} format: an integer is required, not float", format.type));
  }
  const bool textual = std::string_view("srac").find(format.type) != std::string_view::npos;
  if (textual) {
    format.fill = " ";
    if (format.align == '=') format.align = '>';
  }
  return format_field(context, value, format);
}

// ---- Braces ----

FieldFormat read_brace_format(std::string_view text) {
  FieldFormat format;
  if (text.empty()) return format;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  Cursor cursor(text);
  const std::size_t first = utf8_step(text).length;
  const bool has_fill = text.size() > first && is_align(text[first]);
  if (has_fill) {
    format.fill = std::string(cursor.character());
    format.align = cursor.next();
  } else if (is_align(cursor.peek())) {
    format.align = cursor.next();
  }
  if (cursor.peek() == '+' || cursor.peek() == '-' || cursor.peek() == ' ') format.sign = cursor.next();
  format.alternate = cursor.skip('#');
  if (cursor.peek() == '0' && !has_fill) {
    format.fill = "0";
    if (format.align == 0) format.align = '=';
  }
  format.width = cursor.number();
  if (cursor.peek() == ',' || cursor.peek() == '_') format.grouping = cursor.next();
  if (cursor.skip('.')) {
    if (!is_digit(cursor.peek())) fail("format specifier missing precision");
    format.precision = static_cast<int>(std::min<std::int64_t>(cursor.number(), 1 << 20));
  }
  if (!cursor.at_end()) format.type = cursor.next();
  if (!cursor.at_end()) fail(fmt::format("invalid format specifier '{}'", text));
  return format;
}

/// Fields of one .format() call.
class BraceFields {
 public:
  BraceFields(Context& context, const Arguments& arguments) : context_(context), arguments_(arguments) {}

  std::string next(std::string_view field) {
    const std::size_t colon = field.find(':');
    const std::string_view name = field.substr(0, colon);
    const std::size_t bang = name.find('!');
    Value value = look_up(name.substr(0, bang));
    if (bang != std::string_view::npos) value = converted(value, name.substr(bang + 1));
    const std::string form = colon == std::string_view::npos ? "" : filled(field.substr(colon + 1));
    return formatted(value, form);
  }

 private:
  Value converted(const Value& value, std::string_view conversion) {
    if (conversion == "r") return context_.text(repr(context_, value));
    if (conversion == "s") return context_.text(to_text(context_, value));
    if (conversion == "a") return context_.text(ascii_repr(context_, value));
    fail(fmt::format("Unknown conversion specifier '{}'", conversion));
  }

  /// A format in which fields of one level are filled in.
  std::string filled(std::string_view form) {
    std::string out;
    Cursor cursor(form);
    for (;;) {
      out += cursor.until("{");
      if (!cursor.skip('{')) return out;
      const std::string_view field = cursor.until("}");
      cursor.next();
      if (field.find('{') != std::string_view::npos) fail("Max string recursion exceeded");
      out += next(field);
    }
  }

  std::string formatted(const Value& value, const std::string& form) {
    if (form.empty()) return to_text(context_, value);
    FieldFormat format = read_brace_format(form);
    if (value.is_text()) {
      if (format.type != 0 && format.type != 's') {
        fail(fmt::format("Unknown format code '{}' for object of type 'str'", format.type));
      }
      if (format.align == '=' && format.fill != "0")
        fail("'=' alignment not allowed in string format specifier");
      if (format.align == '=') format.align = '<';
      format.type = 's';
    } else if (!value.is_number()) {
      fail(fmt::format("unsupported format string passed to {}.__format__", value.type_name()));
    } else if (format.type == 's' || (format.type == 'c' && !value.is_integral()) || format.type == 'r' ||
               format.type == 'a') {
      fail(fmt::format("Unknown format code '{}' for object of type '{}'", format.type, value.type_name()));
    } else if (value.kind() == Value::Kind::real &&
               std::string_view("bdoxX").find(format.type) != std::string_view::npos && format.type != 0) {
      fail(fmt::format("Unknown format code '{}' for object of type 'float'", format.type));
    } else if (value.is_integral() && format.precision >= 0 &&
               std::string_view("bdoxXcn").find(format.type) != std::string_view::npos) {
      fail("Precision not allowed in integer format specifier");
    }
    return format_field(context_, value, format);
  }

  Value look_up(std::string_view path) {
    Cursor cursor(path);
    Value value = first_part(cursor.until(".["));
    while (!cursor.at_end()) {
      if (cursor.skip('.')) {
        value = get_attribute(context_, value, cursor.until(".["));
        continue;
      }
      cursor.next();
      const std::string key(cursor.until("]"));
      cursor.next();
      const bool index = !key.empty() && std::all_of(key.begin(), key.end(), is_digit);
      value = get_item(context_, value, index ? Value::of(Cursor(key).number()) : context_.text(key));
    }
    return value;
  }

  Value first_part(std::string_view name) {
    const bool numbered = !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
    if (name.empty() || numbered) {
      if (numbering_ && *numbering_ != numbered) {
        fail("cannot switch between manual field specification and automatic field numbering");
      }
      numbering_ = numbered;
    }
    if (name.empty()) return by_position(next_position_++);
    if (numbered) return by_position(Cursor(name).number());
    for (const auto& [key, value] : arguments_.named) {
      if (key == name) return value;
    }
    fail(fmt::format("the format string names '{}', which is not given", name));
  }

  Value by_position(std::int64_t position) const {
    const auto index = static_cast<std::size_t>(position);
    if (index >= arguments_.positional.size()) {
      fail(fmt::format("Replacement index {} out of range for positional args tuple", position));
    }
    return arguments_.positional[index];
  }

  Context& context_;
  const Arguments& arguments_;
  std::int64_t next_position_ = 0;
  std::optional<bool> numbering_;  ///< whether fields have numbers, once one has shown it
};

/// The field behind an opening brace, with the fields inside it; stands behind its closing brace.
std::string_view brace_field(Cursor& cursor) {
  const std::string_view text = cursor.rest();
  int open = 1;
  std::size_t length = 0;
  for (; length < text.size(); ++length) {
    if (text[length] == '{') ++open;
    if (text[length] == '}' && --open == 0) break;
  }
  if (open > 0) fail("expected '}' before end of string");
  cursor.skip_bytes(length + 1);
  return text.substr(0, length);
}

}  // namespace

Value format_percent(Context& context, const Value& pattern, const Value& arguments) {
  PercentValues values(context, arguments);
  Cursor cursor(pattern.text());
  TextBuilder out(context);
  const bool safe = pattern.is_safe_text();
  while (!cursor.at_end()) {
    out << cursor.until("%");
    if (!cursor.skip('%')) break;
    const std::string field = percent_field(context, cursor, values);
    out << (safe ? escape_html(field) : field);
  }
  values.finish();
  return context.text(out.take(), safe);
}

Value format_braces(Context& context, const Value& pattern, const Arguments& arguments) {
  BraceFields fields(context, arguments);
  Cursor cursor(pattern.text());
  TextBuilder out(context);
  const bool safe = pattern.is_safe_text();
  while (!cursor.at_end()) {
    out << cursor.until("{}");
    if (cursor.at_end()) break;
    const char brace = cursor.next();
    if (cursor.skip(brace)) {
      out << std::string_view(&brace, 1);
      continue;
    }
    if (brace == '}') fail("Single '}' encountered in format string");
    const std::string text = fields.next(brace_field(cursor));
    out << (safe ? escape_html(text) : text);
  }
  return context.text(out.take(), safe);
}

}  // namespace pitwall::jinja
