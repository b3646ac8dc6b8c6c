// SPDX-License-Identifier: GPL-3.0-or-later
// Filters that look at or reorder sequences and dicts.
#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_access.h"
#include "engine/text/template_arguments.h"
#include "engine/text/template_case.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"
#include "engine/text/unicode_text.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

Value ignore_case(Context& context, const Value& value) {
  if (!value.is_text()) return value;
  context.budget().step(1 + value.text().size());
  return context.text(lower_case(value.text()));
}

/// What sort, min, max and unique compare: the item or its attribute, in lower case unless asked otherwise.
Value sort_key(Context& context, const Value& item, const Value* attribute, bool case_sensitive) {
  const Value key = attribute == nullptr ? item : get_path(context, item, *attribute);
  return case_sensitive ? key : ignore_case(context, key);
}

const Value* attribute_of(const ArgumentReader& read, std::size_t index) {
  return read.has_value(index) ? &read[index] : nullptr;
}

struct Keyed {
  Value key, item;
};

void sort_keyed(Context& context, std::vector<Keyed>& keyed, bool reverse) {
  // Reversed, equal items still keep their order.
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return reverse ? order(context, b.key, a.key) < 0 : order(context, a.key, b.key) < 0;
  });
}

Value items_in_order(Context& context, std::vector<Keyed> keyed) {
  Items items;
  items.reserve(keyed.size());
  for (Keyed& entry : keyed) items.push_back(std::move(entry.item));
  return context.list(std::move(items));
}

Value sort(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  std::vector<Value> attributes;
  if (read.has_value(2) && read[2].is_text()) {
    for (std::string_view rest = read[2].text();;) {
      const std::size_t at = rest.find(',');
      attributes.push_back(Value::constant(std::string(rest.substr(0, at))));
      if (at == std::string_view::npos) break;
      rest.remove_prefix(at + 1);
    }
  } else if (read.has_value(2)) {
    attributes.push_back(read[2]);
  }
  const bool case_sensitive = read.flag(1, false);
  std::vector<Keyed> keyed;
  for (const Value& item : items_of(context, input)) {
    Items keys;
    for (const Value& attribute : attributes)
      keys.push_back(sort_key(context, item, &attribute, case_sensitive));
    if (attributes.empty()) keys.push_back(sort_key(context, item, nullptr, case_sensitive));
    keyed.push_back({context.list(std::move(keys)), item});
  }
  sort_keyed(context, keyed, read.flag(0, false));
  return items_in_order(context, std::move(keyed));
}

Value dictsort(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  if (input.is_undefined()) fail(input.undefined_reason());
  if (!input.is_dict()) fail(fmt::format("dictsort() needs a dict, not '{}'", input.type_name()));
  const std::string_view by = read.text(1, "key");
  if (by != "key" && by != "value") fail("You can only sort by either \"key\" or \"value\"");
  std::vector<Keyed> keyed;
  for (const auto& [key, value] : input.dict().entries) {
    keyed.push_back({sort_key(context, by == "key" ? key : value, nullptr, read.flag(0, false)),
                     context.tuple({key, value})});
  }
  sort_keyed(context, keyed, read.flag(2, false));
  return items_in_order(context, std::move(keyed));
}

Value unique(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("unique", arguments, {"case_sensitive", "attribute"});
  Items seen;
  Items items;
  for (const Value& item : items_of(context, input)) {
    const Value key = sort_key(context, item, attribute_of(read, 1), read.flag(0, false));
    check_hashable(context, key);
    const bool repeated =
        std::any_of(seen.begin(), seen.end(), [&](const Value& other) { return equal(context, other, key); });
    if (repeated) continue;
    seen.push_back(key);
    items.push_back(item);
  }
  return context.iterator(std::move(items));
}

Value extreme(Context& context, std::string_view name, const Value& input, const Arguments& arguments,
              bool largest) {
  const ArgumentReader read(name, arguments, {"case_sensitive", "attribute"});
  const auto items = items_of(context, input);
  if (items.empty()) return context.undefined("No aggregated item, sequence was empty.");
  const Value* best = nullptr;
  Value best_key;
  for (const Value& item : items) {
    Value key = sort_key(context, item, attribute_of(read, 1), read.flag(0, false));
    const bool better = best == nullptr || (largest ? order(context, key, best_key, ">") > 0
                                                    : order(context, key, best_key) < 0);
    if (!better) continue;
    best = &item;
    best_key = std::move(key);
  }
  return *best;
}
Value smallest(Context& context, const Value& input, const Arguments& arguments) {
  return extreme(context, "min", input, arguments, false);
}
Value largest(Context& context, const Value& input, const Arguments& arguments) {
  return extreme(context, "max", input, arguments, true);
}

Value sum(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("sum", arguments, {"attribute", "start"});
  Value total = read.has(1) ? read[1] : Value::of(std::int64_t{0});
  if (total.is_text()) fail("sum() can't sum strings [use ''.join(seq) instead]");
  for (const Value& item : items_of(context, input)) {
    const Value part = read.has_value(0) ? get_path(context, item, read[0]) : item;
    total = arithmetic(context, ArithmeticOperator::add, total, part);
  }
  return total;
}

Value length(Context&, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("length", arguments, {});
  return Value::of(length_of(input));
}

Value first(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("first", arguments, {});
  if (input.kind() == Kind::iterator) {
    const SequenceObject& iterator = input.sequence();
    if (iterator.position < iterator.items.size()) return iterator.items[iterator.position++];
  } else if (const auto items = items_of(context, input); !items.empty()) {
    return items.front();
  }
  return context.undefined("No first item, sequence was empty.");
}

