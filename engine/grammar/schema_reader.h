// SPDX-License-Identifier: GPL-3.0-or-later
// JSON schemas as conjunctions: a place in a document obeys a list of schemas together, which $ref and allOf
// make longer and anyOf splits.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

using SchemaJson = nlohmann::ordered_json;

inline constexpr std::size_t kMostSchemaValues = 200'000;  ///< JSON values in a schema
inline constexpr int kDeepestSchema = 256;                 ///< values inside values
inline constexpr int kLongestReferences = 256;             ///< $ref to $ref to …, and allOf inside allOf

/// One schema and its place in the whole ("#/properties/a").
struct SchemaNode {
  const SchemaJson* json = nullptr;
  std::string pointer;
  bool followed = false;                              ///< its $ref and allOf stand in the list
  bool any_of_chosen = false, one_of_chosen = false;  ///< and so does one of its branches
  /// Schemas of whose anyOf or oneOf this is a branch, or was reached from one.
  std::vector<const SchemaJson*> branch_of = {};
};
using SchemaList = std::vector<SchemaNode>;

/// A list without $ref, allOf and anyOf left to follow.
struct SchemaConjunction {
  SchemaList nodes;         ///< objects, each once, in the order in which they were met
  bool impossible = false;  ///< a `false` among them, or a branch that leads to nothing but itself
  /// The first anyOf or oneOf that is not chosen yet: the list obeys one of these.
  std::optional<std::vector<SchemaList>> branches;
};

class SchemaReader {
 public:
  explicit SchemaReader(const SchemaJson& root) : root_(root) {}
  /// Size and depth of the whole schema.
  Result<void> check() const;
  SchemaNode root() const { return {.json = &root_, .pointer = "#"}; }
  static SchemaNode child(const SchemaNode& node, const std::string& key);
  static SchemaNode child(const SchemaNode& node, const std::string& key, std::size_t index);
  static SchemaNode child(const SchemaNode& node, const std::string& key, const std::string& name);

  /// invalid_input for schemas that are none and for references to nowhere or in a ring, unsupported for
  /// references to other documents.
  Result<SchemaConjunction> conjunction(const SchemaList& list);

 private:
  struct Walk;
  Result<void> visit(const SchemaNode& node, Walk& walk);
  Result<SchemaNode> target(const SchemaNode& node);

  const SchemaJson& root_;
};

/// "keyword at pointer" errors, all alike.
Error schema_error(Error::Kind kind, const std::string& keyword, const std::string& pointer,
                   const std::string& what);
Error unsupported_keyword(const std::string& keyword, const std::string& pointer);

}  // namespace pitwall
