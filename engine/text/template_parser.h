// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens → tree.
#pragma once
#include <string_view>

#include "engine/text/template_ast.h"
#include "engine/text/template_budget.h"

namespace pitwall::jinja {

/// Throws TemplateFailure with the line.
ProgramTree parse_template(std::string_view source, const TemplateLimits& limits);

}  // namespace pitwall::jinja
