// SPDX-License-Identifier: GPL-3.0-or-later
// Filters: `value|name(arguments)`.
#pragma once
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

using FilterFunction = Value (*)(Context& context, const Value& input, const Arguments& arguments);
struct Filter {
  std::string_view name;
  FilterFunction function;
};

/// Null when there is no filter of this name.
FilterFunction find_filter(std::string_view name);
Value apply_filter(Context& context, std::string_view name, const Value& input, const Arguments& arguments);

/// The filters of one file each; null when it has none of this name.
FilterFunction find_text_filter(std::string_view name);
FilterFunction find_number_filter(std::string_view name);
FilterFunction find_sequence_filter(std::string_view name);
FilterFunction find_selection_filter(std::string_view name);
FilterFunction find_markup_filter(std::string_view name);

/// For the tables of those files.
template <std::size_t N>
FilterFunction find_in(const Filter (&filters)[N], std::string_view name) {
  for (const Filter& filter : filters) {
    if (filter.name == name) return filter.function;
  }
  return nullptr;
}

}  // namespace pitwall::jinja
