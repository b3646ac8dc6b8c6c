// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/json_schema.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/base/text_escape.h"
#include "engine/grammar/json_parts.h"
#include "engine/grammar/pattern_automaton.h"
#include "engine/grammar/schema_facts.h"
#include "engine/grammar/schema_reader.h"

namespace pitwall {

namespace {

using Json = SchemaJson;

/// Names that match a pattern, and the schemas that ask so.
struct NamePattern {
  std::string pattern;
  CharacterAutomaton names;
};

std::string compact(const Json& value) {
  if (value.is_number_float() && kind_of(value) == kInteger && std::abs(value.get<double>()) < 9e15)
    return std::to_string(static_cast<std::int64_t>(value.get<double>()));
  if (!value.is_structured()) return value.dump();
  std::string out(1, value.is_array() ? '[' : '{');
  for (auto inner = value.begin(); inner != value.end(); ++inner) {
    if (inner != value.begin()) out += ',';
    if (value.is_object()) out += Json(inner.key()).dump() + ":";
    out += compact(*inner);
  }
  return out + (value.is_array() ? ']' : '}');
}

const Json* find(const SchemaNode& node, const char* keyword) {
  const auto found = node.json->find(keyword);
  return found == node.json->end() ? nullptr : &*found;
}

/// The keyword's value must have this shape wherever it stands.
Result<void> check_shape(const SchemaList& nodes, const char* keyword, bool (*fits)(const Json&),
                         const char* what) {
  for (const SchemaNode& node : nodes) {
    const Json* value = find(node, keyword);
    if (value != nullptr && !fits(*value))
      return schema_error(Error::Kind::invalid_input, keyword, node.pointer, what);
  }
  return {};
}

class SchemaCompiler {
 public:
  SchemaCompiler(GrammarBuilder& builder, const Json& schema)
      : builder_(builder), json_(builder), reader_(schema) {}

  Result<PartId> compile() {
    if (auto fits = reader_.check(); !fits.ok()) return std::move(fits).error();
    const PartId root = part_of({reader_.root()});
    while (!open_.empty()) {
      const auto [list, part] = std::move(open_.front());
      open_.pop_front();
      auto made = make(list);
      if (!made.ok()) return std::move(made).error();
      builder_.define(part, *made);
      if (auto fits = builder_.check_size(); !fits.ok()) return std::move(fits).error();
    }
    return root;
  }

 private:
  /// The part for values that obey the list; made later, so that schemas may hold themselves.
  PartId part_of(SchemaList list) {
    if (list.empty()) return json_.any_value();
    std::vector<Key> key;
    for (const SchemaNode& node : list)
      key.emplace_back(node.json, node.followed, node.any_of_chosen, node.one_of_chosen, node.branch_of);
    const auto [known, is_new] = parts_.try_emplace(std::move(key), 0);
    if (is_new) {
      known->second = builder_.reserve();
      open_.emplace_back(std::move(list), known->second);
    }
    return known->second;
  }

  Result<PartId> make(const SchemaList& list) {
    auto conjunction = reader_.conjunction(list);
    if (!conjunction.ok()) return std::move(conjunction).error();
    if (conjunction->impossible) return builder_.nothing();
    if (conjunction->branches) {
      std::vector<PartId> branches;
      for (SchemaList& branch : *conjunction->branches) branches.push_back(part_of(std::move(branch)));
      return builder_.choice(std::move(branches));
    }
    const SchemaList& nodes = conjunction->nodes;
    auto facts = read_facts(nodes);
    if (!facts.ok()) return std::move(facts).error();
    if (facts->values) return values(nodes, *facts);
    return by_kind(nodes, *facts);
  }

  Result<PartId> by_kind(const SchemaList& nodes, const SchemaFacts& facts) {
    std::vector<PartId> ways;
    const auto add = [&](Result<PartId> part) -> Result<void> {
      if (!part.ok()) return std::move(part).error();
      ways.push_back(*part);
      return {};
    };
    if (facts.kinds & kString) {
      if (auto ok = add(string(nodes, facts)); !ok.ok()) return std::move(ok).error();
    }
    if (facts.kinds & (kInteger | kFractional)) {
      if (auto ok = add(number(nodes, facts)); !ok.ok()) return std::move(ok).error();
    }
    if (facts.kinds & kBoolean) ways.push_back(json_.boolean());
    if (facts.kinds & kNull) ways.push_back(json_.null());
    if (facts.kinds & kArray) {
      if (auto ok = add(array(nodes, facts)); !ok.ok()) return std::move(ok).error();
    }
    if (facts.kinds & kObject) {
      if (auto ok = add(object(nodes, facts)); !ok.ok()) return std::move(ok).error();
    }
    return builder_.choice(std::move(ways));
  }

