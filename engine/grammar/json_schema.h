// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as a grammar: any object, or what a schema describes (OpenAI's structured outputs, vLLM's json).
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engine/grammar/grammar.h"

namespace pitwall {

/// Any JSON object (`json_object`).
PartId add_json_object(GrammarBuilder& builder);

/// Documents that obey the schema (draft 2020-12, and what drafts 4 to 7 spell otherwise), laid out as
/// README.md says: members in the schema's order, one spelling of most things. Every document of the grammar
/// obeys the schema; Error (with the JSON pointer as param) where that cannot be had.
Result<PartId> add_json_schema(GrammarBuilder& builder, const nlohmann::ordered_json& schema);

}  // namespace pitwall
