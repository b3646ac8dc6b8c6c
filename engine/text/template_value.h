// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the template language: Python's, as far as templates meet them. Strings, lists, tuples and dicts
// never change once made and are shared.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/template_budget.h"

namespace pitwall::jinja {

class Context;
class Value;
struct Arguments;

struct TextObject {
  std::string text;
  Charge charge;
};

/// A name or attribute that does not exist. It prints as nothing and is false; most other uses fail with
/// `reason`.
struct UndefinedObject {
  std::string reason;
  Charge charge;
};

struct SequenceObject;
struct DictObject;

/// Anything with behaviour of its own: namespaces, loops, macros, functions, bound methods.
class NativeObject {
 public:
  virtual ~NativeObject() = default;
  virtual std::string_view type_name() const = 0;
  virtual std::string repr(Context& context) const;
  virtual std::optional<Value> attribute(Context& context, std::string_view name) const;
  virtual bool callable() const { return false; }
  virtual Value call(Context& context, Arguments arguments);
  /// Levels of values inside, as SequenceObject::depth.
  virtual int depth() const { return 1; }
};

class Value {
 public:
  /// range: what range() gives. view: the keys, values or entries of a dict.
  enum class Kind {
    undefined,
    none,
    boolean,
    integer,
    real,
    text,
    list,
    tuple,
    range,
    view,
    iterator,
    dict,
    native
  };

  Value() = default;  ///< undefined without a reason
  static Value none() { return Value(None{}); }
  static Value of(bool value) { return Value(value); }
  static Value of(std::int64_t value) { return Value(value); }
  static Value of(double value) { return Value(value); }
  /// `safe`: text that went through `safe` or `escape`; adding plain text to it escapes the plain text.
  static Value of(std::shared_ptr<const TextObject> text, bool safe) {
    return Value(Text{std::move(text), safe});
  }
  static Value of(std::shared_ptr<const UndefinedObject> undefined) { return Value(std::move(undefined)); }
  static Value of(std::shared_ptr<const SequenceObject> sequence) { return Value(std::move(sequence)); }
  static Value of(std::shared_ptr<const DictObject> dict) { return Value(std::move(dict)); }
  static Value of(std::shared_ptr<NativeObject> native) { return Value(std::move(native)); }
  /// Text that belongs to the template or its input, and to no budget.
  static Value constant(std::string text);

  Kind kind() const;
  bool is_undefined() const { return kind() == Kind::undefined; }
  bool is_none() const { return kind() == Kind::none; }
  bool is_text() const { return kind() == Kind::text; }
  bool is_safe_text() const { return is_text() && std::get<Text>(data_).safe; }
  bool is_dict() const { return kind() == Kind::dict; }
  bool is_native() const { return kind() == Kind::native; }
  bool is_sequence() const;  ///< list or tuple
  bool has_items() const;    ///< list, tuple, range, view or iterator
  bool is_integral() const;  ///< boolean or integer
  bool is_number() const;    ///< boolean, integer or real

  // The following need the kind they name.
  const std::string& text() const { return std::get<Text>(data_).object->text; }
  std::int64_t integer() const;  ///< of an integral value
  double real() const;           ///< of a number
  const SequenceObject& sequence() const { return *std::get<SequencePtr>(data_); }
  const std::shared_ptr<const SequenceObject>& shared_sequence() const {
    return std::get<SequencePtr>(data_);
  }
  const DictObject& dict() const { return *std::get<DictPtr>(data_); }
  NativeObject& native() const { return *std::get<NativePtr>(data_); }
  const std::shared_ptr<NativeObject>& shared_native() const { return std::get<NativePtr>(data_); }
  const std::string& undefined_reason() const;

  bool truthy() const;
  std::string_view type_name() const;  ///< "str", "int" … for messages
  int depth() const;                   ///< levels of containers: 0 for scalars
  /// Whether both are the same object, or the same constant.
  bool same_as(const Value& other) const;

 private:
  struct None {};
  struct Text {
    std::shared_ptr<const TextObject> object;
    bool safe;
  };
  using UndefinedPtr = std::shared_ptr<const UndefinedObject>;
  using SequencePtr = std::shared_ptr<const SequenceObject>;
  using DictPtr = std::shared_ptr<const DictObject>;
  using NativePtr = std::shared_ptr<NativeObject>;
  using Data =
      std::variant<UndefinedPtr, None, bool, std::int64_t, double, Text, SequencePtr, DictPtr, NativePtr>;
  /// In place: the variant itself is never moved into a value.
  template <class T>
  explicit Value(T data) : data_(std::in_place_type<T>, std::move(data)) {}
  Data data_;
};

using Items = std::vector<Value>;
using Entries = std::vector<std::pair<Value, Value>>;

struct RangeBounds {
  std::int64_t start = 0, stop = 0, step = 1;
};

struct SequenceObject {
  /// group: a tuple that groupby made, whose items are also called grouper and list.
  enum class Type { list, tuple, group, range, keys, values, entries, iterator };
  Type type = Type::list;
  Items items;
  int depth = 1;
  Charge charge;
  /// Iterators give each item once: the next one.
  mutable std::size_t position = 0;
  RangeBounds bounds;  ///< of a range
};

/// Entries in order of insertion, keys unique.
struct DictObject {
  Entries entries;
  int depth = 1;
  Charge charge;
};

/// What a call gives: by position and by name.
struct Arguments {
  Items positional;
  std::vector<std::pair<std::string, Value>> named;
};

/// Input from outside. Invalid UTF-8 is replaced; deeper nesting than the limit fails.
Value value_from_json(const nlohmann::ordered_json& json, int depth_limit);

}  // namespace pitwall::jinja
