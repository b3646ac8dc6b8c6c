// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/json_numbers.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <map>
#include <numeric>

namespace pitwall {

namespace {

Error refused(Error::Kind kind, std::string what, std::string param) {
  return {.kind = kind, .what = std::move(what), .cause = {}, .action = {}, .param = std::move(param)};
}

std::strong_ordering order_of_digits(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() <=> b.size() : a.compare(b) <=> 0;
}

/// The step that numbers are multiples of: `step` / 10^places.
struct Grid {
  std::uint32_t step = 1;
  int places = 0;
};

Result<std::optional<Grid>> common_grid(const std::vector<Decimal>& multiples) {
  if (multiples.empty()) return std::optional<Grid>();
  Grid grid;
  for (const Decimal& multiple : multiples)
    grid.places = std::max(grid.places, static_cast<int>(multiple.fraction.size()));
  for (const Decimal& multiple : multiples) {
    std::string scaled = multiple.digits + multiple.fraction;
    scaled.append(static_cast<std::size_t>(grid.places) - multiple.fraction.size(), '0');
    std::uint64_t value = 0;
    for (const char c : scaled)
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(c - '0'), 1'000'000'000);
    value = std::lcm(value, std::uint64_t{grid.step});
    if (value > kMostMultiple || grid.places > kMostFractionDigits) {
      return refused(Error::Kind::unsupported,
                     "multipleOf asks for multiples of " + scaled + " in units of its last decimal place; " +
                         std::to_string(kMostMultiple) + " is the most",
                     "multipleOf");
    }
    grid.step = static_cast<std::uint32_t>(value);
  }
  return std::optional<Grid>(grid);
}

/// Where a magnitude stands against one bound: digits are compared while as many have come as the bound has.
struct Against {
  int order = 0;  ///< of what has been read against the bound's beginning; behind the point: of the numbers
  auto operator<=>(const Against&) const = default;
};

/// One sign's numbers: magnitudes between two bounds.
class Magnitudes {
 public:
  Magnitudes(bool integer, bool negative, std::optional<NumberBound> low, std::optional<NumberBound> high,
             std::optional<Grid> grid, ByteAutomaton& out)
      : integer_(integer),
        negative_(negative),
        low_(std::move(low)),
        high_(std::move(high)),
        grid_(grid),
        out_(out) {}

  /// The state in front of the first digit; nullopt when there is no number.
  std::optional<ByteState> build() {
    id_of({});
    for (std::size_t i = 0; i < spots_.size(); ++i) explore(i);
    const std::vector<bool> lives = living();
    if (!lives[0]) return std::nullopt;
    std::vector<ByteState> states(spots_.size());
    for (std::size_t i = 0; i < spots_.size(); ++i) {
      if (lives[i]) states[i] = out_.reserve();
    }
    for (std::size_t i = 0; i < spots_.size(); ++i) {
      if (!lives[i]) continue;
      std::vector<ByteEdge> edges;
      for (const auto& [byte, to] : moves_[i]) {
        if (!lives[to]) continue;
        if (!edges.empty() && edges.back().to == states[to] && edges.back().high + 1 == byte) {
          edges.back().high = byte;
        } else {
          edges.push_back({byte, byte, states[to]});
        }
      }
      out_.define(states[i], edges, ends(spots_[i]));
    }
    return states[0];
  }

 private:
  enum class Phase { start, zero, digits, point, fraction };
  struct Spot {
    Phase phase = Phase::start;
    int count = 0;  ///< digits in front of the point, or behind it
    Against low, high;
    std::uint32_t residue = 0;  ///< of what has been read, without its point, by the grid's step
    auto operator<=>(const Spot&) const = default;
  };

  std::uint32_t id_of(const Spot& spot) {
    const auto [known, is_new] = ids_.try_emplace(spot, static_cast<std::uint32_t>(spots_.size()));
    if (is_new) spots_.push_back(spot);
    return known->second;
  }

  static int sign(char digit, char other) { return digit < other ? -1 : digit > other ? 1 : 0; }

