// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_natives.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/template_arguments.h"
#include "engine/text/template_formatting.h"

namespace pitwall::jinja {

std::string FunctionObject::repr(Context&) const {
  return fmt::format("<function {}>", name_);
}

std::string NamespaceObject::repr(Context& context) const {
  Entries entries;
  for (const auto& [name, value] : attributes_) entries.emplace_back(context.text(name), value);
  return fmt::format("<Namespace {}>", jinja::repr(context, context.dict(entries)));
}

std::optional<Value> NamespaceObject::attribute(Context& context, std::string_view name) const {
  context.budget().step(1 + attributes_.size() / 16);
  for (const auto& [known, value] : attributes_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

void NamespaceObject::set(Context& context, std::string_view name, Value value) {
  context.budget().step(1 + attributes_.size() / 16);
  const auto place = std::find_if(attributes_.begin(), attributes_.end(),
                                  [&](const auto& attribute) { return attribute.first == name; });
  if (place != attributes_.end()) {
    place->second = std::move(value);
  } else {
    attributes_.emplace_back(name, std::move(value));
  }
}

CyclerObject::CyclerObject(Items items) : state_(std::make_shared<State>()) {
  for (const Value& item : items) depth_ = std::max(depth_, item.depth() + 1);
  state_->items = std::move(items);
}

std::optional<Value> CyclerObject::attribute(Context& context, std::string_view name) const {
  if (name == "current") return state_->items[state_->position];
  if (name == "next") {
    const auto next = [state = state_](Context&, const Arguments& arguments) {
      const ArgumentReader read("next", arguments, {});
      const std::size_t position = state->position;
      state->position = (position + 1) % state->items.size();
      return state->items[position];
    };
    return context.native<FunctionObject>("next", next, depth_);
  }
  if (name == "reset") {
    const auto reset = [state = state_](Context&, const Arguments& arguments) {
      const ArgumentReader read("reset", arguments, {});
      state->position = 0;
      return Value::none();
    };
    return context.native<FunctionObject>("reset", reset, depth_);
  }
  return std::nullopt;
}

Value JoinerObject::call(Context& context, Arguments arguments) {
  const ArgumentReader read("joiner", arguments, {});
  return std::exchange(used_, true) ? separator_ : context.text("");
}

}  // namespace pitwall::jinja
