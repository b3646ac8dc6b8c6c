// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/schema_facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/grammar/pattern_automaton.h"

namespace pitwall {

namespace {

using Json = SchemaJson;

constexpr unsigned kNumber = kInteger | kFractional;

/// One keyword being read.
struct Keyword {
  const std::string& name;
  const Json& value;
  const SchemaNode& node;

  Error wrong(const std::string& what) const {
    return schema_error(Error::Kind::invalid_input, name, node.pointer, what);
  }
};
using Reader = std::function<Result<void>(const Keyword&, SchemaFacts&)>;

/// What a keyword speaks of, and how it is read. Structure (items, properties …) is read where it is built.
struct KeywordRule {
  unsigned kinds = 0;
  Reader read;
};

Result<unsigned> kind_named(const Keyword& keyword, const Json& name) {
  static const std::map<std::string, unsigned> kKinds = {
      {"null", kNull},     {"boolean", kBoolean}, {"integer", kInteger}, {"number", kNumber},
      {"string", kString}, {"array", kArray},     {"object", kObject}};
  const auto found = name.is_string() ? kKinds.find(name.get<std::string>()) : kKinds.end();
  if (found == kKinds.end()) return keyword.wrong("names no type that JSON has");
  return found->second;
}

Result<void> read_type(const Keyword& keyword, SchemaFacts& facts) {
  const Json names = keyword.value.is_array() ? keyword.value : Json::array({keyword.value});
  unsigned kinds = 0;
  for (const Json& name : names) {
    const auto kind = kind_named(keyword, name);
    if (!kind.ok()) return kind.error();
    kinds |= *kind;
  }
  const auto nullable = keyword.node.json->find("nullable");
  if (nullable != keyword.node.json->end() && *nullable == true) kinds |= kNull;
  facts.kinds &= kinds;
  return {};
}

void keep_values(SchemaFacts& facts, const std::vector<Json>& values) {
  if (!facts.values) {
    facts.values = values;
  } else {
    std::erase_if(*facts.values,
                  [&](const Json& value) { return std::ranges::find(values, value) == values.end(); });
  }
}

Result<void> read_enum(const Keyword& keyword, SchemaFacts& facts) {
  if (!keyword.value.is_array()) return keyword.wrong("is not a list");
  keep_values(facts, {keyword.value.begin(), keyword.value.end()});
  return {};
}

Result<void> read_const(const Keyword& keyword, SchemaFacts& facts) {
  keep_values(facts, {keyword.value});
  return {};
}

Result<Decimal> decimal_of(const Keyword& keyword) {
  if (!keyword.value.is_number()) return keyword.wrong("is not a number");
  auto decimal = parse_decimal(keyword.value.dump());
  if (!decimal) return keyword.wrong("is too large or too small a number");
  return *std::move(decimal);
}

/// `sign` 1: a lower bound, −1: an upper one. The tighter of two stays.
void tighten(std::optional<NumberBound>& bound, NumberBound with, int sign) {
  const int order = bound ? compare(with.value, bound->value) * sign : 1;
  if (order > 0 || (order == 0 && with.open)) bound = std::move(with);
}

Reader bound_reader(bool lower, bool open) {
  return [=](const Keyword& keyword, SchemaFacts& facts) -> Result<void> {
    auto& bound = lower ? facts.numbers.low : facts.numbers.high;
    bool is_open = open;
    // Draft 4: exclusiveMinimum is a flag beside minimum.
    if (open && keyword.value.is_boolean()) return {};
    if (!open) {
      const auto flag = keyword.node.json->find(lower ? "exclusiveMinimum" : "exclusiveMaximum");
      is_open = flag != keyword.node.json->end() && *flag == true;
    }
    auto value = decimal_of(keyword);
    if (!value.ok()) return std::move(value).error();
    tighten(bound, {.value = *std::move(value), .open = is_open}, lower ? 1 : -1);
    return {};
  };
}

Result<void> read_multiple(const Keyword& keyword, SchemaFacts& facts) {
  auto value = decimal_of(keyword);
  if (!value.ok()) return std::move(value).error();
  if (value->negative || value->is_zero()) return keyword.wrong("is not above 0");
  facts.numbers.multiple_of.push_back(*std::move(value));
  return {};
}

Result<std::uint32_t> count_of(const Keyword& keyword) {
  const Json& value = keyword.value;
  const double count = value.is_number() ? value.get<double>() : -1;
  if (count < 0 || count != std::floor(count)) return keyword.wrong("is not a whole number from 0 on");
  return static_cast<std::uint32_t>(std::min(count, static_cast<double>(kUnlimited - 1)));
}

Reader count_reader(std::uint32_t SchemaFacts::*field, bool is_min) {
  return [=](const Keyword& keyword, SchemaFacts& facts) -> Result<void> {
    const auto count = count_of(keyword);
    if (!count.ok()) return count.error();
    facts.*field = is_min ? std::max(facts.*field, *count) : std::min(facts.*field, *count);
    return {};
  };
}

Result<void> read_pattern(const Keyword& keyword, SchemaFacts& facts) {
  if (!keyword.value.is_string()) return keyword.wrong("is not a string");
  facts.patterns.push_back(keyword.value.get<std::string>());
  return {};
}

Result<void> read_format(const Keyword& keyword, SchemaFacts& facts) {
  if (!keyword.value.is_string()) return keyword.wrong("is not a string");
  auto pattern = format_pattern(keyword.value.get<std::string>());
  if (!pattern) {
    return schema_error(Error::Kind::unsupported, keyword.name, keyword.node.pointer,
                        "is " + quote_for_message(keyword.value.get<std::string>()) +
                            ", which a guided reply does not know; known are " + known_formats());
  }
  facts.patterns.push_back(*std::move(pattern));
  return {};
}

Result<void> read_required(const Keyword& keyword, SchemaFacts& facts) {
  if (!keyword.value.is_array()) return keyword.wrong("is not a list");
  for (const Json& name : keyword.value) {
    if (!name.is_string()) return keyword.wrong("holds something other than names");
    const auto text = name.get<std::string>();
    if (std::ranges::find(facts.required, text) == facts.required.end()) facts.required.push_back(text);
  }
  return {};
}

Result<void> refuse(const Keyword& keyword, SchemaFacts&) {
  return unsupported_keyword(keyword.name, keyword.node.pointer);
}

Result<void> refuse_unless_false(const Keyword& keyword, SchemaFacts&) {
  if (keyword.value == false) return {};
  return unsupported_keyword(keyword.name, keyword.node.pointer);
}

Result<void> read_id(const Keyword& keyword, SchemaFacts&) {
  if (keyword.node.pointer == "#") return {};
  return unsupported_keyword(keyword.name, keyword.node.pointer);
}

Reader shape_reader(bool SchemaFacts::*field) {
  return [=](const Keyword&, SchemaFacts& facts) -> Result<void> {
    facts.*field = true;
    return {};
  };
}

const std::map<std::string, KeywordRule>& rules() {
  static const Reader kArrays = shape_reader(&SchemaFacts::shapes_arrays);
  static const Reader kObjects = shape_reader(&SchemaFacts::shapes_objects);
  static const std::map<std::string, KeywordRule> kRules = {
      {"type", {0, read_type}},
      {"enum", {0, read_enum}},
      {"const", {0, read_const}},
      {"minimum", {kNumber, bound_reader(true, false)}},
      {"maximum", {kNumber, bound_reader(false, false)}},
      {"exclusiveMinimum", {kNumber, bound_reader(true, true)}},
      {"exclusiveMaximum", {kNumber, bound_reader(false, true)}},
      {"multipleOf", {kNumber, read_multiple}},
      {"minLength", {kString, count_reader(&SchemaFacts::min_length, true)}},
      {"maxLength", {kString, count_reader(&SchemaFacts::max_length, false)}},
      {"pattern", {kString, read_pattern}},
      {"format", {kString, read_format}},
      {"minItems", {kArray, count_reader(&SchemaFacts::min_items, true)}},
      {"maxItems", {kArray, count_reader(&SchemaFacts::max_items, false)}},
      {"items", {kArray, kArrays}},
      {"prefixItems", {kArray, kArrays}},
      {"additionalItems", {kArray, kArrays}},
      {"uniqueItems", {kArray, refuse_unless_false}},
      {"contains", {kArray, refuse}},
      {"unevaluatedItems", {kArray, refuse}},
      {"properties", {kObject, kObjects}},
      {"patternProperties", {kObject, kObjects}},
      {"additionalProperties", {kObject, kObjects}},
      {"propertyNames", {kObject, kObjects}},
      {"required", {kObject, read_required}},
      {"minProperties", {kObject, refuse}},
      {"maxProperties", {kObject, refuse}},
      {"dependentRequired", {kObject, refuse}},
      {"dependentSchemas", {kObject, refuse}},
      {"dependencies", {kObject, refuse}},
      {"unevaluatedProperties", {kObject, refuse}},
      {"not", {0, refuse}},
      {"if", {0, refuse}},
      {"$dynamicRef", {0, refuse}},
      {"$recursiveRef", {0, refuse}},
      {"extends", {0, refuse}},
      {"disallow", {0, refuse}},
      {"divisibleBy", {0, refuse}},
      {"$id", {0, read_id}},
  };
  return kRules;
}

}  // namespace

ValueKind kind_of(const SchemaJson& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return kNull;
    case Json::value_t::boolean:
      return kBoolean;
    case Json::value_t::string:
      return kString;
    case Json::value_t::array:
      return kArray;
    case Json::value_t::object:
      return kObject;
    case Json::value_t::number_float:
      return std::floor(value.get<double>()) == value.get<double>() ? kInteger : kFractional;
    default:
      return kInteger;
  }
}

Result<SchemaFacts> read_facts(const SchemaList& nodes) {
  SchemaFacts facts;
  unsigned spoken_of = 0;
  bool typed = false;
  for (const SchemaNode& node : nodes) {
    for (const auto& [name, value] : node.json->items()) {
      const auto rule = rules().find(name);
      if (rule == rules().end()) continue;
      if (auto read = rule->second.read({name, value, node}, facts); !read.ok())
        return std::move(read).error();
      spoken_of |= rule->second.kinds;
      typed = typed || name == "type";
    }
  }
  if (!typed && !facts.values && spoken_of != 0) facts.kinds &= spoken_of;
  facts.numbers.integer = (facts.kinds & kFractional) == 0;
  return facts;
}

Result<CharacterAutomaton> texts_of(const SchemaFacts& facts) {
  CharacterAutomaton texts = any_text();
  for (const std::string& pattern : facts.patterns) {
    auto matching = pattern_automaton(pattern, PatternUse::search);
    if (!matching.ok()) return std::move(matching).error();
    auto both = texts_of_both(texts, *matching);
    if (!both.ok()) return std::move(both).error();
    texts = *std::move(both);
  }
  return texts_of_length(texts, facts.min_length, facts.max_length);
}

}  // namespace pitwall
