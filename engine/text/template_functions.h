// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that every template can call: range, dict, namespace, cycler, joiner, raise_exception,
// strftime_now.
#pragma once
#include <optional>
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

/// None when there is no function of this name.
std::optional<Value> find_function(Context& context, std::string_view name);

}  // namespace pitwall::jinja