  /// Errors that arise below keywords get the place where the keywords stand.
  static Error placed(Error error, const SchemaList& nodes) {
    error.what += ", at " + quote_for_message(nodes.front().pointer, 400);
    error.param = nodes.front().pointer;
    return error;
  }

  Result<PartId> values(const SchemaList& nodes, const SchemaFacts& facts) {
    const bool counts = facts.numbers.low || facts.numbers.high || !facts.numbers.multiple_of.empty();
    const bool measures = facts.min_length > 0 || facts.max_length != kUnlimited || !facts.patterns.empty();
    ByteAutomaton numbers;
    std::optional<ByteState> number;
    CharacterAutomaton texts;
    if (counts) {
      auto start = add_number(facts.numbers, numbers);
      if (start.ok()) number = *start;
    }
    if (measures) {
      auto made = texts_of(facts);
      if (!made.ok()) return placed(std::move(made).error(), nodes);
      texts = *std::move(made);
    }
    std::vector<std::string> spelled;
    for (const Json& value : *facts.values) {
      const ValueKind kind = kind_of(value);
      if ((kind & facts.kinds) == 0) continue;
      const bool shaped =
          (kind == kArray && (facts.shapes_arrays || facts.min_items > 0 || facts.max_items != kUnlimited)) ||
          (kind == kObject && (facts.shapes_objects || !facts.required.empty()));
      if (shaped) {
        return schema_error(Error::Kind::unsupported, "enum", nodes.front().pointer,
                            "holds lists or objects beside keywords that shape them");
      }
      std::string text = compact(value);
      const bool is_number = kind == kInteger || kind == kFractional;
      if (is_number && counts && !(number && numbers.accepts(*number, text))) continue;
      if (kind == kString && measures && !texts.accepts(value.get<std::string>())) continue;
      spelled.push_back(std::move(text));
    }
    return builder_.one_of(std::move(spelled));
  }

  Result<PartId> string(const SchemaList& nodes, const SchemaFacts& facts) {
    if (facts.patterns.empty()) return builder_.json_string(facts.min_length, facts.max_length);
    auto texts = texts_of(facts);
    if (!texts.ok()) return placed(std::move(texts).error(), nodes);
    return quoted(*texts);
  }

  PartId quoted(const CharacterAutomaton& texts) {
    if (texts.states.empty()) return builder_.nothing();
    return builder_.bytes(spell(texts, Spelling::json_string, kEndState, builder_.automaton()));
  }

  Result<PartId> number(const SchemaList& nodes, const SchemaFacts& facts) {
    auto start = add_number(facts.numbers, builder_.automaton());
    if (!start.ok()) return placed(std::move(start).error(), nodes);
    return builder_.bytes(*start);
  }

  Result<PartId> array(const SchemaList& nodes, const SchemaFacts& facts) {
    const auto is_list = [](const Json& value) { return value.is_array(); };
    if (auto ok = check_shape(nodes, "prefixItems", is_list, "is not a list"); !ok.ok())
      return std::move(ok).error();
    std::size_t count = 0;
    bool has_rest = false;
    SchemaList rest;
    for (const SchemaNode& node : nodes) {
      const char* prefix = prefix_keyword(node);
      if (prefix != nullptr) count = std::max(count, node.json->at(prefix).size());
      if (const char* keyword = rest_keyword(node)) {
        has_rest = true;
        rest.push_back(SchemaReader::child(node, keyword));
      }
    }
    std::vector<PartId> first;
    for (std::size_t i = 0; i < count && i < facts.max_items; ++i) {
      SchemaList item;
      for (const SchemaNode& node : nodes) {
        const char* prefix = prefix_keyword(node);
        if (prefix != nullptr && i < node.json->at(prefix).size()) {
          item.push_back(SchemaReader::child(node, prefix, i));
        } else if (const char* keyword = rest_keyword(node)) {
          item.push_back(SchemaReader::child(node, keyword));
        }
      }
      first.push_back(part_of(std::move(item)));
    }
    const PartId more = has_rest || count == 0 ? part_of(std::move(rest)) : builder_.nothing();
    return json_.array(first, more, facts.min_items, facts.max_items);
  }

