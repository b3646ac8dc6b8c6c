// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/goodput.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

struct Preset {
  std::string_view name;
  double ttft, tpot;
  std::string_view note = {};
};

// Limits of p99 in ms: inference_rules.adoc at ac93e89, mlperf.conf at b66003e1.
constexpr Preset kPresets[] = {
    {"llama3.1-8b", 2000, 100},
    {"llama3.1-8b-interactive", 500, 30},
    {"llama2-70b", 2000, 200},
    {"llama2-70b-interactive", 450, 40},
    {"llama3.1-405b", 6000, 175},
    {"llama3.1-405b-interactive", 4500, 80},
    {"mixtral-8x7b", 2000, 200},
    {"deepseek-r1", 2000, 80},
    {"deepseek-r1-interactive", 1500, 15},
    {"gpt-oss-120b", 3000, 80},
    {"gpt-oss-120b-interactive", 2000, 20, "The rules' text says TPOT 20 ms; mlperf.conf says 15"},
};

Error bad_objective(std::string_view word, std::string cause) {
  return {Error::Kind::invalid_input, quote_for_message(word) + " is no objective", std::move(cause),
          "Write ttft:MS, tpot:MS or e2el:MS, such as ttft:200, or mlperf:NAME", "goodput"};
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : kPresets) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  return names;
}

Result<void> add_preset(std::string_view word, std::string_view name, Objectives& objectives) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    objectives = {preset.ttft, preset.tpot, objectives.e2el, std::string(name), std::string(preset.note)};
    return {};
  }
  return bad_objective(word, "These presets exist: " + preset_names());
}

}  // namespace

bool Objectives::met_by(double ttft_ms, double tpot_ms, double e2el_ms, bool undefined_is_bad) const {
  const auto met = [&](const std::optional<double>& limit, double value) {
    if (!limit) return true;
    return std::isnan(value) ? !undefined_is_bad : value <= *limit;
  };
  return met(ttft, ttft_ms) && met(tpot, tpot_ms) && met(e2el, e2el_ms);
}

Result<Objectives> parse_objectives(const std::vector<std::string>& words) {
  Objectives objectives;
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    const std::string_view name = std::string_view(word).substr(0, colon);
    const std::string_view value = colon == std::string::npos ? "" : std::string_view(word).substr(colon + 1);
    if (name == "mlperf") {
      if (auto known = add_preset(word, value, objectives); !known) return known.error();
      continue;
    }
    std::optional<double>* limit = name == "ttft"   ? &objectives.ttft
                                   : name == "tpot" ? &objectives.tpot
                                   : name == "e2el" ? &objectives.e2el
                                                    : nullptr;
    if (limit == nullptr) return bad_objective(word, "ttft, tpot and e2el are measured");
    double milliseconds = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (code != std::errc{} || end != value.data() + value.size() || !(milliseconds > 0) ||
        !std::isfinite(milliseconds))
      return bad_objective(word, "Its limit must be milliseconds above 0");
    *limit = milliseconds;
  }
  return objectives;
}

}  // namespace pitwall
