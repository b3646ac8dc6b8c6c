// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_methods.h"
#include "engine/text/template_operators.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

/// "dict object" as messages name what lacks an attribute.
std::string owner_name(const Value& value) {
  return value.is_none() ? "None" : fmt::format("{} object", value.type_name());
}

std::string cut_for_message(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return name.size() <= kLongest ? std::string(name)
                                 : std::string(name.substr(0, utf8_offset(name, kLongest))) + "…";
}

Value missing_attribute(Context& context, const Value& value, std::string_view name) {
  return context.undefined(
      fmt::format("'{}' has no attribute '{}'", owner_name(value), cut_for_message(name)));
}

Value missing_element(Context& context, const Value& value, const Value& key) {
  return context.undefined(
      fmt::format("{} has no element {}", owner_name(value), cut_for_message(repr(context, key))));
}

void check_defined(const Value& value) {
  if (value.is_undefined()) fail(value.undefined_reason());
}

std::optional<Value> character_at(Context& context, const Value& text, std::int64_t index) {
  const auto length = static_cast<std::int64_t>(utf8_length(text.text()));
  context.budget().step_over(text.text().size());
  if (index < 0) index += length;
  if (index < 0 || index >= length) return std::nullopt;
  const std::size_t begin = utf8_offset(text.text(), static_cast<std::size_t>(index));
  const std::string_view rest = std::string_view(text.text()).substr(begin);
  return context.text(std::string(rest.substr(0, utf8_step(rest).length)), text.is_safe_text());
}

std::optional<Value> element_at(const Items& items, std::int64_t index) {
  const auto length = static_cast<std::int64_t>(items.size());
  if (index < 0) index += length;
  if (index < 0 || index >= length) return std::nullopt;
  return items[static_cast<std::size_t>(index)];
}

std::optional<Value> entry_of(Context& context, const Value& dict, const Value& key) {
  if (key.kind() == Kind::list || key.is_dict()) return std::nullopt;
  const Entries& entries = dict.dict().entries;
  const std::size_t place = find_entry(context, entries, key);
  if (place == entries.size()) return std::nullopt;
  return entries[place].second;
}

std::optional<Value> own_item(Context& context, const Value& value, const Value& key) {
  if (value.is_dict()) return entry_of(context, value, key);
  if (!key.is_integral()) return std::nullopt;
  if (value.is_text()) return character_at(context, value, key.integer());
  if (value.is_sequence() || value.kind() == Kind::range)
    return element_at(value.sequence().items, key.integer());
  return std::nullopt;
}

std::optional<Value> number_attribute(const Value& value, std::string_view name) {
  const bool integral = value.is_integral();
  if (name == "real" || (integral && name == "numerator")) return positive(value);
  if (name == "imag") return integral ? Value::of(std::int64_t{0}) : Value::of(0.0);
  if (integral && name == "denominator") return Value::of(std::int64_t{1});
  return std::nullopt;
}

std::optional<Value> sequence_attribute(const SequenceObject& sequence, std::string_view name) {
  if (sequence.type == SequenceObject::Type::group) {
    if (name == "grouper") return sequence.items[0];
    if (name == "list") return sequence.items[1];
  }
  if (sequence.type == SequenceObject::Type::range) {
    if (name == "start") return Value::of(sequence.bounds.start);
    if (name == "stop") return Value::of(sequence.bounds.stop);
    if (name == "step") return Value::of(sequence.bounds.step);
  }
  return std::nullopt;
}

std::optional<Value> own_attribute(Context& context, const Value& value, std::string_view name) {
  if (value.is_native()) return value.native().attribute(context, name);
  if (value.is_number()) return number_attribute(value, name);
  if (value.has_items()) {
    if (auto own = sequence_attribute(value.sequence(), name)) return own;
  }
  return find_method(context, value, name);
}

}  // namespace

Value get_attribute(Context& context, const Value& value, std::string_view name) {
  check_defined(value);
  if (auto attribute = own_attribute(context, value, name)) return std::move(*attribute);
  if (value.is_dict()) {
    if (auto item = entry_of(context, value, Value::constant(std::string(name)))) return std::move(*item);
  }
  return missing_attribute(context, value, name);
}

Value get_item(Context& context, const Value& value, const Value& key) {
  check_defined(value);
  if (auto item = own_item(context, value, key)) return std::move(*item);
  if (!key.is_text()) return missing_element(context, value, key);
  if (auto attribute = own_attribute(context, value, key.text())) return std::move(*attribute);
  return missing_attribute(context, value, key.text());
}

