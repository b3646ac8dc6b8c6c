// SPDX-License-Identifier: GPL-3.0-or-later
// Filters for web pages: markup, addresses, file sizes.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/base/text_escape.h"
#include "engine/text/template_arguments.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_text.h"

namespace pitwall::jinja {

namespace {

/// Everything but letters, digits and "_.-~" as %XX; a path keeps its "/", a form has "+" for spaces.
std::string url_quoted(Context& context, const Value& value, bool in_form) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  const std::string text = to_text(context, value);
  context.budget().step_over(text.size());
  std::string out;
  for (const char c : text) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      std::string_view("_.-~").find(c) != std::string_view::npos || (c == '/' && !in_form);
    if (kept) {
      out += c;
    } else if (c == ' ' && in_form) {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHexadecimal[byte >> 4u];
      out += kHexadecimal[byte & 15u];
    }
  }
  return out;
}

Value urlencode(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("urlencode", arguments, {});
  const bool pairs = input.has_items() || input.is_dict() || input.is_undefined();
  if (!pairs) return context.text(url_quoted(context, input, false));
  TextBuilder out(context);
  bool first = true;
  const auto add = [&](const Value& key, const Value& value) {
    if (!std::exchange(first, false)) out << "&";
    out << url_quoted(context, key, true) << "=" << url_quoted(context, value, true);
  };
  if (input.is_dict()) {
    for (const auto& [key, value] : input.dict().entries) add(key, value);
    return context.text(out.take());
  }
  for (const Value& pair : items_of(context, input)) {
    const auto parts = items_of(context, pair);
    if (parts.size() != 2) fail(fmt::format("urlencode() needs pairs, got {} items", parts.size()));
    add(parts[0], parts[1]);
  }
  return context.text(out.take());
}

Value xmlattr(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("xmlattr", arguments, {"autospace"});
  if (input.is_undefined()) fail(input.undefined_reason());
  if (!input.is_dict()) fail(fmt::format("xmlattr() needs a dict, not '{}'", input.type_name()));
  const auto escaped = [&](const Value& value) {
    return value.is_safe_text() ? value.text() : escape_html(to_text(context, value));
  };
  TextBuilder out(context);
  bool any = false;
  for (const auto& [key, value] : input.dict().entries) {
    if (value.is_none() || value.is_undefined()) continue;
    if (!key.is_text()) fail("the name of an attribute must be a string");
    if (key.text().find_first_of(std::string_view(" \t\n\f\r/>=", 9)) != std::string::npos) {
      fail(fmt::format("Invalid character in attribute name: {}", repr(context, key)));
    }
    if (any || read.flag(0, true)) out << " ";
    any = true;
    out << escaped(key) << "=\"" << escaped(value) << "\"";
  }
  return context.text(out.take());
}

/// "&amp;" and its like; any other reference stays as it is.
std::string unescape_markup(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReferences = {
      {{"&amp;", "&"},
       {"&lt;", "<"},
       {"&gt;", ">"},
       {"&#39;", "'"},
       {"&#34;", "\""},
       {"&quot;", "\""},
       {"&nbsp;", "\u00a0"}}};
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    std::string_view image = text.substr(0, 1);
    for (const auto& [reference, character] : kReferences) {
      if (!text.starts_with(reference)) continue;
      length = reference.size();
      image = character;
    }
    out += image;
    text.remove_prefix(length);
  }
  return out;
}

/// The text without anything from `open` to the next `close`.
std::string without_spans(std::string_view text, std::string_view open, std::string_view close) {
  std::string out;
  for (std::size_t begin = text.find(open); begin != std::string_view::npos; begin = text.find(open)) {
    const std::size_t end = text.find(close, begin + open.size());
    if (end == std::string_view::npos) break;
    out += text.substr(0, begin);
    text.remove_prefix(end + close.size());
  }
  return out += text;
}

Value striptags(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("striptags", arguments, {});
  const std::string text = to_text(context, input);
  context.budget().step(1 + text.size());
  const std::string plain = without_spans(without_spans(text, "<!--", "-->"), "<", ">");
  TextBuilder out(context);
  bool first = true;
  for (const std::string_view word : split_at_space(plain, -1, false)) {
    if (!std::exchange(first, false)) out << " ";
    out << word;
  }
  return context.text(unescape_markup(out.take()));
}

Value filesizeformat(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("filesizeformat", arguments, {"binary"});
  const Value number = apply_filter(context, "float", input, {{context.text("")}, {}});
  if (!number.is_number()) fail(fmt::format("filesizeformat() needs a number, not '{}'", input.type_name()));
  const double bytes = number.real();
  const bool binary = read.flag(0, false);
  const double base = binary ? 1024 : 1000;
  if (bytes == 1) return context.text("1 Byte");
  if (bytes < base) return context.text(fmt::format("{} Bytes", std::trunc(bytes)));
  static constexpr std::string_view kDecimal[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  static constexpr std::string_view kBinary[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  double unit = base;
  std::size_t prefix = 0;
  while (prefix + 1 < std::size(kDecimal) && bytes >= unit * base) {
    unit *= base;
    ++prefix;
  }
  return context.text(
      fmt::format("{} {}", format_real(bytes / unit, 'f', 1), (binary ? kBinary : kDecimal)[prefix]));
}

constexpr Filter kFilters[] = {{"urlencode", urlencode},
                               {"xmlattr", xmlattr},
                               {"striptags", striptags},
                               {"filesizeformat", filesizeformat}};

}  // namespace

FilterFunction find_markup_filter(std::string_view name) {
  return find_in(kFilters, name);
}

}  // namespace pitwall::jinja
