// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_arguments.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_methods.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

/// A test without arguments.
template <bool (*holds)(Context& context, const Value& value)>
bool alone(Context& context, const Value& value, const Arguments& arguments) {
  const ArgumentReader read("this test", arguments, {});
  return holds(context, value);
}

template <Kind kind>
bool is_kind(Context&, const Value& value) {
  return value.kind() == kind;
}

bool is_defined(Context&, const Value& value) {
  return !value.is_undefined();
}
bool is_number(Context&, const Value& value) {
  return value.is_number();
}
bool is_true(Context&, const Value& value) {
  return value.kind() == Kind::boolean && value.truthy();
}
bool is_false(Context&, const Value& value) {
  return value.kind() == Kind::boolean && !value.truthy();
}
bool is_escaped(Context&, const Value& value) {
  return value.is_safe_text();
}
bool is_callable(Context&, const Value& value) {
  return value.is_undefined() || (value.is_native() && value.native().callable());
}

/// What has a length and can be subscripted.
bool is_sequence(Context&, const Value& value) {
  return value.is_undefined() || value.is_text() || value.is_sequence() || value.is_dict() ||
         value.kind() == Kind::range;
}
bool is_iterable(Context& context, const Value& value) {
  return value.has_items() || is_sequence(context, value);
}

template <ComparisonOperator op>
bool compares(Context& context, const Value& value, const Arguments& arguments) {
  const ArgumentReader read("a comparison test", arguments, {"other"}, 1);
  return compare(context, op, value, read[0]);
}

bool is_same(Context&, const Value& value, const Arguments& arguments) {
  const ArgumentReader read("sameas", arguments, {"other"}, 1);
  return value.same_as(read[0]);
}

bool has_remainder(Context& context, const Value& value, const Value& divisor, std::int64_t wanted) {
  const Value remainder = arithmetic(context, ArithmeticOperator::modulo, value, divisor);
  return equal(context, remainder, Value::of(wanted));
}
bool is_odd(Context& context, const Value& value) {
  return has_remainder(context, value, Value::of(std::int64_t{2}), 1);
}
bool is_even(Context& context, const Value& value) {
  return has_remainder(context, value, Value::of(std::int64_t{2}), 0);
}
bool is_divisible(Context& context, const Value& value, const Arguments& arguments) {
  const ArgumentReader read("divisibleby", arguments, {"num"}, 1);
  return has_remainder(context, value, read[0], 0);
}

bool has_case(Context& context, const Value& value, std::string_view method) {
  const Value text = value.is_text() ? value : context.text(to_text(context, value));
  return find_text_method(method)->function(context, text, {}).truthy();
}
bool is_lower(Context& context, const Value& value) {
  return has_case(context, value, "islower");
}
bool is_upper(Context& context, const Value& value) {
  return has_case(context, value, "isupper");
}

bool names_filter(Context& context, const Value& value) {
  check_hashable(context, value);
  return value.is_text() && find_filter(value.text()) != nullptr;
}
bool names_test(Context& context, const Value& value) {
  check_hashable(context, value);
  return value.is_text() && find_test(value.text()) != nullptr;
}

struct Test {
  std::string_view name;
  TestFunction function;
};
constexpr Test kTests[] = {
    {"defined", alone<is_defined>},
    {"undefined", alone<is_kind<Kind::undefined>>},
    {"none", alone<is_kind<Kind::none>>},
    {"boolean", alone<is_kind<Kind::boolean>>},
    {"integer", alone<is_kind<Kind::integer>>},
    {"float", alone<is_kind<Kind::real>>},
    {"string", alone<is_kind<Kind::text>>},
    {"mapping", alone<is_kind<Kind::dict>>},
    {"number", alone<is_number>},
    {"true", alone<is_true>},
    {"false", alone<is_false>},
    {"sequence", alone<is_sequence>},
    {"iterable", alone<is_iterable>},
    {"callable", alone<is_callable>},
    {"escaped", alone<is_escaped>},
    {"sameas", is_same},
    {"odd", alone<is_odd>},
    {"even", alone<is_even>},
    {"divisibleby", is_divisible},
    {"lower", alone<is_lower>},
    {"upper", alone<is_upper>},
    {"filter", alone<names_filter>},
    {"test", alone<names_test>},
    {"in", compares<ComparisonOperator::in>},
    {"eq", compares<ComparisonOperator::equal>},
    {"equalto", compares<ComparisonOperator::equal>},
    {"==", compares<ComparisonOperator::equal>},
    {"ne", compares<ComparisonOperator::not_equal>},
    {"!=", compares<ComparisonOperator::not_equal>},
    {"lt", compares<ComparisonOperator::less>},
    {"lessthan", compares<ComparisonOperator::less>},
    {"<", compares<ComparisonOperator::less>},
    {"le", compares<ComparisonOperator::less_equal>},
    {"<=", compares<ComparisonOperator::less_equal>},
    {"gt", compares<ComparisonOperator::greater>},
    {"greaterthan", compares<ComparisonOperator::greater>},
    {">", compares<ComparisonOperator::greater>},
    {"ge", compares<ComparisonOperator::greater_equal>},
    {">=", compares<ComparisonOperator::greater_equal>},
};

}  // namespace

TestFunction find_test(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTests), std::end(kTests), [&](const Test& test) { return test.name == name; });
  return found == std::end(kTests) ? nullptr : found->function;
}

bool apply_test(Context& context, std::string_view name, const Value& value, const Arguments& arguments) {
  const TestFunction test = find_test(name);
  if (test == nullptr) fail(fmt::format("No test named '{}'", name));
  context.budget().step();
  return test(context, value, arguments);
}

}  // namespace pitwall::jinja
