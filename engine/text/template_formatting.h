// SPDX-License-Identifier: GPL-3.0-or-later
// Values as text: what Python's str(), repr(), % and format() and markupsafe's escape() print.
#pragma once
#include <string>
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

/// str(): what a template prints.
std::string to_text(Context& context, const Value& value);
void append_text(Context& context, TextBuilder& out, const Value& value);
/// repr(): inside printed lists and dicts.
std::string repr(Context& context, const Value& value);
/// ascii(): repr() with escapes for everything beyond ASCII.
std::string ascii_repr(Context& context, const Value& value);
/// chr(); fails for what is no Unicode character.
std::string character_of(std::int64_t code);

/// The shortest digits that read back as the same number: "0.1", "1e-05", "3.0".
std::string format_real(double value);
/// Like printf's conversion `type` (e, f, g) with a precision.
std::string format_real(double value, char type, int precision);

/// How one field of a format string asks for its value.
struct FieldFormat {
  std::string fill = " ";
  char align = 0;  ///< '<', '>', '^', '=' or 0: numbers right, others left
  char sign = '-';
  bool alternate = false;
  char grouping = 0;  ///< ',' or '_' between thousands
  std::int64_t width = 0;
  int precision = -1;  ///< −1: not given
  char type = 0;       ///< 0: as str()
};
std::string format_field(Context& context, const Value& value, const FieldFormat& format);

/// `pattern % arguments`
Value format_percent(Context& context, const Value& pattern, const Value& arguments);
/// `pattern.format(…)`
Value format_braces(Context& context, const Value& pattern, const Arguments& arguments);

}  // namespace pitwall::jinja
