// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions by recursive descent, one function a level of precedence.
#pragma once
#include <string>
#include <unordered_map>

#include "engine/text/template_ast.h"
#include "engine/text/template_budget.h"
#include "engine/text/template_token_stream.h"

namespace pitwall::jinja {

/// Names → ids in order of first use.
class NameTable {
 public:
  NameId id(const std::string& name);
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::unordered_map<std::string, NameId> ids_;
  std::vector<std::string> names_;
};

/// How often the names have been read that a macro gets only if its body reads them.
struct MacroUses {
  int varargs = 0, kwargs = 0, caller = 0;
};

class ExpressionParser {
 public:
  ExpressionParser(TokenStream& tokens, NameTable& names, TemplateBudget& budget)
      : tokens_(tokens), names_(names), budget_(budget) {}

  Expression expression();
  /// Without `a if b`: where "if" belongs to the statement around.
  Expression unconditional();
  /// One expression, or several with commas between them, which make a tuple.
  Expression tuple(bool with_condition);
  /// name, name.attribute (with_namespace) or a tuple of names, up to "in" or "=".
  Target target(bool with_namespace);
  std::string assignable_name();
  /// name(arguments)|name… : the filters of a block. `after_pipe`: the first bar has been read or is not
  /// written.
  std::vector<PostfixStep> filters(bool after_pipe);

  const MacroUses& uses() const { return uses_; }

 private:
  Expression disjunction();
  Expression conjunction();
  Expression negation();
  Expression comparison();
  Expression sum();
  Expression concatenation();
  Expression product();
  Expression power();
  Expression unary(bool with_filters);
  Expression primary();
  Expression name();
  Expression parenthesized();
  Expression list();
  Expression dict();
  Expression arithmetic(Expression (ExpressionParser::*operand)(),
                        std::initializer_list<std::pair<std::string_view, ArithmeticOperator>> symbols);
  Expression logic(bool conjunction, std::string_view word, Expression (ExpressionParser::*operand)());

  bool postfix_steps(std::vector<PostfixStep>& steps);
  void filter_steps(std::vector<PostfixStep>& steps);
  PostfixStep subscript();
  PostfixStep filter();
  PostfixStep test();
  CallArguments arguments();
  CallArguments test_arguments();
  bool at_tuple_end() const;
  Target single_target(bool with_namespace);

  TokenStream& tokens_;
  NameTable& names_;
  TemplateBudget& budget_;
  MacroUses uses_;
};

}  // namespace pitwall::jinja
