// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_expression_parser.h"

#include <fmt/format.h>

namespace pitwall::jinja {

using Type = Token::Type;

namespace {

ExpressionPtr boxed(Expression expression) {
  return std::make_unique<Expression>(std::move(expression));
}

bool is_reserved(std::string_view name) {
  for (const std::string_view word : {"true", "false", "none", "True", "False", "None"}) {
    if (name == word) return true;
  }
  return false;
}

}  // namespace

NameId NameTable::id(const std::string& name) {
  const auto [entry, fresh] = ids_.emplace(name, static_cast<NameId>(names_.size()));
  if (fresh) names_.push_back(name);
  return entry->second;
}

// ---- Precedence, from the weakest ----

Expression ExpressionParser::expression() {
  const DepthGuard guard(budget_);
  const int line = tokens_.line();
  Expression result = disjunction();
  while (tokens_.skip_name("if")) {
    Conditional conditional;
    conditional.then = boxed(std::move(result));
    conditional.condition = boxed(disjunction());
    if (tokens_.skip_name("else")) conditional.otherwise = boxed(expression());
    result = Expression{line, std::move(conditional)};
  }
  return result;
}

Expression ExpressionParser::unconditional() {
  const DepthGuard guard(budget_);
  return disjunction();
}

Expression ExpressionParser::logic(bool conjunction, std::string_view word,
                                   Expression (ExpressionParser::*operand)()) {
  const int line = tokens_.line();
  Expression first = (this->*operand)();
  if (!tokens_.is_name(word)) return first;
  Logic logic{conjunction, {}};
  logic.operands.push_back(std::move(first));
  while (tokens_.skip_name(word)) logic.operands.push_back((this->*operand)());
  return {line, std::move(logic)};
}

Expression ExpressionParser::disjunction() {
  return logic(false, "or", &ExpressionParser::conjunction);
}
Expression ExpressionParser::conjunction() {
  return logic(true, "and", &ExpressionParser::negation);
}

Expression ExpressionParser::negation() {
  if (!tokens_.is_name("not")) return comparison();
  const DepthGuard guard(budget_);
  const int line = tokens_.next().line;
  return {line, Unary{UnaryOperator::logical_not, boxed(negation())}};
}

Expression ExpressionParser::comparison() {
  static constexpr std::pair<std::string_view, ComparisonOperator> kSymbols[] = {
      {"==", ComparisonOperator::equal},  {"!=", ComparisonOperator::not_equal},
      {"<", ComparisonOperator::less},    {"<=", ComparisonOperator::less_equal},
      {">", ComparisonOperator::greater}, {">=", ComparisonOperator::greater_equal}};
  const auto next_operator = [&]() -> std::optional<ComparisonOperator> {
    for (const auto& [symbol, op] : kSymbols) {
      if (tokens_.skip_symbol(symbol)) return op;
    }
    if (tokens_.skip_name("in")) return ComparisonOperator::in;
    const bool not_in =
        tokens_.is_name("not") && tokens_.ahead().type == Type::name && tokens_.ahead().text == "in";
    if (!not_in) return std::nullopt;
    tokens_.next();
    tokens_.next();
    return ComparisonOperator::not_in;
  };
  const int line = tokens_.line();
  Expression first = sum();
  auto op = next_operator();
  if (!op) return first;
  Comparison comparison;
  comparison.first = boxed(std::move(first));
  for (; op; op = next_operator()) {
    comparison.operators.push_back(*op);
    comparison.rest.push_back(sum());
  }
  return {line, std::move(comparison)};
}

Expression ExpressionParser::arithmetic(
    Expression (ExpressionParser::*operand)(),
    std::initializer_list<std::pair<std::string_view, ArithmeticOperator>> symbols) {
  const auto next_operator = [&]() -> std::optional<ArithmeticOperator> {
    for (const auto& [symbol, op] : symbols) {
      if (tokens_.skip_symbol(symbol)) return op;
    }
    return std::nullopt;
  };
  const int line = tokens_.line();
  Expression first = (this->*operand)();
  auto op = next_operator();
  if (!op) return first;
  Arithmetic arithmetic;
  arithmetic.first = boxed(std::move(first));
  for (; op; op = next_operator()) {
    arithmetic.operators.push_back(*op);
    arithmetic.rest.push_back((this->*operand)());
  }
  return {line, std::move(arithmetic)};
}

Expression ExpressionParser::sum() {
  return arithmetic(&ExpressionParser::concatenation,
                    {{"+", ArithmeticOperator::add}, {"-", ArithmeticOperator::subtract}});
}

Expression ExpressionParser::concatenation() {
  const int line = tokens_.line();
  Expression first = product();
  if (!tokens_.is_symbol("~")) return first;
  Concatenation concatenation;
  concatenation.parts.push_back(std::move(first));
  while (tokens_.skip_symbol("~")) concatenation.parts.push_back(product());
  return {line, std::move(concatenation)};
}

Expression ExpressionParser::product() {
  return arithmetic(&ExpressionParser::power, {{"*", ArithmeticOperator::multiply},
                                               {"/", ArithmeticOperator::divide},
                                               {"//", ArithmeticOperator::floor_divide},
                                               {"%", ArithmeticOperator::modulo}});
}

Expression ExpressionParser::power() {
  const int line = tokens_.line();
  Expression first = unary(true);
  if (!tokens_.is_symbol("**")) return first;
  Arithmetic arithmetic;
  arithmetic.first = boxed(std::move(first));
  while (tokens_.skip_symbol("**")) {
    arithmetic.operators.push_back(ArithmeticOperator::power);
    arithmetic.rest.push_back(unary(true));
  }
  return {line, std::move(arithmetic)};
}

Expression ExpressionParser::unary(bool with_filters) {
  const int line = tokens_.line();
  Postfix postfix;
  if (tokens_.is_symbol("-") || tokens_.is_symbol("+")) {
    const DepthGuard guard(budget_);
    const auto op = tokens_.next().text == "-" ? UnaryOperator::negative : UnaryOperator::positive;
    postfix.base = boxed({line, Unary{op, boxed(unary(false))}});
  } else {
    postfix.base = boxed(primary());
  }
  while (postfix_steps(postfix.steps)) {
  }
  if (with_filters) filter_steps(postfix.steps);
  if (postfix.steps.empty()) return std::move(*postfix.base);
  return {line, std::move(postfix)};
}

// ---- Operands ----

Expression ExpressionParser::primary() {
  const int line = tokens_.line();
  switch (tokens_.current().type) {
    case Type::name:
      return name();
    case Type::integer:
      return {line, Literal{Value::of(tokens_.next().integer)}};
    case Type::real:
      return {line, Literal{Value::of(tokens_.next().real)}};
    case Type::text: {
      std::string text = tokens_.next().text;
      while (tokens_.is(Type::text)) text += tokens_.next().text;
      return {line, Literal{Value::constant(std::move(text))}};
    }
    default:
      break;
  }
  if (tokens_.is_symbol("(")) return parenthesized();
  if (tokens_.is_symbol("[")) return list();
  if (tokens_.is_symbol("{")) return dict();
  tokens_.fail_here(fmt::format("unexpected {}", describe(tokens_.current())));
}

Expression ExpressionParser::name() {
  const Token token = tokens_.next();
  if (token.text == "true" || token.text == "True") return {token.line, Literal{Value::of(true)}};
  if (token.text == "false" || token.text == "False") return {token.line, Literal{Value::of(false)}};
  if (token.text == "none" || token.text == "None") return {token.line, Literal{Value::none()}};
  uses_.varargs += token.text == "varargs";
  uses_.kwargs += token.text == "kwargs";
  uses_.caller += token.text == "caller";
  return {token.line, Variable{names_.id(token.text)}};
}

Expression ExpressionParser::parenthesized() {
  const int line = tokens_.next().line;
  if (tokens_.skip_symbol(")")) return {line, ListDisplay{{}, true}};
  Expression inside = tuple(true);
  tokens_.expect_symbol(")");
  return inside;
}

Expression ExpressionParser::list() {
  const int line = tokens_.next().line;
  ListDisplay list;
  while (!tokens_.is_symbol("]")) {
    if (!list.items.empty()) tokens_.expect_symbol(",");
    if (tokens_.is_symbol("]")) break;
    list.items.push_back(expression());
  }
  tokens_.expect_symbol("]");
  return {line, std::move(list)};
}

Expression ExpressionParser::dict() {
  const int line = tokens_.next().line;
  DictDisplay dict;
  while (!tokens_.is_symbol("}")) {
    if (!dict.keys.empty()) tokens_.expect_symbol(",");
    if (tokens_.is_symbol("}")) break;
    dict.keys.push_back(expression());
    tokens_.expect_symbol(":");
    dict.values.push_back(expression());
  }
  tokens_.expect_symbol("}");
  return {line, std::move(dict)};
}

bool ExpressionParser::at_tuple_end() const {
  return tokens_.is(Type::print_end) || tokens_.is(Type::tag_end) || tokens_.is_symbol(")") ||
         tokens_.is_any_name({"in", "recursive", "if"});
}

Expression ExpressionParser::tuple(bool with_condition) {
  const int line = tokens_.line();
  const auto one = [&] { return with_condition ? expression() : unconditional(); };
  Expression first = one();
  if (!tokens_.is_symbol(",")) return first;
  ListDisplay tuple{{}, true};
  tuple.items.push_back(std::move(first));
  while (tokens_.skip_symbol(",") && !at_tuple_end()) tuple.items.push_back(one());
  return {line, std::move(tuple)};
}

// ---- Targets ----

std::string ExpressionParser::assignable_name() {
  const Token token = tokens_.expect(Type::name, "a name");
  if (is_reserved(token.text)) {
    throw TemplateFailure{fmt::format("can't assign to '{}'", token.text), token.line};
  }
  return token.text;
}

Target ExpressionParser::single_target(bool with_namespace) {
  Target target;
  if (tokens_.skip_symbol("(")) {
    const DepthGuard guard(budget_);
    target = this->target(with_namespace);
    tokens_.expect_symbol(")");
    return target;
  }
  target.name = names_.id(assignable_name());
  if (with_namespace && tokens_.skip_symbol(".")) {
    target.attribute = tokens_.expect(Type::name, "the name of an attribute").text;
  }
  return target;
}

Target ExpressionParser::target(bool with_namespace) {
  Target first = single_target(with_namespace);
  if (!tokens_.is_symbol(",")) return first;
  Target tuple;
  tuple.is_tuple = true;
  tuple.parts.push_back(std::move(first));
  while (tokens_.skip_symbol(",")) {
    if (at_tuple_end() || tokens_.is_symbol("=")) break;
    tuple.parts.push_back(single_target(with_namespace));
  }
  return tuple;
}

// ---- Postfix ----

/// .name, [key] or (arguments); false when none of them follows.
bool ExpressionParser::postfix_steps(std::vector<PostfixStep>& steps) {
  if (tokens_.is_symbol(".")) {
    const int line = tokens_.next().line;
    if (tokens_.is(Type::integer)) {
      Expression index{line, Literal{Value::of(tokens_.next().integer)}};
      steps.push_back({line, ItemStep{boxed(std::move(index))}});
    } else {
      steps.push_back({line, AttributeStep{tokens_.expect(Type::name, "the name of an attribute").text}});
    }
    return true;
  }
  if (tokens_.is_symbol("[")) {
    steps.push_back(subscript());
    return true;
  }
  if (!tokens_.is_symbol("(")) return false;
  const int line = tokens_.line();
  steps.push_back({line, CallStep{arguments()}});
  return true;
}

PostfixStep ExpressionParser::subscript() {
  const int line = tokens_.next().line;
  const auto bound = [&]() -> ExpressionPtr {
    if (tokens_.is_symbol(":") || tokens_.is_symbol("]")) return nullptr;
    return boxed(expression());
  };
  ExpressionPtr first = bound();
  if (tokens_.is_symbol(":")) {
    SliceStep slice;
    slice.start = std::move(first);
    tokens_.next();
    slice.stop = bound();
    if (tokens_.skip_symbol(":")) slice.step = bound();
    tokens_.expect_symbol("]");
    return {line, std::move(slice)};
  }
  if (first == nullptr) tokens_.fail_here("expected a subscript expression");
  if (tokens_.is_symbol(",")) {
    ListDisplay key{{}, true};
    key.items.push_back(std::move(*first));
    while (tokens_.skip_symbol(",") && !tokens_.is_symbol("]")) key.items.push_back(expression());
    first = boxed({line, std::move(key)});
  }
  tokens_.expect_symbol("]");
  return {line, ItemStep{std::move(first)}};
}

void ExpressionParser::filter_steps(std::vector<PostfixStep>& steps) {
  for (;;) {
    if (tokens_.skip_symbol("|")) {
      steps.push_back(filter());
    } else if (tokens_.is_name("is")) {
      steps.push_back(test());
    } else if (tokens_.is_symbol("(")) {
      const int line = tokens_.line();
      steps.push_back({line, CallStep{arguments()}});
    } else {
      return;
    }
  }
}

std::vector<PostfixStep> ExpressionParser::filters(bool after_pipe) {
  std::vector<PostfixStep> steps;
  if (after_pipe) steps.push_back(filter());
  while (tokens_.skip_symbol("|")) steps.push_back(filter());
  return steps;
}

PostfixStep ExpressionParser::filter() {
  const Token token = tokens_.expect(Type::name, "the name of a filter");
  FilterStep step{token.text, find_filter(token.text), {}};
  if (tokens_.is_symbol("(")) step.arguments = arguments();
  return {token.line, std::move(step)};
}

PostfixStep ExpressionParser::test() {
  const int line = tokens_.next().line;
  const bool negated = tokens_.skip_name("not");
  const Token token = tokens_.expect(Type::name, "the name of a test");
  return {line, TestStep{token.text, find_test(token.text), test_arguments(), negated}};
}

/// A test takes arguments in parentheses, or one operand without.
CallArguments ExpressionParser::test_arguments() {
  if (tokens_.is_symbol("(")) return arguments();
  const bool begins_operand = tokens_.is(Type::name) || tokens_.is(Type::text) || tokens_.is(Type::integer) ||
                              tokens_.is(Type::real) || tokens_.is_symbol("[") || tokens_.is_symbol("{");
  CallArguments arguments;
  if (!begins_operand || tokens_.is_any_name({"else", "or", "and"})) return arguments;
  if (tokens_.is_name("is")) tokens_.fail_here("You cannot chain multiple tests with is");
  const int line = tokens_.line();
  Postfix postfix;
  postfix.base = boxed(primary());
  while (postfix_steps(postfix.steps)) {
  }
  const bool plain = postfix.steps.empty();
  arguments.positional.push_back(plain ? std::move(*postfix.base) : Expression{line, std::move(postfix)});
  return arguments;
}

CallArguments ExpressionParser::arguments() {
  const DepthGuard guard(budget_);
  const int line = tokens_.line();
  const auto ensure = [&](bool valid) {
    if (!valid) throw TemplateFailure{"invalid syntax for function call expression", line};
  };
  CallArguments arguments;
  tokens_.expect_symbol("(");
  for (bool first = true; !tokens_.is_symbol(")"); first = false) {
    if (!first) tokens_.expect_symbol(",");
    if (tokens_.is_symbol(")")) break;
    const bool named =
        tokens_.is(Type::name) && tokens_.ahead().type == Type::symbol && tokens_.ahead().text == "=";
    if (tokens_.skip_symbol("*")) {
      ensure(!arguments.spread && !arguments.spread_named);
      arguments.spread = boxed(expression());
    } else if (tokens_.skip_symbol("**")) {
      ensure(!arguments.spread_named);
      arguments.spread_named = boxed(expression());
    } else if (named) {
      ensure(!arguments.spread_named);
      arguments.names.push_back(tokens_.next().text);
      tokens_.next();
      arguments.named.push_back(expression());
    } else {
      ensure(!arguments.spread && !arguments.spread_named && arguments.names.empty());
      arguments.positional.push_back(expression());
    }
  }
  tokens_.expect_symbol(")");
  return arguments;
}

}  // namespace pitwall::jinja
