// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_arguments.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

using Kind = Value::Kind;

namespace {

class BoundMethod final : public NativeObject {
 public:
  BoundMethod(Value self, const Method& method) : self_(std::move(self)), method_(method) {}
  std::string_view type_name() const override { return "builtin_function_or_method"; }
  std::string repr(Context&) const override {
    return fmt::format("<built-in method {} of {} object>", method_.name, self_.type_name());
  }
  bool callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override {
    return method_.function(context, self_, arguments);
  }
  int depth() const override { return self_.depth() + 1; }

 private:
  Value self_;
  const Method& method_;
};

// ---- Lists and tuples ----

Value sequence_index(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("index", arguments, {"value", "start", "stop"}, 1);
  const Items& items = self.sequence().items;
  const auto length = static_cast<std::int64_t>(items.size());
  const auto bound = [&](std::size_t index, std::int64_t otherwise) {
    const std::int64_t value = read.integer(index, otherwise);
    return std::clamp<std::int64_t>(value < 0 ? value + length : value, 0, length);
  };
  for (std::int64_t i = bound(1, 0), stop = bound(2, length); i < stop; ++i) {
    if (equal(context, items[static_cast<std::size_t>(i)], read[0])) return Value::of(i);
  }
  fail(fmt::format("the value is not in the {}", self.type_name()));
}

Value sequence_count(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("count", arguments, {"value"}, 1);
  const Items& items = self.sequence().items;
  return Value::of(std::int64_t{std::count_if(
      items.begin(), items.end(), [&](const Value& item) { return equal(context, item, read[0]); })});
}

Value copy_self(Context&, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("copy", arguments, {});
  return self;
}

// ---- Dicts ----

Value dict_get(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("get", arguments, {"key", "default"}, 1);
  check_hashable(context, read[0]);
  const Entries& entries = self.dict().entries;
  const std::size_t place = find_entry(context, entries, read[0]);
  if (place < entries.size()) return entries[place].second;
  return read.has(1) ? read[1] : Value::none();
}

Value dict_items(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("items", arguments, {});
  Items items;
  for (const auto& [key, value] : self.dict().entries) items.push_back(context.tuple({key, value}));
  return context.view(SequenceObject::Type::entries, std::move(items));
}

Value dict_keys(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("keys", arguments, {});
  Items keys;
  for (const auto& entry : self.dict().entries) keys.push_back(entry.first);
  return context.view(SequenceObject::Type::keys, std::move(keys));
}

Value dict_values(Context& context, const Value& self, const Arguments& arguments) {
  const ArgumentReader read("values", arguments, {});
  Items values;
  for (const auto& entry : self.dict().entries) values.push_back(entry.second);
  return context.view(SequenceObject::Type::values, std::move(values));
}

/// Called on any dict, as a template cannot name the type.
Value dict_fromkeys(Context& context, const Value&, const Arguments& arguments) {
  const ArgumentReader read("fromkeys", arguments, {"iterable", "value"}, 1);
  Entries entries;
  for (const Value& key : items_of(context, read[0]))
    entries.emplace_back(key, read.has(1) ? read[1] : Value::none());
  return context.dict(entries);
}

constexpr Method kSequenceMethods[] = {{"index", sequence_index}, {"count", sequence_count}};
constexpr Method kListMethods[] = {{"copy", copy_self}, {"append", nullptr},  {"clear", nullptr},
                                   {"extend", nullptr}, {"insert", nullptr},  {"pop", nullptr},
                                   {"remove", nullptr}, {"reverse", nullptr}, {"sort", nullptr}};
constexpr Method kDictMethods[] = {
    {"get", dict_get},           {"items", dict_items},   {"keys", dict_keys}, {"values", dict_values},
    {"fromkeys", dict_fromkeys}, {"copy", copy_self},     {"clear", nullptr},  {"pop", nullptr},
    {"popitem", nullptr},        {"setdefault", nullptr}, {"update", nullptr}};

template <std::size_t N>
const Method* find_in(const Method (&methods)[N], std::string_view name) {
  const auto* found =
      std::find_if(methods, methods + N, [&](const Method& method) { return method.name == name; });
  return found == methods + N ? nullptr : found;
}

const Method* find_in_kind(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::text:
      return find_text_method(name);
    case Kind::dict:
      return find_in(kDictMethods, name);
    case Kind::tuple:
    case Kind::range:
      return find_in(kSequenceMethods, name);
    case Kind::list:
      if (const Method* method = find_in(kSequenceMethods, name)) return method;
      return find_in(kListMethods, name);
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<Value> find_method(Context& context, const Value& value, std::string_view name) {
  const Method* method = find_in_kind(value.kind(), name);
  if (method == nullptr) return std::nullopt;
  if (method->function == nullptr) {
    return context.undefined(
        fmt::format("access to attribute '{}' of '{}' object is unsafe.", name, value.type_name()));
  }
  return context.native<BoundMethod>(value, *method);
}

}  // namespace pitwall::jinja