  void read_digit(Against& against, const std::optional<NumberBound>& bound, int index, char digit) const {
    if (!bound || against.order != 0) return;
    const std::string& digits = bound->value.digits;
    const auto at = static_cast<std::size_t>(index);
    against.order = at < digits.size() ? sign(digit, digits[at]) : 1;
  }
  /// The point has come: fewer digits are a smaller number, more digits a larger one.
  static void close_digits(Against& against, const std::optional<NumberBound>& bound, int count) {
    if (!bound) return;
    const auto length = static_cast<int>(bound->value.digits.size());
    if (count != length) against.order = count < length ? -1 : 1;
  }
  static void read_fraction(Against& against, const std::optional<NumberBound>& bound, int index,
                            char digit) {
    if (!bound || against.order != 0) return;
    const std::string& fraction = bound->value.fraction;
    const auto at = static_cast<std::size_t>(index);
    against.order = sign(digit, at < fraction.size() ? fraction[at] : '0');
  }
  /// The order of the whole number, where `count` digits of the fraction have come.
  static int final_order(Against against, const NumberBound& bound, int count) {
    if (against.order != 0) return against.order;
    return static_cast<std::size_t>(count) < bound.value.fraction.size() ? -1 : 0;
  }

  void explore(std::size_t i) {
    moves_.emplace_back();
    const Spot at = spots_[i];
    const bool point_may_come =
        !integer_ && (at.phase == Phase::zero || at.phase == Phase::digits) && !(grid_ && grid_->places == 0);
    if (point_may_come) {
      Spot next = at;
      next.phase = Phase::point;
      const int digits = at.phase == Phase::zero ? 0 : at.count;
      close_digits(next.low, low_, digits);
      close_digits(next.high, high_, digits);
      next.count = 0;
      moves_[i].emplace_back('.', id_of(next));
    }
    for (char digit = '0'; digit <= '9'; ++digit) {
      if (const auto next = after_digit(at, digit))
        moves_[i].emplace_back(static_cast<std::uint8_t>(digit), id_of(*next));
    }
  }

  std::optional<Spot> after_digit(const Spot& at, char digit) const {
    Spot next = at;
    switch (at.phase) {
      case Phase::zero:
        return std::nullopt;
      case Phase::start:
      case Phase::digits:
        if (at.count == kMostDigits) return std::nullopt;
        if (at.phase == Phase::start && digit == '0') {
          next.phase = Phase::zero;
          return next;
        }
        next.phase = Phase::digits;
        read_digit(next.low, low_, at.count, digit);
        read_digit(next.high, high_, at.count, digit);
        break;
      case Phase::point:
      case Phase::fraction:
        if (at.count == (grid_ ? grid_->places : kMostFractionDigits)) return std::nullopt;
        next.phase = Phase::fraction;
        read_fraction(next.low, low_, at.count, digit);
        read_fraction(next.high, high_, at.count, digit);
        break;
    }
    if (grid_) {
      next.residue = static_cast<std::uint32_t>(
          (std::uint64_t{at.residue} * 10 + static_cast<std::uint64_t>(digit - '0')) % grid_->step);
    }
    ++next.count;
    return next;
  }

  bool ends(const Spot& spot) const {
    if (spot.phase == Phase::start || spot.phase == Phase::point) return false;
    if (spot.phase == Phase::zero && negative_) return false;
    Against low = spot.low, high = spot.high;
    const bool whole = spot.phase != Phase::fraction;
    const int digits = spot.phase == Phase::zero ? 0 : spot.count;
    if (whole) {
      close_digits(low, low_, digits);
      close_digits(high, high_, digits);
    }
    const int behind_point = whole ? 0 : spot.count;
    if (low_) {
      const int order = final_order(low, *low_, behind_point);
      if (order < 0 || (order == 0 && low_->open)) return false;
    }
    if (high_) {
      const int order = final_order(high, *high_, behind_point);
      if (order > 0 || (order == 0 && high_->open)) return false;
    }
    if (!grid_) return true;
    std::uint64_t residue = spot.residue;
    for (int i = behind_point; i < grid_->places; ++i) residue = residue * 10 % grid_->step;
    return residue == 0;
  }

  std::vector<bool> living() const {
    std::vector<std::vector<std::uint32_t>> sources(spots_.size());
    std::vector<bool> lives(spots_.size());
    std::vector<std::uint32_t> reached;
    for (std::uint32_t i = 0; i < spots_.size(); ++i) {
      for (const auto& move : moves_[i]) sources[move.second].push_back(i);
      if (ends(spots_[i])) {
        lives[i] = true;
        reached.push_back(i);
      }
    }
    while (!reached.empty()) {
      const std::uint32_t at = reached.back();
      reached.pop_back();
      for (const std::uint32_t source : sources[at]) {
        if (!lives[source]) reached.push_back(source);
        lives[source] = true;
      }
    }
    return lives;
  }

