// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic as Python does it, with 64-bit integers: what would be larger fails.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/base/text_escape.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

std::string_view symbol_of(ArithmeticOperator op) {
  switch (op) {
    case ArithmeticOperator::add:
      return "+";
    case ArithmeticOperator::subtract:
      return "-";
    case ArithmeticOperator::multiply:
      return "*";
    case ArithmeticOperator::divide:
      return "/";
    case ArithmeticOperator::floor_divide:
      return "//";
    case ArithmeticOperator::modulo:
      return "%";
    case ArithmeticOperator::power:
      return "**";
  }
  return "";
}

[[noreturn]] void fail_operands(ArithmeticOperator op, const Value& left, const Value& right) {
  if (left.is_undefined()) fail(left.undefined_reason());
  if (right.is_undefined()) fail(right.undefined_reason());
  if (op == ArithmeticOperator::add && left.is_text()) {
    fail(fmt::format("can only concatenate str (not \"{}\") to str", right.type_name()));
  }
  fail(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op), left.type_name(),
                   right.type_name()));
}

void check_fits(bool overflow) {
  if (overflow) fail("an integer does not fit into 64 bits");
}

/// Rounds towards minus infinity, as Python does; the remainder has the sign of the divisor.
Value floor_division(std::int64_t left, std::int64_t right, bool want_remainder) {
  if (right == 0) fail("integer division or modulo by zero");
  if (right == -1) return want_remainder ? Value::of(std::int64_t{0}) : negative(Value::of(left));
  const std::int64_t remainder = left % right;
  const bool adjust = remainder != 0 && (remainder < 0) != (right < 0);
  if (want_remainder) return Value::of(adjust ? remainder + right : remainder);
  return Value::of(left / right - (adjust ? 1 : 0));
}

Value integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail("0.0 cannot be raised to a negative power");
    return Value::of(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  std::int64_t result = 1;
  bool overflow = false;
  while (exponent > 0 && !overflow) {
    if (exponent % 2 == 1) overflow = __builtin_mul_overflow(result, base, &result);
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow = true;
  }
  check_fits(overflow);
  return Value::of(result);
}

Value integer_arithmetic(ArithmeticOperator op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (op) {
    case ArithmeticOperator::add:
      check_fits(__builtin_add_overflow(left, right, &result));
      return Value::of(result);
    case ArithmeticOperator::subtract:
      check_fits(__builtin_sub_overflow(left, right, &result));
      return Value::of(result);
    case ArithmeticOperator::multiply:
      check_fits(__builtin_mul_overflow(left, right, &result));
      return Value::of(result);
    case ArithmeticOperator::divide:
      if (right == 0) fail("division by zero");
      return Value::of(static_cast<double>(left) / static_cast<double>(right));
    case ArithmeticOperator::floor_divide:
      return floor_division(left, right, false);
    case ArithmeticOperator::modulo:
      return floor_division(left, right, true);
    case ArithmeticOperator::power:
      return integer_power(left, right);
  }
  return {};
}

double floor_modulo(double left, double right) {
  const double remainder = std::fmod(left, right);
  if (remainder != 0 && (remainder < 0) != (right < 0)) return remainder + right;
  return std::copysign(remainder, remainder == 0 ? right : remainder);
}

double real_power(double base, double exponent) {
  if (base == 0 && exponent < 0) fail("0.0 cannot be raised to a negative power");
  if (base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    fail("a negative number cannot be raised to a fraction");
  }
  const double power = std::pow(base, exponent);
  if (std::isinf(power) && std::isfinite(base) && std::isfinite(exponent)) {
    fail("a power is too large for a floating-point number");
  }
  return power;
}

