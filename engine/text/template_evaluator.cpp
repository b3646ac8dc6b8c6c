// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/text/template_formatting.h"
#include "engine/text/template_functions.h"
#include "engine/text/template_loop.h"
#include "engine/text/template_natives.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

std::string Evaluator::run(const nlohmann::ordered_json& variables) {
  try {
    const auto scope = std::make_shared<Scope>(nullptr);
    for (NameId id = 0; id < program_.names.size(); ++id) {
      const std::string& name = program_.names[id];
      if (const auto variable = variables.find(name); variable != variables.end()) {
        scope->set(id, value_from_json(*variable, context_.budget().limits().depth));
      } else if (auto function = find_function(context_, name)) {
        scope->set(id, std::move(*function));
      }
    }
    return written_by([&] { execute(program_.body, scope); });
  } catch (TemplateFailure& failure) {
    if (failure.line == 0) failure.line = line_;
    throw;
  }
}

void Evaluator::write(std::string_view text) {
  const std::size_t limit = context_.budget().limits().output_bytes;
  context_.budget().step_over(text.size());
  if (text.size() > limit || written_ > limit - text.size()) {
    throw TemplateFailure{fmt::format("the text is longer than {} bytes", limit), line_,
                          Error::Kind::out_of_memory};
  }
  written_ += text.size();
  *output_ += text;
}

template <class Action>
std::string Evaluator::written_by(Action action) {
  std::string text;
  std::string* const outer = std::exchange(output_, &text);
  action();
  output_ = outer;
  written_ -= text.size();
  return text;
}

