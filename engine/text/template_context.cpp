// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_operators.h"

namespace pitwall::jinja {

namespace {

/// What a heap object costs beside its contents.
constexpr std::size_t kObjectBytes = 64;
/// What a native object and what it keeps alive may cost.
constexpr std::size_t kNativeBytes = 512;

}  // namespace

Context::~Context() {
  for (const auto& release : at_end_) release();
}

Value Context::text(std::string text, bool safe) {
  budget_.step_over(text.size());
  Charge charge(budget_, text.size() + kObjectBytes);
  return Value::of(std::make_shared<const TextObject>(TextObject{std::move(text), std::move(charge)}), safe);
}

Value Context::undefined(std::string reason) {
  Charge charge(budget_, reason.size() + kObjectBytes);
  return Value::of(
      std::make_shared<const UndefinedObject>(UndefinedObject{std::move(reason), std::move(charge)}));
}

Value Context::sequence(SequenceObject::Type type, Items items, const RangeBounds& bounds) {
  budget_.step(1 + items.size() / 8);
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  check_depth(depth + 1);
  Charge charge(budget_, items.capacity() * sizeof(Value) + kObjectBytes);
  return Value::of(std::make_shared<const SequenceObject>(
      SequenceObject{type, std::move(items), depth + 1, std::move(charge), 0, bounds}));
}

namespace {

constexpr std::uint64_t kLongestRange = 100'000;

/// How many numbers a range holds, computed without overflow.
std::uint64_t range_length(const RangeBounds& range) {
  const auto [start, stop, step] = range;
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                 : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  return (distance - 1) / stride + 1;
}

}  // namespace

Value Context::range(const RangeBounds& bounds) {
  const std::uint64_t length = range_length(bounds);
  if (length > kLongestRange) {
    fail(fmt::format("Range too big: {} numbers, the limit is {}", length, kLongestRange));
  }
  Items items;
  items.reserve(length);
  for (std::uint64_t i = 0; i < length; ++i) {
    // Unsigned, because i * step alone may not fit.
    const auto number =
        static_cast<std::uint64_t>(bounds.start) + i * static_cast<std::uint64_t>(bounds.step);
    items.push_back(Value::of(static_cast<std::int64_t>(number)));
  }
  return sequence(SequenceObject::Type::range, std::move(items), bounds);
}

Value Context::dict(const Entries& entries) {
  Entries unique;
  unique.reserve(entries.size());
  int depth = 0;
  for (const auto& [key, value] : entries) {
    check_hashable(*this, key);
    depth = std::max({depth, value.depth(), key.depth()});
    const std::size_t place = find_entry(*this, unique, key);
    if (place < unique.size()) {
      unique[place].second = value;
    } else {
      unique.emplace_back(key, value);
    }
  }
  check_depth(depth + 1);
  Charge charge(budget_, unique.capacity() * sizeof(Entries::value_type) + kObjectBytes);
  return Value::of(
      std::make_shared<const DictObject>(DictObject{std::move(unique), depth + 1, std::move(charge)}));
}

Value Context::adopt(std::shared_ptr<NativeObject> native) {
  check_depth(native->depth());
  budget_.step();
  return Value::of(std::move(native));
}

void Context::at_end(std::function<void()> release) {
  budget_.hold(kNativeBytes);
  at_end_.push_back(std::move(release));
}

void Context::check_depth(int depth) const {
  if (depth <= budget_.limits().depth) return;
  throw TemplateFailure{fmt::format("values nested deeper than {} levels", budget_.limits().depth), 0,
                        Error::Kind::out_of_memory};
}

TextBuilder& TextBuilder::operator<<(std::string_view part) {
  budget_.step_over(part.size());
  budget_.require(text_.size() + part.size());
  text_ += part;
  return *this;
}

}  // namespace pitwall::jinja
