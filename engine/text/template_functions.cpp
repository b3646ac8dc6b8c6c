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

Value range(Context& context, const Arguments& arguments) {
  const ArgumentReader read("range", arguments, {"start", "stop", "step"}, 1);
  const std::int64_t start = read.has(1) ? read.integer(0, 0) : 0;
  const std::int64_t stop = read.has(1) ? read.integer(1, 0) : read.integer(0, 0);
  const std::int64_t step = read.integer(2, 1);
  if (step == 0) fail("range() arg 3 must not be zero");
  return context.range({start, stop, step});
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
