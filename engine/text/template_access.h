// SPDX-License-Identifier: GPL-3.0-or-later
// Reaching into values: x.name, x[key], x[a:b:c].
#pragma once
#include <optional>
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

/// x.name: a method or attribute, else the item "name", else undefined.
Value get_attribute(Context& context, const Value& value, std::string_view name);
/// x[key]: the item, else the attribute of that name, else undefined.
Value get_item(Context& context, const Value& value, const Value& key);
/// Bounds that are none take the defaults.
Value get_slice(Context& context, const Value& value, const Value& start, const Value& stop,
                const Value& step);

/// "a.b.0" as the filters' `attribute` argument reads it, one get_item after another. An undefined item
/// becomes `otherwise` when that is given.
Value get_path(Context& context, Value value, const Value& path, const Value* otherwise = nullptr);

}  // namespace pitwall::jinja
