// SPDX-License-Identifier: GPL-3.0-or-later
// Format strings: "…%s…" % values and "…{}…".format(values).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
    const bool tuple = arguments.kind() == Value::Kind::tuple;
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
    if (used_ < items_.size() && !arguments_.is_dict())
      fail("not all arguments converted during string formatting");
  }

 private:
  Context& context_;
  const Value& arguments_;
  Items items_;
  std::size_t used_ = 0;
};

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
  format.width = cursor.number();
  if (cursor.skip('.')) format.precision = static_cast<int>(std::min<std::int64_t>(cursor.number(), 1 << 20));
  cursor.until("%diuoxXeEfFgGcrsa");
  format.type = cursor.next();
  if (format.type == '%') return "%";
  if (format.type == 'i' || format.type == 'u') format.type = 'd';
  if (format.type == 'a') format.type = 'r';
  const Value value = key ? values.by_key(*key) : values.next();
  if (format.type == 's' || format.type == 'r') {
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
  if (text.size() > first && is_align(text[first])) {
    format.fill = std::string(cursor.character());
    format.align = cursor.next();
  } else if (is_align(cursor.peek())) {
    format.align = cursor.next();
  }
  if (cursor.peek() == '+' || cursor.peek() == '-' || cursor.peek() == ' ') format.sign = cursor.next();
  format.alternate = cursor.skip('#');
  if (cursor.peek() == '0' && format.align == 0) {
    format.fill = "0";
    format.align = '=';
  }
  format.width = cursor.number();
  format.grouped = cursor.skip(',');
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
    std::string_view name = field.substr(0, colon);
    FieldFormat format = read_brace_format(colon == std::string_view::npos ? "" : field.substr(colon + 1));
    const std::size_t bang = name.find('!');
    const std::string_view conversion = bang == std::string_view::npos ? "" : name.substr(bang + 1);
    Value value = look_up(name.substr(0, bang));
    if (conversion == "r") value = context_.text(repr(context_, value));
    if (conversion == "s") value = context_.text(to_text(context_, value));
    return format_field(context_, value, format);
  }

 private:
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
    if (value.is_undefined()) fail(value.undefined_reason());
    return value;
  }

  Value first_part(std::string_view name) {
    if (name.empty()) return by_position(next_position_++);
    if (std::all_of(name.begin(), name.end(), is_digit)) return by_position(Cursor(name).number());
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
};

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
    out << (safe ? escape_markup(field) : field);
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
    const std::string_view field = cursor.until("}");
    cursor.next();
    const std::string text = fields.next(field);
    out << (safe ? escape_markup(text) : text);
  }
  return context.text(out.take(), safe);
}

}  // namespace pitwall::jinja
