// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the tree and writes the text. One Evaluator is one rendering on one thread.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/text/template_ast.h"
#include "engine/text/template_context.h"
#include "engine/text/template_scope.h"

namespace pitwall::jinja {

class Evaluator {
 public:
  /// Both must outlive the evaluator and every value it makes.
  Evaluator(const ProgramTree& program, Context& context) : program_(program), context_(context) {}

  /// Throws TemplateFailure with the line.
  std::string run(const nlohmann::ordered_json& variables);

  /// For macros and recursive loops, which come back from the values they live in.
  std::string call_macro(const MacroDefinition& macro, const ScopePtr& defined_in, Arguments arguments);
  std::string run_loop_again(const ForStatement& loop, const Value& items, const ScopePtr& around, int depth);

 private:
  enum class Flow { next, leave_loop, continue_loop };

  // Statements (template_evaluator.cpp)
  Flow execute(const Block& block, const ScopePtr& scope);
  Flow run_text(const TextStatement& statement, const ScopePtr& scope);
  Flow run_print(const PrintStatement& statement, const ScopePtr& scope);
  Flow run_if(const IfStatement& statement, const ScopePtr& scope);
  Flow run_for(const ForStatement& statement, const ScopePtr& scope);
  Flow run_set(const SetStatement& statement, const ScopePtr& scope);
  Flow run_set_block(const SetBlockStatement& statement, const ScopePtr& scope);
  Flow run_macro(const MacroStatement& statement, const ScopePtr& scope);
  Flow run_call_block(const CallBlockStatement& statement, const ScopePtr& scope);
  Flow run_filter_block(const FilterBlockStatement& statement, const ScopePtr& scope);
  Flow run_with(const WithStatement& statement, const ScopePtr& scope);
  Flow run_scope(const ScopeStatement& statement, const ScopePtr& scope);
  Flow run_loop_control(const LoopControlStatement& statement, const ScopePtr& scope);

  void run_loop(const ForStatement& loop, const Value& iterable, const ScopePtr& around, int depth);
  ItemRange loop_items(const ForStatement& loop, const Value& iterable, const ScopePtr& around);
  void bind_parameters(const MacroDefinition& macro, const ScopePtr& scope, Arguments& arguments);
  void bind_extras(const MacroDefinition& macro, const ScopePtr& scope, Arguments& arguments);
  void assign(const Target& target, const Value& value, const ScopePtr& scope);
  Value make_macro(const MacroDefinition& macro, const ScopePtr& scope);
  void capture(const ScopePtr& scope);

  void write(std::string_view text);
  /// What `action` writes, kept from the output.
  template <class Action>
  std::string written_by(Action action);

  // Expressions (template_expressions.cpp)
  Value evaluate(const Expression& expression, const ScopePtr& scope);
  Value evaluate_optional(const ExpressionPtr& expression, const ScopePtr& scope);
  Items evaluate_all(const ExpressionList& expressions, const ScopePtr& scope);
  Value value_of(const Literal& literal, const ScopePtr& scope);
  Value value_of(const Variable& variable, const ScopePtr& scope);
  Value value_of(const ListDisplay& list, const ScopePtr& scope);
  Value value_of(const DictDisplay& dict, const ScopePtr& scope);
  Value value_of(const Postfix& postfix, const ScopePtr& scope);
  Value value_of(const Unary& unary, const ScopePtr& scope);
  Value value_of(const Arithmetic& arithmetic, const ScopePtr& scope);
  Value value_of(const Comparison& comparison, const ScopePtr& scope);
  Value value_of(const Concatenation& concatenation, const ScopePtr& scope);
  Value value_of(const Logic& logic, const ScopePtr& scope);
  Value value_of(const Conditional& conditional, const ScopePtr& scope);

  Value apply(const PostfixStep& step, const Value& value, const ScopePtr& scope);
  Value apply_all(const std::vector<PostfixStep>& steps, std::size_t count, Value value,
                  const ScopePtr& scope);
  Value step_from(const AttributeStep& step, const Value& value, const ScopePtr& scope);
  Value step_from(const ItemStep& step, const Value& value, const ScopePtr& scope);
  Value step_from(const SliceStep& step, const Value& value, const ScopePtr& scope);
  Value step_from(const CallStep& step, const Value& value, const ScopePtr& scope);
  Value step_from(const FilterStep& step, const Value& value, const ScopePtr& scope);
  Value step_from(const TestStep& step, const Value& value, const ScopePtr& scope);
  Arguments evaluate_arguments(const CallArguments& arguments, const ScopePtr& scope);
  Value call(const Value& callee, Arguments arguments);

  const ProgramTree& program_;
  Context& context_;
  std::string* output_ = nullptr;
  std::size_t written_ = 0;  ///< bytes in all outputs that are open
  int line_ = 0;             ///< of the statement or step being run
};

}  // namespace pitwall::jinja
