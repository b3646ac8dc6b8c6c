// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall::jinja {

std::string NativeObject::repr(Context&) const {
  return fmt::format("<{} object>", type_name());
}

std::optional<Value> NativeObject::attribute(Context&, std::string_view) const {
  return std::nullopt;
}

Value NativeObject::call(Context&, Arguments) {
  fail(fmt::format("'{}' object is not callable", type_name()));
}

Value Value::constant(std::string text) {
  return of(std::make_shared<const TextObject>(TextObject{std::move(text), {}}), false);
}

Value::Kind Value::kind() const {
  struct Visitor {
    Kind operator()(const UndefinedPtr&) const { return Kind::undefined; }
    Kind operator()(None) const { return Kind::none; }
    Kind operator()(bool) const { return Kind::boolean; }
    Kind operator()(std::int64_t) const { return Kind::integer; }
    Kind operator()(double) const { return Kind::real; }
    Kind operator()(const Text&) const { return Kind::text; }
    Kind operator()(const SequencePtr& sequence) const {
      switch (sequence->type) {
        case SequenceObject::Type::list:
          return Kind::list;
        case SequenceObject::Type::tuple:
        case SequenceObject::Type::group:
          return Kind::tuple;
        case SequenceObject::Type::range:
          return Kind::range;
        case SequenceObject::Type::keys:
        case SequenceObject::Type::values:
        case SequenceObject::Type::entries:
          return Kind::view;
        case SequenceObject::Type::iterator:
          return Kind::iterator;
      }
      return Kind::list;
    }
    Kind operator()(const DictPtr&) const { return Kind::dict; }
    Kind operator()(const NativePtr&) const { return Kind::native; }
  };
  return std::visit(Visitor{}, data_);
}

bool Value::is_sequence() const {
  return kind() == Kind::list || kind() == Kind::tuple;
}
bool Value::has_items() const {
  return std::holds_alternative<SequencePtr>(data_);
}
bool Value::is_integral() const {
  return kind() == Kind::boolean || kind() == Kind::integer;
}
bool Value::is_number() const {
  return is_integral() || kind() == Kind::real;
}

std::int64_t Value::integer() const {
  return kind() == Kind::boolean ? std::int64_t{std::get<bool>(data_)} : std::get<std::int64_t>(data_);
}

double Value::real() const {
  return kind() == Kind::real ? std::get<double>(data_) : static_cast<double>(integer());
}

const std::string& Value::undefined_reason() const {
  static const std::string kNone = "the value is undefined";
  const UndefinedPtr& undefined = std::get<UndefinedPtr>(data_);
  return undefined ? undefined->reason : kNone;
}

bool Value::truthy() const {
  switch (kind()) {
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return integer() != 0;
    case Kind::real:
      return std::get<double>(data_) != 0;
    case Kind::text:
      return !text().empty();
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
      return !sequence().items.empty();
    case Kind::dict:
      return !dict().entries.empty();
    case Kind::iterator:
    case Kind::native:
      return true;
  }
  return false;
}

namespace {

std::string_view view_name(SequenceObject::Type type) {
  switch (type) {
    case SequenceObject::Type::keys:
      return "dict_keys";
    case SequenceObject::Type::values:
      return "dict_values";
    default:
      return "dict_items";
  }
}

}  // namespace

std::string_view Value::type_name() const {
  switch (kind()) {
    case Kind::undefined:
      return "Undefined";
    case Kind::none:
      return "NoneType";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "float";
    case Kind::text:
      return is_safe_text() ? "Markup" : "str";
    case Kind::list:
      return "list";
    case Kind::tuple:
      return "tuple";
    case Kind::range:
      return "range";
    case Kind::view:
      return view_name(sequence().type);
    case Kind::iterator:
      return "generator";
    case Kind::dict:
      return "dict";
    case Kind::native:
      return native().type_name();
  }
  return "";
}

int Value::depth() const {
  if (const auto* sequence = std::get_if<SequencePtr>(&data_)) return (*sequence)->depth;
  if (const auto* dict = std::get_if<DictPtr>(&data_)) return (*dict)->depth;
  if (const auto* native = std::get_if<NativePtr>(&data_)) return (*native)->depth();
  return 0;
}

bool Value::same_as(const Value& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::undefined:
      return std::get<UndefinedPtr>(data_) == std::get<UndefinedPtr>(other.data_);
    case Kind::none:
      return true;
    case Kind::boolean:
    case Kind::integer:
      return integer() == other.integer();
    case Kind::real:
      return real() == other.real();
    case Kind::text:
      return text() == other.text();
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
    case Kind::iterator:
      return &sequence() == &other.sequence();
    case Kind::dict:
      return &dict() == &other.dict();
    case Kind::native:
      return &native() == &other.native();
  }
  return false;
}

namespace {

using nlohmann::ordered_json;

Value text_from_json(const std::string& text) {
  return Value::constant(is_valid_utf8(text) ? text : replace_invalid_utf8(text));
}

Value number_from_json(const ordered_json& json) {
  if (json.is_number_float()) return Value::of(json.get<double>());
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      return Value::of(static_cast<double>(number));
    }
  }
  return Value::of(json.get<std::int64_t>());
}

}  // namespace

Value value_from_json(const ordered_json& json, int depth_limit) {
  if (json.is_null()) return Value::none();
  if (json.is_boolean()) return Value::of(json.get<bool>());
  if (json.is_number()) return number_from_json(json);
  if (json.is_string()) return text_from_json(json.get_ref<const std::string&>());
  if (!json.is_structured()) return Value::none();
  if (depth_limit <= 0) fail("the variables are nested too deeply");
  int depth = 0;
  if (json.is_array()) {
    Items items;
    items.reserve(json.size());
    for (const ordered_json& item : json) {
      items.push_back(value_from_json(item, depth_limit - 1));
      depth = std::max(depth, items.back().depth());
    }
    return Value::of(std::make_shared<const SequenceObject>(
        SequenceObject{SequenceObject::Type::list, std::move(items), depth + 1, {}, 0, {}}));
  }
  Entries entries;
  entries.reserve(json.size());
  for (const auto& [key, item] : json.items()) {
    entries.emplace_back(text_from_json(key), value_from_json(item, depth_limit - 1));
    depth = std::max(depth, entries.back().second.depth());
  }
  return Value::of(std::make_shared<const DictObject>(DictObject{std::move(entries), depth + 1, {}}));
}

}  // namespace pitwall::jinja
