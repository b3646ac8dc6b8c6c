// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of a parsed template. Immutable after parsing; renderings share it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/template_filters.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_tests.h"
#include "engine/text/template_value.h"

namespace pitwall::jinja {

using NameId = std::uint32_t;  ///< index into Program::names

// Expressions. Chains of equal rank are flat lists, so that the depth of the tree is what a reader sees as
// nesting.

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
using ExpressionList = std::vector<Expression>;

struct Literal {
  Value value;
};
struct Variable {
  NameId name;
};
struct ListDisplay {
  ExpressionList items;
  bool tuple = false;
};
struct DictDisplay {
  ExpressionList keys, values;
};

struct CallArguments {
  ExpressionList positional;
  std::vector<std::string> names;
  ExpressionList named;
  ExpressionPtr spread, spread_named;  ///< *list and **dict; may be null
};
struct AttributeStep {
  std::string name;
};
struct ItemStep {
  ExpressionPtr key;
};
struct SliceStep {
  ExpressionPtr start, stop, step;  ///< may be null
};
struct CallStep {
  CallArguments arguments;
};
struct FilterStep {
  std::string name;
  FilterFunction function;  ///< null: no such filter; an error when it is reached
  CallArguments arguments;
};
struct TestStep {
  std::string name;
  TestFunction function;  ///< null: no such test
  CallArguments arguments;
  bool negated = false;
};
struct PostfixStep {
  int line;
  std::variant<AttributeStep, ItemStep, SliceStep, CallStep, FilterStep, TestStep> operation;
};
/// x.a[b](c)|d is e
struct Postfix {
  ExpressionPtr base;
  std::vector<PostfixStep> steps;
};

enum class UnaryOperator { logical_not, negative, positive };
struct Unary {
  UnaryOperator op;
  ExpressionPtr operand;
};
/// From left to right: first op[0] rest[0] op[1] rest[1] …
struct Arithmetic {
  ExpressionPtr first;
  std::vector<ArithmeticOperator> operators;
  ExpressionList rest;
};
struct Comparison {
  ExpressionPtr first;
  std::vector<ComparisonOperator> operators;
  ExpressionList rest;
};
struct Concatenation {
  ExpressionList parts;
};
struct Logic {
  bool conjunction;  ///< and, else or
  ExpressionList operands;
};
struct Conditional {
  ExpressionPtr condition, then, otherwise;  ///< otherwise may be null
};

struct Expression {
  int line;
  std::variant<Literal, Variable, ListDisplay, DictDisplay, Postfix, Unary, Arithmetic, Comparison,
               Concatenation, Logic, Conditional>
      node;
};

// Statements.

struct Statement;
using Block = std::vector<Statement>;

/// What an assignment assigns to: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  NameId name = 0;
  std::string attribute;
  std::vector<Target> parts;
  bool is_tuple = false;
};

struct TextStatement {
  std::string text;
};
struct PrintStatement {
  Expression value;
};
struct IfStatement {
  ExpressionList conditions;
  std::vector<Block> blocks;
  Block otherwise;
};
struct ForStatement {
  Target target;
  Expression iterable;
  ExpressionPtr condition;  ///< may be null
  bool recursive = false;
  Block body, otherwise;
};
struct SetStatement {
  Target target;
  Expression value;
};
struct SetBlockStatement {
  Target target;
  std::vector<PostfixStep> filters;
  Block body;
};
struct MacroDefinition {
  std::string name;
  std::vector<NameId> parameters;
  ExpressionList defaults;  ///< of the last parameters
  Block body;
  bool uses_varargs = false, uses_kwargs = false, uses_caller = false;
};
struct MacroStatement {
  NameId name;
  MacroDefinition macro;
};
struct CallBlockStatement {
  MacroDefinition caller;
  Expression call;  ///< a Postfix whose last step is a CallStep
};
struct FilterBlockStatement {
  std::vector<PostfixStep> filters;
  Block body;
};
struct WithStatement {
  std::vector<Target> targets;
  ExpressionList values;
  Block body;
};
/// {% generation %}: marks what the model wrote, for training; here only a scope.
struct ScopeStatement {
  Block body;
};
struct LoopControlStatement {
  bool leaves;  ///< break, else continue
};

struct Statement {
  int line;
  std::variant<TextStatement, PrintStatement, IfStatement, ForStatement, SetStatement, SetBlockStatement,
               MacroStatement, CallBlockStatement, FilterBlockStatement, WithStatement, ScopeStatement,
               LoopControlStatement>
      node;
};

struct ProgramTree {
  Block body;
  std::vector<std::string> names;
  std::optional<NameId> loop_name;  ///< of "loop", where the template reads it
};

}  // namespace pitwall::jinja
