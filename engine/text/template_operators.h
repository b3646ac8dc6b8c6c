// SPDX-License-Identifier: GPL-3.0-or-later
// Operators on values, with Python's rules: equality, order, arithmetic, membership, iteration.
#pragma once
#include <compare>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

enum class ArithmeticOperator { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class ComparisonOperator { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };

bool equal(Context& context, const Value& left, const Value& right);
/// Fails where the two have no order; unordered for NaN.
std::partial_ordering order(Context& context, const Value& left, const Value& right,
                            std::string_view symbol = "<");
bool compare(Context& context, ComparisonOperator op, const Value& left, const Value& right);
bool contains(Context& context, const Value& container, const Value& item);
Value arithmetic(Context& context, ArithmeticOperator op, const Value& left, const Value& right);
Value negative(const Value& operand);
Value positive(const Value& operand);

/// Index of the entry with this key; entries.size() when there is none.
std::size_t find_entry(Context& context, const Entries& entries, const Value& key);
void check_hashable(Context& context, const Value& key);

/// Items that stay alive as long as the range does.
class ItemRange {
 public:
  explicit ItemRange(std::shared_ptr<const SequenceObject> sequence) : sequence_(std::move(sequence)) {}
  Items::const_iterator begin() const { return sequence_->items.begin(); }
  Items::const_iterator end() const { return sequence_->items.end(); }
  std::size_t size() const { return sequence_->items.size(); }
  bool empty() const { return sequence_->items.empty(); }
  const Value& operator[](std::size_t index) const { return sequence_->items[index]; }
  const Value& front() const { return sequence_->items.front(); }
  const Value& back() const { return sequence_->items.back(); }
  const std::shared_ptr<const SequenceObject>& sequence() const { return sequence_; }

 private:
  std::shared_ptr<const SequenceObject> sequence_;
};
/// The items that a loop over the value meets: of a dict its keys, of a text its characters. An iterator is
/// used up.
ItemRange items_of(Context& context, const Value& value);
/// Python's len().
std::int64_t length_of(const Value& value);

}  // namespace pitwall::jinja