  /// Draft 7 writes prefixItems as a list under items, and what follows as additionalItems.
  static const char* prefix_keyword(const SchemaNode& node) {
    if (find(node, "prefixItems") != nullptr) return "prefixItems";
    const Json* items = find(node, "items");
    return items != nullptr && items->is_array() ? "items" : nullptr;
  }
  static const char* rest_keyword(const SchemaNode& node) {
    const Json* items = find(node, "items");
    if (items == nullptr) return nullptr;
    if (!items->is_array()) return "items";
    return find(node, "additionalItems") != nullptr ? "additionalItems" : nullptr;
  }

  Result<PartId> object(const SchemaList& nodes, const SchemaFacts& facts) {
    const auto is_object = [](const Json& value) { return value.is_object(); };
    for (const char* keyword : {"properties", "patternProperties"}) {
      if (auto ok = check_shape(nodes, keyword, is_object, "is not an object"); !ok.ok())
        return std::move(ok).error();
    }
    auto patterns = name_patterns(nodes);
    if (!patterns.ok()) return std::move(patterns).error();
    auto allowed = names_allowed(nodes);
    if (!allowed.ok()) return std::move(allowed).error();

    const std::vector<std::string> names = names_listed(nodes, facts);
    std::vector<JsonParts::Member> members;
    for (const std::string& name : names) {
      const bool may_be = !*allowed || (*allowed)->accepts(name);
      members.push_back({.name = builder_.text(Json(name).dump()),
                         .value = may_be ? part_of(member(nodes, *patterns, name)) : builder_.nothing(),
                         .required = std::ranges::find(facts.required, name) != facts.required.end()});
    }
    auto extra = extra_members(nodes, names, *patterns, *allowed);
    if (!extra.ok()) return std::move(extra).error();
    return json_.object(members, *extra);
  }

  static std::vector<std::string> names_listed(const SchemaList& nodes, const SchemaFacts& facts) {
    std::vector<std::string> names;
    std::map<std::string, bool> seen;
    const auto add = [&](const std::string& name) {
      if (seen.emplace(name, true).second) names.push_back(name);
    };
    for (const SchemaNode& node : nodes) {
      if (const Json* properties = find(node, "properties")) {
        for (const auto& property : properties->items()) add(property.key());
      }
    }
    for (const std::string& name : facts.required) add(name);
    return names;
  }

  /// The schemas for a named member.
  static SchemaList member(const SchemaList& nodes, const std::vector<NamePattern>& patterns,
                           const std::string& name) {
    SchemaList list;
    for (const SchemaNode& node : nodes) {
      bool described = false;
      if (const Json* properties = find(node, "properties");
          properties != nullptr && properties->contains(name)) {
        list.push_back(SchemaReader::child(node, "properties", name));
        described = true;
      }
      for (const NamePattern& pattern : patterns) {
        const Json* own = find(node, "patternProperties");
        if (own == nullptr || !own->contains(pattern.pattern) || !pattern.names.accepts(name)) continue;
        list.push_back(SchemaReader::child(node, "patternProperties", pattern.pattern));
        described = true;
      }
      if (!described && find(node, "additionalProperties") != nullptr)
        list.push_back(SchemaReader::child(node, "additionalProperties"));
    }
    return list;
  }

  static Result<std::vector<NamePattern>> name_patterns(const SchemaList& nodes) {
    std::vector<NamePattern> patterns;
    for (const SchemaNode& node : nodes) {
      const Json* own = find(node, "patternProperties");
      if (own == nullptr) continue;
      for (const auto& property : own->items()) {
        if (std::ranges::find(patterns, property.key(), &NamePattern::pattern) != patterns.end()) continue;
        auto names = pattern_automaton(property.key(), PatternUse::search);
        if (!names.ok()) return placed(std::move(names).error(), {node});
        patterns.push_back({.pattern = property.key(), .names = *std::move(names)});
      }
    }
    return patterns;
  }

