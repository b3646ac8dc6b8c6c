// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns and free text as parts of a grammar.
#pragma once
#include <string_view>

#include "engine/grammar/grammar.h"

namespace pitwall {

/// Texts that the whole pattern describes, in the syntax of pattern_syntax.h; ^ and $ may stand around it.
Result<PartId> add_pattern(GrammarBuilder& builder, std::string_view pattern);

// `trigger` must not be empty. Free text is any bytes.

/// Any text up to and with the first `trigger`.
PartId text_up_to(GrammarBuilder& builder, std::string_view trigger);
/// Any text in which `trigger` does not stand; also the empty one.
PartId text_without(GrammarBuilder& builder, std::string_view trigger);

}  // namespace pitwall
