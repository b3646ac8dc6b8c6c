// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of strings. Safe text stays safe.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text_escape.h"
#include "engine/text/template_arguments.h"
#include "engine/text/template_case.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_methods.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_text.h"
#include "engine/text/text_search.h"
#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

/// Where every character is looked up: its case, or whether it is in a set.
constexpr std::size_t kLookupBytesPerStep = 4;
constexpr std::size_t kStepsOfWords = 4;

Value like(Context& context, const Value& self, std::string text) {
  return context.text(std::move(text), self.is_safe_text());
}

/// `steps_per_byte`: more where the case of every character is looked up by itself.
template <std::string (*change)(std::string_view), std::size_t steps_per_byte = 1>
Value changed(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("this method", arguments, {});
  context.budget().step(1 + self.text().size() * steps_per_byte);
  return like(context, self, change(self.text()));
}

// ---- Ends ----

template <StripSide side>
Value strip(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("strip", arguments, {"chars"});
  context.budget().step_over(self.text().size());
  if (!read.has_value(0)) return like(context, self, std::string(strip_space(self.text(), side)));
  context.budget().step((self.text().size() + read.text(0, "").size()) / kLookupBytesPerStep);
  return like(context, self, std::string(strip_characters(self.text(), read.text(0, ""), side)));
}

/// The part of `self` from character `start` to `stop`, which arguments 1 and 2 give; nullopt where the start
/// lies behind the end. The offset is in bytes.
struct Window {
  std::string_view text;
  std::size_t offset = 0;
};
std::optional<Window> window_of(Context& context, const Value& self, const ArgumentReader& read) {
  const std::string_view text = self.text();
  context.budget().step_over(text.size());
  const auto length = static_cast<std::int64_t>(utf8_length(text));
  const auto bound = [&](std::size_t index, std::int64_t otherwise) {
    const std::int64_t value = read.has_value(index) ? read.integer(index, 0) : otherwise;
    return std::max<std::int64_t>(value < 0 ? value + length : value, 0);
  };
  const std::int64_t start = bound(1, 0);
  const std::int64_t stop = std::min(bound(2, length), length);
  if (start > stop) return std::nullopt;
  const std::size_t begin = utf8_offset(text, static_cast<std::size_t>(start));
  return Window{text.substr(begin, utf8_offset(text, static_cast<std::size_t>(stop)) - begin), begin};
}

/// Whether one of the given texts, or of a tuple of them, satisfies `test` within the window.
template <class Test>
Value any_affix(Context& context, std::string_view callee, const Value& self, const Arguments& arguments,
                Test test) {
  const ArgumentReader read(callee, arguments, {"affix", "start", "end"}, 1);
  const auto window = window_of(context, self, read);
  const auto holds = [&](std::string_view affix) { return window && test(window->text, affix); };
  if (read[0].kind() != Value::Kind::tuple) return Value::of(bool{holds(read.text(0, ""))});
  const Items& affixes = read[0].sequence().items;
  return Value::of(std::any_of(affixes.begin(), affixes.end(), [&](const Value& affix) {
    if (!affix.is_text()) fail(fmt::format("{}() needs strings, not '{}'", callee, affix.type_name()));
    return bool{holds(affix.text())};
  }));
}

Value startswith(Context& context, const Value& self, const Arguments& arguments) {
  return any_affix(context, "startswith", self, arguments,
                   [](std::string_view text, std::string_view affix) { return text.starts_with(affix); });
}
Value endswith(Context& context, const Value& self, const Arguments& arguments) {
  return any_affix(context, "endswith", self, arguments,
                   [](std::string_view text, std::string_view affix) { return text.ends_with(affix); });
}

Value removeprefix(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("removeprefix", arguments, {"prefix"}, 1);
  std::string_view text = self.text();
  if (text.starts_with(read.text(0, ""))) text.remove_prefix(read.text(0, "").size());
  return like(context, self, std::string(text));
}
Value removesuffix(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("removesuffix", arguments, {"suffix"}, 1);
  std::string_view text = self.text();
  if (text.ends_with(read.text(0, ""))) text.remove_suffix(read.text(0, "").size());
  return like(context, self, std::string(text));
}

// ---- Search ----

