// SPDX-License-Identifier: GPL-3.0-or-later
// The `loop` of a for statement, and macros: the values that lead back into the evaluator.
#pragma once
#include <memory>

#include "engine/text/template_evaluator.h"

namespace pitwall::jinja {

class LoopObject final : public NativeObject {
 public:
  /// `around`: the scope of a recursive loop, null for others. `depth`: 1 for the outermost loop.
  LoopObject(Evaluator& evaluator, const ForStatement& statement, ItemRange items, ScopePtr around,
             int depth);
  std::string_view type_name() const override { return "LoopContext"; }
  std::string repr(Context& context) const override;
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  bool callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override;
  int depth() const override { return items_.sequence()->depth + 1; }
  void move_to(std::size_t index) { index_ = index; }

 private:
  std::optional<std::int64_t> number(std::string_view name) const;
  Value cycle(Context& context) const;
  Value changed(Context& context) const;

  Evaluator& evaluator_;
  const ForStatement& statement_;
  ItemRange items_;
  ScopePtr around_;
  int depth_;
  std::size_t index_ = 0;
  std::shared_ptr<Items> last_changed_;  ///< what changed() was last called with
};

class MacroObject final : public NativeObject {
 public:
  MacroObject(Evaluator& evaluator, const MacroDefinition& macro, ScopePtr scope)
      : evaluator_(evaluator), macro_(macro), scope_(std::move(scope)) {}
  std::string_view type_name() const override { return "Macro"; }
  std::string repr(Context& context) const override;
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  bool callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override;

 private:
  Evaluator& evaluator_;
  const MacroDefinition& macro_;
  ScopePtr scope_;  ///< where it was defined
};

}  // namespace pitwall::jinja