  /// What propertyNames leaves; nullopt: every name.
  Result<std::optional<CharacterAutomaton>> names_allowed(const SchemaList& nodes) {
    SchemaList list;
    for (const SchemaNode& node : nodes) {
      if (find(node, "propertyNames") != nullptr) list.push_back(SchemaReader::child(node, "propertyNames"));
    }
    if (list.empty()) return std::optional<CharacterAutomaton>();
    auto conjunction = reader_.conjunction(list);
    if (!conjunction.ok()) return std::move(conjunction).error();
    if (conjunction->impossible) return std::optional(CharacterAutomaton{});
    if (conjunction->branches) return unsupported_keyword("anyOf", list.front().pointer);
    auto facts = read_facts(conjunction->nodes);
    if (!facts.ok()) return std::move(facts).error();
    if ((facts->kinds & kString) == 0) return std::optional(CharacterAutomaton{});
    auto texts = texts_of(*facts);
    if (!texts.ok()) return placed(std::move(texts).error(), list);
    if (!facts->values) return std::optional(*std::move(texts));
    std::vector<std::string> names;
    for (const Json& value : *facts->values) {
      if (value.is_string() && texts->accepts(value.get<std::string>()))
        names.push_back(value.get<std::string>());
    }
    return std::optional(text_among(names));
  }

  /// Members whose names are not listed: one kind for each pattern, and one for all other names.
  Result<std::vector<JsonParts::Member>> extra_members(const SchemaList& nodes,
                                                       const std::vector<std::string>& names,
                                                       const std::vector<NamePattern>& patterns,
                                                       const std::optional<CharacterAutomaton>& allowed) {
    bool described = false, extended = false;
    SchemaList others;
    for (const SchemaNode& node : nodes) {
      described =
          described || find(node, "properties") != nullptr || find(node, "patternProperties") != nullptr;
      if (find(node, "additionalProperties") == nullptr) continue;
      extended = true;
      others.push_back(SchemaReader::child(node, "additionalProperties"));
    }
    const bool closed = (described && !extended) || std::ranges::any_of(others, [](const SchemaNode& node) {
                          return *node.json == false;
                        });
    std::vector<JsonParts::Member> extra;
    if (closed && patterns.empty()) return extra;
    if (names.empty() && patterns.empty() && !allowed) {
      extra.push_back({.name = json_.any_string(), .value = part_of(std::move(others))});
      return extra;
    }
    auto left = texts_of_first_alone(allowed ? *allowed : any_text(), text_among(names));
    if (!left.ok()) return placed(std::move(left).error(), nodes);
    for (const NamePattern& pattern : patterns) {
      auto matching = texts_of_both(*left, pattern.names);
      if (!matching.ok()) return placed(std::move(matching).error(), nodes);
      for (const NamePattern& other : patterns) {
        if (&other == &pattern) continue;
        const auto both = texts_of_both(*matching, other.names);
        if (both.ok() && both->states.empty()) continue;
        return schema_error(Error::Kind::unsupported, "patternProperties", nodes.front().pointer,
                            "has patterns that match the same names: " + quote_for_message(pattern.pattern) +
                                " and " + quote_for_message(other.pattern));
      }
      SchemaList values;
      for (const SchemaNode& node : nodes) {
        const Json* own = find(node, "patternProperties");
        if (own != nullptr && own->contains(pattern.pattern)) {
          values.push_back(SchemaReader::child(node, "patternProperties", pattern.pattern));
        } else if (find(node, "additionalProperties") != nullptr) {
          values.push_back(SchemaReader::child(node, "additionalProperties"));
        }
      }
      extra.push_back({.name = quoted(*matching), .value = part_of(std::move(values))});
    }
    if (closed) return extra;
    for (const NamePattern& pattern : patterns) {
      left = texts_of_first_alone(*left, pattern.names);
      if (!left.ok()) return placed(std::move(left).error(), nodes);
    }
    extra.push_back({.name = quoted(*left), .value = part_of(std::move(others))});
    return extra;
  }

  using Key = std::tuple<const Json*, bool, bool, bool, std::vector<const Json*>>;

  GrammarBuilder& builder_;
  JsonParts json_;
  SchemaReader reader_;
  std::map<std::vector<Key>, PartId> parts_;
  std::deque<std::pair<SchemaList, PartId>> open_;
};

}  // namespace

PartId add_json_object(GrammarBuilder& builder) {
  return JsonParts(builder).any_object();
}

Result<PartId> add_json_schema(GrammarBuilder& builder, const nlohmann::ordered_json& schema) {
  return SchemaCompiler(builder, schema).compile();
}

}  // namespace pitwall