/// Code point index of `offset`, counted in the whole text.
Value index_of(const Value& self, std::size_t offset) {
  return Value::of(static_cast<std::int64_t>(utf8_length(std::string_view(self.text()).substr(0, offset))));
}

template <bool from_right, bool must_exist>
Value find(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("find", arguments, {"sub", "start", "end"}, 1);
  const std::string_view wanted = read.text(0, "");
  if (const auto window = window_of(context, self, read)) {
    const std::size_t found = from_right ? find_last(window->text, wanted) : find_first(window->text, wanted);
    if (found != std::string_view::npos) return index_of(self, window->offset + found);
  }
  if (must_exist) fail("substring not found");
  return Value::of(std::int64_t{-1});
}

Value count(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("count", arguments, {"sub", "start", "end"}, 1);
  const std::string_view wanted = read.text(0, "");
  const auto window = window_of(context, self, read);
  if (!window) return Value::of(std::int64_t{0});
  if (wanted.empty()) return Value::of(static_cast<std::int64_t>(utf8_length(window->text)) + 1);
  std::int64_t found = 0;
  for (std::size_t at = find_first(window->text, wanted); at != std::string::npos;
       at = find_first(window->text, wanted, at + wanted.size())) {
    ++found;
  }
  return Value::of(found);
}

Value replace(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("replace", arguments, {"old", "new", "count"}, 2);
  const bool safe = self.is_safe_text();
  const auto prepared = [&](std::size_t index) {
    const std::string_view text = read.text(index, "");
    return safe && !read[index].is_safe_text() ? escape_html(text) : std::string(text);
  };
  return context.text(replace_text(context, self.text(), prepared(0), prepared(1), read.integer(2, -1)),
                      safe);
}

// ---- Pieces ----

Value pieces_like(Context& context, const Value& self, const std::vector<std::string_view>& pieces) {
  Items items;
  items.reserve(pieces.size());
  for (const std::string_view piece : pieces) items.push_back(like(context, self, std::string(piece)));
  return context.list(std::move(items));
}

template <bool from_right>
Value split(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("split", arguments, {"sep", "maxsplit"});
  context.budget().step_over(self.text().size());
  const std::int64_t most = read.integer(1, -1);
  if (!read.has_value(0)) return pieces_like(context, self, split_at_space(self.text(), most, from_right));
  const std::string_view separator = read.text(0, "");
  if (separator.empty()) fail("empty separator");
  return pieces_like(context, self, split_at(self.text(), separator, most, from_right));
}

Value splitlines(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("splitlines", arguments, {"keepends"});
  context.budget().step_over(self.text().size());
  return pieces_like(context, self, split_lines(self.text(), read.flag(0, false)));
}

template <bool from_right>
Value partition(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("partition", arguments, {"sep"}, 1);
  const std::string_view text = self.text();
  const std::string_view separator = read.text(0, "");
  if (separator.empty()) fail("empty separator");
  context.budget().step_over(text.size());
  const std::size_t at = from_right ? find_last(text, separator) : find_first(text, separator);
  std::array<std::string_view, 3> parts = {text, "", ""};
  if (at == std::string_view::npos && from_right) parts = {"", "", text};
  if (at != std::string_view::npos) {
    parts = {text.substr(0, at), separator, text.substr(at + separator.size())};
  }
  Items items;
  for (const std::string_view part : parts) items.push_back(like(context, self, std::string(part)));
  return context.tuple(std::move(items));
}

Value join(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("join", arguments, {"iterable"}, 1);
  const auto parts = items_of(context, read[0]);
  const bool safe = self.is_safe_text();
  TextBuilder out(context);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Value& part = parts[i];
    if (!part.is_text() && !safe) {
      fail(fmt::format("sequence item {}: expected str instance, {} found", i, part.type_name()));
    }
    if (i > 0) out << self.text();
    const std::string text = to_text(context, part);
    out << (safe && !part.is_safe_text() ? escape_html(text) : text);
  }
  return context.text(out.take(), safe);
}

// ---- Classes ----

template <CharacterClass wanted>
Value all_are(Context& context, const Value& self, const Arguments&) {
  context.budget().step_over(self.text().size());
  return Value::of(all_of_class(self.text(), wanted));
}

