// SPDX-License-Identifier: GPL-3.0-or-later
// Functions, and the objects that templates make with them: namespaces, cyclers, joiners.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

/// A function of this program, or a method bound to its object.
class FunctionObject final : public NativeObject {
 public:
  using Function = std::function<Value(Context& context, const Arguments& arguments)>;
  /// `depth`: of the values that the function keeps.
  FunctionObject(std::string_view name, Function function, int depth = 0)
      : name_(name), function_(std::move(function)), depth_(depth + 1) {}
  std::string_view type_name() const override { return "function"; }
  std::string repr(Context& context) const override;
  bool callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override { return function_(context, arguments); }
  int depth() const override { return depth_; }

 private:
  std::string name_;
  Function function_;
  int depth_;
};

/// namespace(): the one thing whose attributes a template may set.
class NamespaceObject final : public NativeObject {
 public:
  std::string_view type_name() const override { return "Namespace"; }
  std::string repr(Context& context) const override;
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  void set(Context& context, std::string_view name, Value value);
  void clear() { attributes_.clear(); }

 private:
  std::vector<std::pair<std::string, Value>> attributes_;
};

/// cycler(): hands its items out in turn.
class CyclerObject final : public NativeObject {
 public:
  explicit CyclerObject(Items items);
  std::string_view type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  int depth() const override { return depth_; }

 private:
  struct State {
    Items items;
    std::size_t position = 0;
  };
  std::shared_ptr<State> state_;  ///< shared with the methods that are bound to it
  int depth_ = 1;
};

/// joiner(): nothing at the first call, the separator at all others.
class JoinerObject final : public NativeObject {
 public:
  explicit JoinerObject(Value separator) : separator_(std::move(separator)) {}
  std::string_view type_name() const override { return "Joiner"; }
  bool callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override;
  int depth() const override { return separator_.depth() + 1; }

 private:
  Value separator_;
  bool used_ = false;
};

}  // namespace pitwall::jinja