Value last(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("last", arguments, {});
  if (input.kind() == Kind::iterator) fail("'generator' object is not reversible");
  const auto items = items_of(context, input);
  return items.empty() ? context.undefined("No last item, sequence was empty.") : items.back();
}

Value list(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("list", arguments, {});
  if (input.kind() == Kind::list) return input;
  const auto items = items_of(context, input);
  return context.list({items.begin(), items.end()});
}

Value reverse(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("reverse", arguments, {});
  if (input.is_text())
    return get_slice(context, input, Value::none(), Value::none(), Value::of(std::int64_t{-1}));
  const bool used_up = input.kind() == Kind::iterator;
  const auto source = items_of(context, input);
  Items items(source.begin(), source.end());
  std::reverse(items.begin(), items.end());
  return used_up ? context.list(std::move(items)) : context.iterator(std::move(items));
}

Value dict_items(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("items", arguments, {});
  if (input.is_undefined()) return context.iterator({});
  if (!input.is_dict()) fail("Can only get item pairs from a mapping.");
  Items items;
  for (const auto& [key, value] : input.dict().entries) items.push_back(context.tuple({key, value}));
  return context.iterator(std::move(items));
}

Value batch(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("batch", arguments, {"linecount", "fill_with"}, 1);
  const std::int64_t count = read.integer(0, 1);
  if (count < 1) fail(fmt::format("batch() needs at least 1 item a line, got {}", count));
  const auto line_length = static_cast<std::size_t>(count);
  Items lines;
  Items line;
  for (const Value& item : items_of(context, input)) {
    if (line.size() == line_length) lines.push_back(context.list(std::exchange(line, {})));
    line.push_back(item);
  }
  if (!line.empty()) {
    if (read.has_value(1) && line.size() < line_length) {
      context.budget().require(line_length > (std::size_t{1} << 32) ? std::size_t{1} << 40
                                                                    : line_length * sizeof(Value));
      line.resize(line_length, read[1]);
    }
    lines.push_back(context.list(std::move(line)));
  }
  return context.iterator(std::move(lines));
}

/// Columns, the first ones longer by one item where it does not come out even.
Value slice(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("slice", arguments, {"slices", "fill_with"}, 1);
  const std::int64_t count = read.integer(0, 1);
  if (count < 1) fail(fmt::format("slice() needs at least 1 slice, got {}", count));
  const auto items = items_of(context, input);
  const auto columns = static_cast<std::size_t>(count);
  context.budget().require(columns > (std::size_t{1} << 32) ? std::size_t{1} << 40 : columns * sizeof(Value));
  context.budget().step(columns);
  const std::size_t shortest = items.size() / columns;
  const std::size_t longer = items.size() % columns;
  Items result;
  auto from = items.begin();
  for (std::size_t i = 0; i < columns; ++i) {
    const auto to = from + static_cast<std::ptrdiff_t>(shortest + (i < longer ? 1 : 0));
    Items column(from, to);
    if (read.has_value(1) && i >= longer) column.push_back(read[1]);
    result.push_back(context.list(std::move(column)));
    from = to;
  }
  return context.iterator(std::move(result));
}

/// (key, members) in order of the keys, which are compared in lower case unless asked otherwise.
Value groupby(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const Value* otherwise = read.has_value(1) ? &read[1] : nullptr;
  const bool case_sensitive = read.flag(2, false);
  const auto key_of = [&](const Value& item) { return get_path(context, item, read[0], otherwise); };
  std::vector<Keyed> keyed;
  for (const Value& item : items_of(context, input)) {
    const Value key = key_of(item);
    keyed.push_back({case_sensitive ? key : ignore_case(context, key), item});
  }
  sort_keyed(context, keyed, false);
  Items groups;
  for (std::size_t at = 0; at < keyed.size();) {
    const Value key = keyed[at].key;
    const Value shown = key_of(keyed[at].item);
    Items members;
    for (; at < keyed.size() && equal(context, keyed[at].key, key); ++at) members.push_back(keyed[at].item);
    if (members.empty()) members.push_back(keyed[at++].item);  // a key that does not equal itself
    groups.push_back(context.group(shown, context.list(std::move(members))));
  }
  return context.list(std::move(groups));
}

Value otherwise(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("default", arguments, {"default_value", "boolean"});
  const bool replaced = input.is_undefined() || (read.flag(1, false) && !input.truthy());
  if (!replaced) return input;
  return read.has(0) ? read[0] : context.text("");
}

Value attribute(Context& context, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("attr", arguments, {"name"}, 1);
  const std::string_view name = read.text(0, "");
  if (input.is_dict() && get_attribute(context, context.dict({}), name).is_undefined()) {
    return context.undefined(fmt::format("'dict object' has no attribute '{}'", name));
  }
  return get_attribute(context, input, name);
}

constexpr Filter kFilters[] = {
    {"sort", sort},        {"dictsort", dictsort}, {"unique", unique},     {"min", smallest},
    {"max", largest},      {"sum", sum},           {"length", length},     {"count", length},
    {"first", first},      {"last", last},         {"list", list},         {"reverse", reverse},
    {"items", dict_items}, {"batch", batch},       {"default", otherwise}, {"d", otherwise},
    {"attr", attribute},   {"slice", slice},       {"groupby", groupby},
};

}  // namespace

FilterFunction find_sequence_filter(std::string_view name) {
  return find_in(kFilters, name);
}

}  // namespace pitwall::jinja
