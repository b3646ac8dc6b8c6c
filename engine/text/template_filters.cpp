// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_filters.h"

#include <fmt/format.h>

namespace pitwall::jinja {

FilterFunction find_filter(std::string_view name) {
  for (const auto find : {find_text_filter, find_number_filter, find_sequence_filter, find_selection_filter,
                          find_markup_filter}) {
    if (const FilterFunction filter = find(name)) return filter;
  }
  return nullptr;
}

Value apply_filter(Context& context, std::string_view name, const Value& input, const Arguments& arguments) {
  const FilterFunction filter = find_filter(name);
  if (filter == nullptr) fail(fmt::format("No filter named '{}'", name));
  return filter(context, input, arguments);
}

}  // namespace pitwall::jinja
