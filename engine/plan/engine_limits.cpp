// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/units.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

namespace {

class Keeper {
 public:
  Keeper(EngineSettings& settings, const EngineProfile& engine, const EnginePlace& place,
         std::int64_t longest)
      : settings_(settings), engine_(engine), place_(place), longest_(longest) {}

  std::vector<LimitChange> keep() {
    for (const EngineLimit& limit : engine_.limits) {
      const auto value = value_of(limit.setting, limit), bound = value_of(limit.most, limit);
      if (!limit.unless.empty()) {
        keep_switch(limit, value, bound);
      } else if (value && bound) {
        keep_number(limit, *value, *bound);
      }
    }
    return std::move(changes_);
  }

 private:
  /// As it is told, else what the engine has unasked; none where that is not known or the engine makes it
  /// fit.
  std::optional<std::int64_t> value_of(const std::string& name, const EngineLimit& limit) const {
    if (const auto said = settings_.integer(name)) return said;
    if (std::find(limit.derived.begin(), limit.derived.end(), name) != limit.derived.end())
      return std::nullopt;
    const std::string unasked = engine_.default_of(name, place_);
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(unasked.data(), unasked.data() + unasked.size(), number);
    if (problem == std::errc() && number > 0) return number;
    return name == "max-model-len" && longest_ > 0 ? std::optional(longest_) : std::nullopt;
  }

  void keep_switch(const EngineLimit& limit, const std::optional<std::int64_t>& value,
                   const std::optional<std::int64_t>& bound) {
    if (said_or_default(settings_, engine_, place_, limit.unless) != "false") return;
    if (!bound || (value && *value <= *bound)) return;
    settings_.values.erase(limit.unless);
    std::string note =
        value ? fmt::format("{} stays on: without it {} does not start with {} {} and {} {}", limit.unless,
                            engine_.title, limit.most, *bound, limit.setting, *value)
              : fmt::format(
                    "{} stays on: without it {} does not start with {} {} and a {} above that, which is "
                    "not known",
                    limit.unless, engine_.title, limit.most, *bound, limit.setting);
    changes_.push_back({.setting = limit.unless, .note = std::move(note)});
  }

  void keep_number(const EngineLimit& limit, std::int64_t value, std::int64_t bound) {
    const std::string &name = limit.setting, &other = limit.most, &title = engine_.title;
    const std::string both = fmt::format("{} does not start with {} {} and {} {}", title, name,
                                         format_count(value), other, format_count(bound));
    if (limit.multiple) {
      const std::int64_t whole = std::max(value / bound, std::int64_t{1}) * bound;
      if (whole != value)
        change(name, {value, whole}, fmt::format("{} starts with multiples of {} alone", title, other), both);
      return;
    }
    const std::int64_t most = limit.below ? bound - 1 : bound;
    if (value <= most || most < 1) return;
    if (limit.raises) {
      change(other, {bound, value}, fmt::format("{} starts with no less than {}", title, name), both);
    } else if (limit.below) {
      change(name, {value, most}, fmt::format("{} starts with less than {}", title, other), both);
    } else {
      change(name, {value, most}, fmt::format("{} starts with no more than {}", title, other), both);
    }
  }

  struct Numbers {
    std::int64_t from, to;
  };
  void change(const std::string& name, Numbers numbers, const std::string& why, const std::string& refusal) {
    settings_.values[name] = fmt::format("{}", numbers.to);
    changes_.push_back({name, fmt::format("{} is {} instead of {}: {}", name, numbers.to, numbers.from, why),
                        refusal, numbers.from, numbers.to});
  }

  EngineSettings& settings_;
  const EngineProfile& engine_;
  const EnginePlace& place_;
  std::int64_t longest_;
  std::vector<LimitChange> changes_;
};

}  // namespace

std::vector<LimitChange> keep_limits(EngineSettings& settings, const EngineProfile& engine,
                                     const EnginePlace& place, std::int64_t longest) {
  return Keeper(settings, engine, place, longest).keep();
}

}  // namespace pitwall