  bool integer_, negative_;
  std::optional<NumberBound> low_, high_;
  std::optional<Grid> grid_;
  ByteAutomaton& out_;
  std::map<Spot, std::uint32_t> ids_;
  std::vector<Spot> spots_;
  std::vector<std::vector<std::pair<std::uint8_t, std::uint32_t>>> moves_;
};

ByteState add_plain_number(ByteAutomaton& out) {
  const auto digits = [&](int most, const std::vector<ByteEdge>& behind) {
    ByteState state = out.add(behind, true);
    for (int left = 1; left < most; ++left) {
      std::vector<ByteEdge> edges = behind;
      edges.push_back({'0', '9', state});
      std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
      state = out.add(edges, true);
    }
    return state;
  };
  const ByteState exponent_digits = digits(kMostExponentDigits, {});
  const ByteState exponent_sign = out.add({{'0', '9', exponent_digits}}, false);
  const ByteState exponent =
      out.add({{'+', '+', exponent_sign}, {'-', '-', exponent_sign}, {'0', '9', exponent_digits}}, false);
  const std::vector<ByteEdge> e = {{'E', 'E', exponent}, {'e', 'e', exponent}};
  const ByteState point = out.add({{'0', '9', digits(kMostFractionDigits, e)}}, false);
  const std::vector<ByteEdge> tail = {{'.', '.', point}, e[0], e[1]};
  const ByteState whole = digits(kMostDigits, tail), zero = out.add(tail, true);
  const std::vector<ByteEdge> first = {{'0', '0', zero}, {'1', '9', whole}};
  const ByteState minus = out.add(first, false);
  return out.add({{'-', '-', minus}, first[0], first[1]}, false);
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view json) {
  Decimal out;
  if (json.starts_with('-')) {
    out.negative = true;
    json.remove_prefix(1);
  }
  int exponent = 0;
  if (const std::size_t e = json.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = json.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto parsed = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (parsed.ec != std::errc() || exponent < -400 || exponent > 400) return std::nullopt;
    json = json.substr(0, e);
  }
  const std::size_t point = json.find('.');
  std::string all(json.substr(0, point));
  auto places = static_cast<int>(all.size());
  if (point != std::string_view::npos) all += json.substr(point + 1);
  if (all.empty() || !std::ranges::all_of(all, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  places += exponent;
  if (places < 0) {
    all.insert(0, static_cast<std::size_t>(-places), '0');
    places = 0;
  }
  if (static_cast<std::size_t>(places) > all.size()) all.resize(static_cast<std::size_t>(places), '0');
  out.digits = all.substr(0, static_cast<std::size_t>(places));
  out.fraction = all.substr(static_cast<std::size_t>(places));
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  out.fraction.erase(out.fraction.find_last_not_of('0') + 1);
  if (out.is_zero()) out.negative = false;
  return out;
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  std::strong_ordering order = order_of_digits(a.digits, b.digits);
  if (order == 0) order = a.fraction.compare(b.fraction) <=> 0;
  const int magnitude = order < 0 ? -1 : order > 0 ? 1 : 0;
  return a.negative ? -magnitude : magnitude;
}

Result<ByteState> add_number(const NumberRules& rules, ByteAutomaton& out) {
  if (!rules.integer && !rules.low && !rules.high && rules.multiple_of.empty()) return add_plain_number(out);
  auto grid = common_grid(rules.multiple_of);
  if (!grid.ok()) return std::move(grid).error();

  const bool above = rules.high && rules.high->value.negative;  // nothing from zero on
  const bool below = rules.low && !rules.low->value.negative;   // nothing under zero
  std::optional<ByteState> plus, minus;
  if (!above) {
    plus = Magnitudes(rules.integer, false, below ? rules.low : std::nullopt, rules.high, *grid, out).build();
  }
  if (!below) {
    minus = Magnitudes(rules.integer, true, above ? rules.high : std::nullopt, rules.low, *grid, out).build();
  }
  std::vector<ByteEdge> edges;
  if (minus) edges.push_back({'-', '-', *minus});
  if (plus) {
    const auto more = out.edges(*plus);
    edges.insert(edges.end(), more.begin(), more.end());
  }
  if (edges.empty()) {
    return refused(Error::Kind::invalid_input,
                   "No number of at most " + std::to_string(kMostDigits) +
                       " digits obeys minimum, maximum and multipleOf together",
                   "minimum");
  }
  return out.add(edges, false);
}

}  // namespace pitwall