Evaluator::Flow Evaluator::execute(const Block& block, const ScopePtr& scope) {
  const DepthGuard guard(context_.budget());
  struct Runner {
    Evaluator& self;
    const ScopePtr& scope;
    Flow operator()(const TextStatement& statement) const { return self.run_text(statement, scope); }
    Flow operator()(const PrintStatement& statement) const { return self.run_print(statement, scope); }
    Flow operator()(const IfStatement& statement) const { return self.run_if(statement, scope); }
    Flow operator()(const ForStatement& statement) const { return self.run_for(statement, scope); }
    Flow operator()(const SetStatement& statement) const { return self.run_set(statement, scope); }
    Flow operator()(const SetBlockStatement& statement) const { return self.run_set_block(statement, scope); }
    Flow operator()(const MacroStatement& statement) const { return self.run_macro(statement, scope); }
    Flow operator()(const CallBlockStatement& statement) const {
      return self.run_call_block(statement, scope);
    }
    Flow operator()(const FilterBlockStatement& statement) const {
      return self.run_filter_block(statement, scope);
    }
    Flow operator()(const WithStatement& statement) const { return self.run_with(statement, scope); }
    Flow operator()(const ScopeStatement& statement) const { return self.run_scope(statement, scope); }
    Flow operator()(const LoopControlStatement& statement) const {
      return self.run_loop_control(statement, scope);
    }
  };
  for (const Statement& statement : block) {
    context_.budget().step();
    line_ = statement.line;
    const Flow flow = std::visit(Runner{*this, scope}, statement.node);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::run_text(const TextStatement& statement, const ScopePtr&) {
  write(statement.text);
  return Flow::next;
}

Evaluator::Flow Evaluator::run_print(const PrintStatement& statement, const ScopePtr& scope) {
  const Value value = evaluate(statement.value, scope);
  if (value.is_text()) {
    write(value.text());
  } else {
    write(to_text(context_, value));
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::run_if(const IfStatement& statement, const ScopePtr& scope) {
  for (std::size_t i = 0; i < statement.conditions.size(); ++i) {
    if (evaluate(statement.conditions[i], scope).truthy()) return execute(statement.blocks[i], scope);
  }
  return execute(statement.otherwise, scope);
}

Evaluator::Flow Evaluator::run_set(const SetStatement& statement, const ScopePtr& scope) {
  assign(statement.target, evaluate(statement.value, scope), scope);
  return Flow::next;
}

Evaluator::Flow Evaluator::run_set_block(const SetBlockStatement& statement, const ScopePtr& scope) {
  Flow flow = Flow::next;
  const auto inner = std::make_shared<Scope>(scope);
  const Value text = context_.text(written_by([&] { flow = execute(statement.body, inner); }));
  assign(statement.target, apply_all(statement.filters, statement.filters.size(), text, scope), scope);
  return flow;
}

Evaluator::Flow Evaluator::run_filter_block(const FilterBlockStatement& statement, const ScopePtr& scope) {
  Flow flow = Flow::next;
  const auto inner = std::make_shared<Scope>(scope);
  const Value text = context_.text(written_by([&] { flow = execute(statement.body, inner); }));
  write(to_text(context_, apply_all(statement.filters, statement.filters.size(), text, scope)));
  return flow;
}

Evaluator::Flow Evaluator::run_with(const WithStatement& statement, const ScopePtr& scope) {
  const auto inner = std::make_shared<Scope>(scope);
  for (std::size_t i = 0; i < statement.targets.size(); ++i) {
    assign(statement.targets[i], evaluate(statement.values[i], scope), inner);
  }
  return execute(statement.body, inner);
}

Evaluator::Flow Evaluator::run_scope(const ScopeStatement& statement, const ScopePtr& scope) {
  return execute(statement.body, std::make_shared<Scope>(scope));
}

Evaluator::Flow Evaluator::run_loop_control(const LoopControlStatement& statement, const ScopePtr&) {
  return statement.leaves ? Flow::leave_loop : Flow::continue_loop;
}

void Evaluator::assign(const Target& target, const Value& value, const ScopePtr& scope) {
  if (target.is_tuple) {
    const auto parts = items_of(context_, value);
    const std::size_t wanted = target.parts.size();
    if (parts.size() > wanted) fail(fmt::format("too many values to unpack (expected {})", wanted));
    if (parts.size() < wanted) {
      fail(fmt::format("not enough values to unpack (expected {}, got {})", wanted, parts.size()));
    }
    for (std::size_t i = 0; i < wanted; ++i) assign(target.parts[i], parts[i], scope);
    return;
  }
  if (target.attribute.empty()) return scope->set(target.name, value);
  const Value* owner = scope->find(target.name);
  auto* space =
      owner != nullptr && owner->is_native() ? dynamic_cast<NamespaceObject*>(&owner->native()) : nullptr;
  if (space == nullptr) fail("cannot assign attribute on non-namespace object");
  space->set(context_, target.attribute, value);
}

// ---- Loops ----

/// What the loop will meet: the items that satisfy its condition.
ItemRange Evaluator::loop_items(const ForStatement& loop, const Value& iterable, const ScopePtr& around) {
  const auto items = items_of(context_, iterable);
  if (loop.condition == nullptr) return items;
  Items chosen;
  for (const Value& item : items) {
    const auto inner = std::make_shared<Scope>(around);
    assign(loop.target, item, inner);
    if (evaluate(*loop.condition, inner).truthy()) chosen.push_back(item);
  }
  return ItemRange(context_.list(std::move(chosen)).shared_sequence());
}

void Evaluator::run_loop(const ForStatement& loop, const Value& iterable, const ScopePtr& around, int depth) {
  const auto items = loop_items(loop, iterable, around);
  if (loop.recursive) capture(around);
  const auto state =
      std::make_shared<LoopObject>(*this, loop, items, loop.recursive ? around : nullptr, depth);
  const Value loop_value = Value::of(std::shared_ptr<NativeObject>(state));
  bool completed = false;  // as in jinja2, one round to its end: continue and break are none
  for (std::size_t i = 0; i < items.size(); ++i) {
    context_.budget().step();
    state->move_to(i);
    const auto inner = std::make_shared<Scope>(around);
    if (program_.loop_name) inner->set(*program_.loop_name, loop_value);
    assign(loop.target, items[i], inner);
    const Flow flow = execute(loop.body, inner);
    completed = completed || flow == Flow::next;
    if (flow == Flow::leave_loop) break;
  }
  if (!completed) execute(loop.otherwise, std::make_shared<Scope>(around));
}

Evaluator::Flow Evaluator::run_for(const ForStatement& statement, const ScopePtr& scope) {
  run_loop(statement, evaluate(statement.iterable, scope), scope, 1);
  return Flow::next;
}

std::string Evaluator::run_loop_again(const ForStatement& loop, const Value& items, const ScopePtr& around,
                                      int depth) {
  const DepthGuard guard(context_.budget());
  return written_by([&] { run_loop(loop, items, around, depth); });
}

// ---- Macros ----

/// Keeps a scope whose variables may come to refer to it from leaking.
void Evaluator::capture(const ScopePtr& scope) {
  if (std::exchange(scope->captured, true)) return;
  context_.at_end([scope] { scope->variables.clear(); });
}

Value Evaluator::make_macro(const MacroDefinition& macro, const ScopePtr& scope) {
  capture(scope);
  return context_.native<MacroObject>(*this, macro, scope);
}

Evaluator::Flow Evaluator::run_macro(const MacroStatement& statement, const ScopePtr& scope) {
  scope->set(statement.name, make_macro(statement.macro, scope));
  return Flow::next;
}

Evaluator::Flow Evaluator::run_call_block(const CallBlockStatement& statement, const ScopePtr& scope) {
  const auto& postfix = std::get<Postfix>(statement.call.node);
  const std::size_t before_call = postfix.steps.size() - 1;
  const Value callee = apply_all(postfix.steps, before_call, evaluate(*postfix.base, scope), scope);
  const auto& last = std::get<CallStep>(postfix.steps.back().operation);
  Arguments arguments = evaluate_arguments(last.arguments, scope);
  arguments.named.emplace_back("caller", make_macro(statement.caller, scope));
  write(to_text(context_, call(callee, std::move(arguments))));
  return Flow::next;
}

namespace {

/// Moves a named argument out of the list into `scope`; false if it is not there.
bool take_named(Arguments& arguments, std::string_view name, NameId id, Scope& scope) {
  for (auto place = arguments.named.begin(); place != arguments.named.end(); ++place) {
    if (place->first != name) continue;
    scope.set(id, std::move(place->second));
    arguments.named.erase(place);
    return true;
  }
  return false;
}

}  // namespace

/// By position first, then by name, then the defaults, which may read the parameters before them.
void Evaluator::bind_parameters(const MacroDefinition& macro, const ScopePtr& scope, Arguments& arguments) {
  const std::size_t count = macro.parameters.size();
  const std::size_t given = std::min(arguments.positional.size(), count);
  const std::size_t first_default = count - macro.defaults.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = program_.names[macro.parameters[i]];
    const NameId id = macro.parameters[i];
    if (i < given) {
      scope->set(id, arguments.positional[i]);
    } else if (take_named(arguments, name, id, *scope)) {
      continue;
    } else if (i >= first_default) {
      scope->set(id, evaluate(macro.defaults[i - first_default], scope));
    } else {
      scope->set(id, context_.undefined(fmt::format("parameter '{}' was not provided", name)));
    }
  }
  arguments.positional.erase(arguments.positional.begin(),
                             arguments.positional.begin() + static_cast<std::ptrdiff_t>(given));
}

/// caller, kwargs and varargs, where the body reads them; else what is left over is an error.
void Evaluator::bind_extras(const MacroDefinition& macro, const ScopePtr& scope, Arguments& arguments) {
  const auto id_of = [&](std::string_view name) {
    const auto place = std::find(program_.names.begin(), program_.names.end(), name);
    return static_cast<NameId>(place - program_.names.begin());
  };
  const bool has_caller_parameter = std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                                [&](NameId id) { return program_.names[id] == "caller"; });
  if (macro.uses_caller && !has_caller_parameter) {
    const NameId caller = id_of("caller");
    if (!take_named(arguments, "caller", caller, *scope)) {
      scope->set(caller, context_.undefined("No caller defined"));
    }
  }
  if (macro.uses_kwargs) {
    Entries entries;
    for (auto& [name, value] : arguments.named) entries.emplace_back(context_.text(name), value);
    scope->set(id_of("kwargs"), context_.dict(entries));
  } else if (!arguments.named.empty()) {
    fail(fmt::format("macro '{}' takes no keyword argument '{}'", macro.name, arguments.named[0].first));
  }
  if (macro.uses_varargs) {
    scope->set(id_of("varargs"), context_.tuple(std::move(arguments.positional)));
  } else if (!arguments.positional.empty()) {
    fail(fmt::format("macro '{}' takes not more than {} argument(s)", macro.name, macro.parameters.size()));
  }
}

std::string Evaluator::call_macro(const MacroDefinition& macro, const ScopePtr& defined_in,
                                  Arguments arguments) {
  const DepthGuard guard(context_.budget());
  const auto scope = std::make_shared<Scope>(defined_in);
  const int line = line_;
  std::string text = written_by([&] {
    bind_parameters(macro, scope, arguments);
    bind_extras(macro, scope, arguments);
    execute(macro.body, scope);
  });
  line_ = line;
  return text;
}

}  // namespace pitwall::jinja
