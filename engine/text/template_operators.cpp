// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/text_search.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

[[noreturn]] void fail_operands(std::string_view symbol, const Value& left, const Value& right) {
  if (left.is_undefined()) fail(left.undefined_reason());
  if (right.is_undefined()) fail(right.undefined_reason());
  fail(fmt::format("'{}' not supported between instances of '{}' and '{}'", symbol, left.type_name(),
                   right.type_name()));
}

bool equal_items(Context& context, const Items& left, const Items& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](const Value& a, const Value& b) { return equal(context, a, b); });
}

/// Keys and entries compare as sets, values only as objects.
bool equal_views(Context& context, const Value& left, const Value& right) {
  const bool unordered = left.sequence().type != SequenceObject::Type::values &&
                         right.sequence().type != SequenceObject::Type::values;
  if (!unordered || left.sequence().items.size() != right.sequence().items.size()) return left.same_as(right);
  const Items& items = left.sequence().items;
  return std::all_of(items.begin(), items.end(),
                     [&](const Value& item) { return contains(context, right, item); });
}

bool equal_entries(Context& context, const Entries& left, const Entries& right) {
  if (left.size() != right.size()) return false;
  return std::all_of(left.begin(), left.end(), [&](const auto& entry) {
    const std::size_t place = find_entry(context, right, entry.first);
    return place < right.size() && equal(context, entry.second, right[place].second);
  });
}

std::partial_ordering order_numbers(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) return left.integer() <=> right.integer();
  // A long double holds every 64-bit integer exactly.
  const auto exact = [](const Value& value) {
    return value.is_integral() ? static_cast<long double>(value.integer())
                               : static_cast<long double>(value.real());
  };
  return exact(left) <=> exact(right);
}

std::partial_ordering order_items(Context& context, const Items& left, const Items& right,
                                  std::string_view symbol) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!equal(context, left[i], right[i])) return order(context, left[i], right[i], symbol);
  }
  return left.size() <=> right.size();
}

std::string_view symbol_of(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::less:
      return "<";
    case ComparisonOperator::less_equal:
      return "<=";
    case ComparisonOperator::greater:
      return ">";
    default:
      return ">=";
  }
}

}  // namespace

bool equal(Context& context, const Value& left, const Value& right) {
  context.budget().step();
  if (left.is_number() && right.is_number()) return order_numbers(left, right) == 0;
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::undefined:
      return true;
    case Kind::text:
      context.budget().step_over(std::min(left.text().size(), right.text().size()));
      return left.text() == right.text();
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
      return equal_items(context, left.sequence().items, right.sequence().items);
    case Kind::view:
      return equal_views(context, left, right);
    case Kind::dict:
      return equal_entries(context, left.dict().entries, right.dict().entries);
    default:
      return left.same_as(right);
  }
}

std::partial_ordering order(Context& context, const Value& left, const Value& right,
                            std::string_view symbol) {
  context.budget().step();
  if (left.is_number() && right.is_number()) return order_numbers(left, right);
  if (left.is_text() && right.is_text()) {
    context.budget().step_over(std::min(left.text().size(), right.text().size()));
    return left.text() <=> right.text();
  }
  if (left.is_sequence() && left.kind() == right.kind()) {
    return order_items(context, left.sequence().items, right.sequence().items, symbol);
  }
  fail_operands(symbol, left, right);
}

bool compare(Context& context, ComparisonOperator op, const Value& left, const Value& right) {
  switch (op) {
    case ComparisonOperator::equal:
      return equal(context, left, right);
    case ComparisonOperator::not_equal:
      return !equal(context, left, right);
    case ComparisonOperator::in:
      return contains(context, right, left);
    case ComparisonOperator::not_in:
      return !contains(context, right, left);
    case ComparisonOperator::less:
      return order(context, left, right, symbol_of(op)) < 0;
    case ComparisonOperator::less_equal:
      return order(context, left, right, symbol_of(op)) <= 0;
    case ComparisonOperator::greater:
      return order(context, left, right, symbol_of(op)) > 0;
    case ComparisonOperator::greater_equal:
      return order(context, left, right, symbol_of(op)) >= 0;
  }
  return false;
}

bool contains(Context& context, const Value& container, const Value& item) {
  if (container.is_text()) {
    if (!item.is_text()) {
      fail(fmt::format("'in <string>' requires string as left operand, not {}", item.type_name()));
    }
    context.budget().step_over(container.text().size());
    return find_first(container.text(), item.text()) != std::string::npos;
  }
  if (container.is_dict()) {
    check_hashable(context, item);
    return find_entry(context, container.dict().entries, item) < container.dict().entries.size();
  }
  const auto items = items_of(context, container);
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& candidate) { return equal(context, candidate, item); });
}

std::size_t find_entry(Context& context, const Entries& entries, const Value& key) {
  constexpr std::size_t kLongKey = 256;  // comparing longer ones takes steps of its own
  context.budget().step(1 + entries.size() / 16);
  const auto same = [&](const auto& entry) {
    const bool short_texts = entry.first.is_text() && key.is_text() && key.text().size() < kLongKey;
    return short_texts ? entry.first.text() == key.text() : equal(context, entry.first, key);
  };
  return static_cast<std::size_t>(std::find_if(entries.begin(), entries.end(), same) - entries.begin());
}

void check_hashable(Context& context, const Value& key) {
  context.budget().step();
  const bool view = key.kind() == Kind::view && key.sequence().type != SequenceObject::Type::values;
  if (key.kind() == Kind::tuple) {
    for (const Value& item : key.sequence().items) check_hashable(context, item);
  }
  if (key.kind() == Kind::list || key.is_dict() || view)
    fail(fmt::format("unhashable type: '{}'", key.type_name()));
}

namespace {

Items characters_of(Context& context, const std::string& text) {
  Items characters;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t length = utf8_step(rest).length;
    characters.push_back(context.text(std::string(rest.substr(0, length))));
    rest.remove_prefix(length);
  }
  return characters;
}

Items keys_of(const DictObject& dict) {
  Items keys;
  keys.reserve(dict.entries.size());
  for (const auto& entry : dict.entries) keys.push_back(entry.first);
  return keys;
}

Items rest_of(const SequenceObject& iterator) {
  const std::size_t position = std::exchange(iterator.position, iterator.items.size());
  return {iterator.items.begin() + static_cast<std::ptrdiff_t>(position), iterator.items.end()};
}

}  // namespace

ItemRange items_of(Context& context, const Value& value) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
      return ItemRange(value.shared_sequence());
    case Kind::iterator:
      return ItemRange(context.list(rest_of(value.sequence())).shared_sequence());
    case Kind::dict:
      return ItemRange(context.list(keys_of(value.dict())).shared_sequence());
    case Kind::text:
      return ItemRange(context.list(characters_of(context, value.text())).shared_sequence());
    case Kind::undefined:
      return ItemRange(context.list({}).shared_sequence());
    default:
      fail(fmt::format("'{}' object is not iterable", value.type_name()));
  }
}

std::int64_t length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
      return static_cast<std::int64_t>(value.sequence().items.size());
    case Kind::dict:
      return static_cast<std::int64_t>(value.dict().entries.size());
    case Kind::text:
      return static_cast<std::int64_t>(utf8_length(value.text()));
    case Kind::undefined:
      return 0;
    default:
      fail(fmt::format("object of type '{}' has no len()", value.type_name()));
  }
}

}  // namespace pitwall::jinja
