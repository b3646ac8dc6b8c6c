// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace pitwall::jinja {

ArgumentReader::ArgumentReader(std::string_view callee, const Arguments& arguments,
                               std::initializer_list<std::string_view> names, std::size_t required)
    : callee_(callee) {
  assert(names.size() <= kMost);
  std::copy(names.begin(), names.end(), names_.begin());
  if (arguments.positional.size() > names.size()) {
    fail(fmt::format("{}() takes at most {} arguments, {} given", callee, names.size(),
                     arguments.positional.size()));
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) fail(fmt::format("{}() got an unexpected keyword argument '{}'", callee, name));
    const Value*& slot = values_[static_cast<std::size_t>(place - names.begin())];
    if (slot != nullptr) fail(fmt::format("{}() got multiple values for argument '{}'", callee, name));
    slot = &value;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (values_[i] == nullptr) fail(fmt::format("{}() needs the argument '{}'", callee, names_[i]));
  }
}

bool ArgumentReader::flag(std::size_t index, bool otherwise) const {
  return has(index) ? values_[index]->truthy() : otherwise;
}

std::int64_t ArgumentReader::integer(std::size_t index, std::int64_t otherwise) const {
  if (!has(index)) return otherwise;
  if (values_[index]->is_undefined()) fail(values_[index]->undefined_reason());
  if (!values_[index]->is_integral()) {
    fail(fmt::format("{}(): '{}' must be an integer, not '{}'", callee_, names_[index],
                     values_[index]->type_name()));
  }
  return values_[index]->integer();
}

std::string_view ArgumentReader::text(std::size_t index, std::string_view otherwise) const {
  if (!has(index)) return otherwise;
  if (values_[index]->is_undefined()) fail(values_[index]->undefined_reason());
  if (!values_[index]->is_text()) {
    fail(fmt::format("{}(): '{}' must be a string, not '{}'", callee_, names_[index],
                     values_[index]->type_name()));
  }
  return values_[index]->text();
}

}  // namespace pitwall::jinja