template <CharacterClass present, CharacterClass absent>
Value cased_as(Context& context, const Value& self, const Arguments&) {
  context.budget().step_over(self.text().size());
  return Value::of(any_of_class(self.text(), present) && !any_of_class(self.text(), absent));
}

Value isspace(Context& context, const Value& self, const Arguments&) {
  context.budget().step_over(self.text().size());
  return Value::of(!self.text().empty() && strip_space(self.text(), StripSide::left).empty());
}

Value istitle(Context& context, const Value& self, const Arguments&) {
  context.budget().step(1 + self.text().size() * kStepsOfWords);
  return Value::of(is_title_case(self.text()));
}

Value isprintable(Context& context, const Value& self, const Arguments&) {
  context.budget().step(1 + self.text().size() / kLookupBytesPerStep);
  return Value::of(!any_of_class(self.text(), CharacterClass::unprintable));
}

Value isidentifier(Context& context, const Value& self, const Arguments&) {
  context.budget().step_over(self.text().size());
  const std::string_view text = self.text();
  if (text.empty() || !all_of_class(text, CharacterClass::word)) return Value::of(false);
  const std::string_view first = text.substr(0, utf8_step(text).length);
  return Value::of(first == "_" || all_of_class(first, CharacterClass::letter));
}

Value isascii(Context&, const Value& self, const Arguments&) {
  return Value::of(std::all_of(self.text().begin(), self.text().end(),
                               [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

// ---- Layout ----

Value padded(Context& context, const Value& self, std::int64_t width, std::string_view fill, char align) {
  FieldFormat format;
  format.width = width;
  format.fill = fill;
  format.align = align;
  format.type = 's';
  return like(context, self, format_field(context, self, format));
}

template <char align>
Value justify(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("justify", arguments, {"width", "fillchar"}, 1);
  const std::string_view fill = read.text(1, " ");
  const std::int64_t width = read.integer(0, 0);
  if (utf8_length(fill) != 1) fail("The fill character must be exactly one character long");
  if (align != '^') return padded(context, self, width, fill, align);
  // Of an odd number of fill characters Python puts the one more to the left if the width is odd.
  const std::int64_t length = length_of(self);
  const std::int64_t missing = std::max<std::int64_t>(width - std::min(width, length), 0);
  const std::int64_t left = missing / 2 + (missing & width & 1);
  return padded(context, padded(context, self, length + left, fill, '>'), width, fill, '<');
}

Value zfill(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("zfill", arguments, {"width"}, 1);
  const std::string_view text = self.text();
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  FieldFormat format;
  format.width = std::max<std::int64_t>(read.integer(0, 0), 1) - static_cast<std::int64_t>(sign);
  format.fill = "0";
  format.align = '>';
  format.type = 's';
  const Value digits = context.text(std::string(text.substr(sign)));
  return like(context, self, std::string(text.substr(0, sign)) + format_field(context, digits, format));
}

Value expandtabs(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("expandtabs", arguments, {"tabsize"});
  const std::int64_t size = read.integer(0, 8);
  context.budget().step_over(self.text().size());
  TextBuilder out(context);
  std::int64_t column = 0;
  for (std::string_view rest = self.text(); !rest.empty();) {
    const std::string_view character = rest.substr(0, utf8_step(rest).length);
    rest.remove_prefix(character.size());
    if (character == "\t") {
      const std::int64_t spaces = size > 0 ? size - column % size : 0;
      context.budget().require(static_cast<std::size_t>(spaces));
      out << std::string(static_cast<std::size_t>(spaces), ' ');
      column += spaces;
      continue;
    }
    column = character == "\n" || character == "\r" ? 0 : column + 1;
    out << character;
  }
  return like(context, self, out.take());
}

/// What translate() puts in the place of a character: the table has texts, code points or none by code point.
Value translate(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("translate", arguments, {"table"}, 1);
  if (!read[0].is_dict()) fail(fmt::format("translate() needs a dict, not '{}'", read[0].type_name()));
  const Entries& table = read[0].dict().entries;
  TextBuilder out(context);
  for (std::string_view rest = self.text(); !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    const auto code = static_cast<std::int64_t>(step.code);
    const std::size_t place = find_entry(context, table, Value::of(code));
    if (place == table.size()) {
      out << rest.substr(0, step.length);
    } else if (const Value& image = table[place].second; image.is_integral()) {
      out << character_of(image.integer());
    } else if (!image.is_none()) {
      if (!image.is_text()) fail("character mapping must return integer, None or str");
      out << image.text();
    }
    rest.remove_prefix(step.length);
  }
  return like(context, self, out.take());
}

Value maketrans(Context& context, const Value&, const Arguments& arguments) {
  const ArgumentReader read("maketrans", arguments, {"from", "to", "dropped"}, 1);
  const auto code_of = [](const Value& key) {
    if (key.is_integral()) return key;
    if (!key.is_text() || utf8_length(key.text()) != 1)
      fail("string keys in translate table must be of length 1");
    return Value::of(static_cast<std::int64_t>(utf8_step(key.text()).code));
  };
  Entries table;
  if (!read.has(1)) {
    if (!read[0].is_dict()) fail("if you give only one argument to maketrans it must be a dict");
    for (const auto& [key, image] : read[0].dict().entries) table.emplace_back(code_of(key), image);
    return context.dict(table);
  }
  const auto from = items_of(context, read[0]);
  const auto to = items_of(context, read[1]);
  if (read.text(0, "").size() + read.text(1, "").size() > 0 && from.size() != to.size())
    fail("the first two maketrans arguments must have equal length");
  for (std::size_t i = 0; i < from.size(); ++i) table.emplace_back(code_of(from[i]), code_of(to[i]));
  if (read.has(2)) {
    for (const Value& dropped : items_of(context, context.text(std::string(read.text(2, "")))))
      table.emplace_back(code_of(dropped), Value::none());
  }
  return context.dict(table);
}

Value format_map(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("format_map", arguments, {"mapping"}, 1);
  if (!read[0].is_dict()) fail(fmt::format("format_map() needs a dict, not '{}'", read[0].type_name()));
  Arguments named;
  for (const auto& [key, value] : read[0].dict().entries) {
    if (key.is_text()) named.named.emplace_back(key.text(), value);
  }
  return format_braces(context, self, named);
}

Value format(Context& context, const Value& self, const Arguments& arguments) {
  return format_braces(context, self, arguments);
}

constexpr Method kMethods[] = {
    {"strip", strip<StripSide::both>},
    {"lstrip", strip<StripSide::left>},
    {"rstrip", strip<StripSide::right>},
    {"split", split<false>},
    {"rsplit", split<true>},
    {"splitlines", splitlines},
    {"partition", partition<false>},
    {"rpartition", partition<true>},
    {"startswith", startswith},
    {"endswith", endswith},
    {"removeprefix", removeprefix},
    {"removesuffix", removesuffix},
    {"replace", replace},
    {"upper", changed<upper_case>},
    {"lower", changed<lower_case>},
    {"casefold", changed<folded_case>},
    {"title", changed<title_case, kStepsOfWords>},
    {"capitalize", changed<capitalize>},
    {"swapcase", changed<swap_case, kStepsOfWords>},
    {"find", find<false, false>},
    {"rfind", find<true, false>},
    {"index", find<false, true>},
    {"rindex", find<true, true>},
    {"count", count},
    {"join", join},
    {"format", format},
    {"ljust", justify<'<'>},
    {"rjust", justify<'>'>},
    {"center", justify<'^'>},
    {"zfill", zfill},
    {"isalpha", all_are<CharacterClass::letter>},
    {"isdigit", all_are<CharacterClass::decimal>},
    {"isdecimal", all_are<CharacterClass::decimal>},
    {"isnumeric", all_are<CharacterClass::number>},
    {"isalnum", all_are<CharacterClass::alphanumeric>},
    {"islower", cased_as<CharacterClass::lower, CharacterClass::upper>},
    {"isupper", cased_as<CharacterClass::upper, CharacterClass::lower>},
    {"isspace", isspace},
    {"isascii", isascii},
    {"istitle", istitle},
    {"isprintable", isprintable},
    {"isidentifier", isidentifier},
    {"expandtabs", expandtabs},
    {"translate", translate},
    {"maketrans", maketrans},
    {"format_map", format_map},
};

}  // namespace

const Method* find_text_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [&](const Method& method) { return method.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace pitwall::jinja
