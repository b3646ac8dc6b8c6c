// SPDX-License-Identifier: GPL-3.0-or-later
// Automata of JSON numbers, exact in decimal: digits are compared with the bounds as they come.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/grammar/byte_automaton.h"

namespace pitwall {

/// ± digits . fraction; no leading zeros in `digits`, no trailing ones in `fraction`. Zero has neither.
struct Decimal {
  bool negative = false;
  std::string digits, fraction;
  bool is_zero() const { return digits.empty() && fraction.empty(); }
};
/// A number as JSON writes it, with an exponent within ±400.
std::optional<Decimal> parse_decimal(std::string_view json);
/// −1, 0, 1 as a is below, equal to or above b.
int compare(const Decimal& a, const Decimal& b);

struct NumberBound {
  Decimal value;
  bool open = false;  ///< the bound itself lies outside
};
struct NumberRules {
  bool integer = false;
  std::optional<NumberBound> low, high;
  std::vector<Decimal> multiple_of;  ///< positive
};

// How long a number may be: so that it ends, and that an integer fits 64 bits.
inline constexpr int kMostDigits = 18;          ///< in front of the point
inline constexpr int kMostFractionDigits = 18;  ///< behind it
inline constexpr int kMostExponentDigits = 2;

/// The first state; kEndState is not used. Integers have neither point nor exponent, and numbers with a rule
/// no exponent; with multiple_of no more decimal places than its own. invalid_input when no number obeys the
/// rules; unsupported where their common multiple is above kMostMultiple of its last decimal place.
inline constexpr std::uint32_t kMostMultiple = 1'000;
Result<ByteState> add_number(const NumberRules& rules, ByteAutomaton& out);

}  // namespace pitwall
