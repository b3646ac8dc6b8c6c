// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of strings, lists, tuples and dicts.
#pragma once
#include <optional>
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

using MethodFunction = Value (*)(Context& context, const Value& self, const Arguments& arguments);
struct Method {
  std::string_view name;
  MethodFunction function;  ///< null for those that would change the object: they are never given out
};

/// The method bound to `value`; undefined, with the reason, for one that would change it; none if it has no
/// such method.
std::optional<Value> find_method(Context& context, const Value& value, std::string_view name);

const Method* find_text_method(std::string_view name);

}  // namespace pitwall::jinja