Value get_path(Context& context, Value value, const Value& path, const Value* otherwise) {
  const auto step_into = [&](const Value& key) {
    value = get_item(context, value, key);
    if (otherwise != nullptr && value.is_undefined()) value = *otherwise;
  };
  if (!path.is_text()) {
    step_into(path);
    return value;
  }
  std::string_view rest = path.text();
  for (bool more = true; more;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    more = dot != std::string_view::npos;
    if (more) rest.remove_prefix(dot + 1);
    const bool index = !part.empty() && part.size() < 10 &&
                       std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    step_into(index ? Value::of(std::int64_t{std::stoll(std::string(part))})
                    : Value::constant(std::string(part)));
  }
  return value;
}

// ---- Slices ----

namespace {

std::int64_t slice_bound(const Value& bound, std::int64_t otherwise) {
  if (bound.is_none()) return otherwise;
  check_defined(bound);
  if (!bound.is_integral()) fail("slice indices must be integers or None");
  return bound.integer();
}

/// Python's rules: negative bounds count from the end, and all are clamped to the length.
RangeBounds resolve_slice(std::int64_t length, const Value& start, const Value& stop, const Value& step) {
  RangeBounds range;
  range.step = slice_bound(step, 1);
  if (range.step == 0) fail("slice step cannot be zero");
  const bool forward = range.step > 0;
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? length : length - 1;
  const auto clamp = [&](const Value& bound, std::int64_t otherwise) {
    if (bound.is_none()) return otherwise;
    const std::int64_t value = slice_bound(bound, 0);
    return std::clamp(value < 0 ? value + length : value, lowest, highest);
  };
  range.start = clamp(start, forward ? lowest : highest);
  range.stop = clamp(stop, forward ? highest : lowest);
  return range;
}

template <class Take>
void for_each_index(const RangeBounds& range, Take take) {
  const auto more = [&](std::int64_t i) { return range.step > 0 ? i < range.stop : i > range.stop; };
  for (std::int64_t i = range.start; more(i);) {
    take(static_cast<std::size_t>(i));
    if (__builtin_add_overflow(i, range.step, &i)) return;
  }
}

Value slice_text(Context& context, const Value& value, const RangeBounds& range) {
  const std::string_view text = value.text();
  context.budget().step_over(text.size());
  if (range.step == 1) {
    const std::size_t begin = utf8_offset(text, static_cast<std::size_t>(range.start));
    const std::string_view rest = text.substr(begin);
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(range.stop - range.start, 0));
    return context.text(std::string(rest.substr(0, utf8_offset(rest, count))), value.is_safe_text());
  }
  const auto characters = items_of(context, value);
  std::string out;
  for_each_index(range, [&](std::size_t i) { out += characters[i].text(); });
  return context.text(std::move(out), value.is_safe_text());
}

/// The bounds may lie one step behind the last number, so that a range near the ends of 64 bits fails.
Value slice_range(Context& context, const SequenceObject& range, const RangeBounds& slice) {
  const auto number_at = [&](std::int64_t index) {
    std::int64_t number = 0;
    if (__builtin_mul_overflow(index, range.bounds.step, &number) ||
        __builtin_add_overflow(number, range.bounds.start, &number)) {
      fail("an integer does not fit into 64 bits");
    }
    return number;
  };
  std::int64_t step = 0;
  if (__builtin_mul_overflow(range.bounds.step, slice.step, &step))
    fail("an integer does not fit into 64 bits");
  return context.range({number_at(slice.start), number_at(slice.stop), step});
}

}  // namespace

Value get_slice(Context& context, const Value& value, const Value& start, const Value& stop,
                const Value& step) {
  check_defined(value);
  const bool range_value = value.kind() == Kind::range;
  if (!value.is_text() && !value.is_sequence() && !range_value) {
    fail(fmt::format("'{}' object cannot be sliced", value.type_name()));
  }
  const RangeBounds range = resolve_slice(length_of(value), start, stop, step);
  if (value.is_text()) return slice_text(context, value, range);
  if (range_value) return slice_range(context, value.sequence(), range);
  Items items;
  for_each_index(range, [&](std::size_t i) { items.push_back(value.sequence().items[i]); });
  return value.kind() == Kind::list ? context.list(std::move(items)) : context.tuple(std::move(items));
}

}  // namespace pitwall::jinja
