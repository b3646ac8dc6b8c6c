// SPDX-License-Identifier: GPL-3.0-or-later
// One rendering: its budget, its clock, and the making of values that count against the budget.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/text/template_value.h"

namespace pitwall::jinja {

class Context {
 public:
  Context(const TemplateLimits& limits, std::optional<Nanos> now_utc) : budget_(limits), now_utc_(now_utc) {}
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  TemplateBudget& budget() { return budget_; }
  std::optional<Nanos> now_utc() const { return now_utc_; }

  Value text(std::string text, bool safe = false);
  Value undefined(std::string reason);
  Value list(Items items) { return sequence(SequenceObject::Type::list, std::move(items)); }
  Value tuple(Items items) { return sequence(SequenceObject::Type::tuple, std::move(items)); }
  Value range(const RangeBounds& bounds);
  /// `type`: keys, values or entries.
  Value view(SequenceObject::Type type, Items items) { return sequence(type, std::move(items)); }
  Value group(Value key, Value members) {
    return sequence(SequenceObject::Type::group, {std::move(key), std::move(members)});
  }
  Value iterator(Items items) { return sequence(SequenceObject::Type::iterator, std::move(items)); }
  /// A later entry replaces the value of an earlier one with an equal key.
  Value dict(const Entries& entries);
  template <class Native, class... Parts>
  Value native(Parts&&... parts) {
    return adopt(std::make_shared<Native>(std::forward<Parts>(parts)...));
  }

  /// Runs at the end of the rendering: breaks circles between objects that refer to each other.
  void at_end(std::function<void()> release);

 private:
  Value sequence(SequenceObject::Type type, Items items, const RangeBounds& bounds = {});
  Value adopt(std::shared_ptr<NativeObject> native);
  void check_depth(int depth) const;

  TemplateBudget budget_;
  std::optional<Nanos> now_utc_;
  std::vector<std::function<void()>> at_end_;
};

/// Builds a text and stops before it outgrows the budget.
class TextBuilder {
 public:
  explicit TextBuilder(Context& context) : budget_(context.budget()) {}
  TextBuilder& operator<<(std::string_view part);
  std::string take() { return std::move(text_); }

 private:
  TemplateBudget& budget_;
  std::string text_;
};

}  // namespace pitwall::jinja
