// SPDX-License-Identifier: GPL-3.0-or-later
// JSON text of values, as Python's json.dumps writes it.
#pragma once
#include <optional>
#include <string>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

struct JsonStyle {
  bool ascii = false;                 ///< \u escapes for everything else
  std::optional<std::string> indent;  ///< one level's worth; none: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};
std::string to_json(Context& context, const Value& value, const JsonStyle& style);

}  // namespace pitwall::jinja
