// SPDX-License-Identifier: GPL-3.0-or-later
// Tests: `value is name(arguments)`.
#pragma once
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

using TestFunction = bool (*)(Context& context, const Value& value, const Arguments& arguments);

/// Null when there is no test of this name.
TestFunction find_test(std::string_view name);
bool apply_test(Context& context, std::string_view name, const Value& value, const Arguments& arguments);

}  // namespace pitwall::jinja
