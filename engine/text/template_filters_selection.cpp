// SPDX-License-Identifier: GPL-3.0-or-later
// Filters that go over a sequence with a test or another filter. Like Python's generators, what they give can
// be gone over once.
#include "engine/text/template_access.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_tests.h"

namespace pitwall::jinja {

namespace {

/// The test that select() and its relatives were given: its name and arguments, or truth.
class Criterion {
 public:
  Criterion(Context& context, const Arguments& arguments, std::size_t from) : context_(context) {
    arguments_.named = arguments.named;
    if (arguments.positional.size() <= from) return;
    const Value& name = arguments.positional[from];
    if (!name.is_text()) fail("the name of a test must be a string");
    name_ = name.text();
    named_ = true;
    arguments_.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                                 arguments.positional.end());
  }
  bool holds(const Value& value) const {
    return named_ ? apply_test(context_, name_, value, arguments_) : value.truthy();
  }

 private:
  Context& context_;
  std::string name_;
  bool named_ = false;
  Arguments arguments_;
};

template <bool wanted, bool by_attribute>
Value choose(Context& context, const Value& input, const Arguments& arguments) {
  if (!input.truthy()) return context.iterator({});
  if (by_attribute && arguments.positional.empty()) fail("Missing parameter for attribute name");
  const Criterion criterion(context, arguments, by_attribute ? 1 : 0);
  Items chosen;
  for (const Value& item : items_of(context, input)) {
    const Value subject = by_attribute ? get_path(context, item, arguments.positional[0]) : item;
    if (criterion.holds(subject) == wanted) chosen.push_back(item);
  }
  return context.iterator(std::move(chosen));
}

const Value* named_argument(const Arguments& arguments, std::string_view name) {
  for (const auto& [key, value] : arguments.named) {
    if (key == name) return &value;
  }
  return nullptr;
}

Value map(Context& context, const Value& input, const Arguments& arguments) {
  if (!input.truthy()) return context.iterator({});
  const Value* attribute = arguments.positional.empty() ? named_argument(arguments, "attribute") : nullptr;
  if (attribute == nullptr && arguments.positional.empty()) fail("map requires a filter argument");
  Items mapped;
  if (attribute != nullptr) {
    const Value* otherwise = named_argument(arguments, "default");
    if (otherwise != nullptr && otherwise->is_none()) otherwise = nullptr;
    for (const Value& item : items_of(context, input)) {
      mapped.push_back(get_path(context, item, *attribute, otherwise));
    }
    return context.iterator(std::move(mapped));
  }
  if (!arguments.positional[0].is_text()) fail("the name of a filter must be a string");
  const Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.named};
  for (const Value& item : items_of(context, input)) {
    mapped.push_back(apply_filter(context, arguments.positional[0].text(), item, rest));
  }
  return context.iterator(std::move(mapped));
}

constexpr Filter kFilters[] = {{"map", map},
                               {"select", choose<true, false>},
                               {"reject", choose<false, false>},
                               {"selectattr", choose<true, true>},
                               {"rejectattr", choose<false, true>}};

}  // namespace

FilterFunction find_selection_filter(std::string_view name) {
  return find_in(kFilters, name);
}

}  // namespace pitwall::jinja
