// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_functions.h"

#include <fmt/format.h>

#include "engine/text/template_arguments.h"
#include "engine/text/template_clock.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_natives.h"
#include "engine/text/template_operators.h"

namespace pitwall::jinja {

namespace {

constexpr std::int64_t kLongestRange = 100'000;

/// How many numbers a range holds, computed without overflow.
std::int64_t range_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                 : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  const std::uint64_t length = (distance - 1) / stride + 1;
  if (length > static_cast<std::uint64_t>(kLongestRange)) {
    fail(fmt::format("Range too big: {} numbers, the limit is {}", length, kLongestRange));
  }
  return static_cast<std::int64_t>(length);
}

Value range(Context& context, const Arguments& arguments) {
  const ArgumentReader read("range", arguments, {"start", "stop", "step"}, 1);
  const std::int64_t start = read.has(1) ? read.integer(0, 0) : 0;
  const std::int64_t stop = read.has(1) ? read.integer(1, 0) : read.integer(0, 0);
  const std::int64_t step = read.integer(2, 1);
  if (step == 0) fail("range() arg 3 must not be zero");
  const std::int64_t length = range_length(start, stop, step);
  Items items;
  items.reserve(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < length; ++i) {
    // Unsigned, because i * step alone may not fit.
    const auto number =
        static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step);
    items.push_back(Value::of(static_cast<std::int64_t>(number)));
  }
  return context.list(std::move(items));
}

/// The entries that dict() and namespace() take: a dict or a list of pairs, then names.
Entries entries_of(Context& context, std::string_view callee, const Arguments& arguments) {
  if (arguments.positional.size() > 1) {
    fail(fmt::format("{}() takes at most 1 positional argument, {} given", callee,
                     arguments.positional.size()));
  }
  Entries entries;
  for (const Value& source : arguments.positional) {
    if (source.is_dict()) {
      entries = source.dict().entries;
      continue;
    }
    for (const Value& pair : items_of(context, source)) {
      const auto parts = items_of(context, pair);
      if (parts.size() != 2) {
        fail(fmt::format("{}() needs pairs, got a sequence of {}", callee, parts.size()));
      }
      entries.emplace_back(parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : arguments.named) entries.emplace_back(context.text(name), value);
  return entries;
}

Value dict(Context& context, const Arguments& arguments) {
  return context.dict(entries_of(context, "dict", arguments));
}

Value make_namespace(Context& context, const Arguments& arguments) {
  const auto object = std::make_shared<NamespaceObject>();
  for (const auto& [key, value] : entries_of(context, "namespace", arguments)) {
    if (!key.is_text()) fail("namespace() needs names as keys");
    object->set(context, key.text(), value);
  }
  context.at_end([object] { object->clear(); });
  return Value::of(std::shared_ptr<NativeObject>(object));
}

Value cycler(Context& context, const Arguments& arguments) {
  if (arguments.positional.empty()) fail("at least one item has to be provided");
  return context.native<CyclerObject>(arguments.positional);
}

Value joiner(Context& context, const Arguments& arguments) {
  const ArgumentReader read("joiner", arguments, {"sep"});
  return context.native<JoinerObject>(read.has(0) ? read[0] : context.text(", "));
}

Value raise_exception(Context& context, const Arguments& arguments) {
  const ArgumentReader read("raise_exception", arguments, {"message"}, 1);
  throw TemplateFailure{to_text(context, read[0]), 0, Error::Kind::invalid_input, true};
}

Value strftime_now(Context& context, const Arguments& arguments) {
  const ArgumentReader read("strftime_now", arguments, {"format"}, 1);
  return context.text(format_time(std::string(read.text(0, "")), context.now_utc()));
}

struct NamedFunction {
  std::string_view name;
  Value (*function)(Context& context, const Arguments& arguments);
};
constexpr NamedFunction kFunctions[] = {
    {"range", range},
    {"dict", dict},
    {"namespace", make_namespace},
    {"cycler", cycler},
    {"joiner", joiner},
    {"raise_exception", raise_exception},
    {"strftime_now", strftime_now},
};

}  // namespace

std::optional<Value> find_function(Context& context, std::string_view name) {
  for (const NamedFunction& entry : kFunctions) {
    if (entry.name == name) return context.native<FunctionObject>(entry.name, entry.function);
  }
  return std::nullopt;
}

}  // namespace pitwall::jinja
