// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_formatting.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "engine/text/unicode_text.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

void append_repr(Context& context, TextBuilder& out, const Value& value);

std::string escaped_code(char32_t code) {
  const auto number = static_cast<std::uint32_t>(code);
  if (code < 0x100) return fmt::format("\\x{:02x}", number);
  return code < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

std::string repr_character(std::string_view character, char32_t code, char quote) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (code == static_cast<char32_t>(quote)) return {'\\', quote};
  if (code >= 0x20 && code < 0x7F) return std::string(character);
  if (!any_of_class(character, CharacterClass::unprintable)) return std::string(character);
  return escaped_code(code);
}

void append_quoted(TextBuilder& out, std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  out << std::string_view(&quote, 1);
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    out << repr_character(text.substr(0, step.length), step.code, quote);
    text.remove_prefix(step.length);
  }
  out << std::string_view(&quote, 1);
}

void append_items(Context& context, TextBuilder& out, const SequenceObject& sequence) {
  const bool tuple =
      sequence.type == SequenceObject::Type::tuple || sequence.type == SequenceObject::Type::group;
  out << (tuple ? "(" : "[");
  for (std::size_t i = 0; i < sequence.items.size(); ++i) {
    if (i > 0) out << ", ";
    append_repr(context, out, sequence.items[i]);
  }
  if (tuple && sequence.items.size() == 1) out << ",";
  out << (tuple ? ")" : "]");
}

void append_entries(Context& context, TextBuilder& out, const Entries& entries) {
  out << "{";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out << ", ";
    append_repr(context, out, entries[i].first);
    out << ": ";
    append_repr(context, out, entries[i].second);
  }
  out << "}";
}

void append_repr(Context& context, TextBuilder& out, const Value& value) {
  const DepthGuard guard(context.budget());
  context.budget().step();
  switch (value.kind()) {
    case Kind::undefined:
      out << "Undefined";
      break;
    case Kind::text:
      if (value.is_safe_text()) out << "Markup(";
      append_quoted(out, value.text());
      if (value.is_safe_text()) out << ")";
      break;
    case Kind::list:
    case Kind::tuple:
      append_items(context, out, value.sequence());
      break;
    case Kind::view:
      out << value.type_name() << "(";
      append_items(context, out, value.sequence());
      out << ")";
      break;
    case Kind::dict:
      append_entries(context, out, value.dict().entries);
      break;
    default:
      append_text(context, out, value);
      break;
  }
}

}  // namespace

void append_text(Context& context, TextBuilder& out, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      break;
    case Kind::none:
      out << "None";
      break;
    case Kind::boolean:
      out << (value.truthy() ? "True" : "False");
      break;
    case Kind::integer:
      out << std::to_string(value.integer());
      break;
    case Kind::real:
      out << format_real(value.real());
      break;
    case Kind::text:
      out << value.text();
      break;
    case Kind::list:
    case Kind::tuple:
    case Kind::view:
    case Kind::dict:
      append_repr(context, out, value);
      break;
    case Kind::range: {
      const auto [start, stop, step] = value.sequence().bounds;
      out << (step == 1 ? fmt::format("range({}, {})", start, stop)
                        : fmt::format("range({}, {}, {})", start, stop, step));
      break;
    }
    case Kind::iterator:
      out << "<generator object>";
      break;
    case Kind::native:
      out << value.native().repr(context);
      break;
  }
}

std::string to_text(Context& context, const Value& value) {
  if (value.is_text()) return value.text();
  TextBuilder out(context);
  append_text(context, out, value);
  return out.take();
}

std::string repr(Context& context, const Value& value) {
  TextBuilder out(context);
  append_repr(context, out, value);
  return out.take();
}

std::string ascii_repr(Context& context, const Value& value) {
  const std::string text = repr(context, value);
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    out += step.code < 0x80 ? std::string(rest.substr(0, step.length)) : escaped_code(step.code);
    rest.remove_prefix(step.length);
  }
  return out;
}

std::string character_of(std::int64_t code) {
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    fail(fmt::format("{} is the code of no character", code));
  }
  std::string out;
  append_utf8(out, static_cast<char32_t>(code));
  return out;
}

std::string format_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string shortest(buffer.data(), scientific.ptr);
  const int exponent = std::atoi(shortest.c_str() + shortest.find('e') + 1);
  if (exponent < -4 || exponent >= 16) return shortest;
  const auto fixed =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  std::string text(buffer.data(), fixed.ptr);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace pitwall::jinja
