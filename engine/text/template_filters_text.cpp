// SPDX-License-Identifier: GPL-3.0-or-later
// Filters that make text.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/text/template_access.h"
#include "engine/text/template_arguments.h"
#include "engine/text/template_case.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_json.h"
#include "engine/text/template_methods.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_text.h"
#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

/// The value as text; text stays what it is, safe or not.
Value as_text(Context& context, const Value& value) {
  return value.is_text() ? value : context.text(to_text(context, value));
}

/// str()'s method of the same name, on whatever the value prints as.
Value by_method(Context& context, std::string_view method, const Value& input, const Arguments& arguments) {
  return find_text_method(method)->function(context, as_text(context, input), arguments);
}
Value upper(Context& context, const Value& input, const Arguments& arguments) {
  return by_method(context, "upper", input, arguments);
}
Value lower(Context& context, const Value& input, const Arguments& arguments) {
  return by_method(context, "lower", input, arguments);
}
Value capitalize_filter(Context& context, const Value& input, const Arguments& arguments) {
  return by_method(context, "capitalize", input, arguments);
}
Value trim(Context& context, const Value& input, const Arguments& arguments) {
  return by_method(context, "strip", input, arguments);
}

Value center(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("center", arguments, {"width"});
  return by_method(context, "center", input, {{Value::of(read.integer(0, 80))}, {}});
}

/// Words begin after white space, hyphens and opening brackets.
Value title(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("title", arguments, {});
  const std::string text = to_text(context, input);
  context.budget().step(1 + text.size() * 2);
  std::string out;
  bool starts_word = true;
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    const std::string_view character = rest.substr(0, step.length);
    out += starts_word ? upper_case(character) : lower_case(character);
    starts_word =
        is_unicode_space(step.code) || std::string_view("-({[<").find(character) != std::string_view::npos;
    rest.remove_prefix(step.length);
  }
  return context.text(std::move(out));
}

Value replace(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("replace", arguments, {"old", "new", "count"}, 2);
  const std::int64_t count = read.has_value(2) ? read.integer(2, -1) : -1;
  return context.text(replace_text(context, to_text(context, input), to_text(context, read[0]),
                                   to_text(context, read[1]), count));
}

/// An indentation, given as text or as a number of spaces.
std::string indentation(Context& context, const Value& given) {
  if (given.is_text()) return given.text();
  if (!given.is_integral())
    fail(fmt::format("an indentation is a number or a string, not '{}'", given.type_name()));
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(given.integer(), 0));
  context.budget().require(width);
  return std::string(width, ' ');
}

Value indent(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("indent", arguments, {"width", "first", "blank"});
  if (!input.is_text()) fail(fmt::format("indent() needs a string, not '{}'", input.type_name()));
  const std::string prefix = indentation(context, read.has(0) ? read[0] : Value::of(std::int64_t{4}));
  const bool first = read.flag(1, false);
  const bool blank = read.flag(2, false);
  // A line end is put behind the text first, so that a last empty line counts.
  const std::string text = input.text() + "\n";
  const std::vector<std::string_view> lines = split_lines(text, false);
  TextBuilder out(context);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out << "\n";
    const bool indented = i == 0 ? first : blank || !lines[i].empty();
    if (indented) out << prefix;
    out << lines[i];
  }
  return context.text(out.take(), input.is_safe_text());
}

Value truncate(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("truncate", arguments, {"length", "killwords", "end", "leeway"});
  const std::int64_t length = read.integer(0, 255);
  const Value end = read.has(2) ? read[2] : context.text("...");
  if (!end.is_text()) fail(fmt::format("truncate(): 'end' must be a string, not '{}'", end.type_name()));
  const std::int64_t leeway = read.has_value(3) ? read.integer(3, 5) : 5;
  const std::int64_t end_length = length_of(end);
  if (length < end_length)
    fail(fmt::format("truncate() expects a length of at least {}, got {}", end_length, length));
  if (leeway < 0) fail(fmt::format("truncate() expects a leeway of at least 0, got {}", leeway));
  if (length_of(input) - leeway <= length) return input;
  if (!input.is_text()) fail(fmt::format("truncate() needs a string, not '{}'", input.type_name()));
  const std::size_t kept = utf8_offset(input.text(), static_cast<std::size_t>(length - end_length));
  std::string_view head = std::string_view(input.text()).substr(0, kept);
  if (!read.flag(1, false)) head = head.substr(0, head.rfind(' '));
  const Value shortened = context.text(std::string(head), input.is_safe_text());
  return arithmetic(context, ArithmeticOperator::add, shortened, end);
}

Value wordcount(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("wordcount", arguments, {});
  const std::string text = to_text(context, input);
  context.budget().step(1 + text.size() / 4);
  std::int64_t words = 0;
  bool in_word = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, utf8_step(rest).length);
    const bool word = starts_with_word_character(character);
    if (word && !in_word) ++words;
    in_word = word;
    rest.remove_prefix(character.size());
  }
  return Value::of(words);
}

Value string(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("string", arguments, {});
  return as_text(context, input);
}

Value safe(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("safe", arguments, {});
  return context.text(to_text(context, input), true);
}

Value forceescape(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("escape", arguments, {});
  return context.text(escape_html(to_text(context, input)), true);
}

Value escape(Context& context, const Value& input, const Arguments& arguments) {
  return input.is_safe_text() ? input : forceescape(context, input, arguments);
}

Value format(Context& context, const Value& input, const Arguments& arguments) {
  const Value pattern = as_text(context, input);
  if (arguments.named.empty()) return format_percent(context, pattern, context.tuple(arguments.positional));
  if (!arguments.positional.empty()) fail("can't handle positional and keyword arguments at the same time");
  Entries entries;
  for (const auto& [name, value] : arguments.named) entries.emplace_back(context.text(name), value);
  return format_percent(context, pattern, context.dict(entries));
}

Value join(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("join", arguments, {"d", "attribute"});
  const std::string separator = read.has(0) ? to_text(context, read[0]) : "";
  const auto items = items_of(context, input);
  TextBuilder out(context);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out << separator;
    const Value& item = items[i];
    append_text(context, out, read.has_value(1) ? get_path(context, item, read[1]) : item);
  }
  return context.text(out.take());
}

Value tojson(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ascii = read.flag(0, false);
  if (read.has_value(1)) {
    style.indent = indentation(context, read[1]);
    style.item_separator = std::string(",");
  }
  if (read.has_value(2)) {
    const auto separators = items_of(context, read[2]);
    if (separators.size() != 2) fail("tojson(): 'separators' must be two strings");
    style.item_separator = to_text(context, separators[0]);
    style.key_separator = to_text(context, separators[1]);
  }
  style.sort_keys = read.flag(3, false);
  return context.text(to_json(context, input, style));
}

constexpr Filter kFilters[] = {
    {"upper", upper},         {"lower", lower},   {"capitalize", capitalize_filter},
    {"title", title},         {"trim", trim},     {"center", center},
    {"replace", replace},     {"indent", indent}, {"truncate", truncate},
    {"wordcount", wordcount}, {"string", string}, {"safe", safe},
    {"escape", escape},       {"e", escape},      {"forceescape", forceescape},
    {"format", format},       {"join", join},     {"tojson", tojson},
};

}  // namespace

FilterFunction find_text_filter(std::string_view name) {
  return find_in(kFilters, name);
}

}  // namespace pitwall::jinja
