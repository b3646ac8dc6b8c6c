// SPDX-License-Identifier: GPL-3.0-or-later
// Variables of one block and, behind them, those of the blocks around it.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/text/template_ast.h"

namespace pitwall::jinja {

struct Scope;
using ScopePtr = std::shared_ptr<Scope>;

struct Scope {
  explicit Scope(ScopePtr around) : outer(std::move(around)) {}

  Value* find_here(NameId name) {
    const auto same = [name](const auto& variable) { return variable.first == name; };
    const auto place = std::find_if(variables.begin(), variables.end(), same);
    return place == variables.end() ? nullptr : &place->second;
  }
  const Value* find(NameId name) {
    for (Scope* scope = this; scope != nullptr; scope = scope->outer.get()) {
      if (const Value* value = scope->find_here(name)) return value;
    }
    return nullptr;
  }
  void set(NameId name, Value value) {
    if (Value* current = find_here(name)) {
      *current = std::move(value);
    } else {
      variables.emplace_back(name, std::move(value));
    }
  }

  ScopePtr outer;
  std::vector<std::pair<NameId, Value>> variables;
  bool captured = false;  ///< a macro or recursive loop keeps it alive
};

}  // namespace pitwall::jinja
