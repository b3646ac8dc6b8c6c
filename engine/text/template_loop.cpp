// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_loop.h"

#include <fmt/format.h>

#include "engine/text/template_arguments.h"
#include "engine/text/template_natives.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

LoopObject::LoopObject(Evaluator& evaluator, const ForStatement& statement, ItemRange items, ScopePtr around,
                       int depth)
    : evaluator_(evaluator),
      statement_(statement),
      items_(std::move(items)),
      around_(std::move(around)),
      depth_(depth),
      last_changed_(std::make_shared<Items>()) {}

std::string LoopObject::repr(Context&) const {
  return fmt::format("<LoopContext {}/{}>", index_ + 1, items_.size());
}

std::optional<std::int64_t> LoopObject::number(std::string_view name) const {
  const auto index = static_cast<std::int64_t>(index_);
  const auto length = static_cast<std::int64_t>(items_.size());
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return length - index;
  if (name == "revindex0") return length - index - 1;
  if (name == "length") return length;
  if (name == "depth") return depth_;
  if (name == "depth0") return depth_ - 1;
  return std::nullopt;
}

std::optional<Value> LoopObject::attribute(Context& context, std::string_view name) const {
  const ItemRange& items = items_;
  if (const auto value = number(name)) return Value::of(*value);
  if (name == "first") return Value::of(index_ == 0);
  if (name == "last") return Value::of(index_ + 1 == items.size());
  if (name == "previtem")
    return index_ == 0 ? context.undefined("there is no previous item") : items[index_ - 1];
  if (name == "nextitem") {
    return index_ + 1 == items.size() ? context.undefined("there is no next item") : items[index_ + 1];
  }
  if (name == "cycle") return cycle(context);
  if (name == "changed") return changed(context);
  return std::nullopt;
}

Value LoopObject::cycle(Context& context) const {
  const auto cycle = [index = index_](Context&, const Arguments& arguments) {
    if (arguments.positional.empty()) fail("no items for cycling given");
    return arguments.positional[index % arguments.positional.size()];
  };
  return context.native<FunctionObject>("cycle", cycle);
}

Value LoopObject::changed(Context& context) const {
  const auto last = last_changed_;
  if (last->empty()) context.at_end([last] { last->clear(); });
  const auto changed = [last](Context& during, const Arguments& arguments) {
    const bool same =
        std::equal(last->begin(), last->end(), arguments.positional.begin(), arguments.positional.end(),
                   [&](const Value& a, const Value& b) { return equal(during, a, b); });
    if (!same) *last = arguments.positional;
    return Value::of(!same);
  };
  return context.native<FunctionObject>("changed", changed);
}

Value LoopObject::call(Context& context, Arguments arguments) {
  const ArgumentReader read("loop", arguments, {"iterable"}, 1);
  if (around_ == nullptr) fail("The loop must have the 'recursive' marker to be called recursively.");
  return context.text(evaluator_.run_loop_again(statement_, read[0], around_, depth_ + 1));
}

std::string MacroObject::repr(Context&) const {
  return fmt::format("<Macro '{}'>", macro_.name);
}

std::optional<Value> MacroObject::attribute(Context& context, std::string_view name) const {
  if (name == "name") return context.text(macro_.name);
  return std::nullopt;
}

Value MacroObject::call(Context& context, Arguments arguments) {
  return context.text(evaluator_.call_macro(macro_, scope_, std::move(arguments)));
}

}  // namespace pitwall::jinja