/// As Python's //: the whole number nearest to the quotient without the remainder, with the quotient's sign.
double floor_quotient(double left, double right) {
  const double quotient = (left - floor_modulo(left, right)) / right;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Value real_arithmetic(ArithmeticOperator op, double left, double right) {
  const bool divides = op == ArithmeticOperator::divide || op == ArithmeticOperator::floor_divide ||
                       op == ArithmeticOperator::modulo;
  if (divides && right == 0) fail("float division by zero");
  switch (op) {
    case ArithmeticOperator::add:
      return Value::of(left + right);
    case ArithmeticOperator::subtract:
      return Value::of(left - right);
    case ArithmeticOperator::multiply:
      return Value::of(left * right);
    case ArithmeticOperator::divide:
      return Value::of(left / right);
    case ArithmeticOperator::floor_divide:
      return Value::of(floor_quotient(left, right));
    case ArithmeticOperator::modulo:
      return Value::of(floor_modulo(left, right));
    case ArithmeticOperator::power:
      return Value::of(real_power(left, right));
  }
  return {};
}

/// Text that went through `safe` escapes the plain text that is put beside it.
Value add_texts(Context& context, const Value& left, const Value& right) {
  const bool safe = left.is_safe_text() || right.is_safe_text();
  TextBuilder out(context);
  for (const Value* part : {&left, &right}) {
    if (safe && !part->is_safe_text()) {
      out << escape_html(part->text());
    } else {
      out << part->text();
    }
  }
  return context.text(out.take(), safe);
}

Value add_sequences(Context& context, const Value& left, const Value& right) {
  Items items = left.sequence().items;
  items.insert(items.end(), right.sequence().items.begin(), right.sequence().items.end());
  return left.kind() == Kind::list ? context.list(std::move(items)) : context.tuple(std::move(items));
}

/// How often a repetition repeats, once it is known that `unit_bytes` times that can be held.
std::size_t repetitions(Context& context, std::size_t unit_bytes, std::int64_t times) {
  if (times <= 0 || unit_bytes == 0) return 0;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const auto count = static_cast<std::size_t>(times);
  context.budget().require(count > kMost / unit_bytes ? kMost : count * unit_bytes);
  return count;
}

Value repeat(Context& context, const Value& unit, std::int64_t times) {
  if (unit.is_text()) {
    const std::size_t count = repetitions(context, unit.text().size(), times);
    std::string text;
    text.reserve(count * unit.text().size());
    for (std::size_t i = 0; i < count; ++i) text += unit.text();
    return context.text(std::move(text), unit.is_safe_text());
  }
  const Items& source = unit.sequence().items;
  const std::size_t count = repetitions(context, source.size() * sizeof(Value), times);
  Items items;
  items.reserve(count * source.size());
  for (std::size_t i = 0; i < count; ++i) items.insert(items.end(), source.begin(), source.end());
  return unit.kind() == Kind::list ? context.list(std::move(items)) : context.tuple(std::move(items));
}

}  // namespace

Value arithmetic(Context& context, ArithmeticOperator op, const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral())
    return integer_arithmetic(op, left.integer(), right.integer());
  if (left.is_number() && right.is_number()) return real_arithmetic(op, left.real(), right.real());
  const auto repeatable = [](const Value& value) { return value.is_text() || value.is_sequence(); };
  switch (op) {
    case ArithmeticOperator::add:
      if (left.is_text() && right.is_text()) return add_texts(context, left, right);
      if (left.is_sequence() && left.kind() == right.kind()) return add_sequences(context, left, right);
      break;
    case ArithmeticOperator::multiply:
      if (repeatable(left) && right.is_integral()) return repeat(context, left, right.integer());
      if (repeatable(right) && left.is_integral()) return repeat(context, right, left.integer());
      break;
    case ArithmeticOperator::modulo:
      if (left.is_text()) return format_percent(context, left, right);
      break;
    default:
      break;
  }
  fail_operands(op, left, right);
}

Value negative(const Value& operand) {
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (!operand.is_number()) fail(fmt::format("bad operand type for unary -: '{}'", operand.type_name()));
  if (operand.kind() == Kind::real) return Value::of(-operand.real());
  std::int64_t result = 0;
  check_fits(__builtin_sub_overflow(std::int64_t{0}, operand.integer(), &result));
  return Value::of(result);
}

Value positive(const Value& operand) {
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (!operand.is_number()) fail(fmt::format("bad operand type for unary +: '{}'", operand.type_name()));
  return operand.kind() == Kind::real ? operand : Value::of(operand.integer());
}

}  // namespace pitwall::jinja
