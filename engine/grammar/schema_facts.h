// SPDX-License-Identifier: GPL-3.0-or-later
// What a list of schemas says together about one value, keyword by keyword.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/grammar/character_automaton.h"
#include "engine/grammar/json_numbers.h"
#include "engine/grammar/json_strings.h"
#include "engine/grammar/schema_reader.h"

namespace pitwall {

/// Kinds of values, one bit each; `number` in a schema stands for integer and fractional.
enum ValueKind : unsigned {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kFractional = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
  kAnyKind = 127,
};
ValueKind kind_of(const SchemaJson& value);  ///< 1.0 is an integer

struct SchemaFacts {
  unsigned kinds = kAnyKind;
  std::optional<std::vector<SchemaJson>> values;  ///< enum and const
  NumberRules numbers;
  std::uint32_t min_length = 0, max_length = kUnlimited;
  std::vector<std::string> patterns;  ///< pattern, and format as one
  std::uint32_t min_items = 0, max_items = kUnlimited;
  std::vector<std::string> required;                   ///< each once
  bool shapes_arrays = false, shapes_objects = false;  ///< keywords for these stand there
};

/// Without a `type`, keywords that speak of some kinds alone leave those: {"properties": …} is an object.
/// Error::unsupported for keywords that would change the meaning and are not known (unsupported_keyword),
/// invalid_input for values that a keyword cannot have. Names that no JSON Schema draft defines say nothing.
Result<SchemaFacts> read_facts(const SchemaList& nodes);

/// Strings that obey the facts. No state when there is none.
Result<CharacterAutomaton> texts_of(const SchemaFacts& facts);

/// The pattern that stands for a format; nullopt for unknown names.
std::optional<std::string> format_pattern(const std::string& format);
std::string known_formats();  ///< for messages

}  // namespace pitwall
