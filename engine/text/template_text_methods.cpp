// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of strings. Safe text stays safe.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/text/template_arguments.h"
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

Value like(Context& context, const Value& self, std::string text) {
  return context.text(std::move(text), self.is_safe_text());
}

template <std::string (*change)(std::string_view)>
Value changed(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("this method", arguments, {});
  context.budget().step(1 + self.text().size() / kLookupBytesPerStep);
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

/// Whether one of the given texts, or of a tuple of them, satisfies `test`.
template <class Test>
Value any_affix(std::string_view callee, const Arguments& arguments, Test test) {
  const ArgumentReader read(callee, arguments, {"affix"}, 1);
  if (read[0].kind() != Value::Kind::tuple) return Value::of(bool{test(read.text(0, ""))});
  const Items& affixes = read[0].sequence().items;
  return Value::of(std::any_of(affixes.begin(), affixes.end(), [&](const Value& affix) {
    if (!affix.is_text()) fail(fmt::format("{}() needs strings, not '{}'", callee, affix.type_name()));
    return bool{test(std::string_view(affix.text()))};
  }));
}

Value startswith(Context&, const Value& self, const Arguments& arguments) {
  return any_affix("startswith", arguments,
                   [&](std::string_view affix) { return std::string_view(self.text()).starts_with(affix); });
}
Value endswith(Context&, const Value& self, const Arguments& arguments) {
  return any_affix("endswith", arguments,
                   [&](std::string_view affix) { return std::string_view(self.text()).ends_with(affix); });
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
  const std::string_view text = self.text();
  context.budget().step_over(text.size());
  const auto length = static_cast<std::int64_t>(utf8_length(text));
  const auto bound = [&](std::size_t index, std::int64_t otherwise) {
    const std::int64_t value = read.has_value(index) ? read.integer(index, 0) : otherwise;
    return std::clamp<std::int64_t>(value < 0 ? value + length : value, 0, length);
  };
  const bool starts_behind = read.has_value(1) && read.integer(1, 0) > length;
  const std::size_t begin = utf8_offset(text, static_cast<std::size_t>(bound(1, 0)));
  const std::size_t end = utf8_offset(text, static_cast<std::size_t>(bound(2, length)));
  const std::string_view window = text.substr(begin, end > begin ? end - begin : 0);
  const std::string_view wanted = read.text(0, "");
  std::size_t found = from_right ? find_last(window, wanted) : find_first(window, wanted);
  if (starts_behind || begin > end) found = std::string_view::npos;
  if (found != std::string_view::npos) return index_of(self, begin + found);
  if (must_exist) fail("substring not found");
  return Value::of(std::int64_t{-1});
}

Value count(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("count", arguments, {"sub"}, 1);
  context.budget().step_over(self.text().size());
  const std::string_view wanted = read.text(0, "");
  if (wanted.empty()) return Value::of(length_of(self) + 1);
  std::int64_t found = 0;
  for (std::size_t at = find_first(self.text(), wanted); at != std::string::npos;
       at = find_first(self.text(), wanted, at + wanted.size())) {
    ++found;
  }
  return Value::of(found);
}

Value replace(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("replace", arguments, {"old", "new", "count"}, 2);
  const bool safe = self.is_safe_text();
  const auto prepared = [&](std::size_t index) {
    const std::string_view text = read.text(index, "");
    return safe && !read[index].is_safe_text() ? escape_markup(text) : std::string(text);
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
    if (!part.is_text()) {
      fail(fmt::format("sequence item {}: expected str instance, {} found", i, part.type_name()));
    }
    if (i > 0) out << self.text();
    out << (safe && !part.is_safe_text() ? escape_markup(part.text()) : part.text());
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
    {"upper", changed<to_upper>},
    {"lower", changed<to_lower>},
    {"casefold", changed<to_lower>},
    {"title", changed<title_case>},
    {"capitalize", changed<capitalize>},
    {"swapcase", changed<swap_case>},
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
};

}  // namespace

const Method* find_text_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [&](const Method& method) { return method.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace pitwall::jinja
