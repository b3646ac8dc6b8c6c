// SPDX-License-Identifier: GPL-3.0-or-later
// The half of Evaluator that computes values.
#include <fmt/format.h>

#include "engine/text/template_access.h"
#include "engine/text/template_evaluator.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

Value Evaluator::evaluate(const Expression& expression, const ScopePtr& scope) {
  context_.budget().step();
  if (const auto* literal = std::get_if<Literal>(&expression.node)) return literal->value;
  if (const auto* variable = std::get_if<Variable>(&expression.node)) return value_of(*variable, scope);
  const DepthGuard guard(context_.budget());
  line_ = expression.line;
  return std::visit([&](const auto& node) { return value_of(node, scope); }, expression.node);
}

Value Evaluator::evaluate_optional(const ExpressionPtr& expression, const ScopePtr& scope) {
  return expression == nullptr ? Value::none() : evaluate(*expression, scope);
}

Items Evaluator::evaluate_all(const ExpressionList& expressions, const ScopePtr& scope) {
  Items values;
  values.reserve(expressions.size());
  for (const Expression& expression : expressions) values.push_back(evaluate(expression, scope));
  return values;
}

Value Evaluator::value_of(const Literal& literal, const ScopePtr&) {
  return literal.value;
}

Value Evaluator::value_of(const Variable& variable, const ScopePtr& scope) {
  if (const Value* value = scope->find(variable.name)) return *value;
  return context_.undefined(fmt::format("'{}' is undefined", program_.names[variable.name]));
}

Value Evaluator::value_of(const ListDisplay& list, const ScopePtr& scope) {
  Items items = evaluate_all(list.items, scope);
  return list.tuple ? context_.tuple(std::move(items)) : context_.list(std::move(items));
}

Value Evaluator::value_of(const DictDisplay& dict, const ScopePtr& scope) {
  Entries entries;
  for (std::size_t i = 0; i < dict.keys.size(); ++i) {
    Value key = evaluate(dict.keys[i], scope);
    entries.emplace_back(std::move(key), evaluate(dict.values[i], scope));
  }
  return context_.dict(entries);
}

Value Evaluator::value_of(const Unary& unary, const ScopePtr& scope) {
  const Value operand = evaluate(*unary.operand, scope);
  switch (unary.op) {
    case UnaryOperator::logical_not:
      return Value::of(!operand.truthy());
    case UnaryOperator::negative:
      return negative(operand);
    case UnaryOperator::positive:
      return positive(operand);
  }
  return {};
}

Value Evaluator::value_of(const Arithmetic& node, const ScopePtr& scope) {
  Value left = evaluate(*node.first, scope);
  for (std::size_t i = 0; i < node.rest.size(); ++i) {
    const Value right = evaluate(node.rest[i], scope);
    left = arithmetic(context_, node.operators[i], left, right);
  }
  return left;
}

/// a < b < c is a < b and b < c.
Value Evaluator::value_of(const Comparison& comparison, const ScopePtr& scope) {
  Value left = evaluate(*comparison.first, scope);
  for (std::size_t i = 0; i < comparison.rest.size(); ++i) {
    Value right = evaluate(comparison.rest[i], scope);
    if (!compare(context_, comparison.operators[i], left, right)) return Value::of(false);
    left = std::move(right);
  }
  return Value::of(true);
}

Value Evaluator::value_of(const Concatenation& concatenation, const ScopePtr& scope) {
  TextBuilder out(context_);
  for (const Value& part : evaluate_all(concatenation.parts, scope)) append_text(context_, out, part);
  return context_.text(out.take());
}

/// Gives the operand that decides, not a boolean.
Value Evaluator::value_of(const Logic& logic, const ScopePtr& scope) {
  Value value;
  for (const Expression& operand : logic.operands) {
    value = evaluate(operand, scope);
    if (value.truthy() != logic.conjunction) break;
  }
  return value;
}

Value Evaluator::value_of(const Conditional& conditional, const ScopePtr& scope) {
  if (evaluate(*conditional.condition, scope).truthy()) return evaluate(*conditional.then, scope);
  if (conditional.otherwise != nullptr) return evaluate(*conditional.otherwise, scope);
  return context_.undefined("the inline if-expression evaluated to false and no else section was defined");
}

// ---- Postfix ----

Value Evaluator::value_of(const Postfix& postfix, const ScopePtr& scope) {
  return apply_all(postfix.steps, postfix.steps.size(), evaluate(*postfix.base, scope), scope);
}

Value Evaluator::apply_all(const std::vector<PostfixStep>& steps, std::size_t count, Value value,
                           const ScopePtr& scope) {
  for (std::size_t i = 0; i < count; ++i) value = apply(steps[i], value, scope);
  return value;
}

Value Evaluator::apply(const PostfixStep& step, const Value& value, const ScopePtr& scope) {
  context_.budget().step();
  line_ = step.line;
  return std::visit([&](const auto& operation) { return step_from(operation, value, scope); },
                    step.operation);
}

Value Evaluator::step_from(const AttributeStep& step, const Value& value, const ScopePtr&) {
  return get_attribute(context_, value, step.name);
}

Value Evaluator::step_from(const ItemStep& step, const Value& value, const ScopePtr& scope) {
  return get_item(context_, value, evaluate(*step.key, scope));
}

Value Evaluator::step_from(const SliceStep& step, const Value& value, const ScopePtr& scope) {
  const Value start = evaluate_optional(step.start, scope);
  const Value stop = evaluate_optional(step.stop, scope);
  return get_slice(context_, value, start, stop, evaluate_optional(step.step, scope));
}

Value Evaluator::step_from(const CallStep& step, const Value& value, const ScopePtr& scope) {
  return call(value, evaluate_arguments(step.arguments, scope));
}

Value Evaluator::step_from(const FilterStep& step, const Value& value, const ScopePtr& scope) {
  if (step.function == nullptr) fail(fmt::format("No filter named '{}'", step.name));
  return step.function(context_, value, evaluate_arguments(step.arguments, scope));
}

Value Evaluator::step_from(const TestStep& step, const Value& value, const ScopePtr& scope) {
  if (step.function == nullptr) fail(fmt::format("No test named '{}'", step.name));
  const bool holds = step.function(context_, value, evaluate_arguments(step.arguments, scope));
  return Value::of(holds != step.negated);
}

Arguments Evaluator::evaluate_arguments(const CallArguments& given, const ScopePtr& scope) {
  Arguments arguments{evaluate_all(given.positional, scope), {}};
  for (std::size_t i = 0; i < given.names.size(); ++i) {
    arguments.named.emplace_back(given.names[i], evaluate(given.named[i], scope));
  }
  if (given.spread != nullptr) {
    const auto items = items_of(context_, evaluate(*given.spread, scope));
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  if (given.spread_named == nullptr) return arguments;
  const Value named = evaluate(*given.spread_named, scope);
  if (!named.is_dict()) fail(fmt::format("argument after ** must be a mapping, not {}", named.type_name()));
  for (const auto& [key, value] : named.dict().entries) {
    if (!key.is_text()) fail("keywords must be strings");
    arguments.named.emplace_back(key.text(), value);
  }
  return arguments;
}

Value Evaluator::call(const Value& callee, Arguments arguments) {
  if (callee.is_undefined()) fail(callee.undefined_reason());
  if (!callee.is_native()) fail(fmt::format("'{}' object is not callable", callee.type_name()));
  // The object may be dropped from its variable while it runs.
  const std::shared_ptr<NativeObject> object = callee.shared_native();
  return object->call(context_, std::move(arguments));
}

}  // namespace pitwall::jinja
