// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <vector>

#include "engine/plan/engine_profile.h"

namespace pitwall {

namespace {

using Visit = std::function<void(const std::string& flag, const EngineSetting* setting)>;

void visit_flags(const EngineProfile& engine, const Visit& visit) {
  for (const EngineSetting& setting : engine.settings) {
    for (const EngineFlag& flag : setting.flags) {
      for (const auto* list : {&flag.names, &flag.on, &flag.off}) {
        for (const std::string& name : *list) visit(name, &setting);
      }
    }
  }
  for (const auto* list : {&engine.switches, &engine.valued, &engine.several, &engine.config_flags}) {
    for (const std::string& name : *list) visit(name, nullptr);
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

std::string hyphens(std::string_view name) {
  std::string out(name);
  if (out.starts_with("--")) std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

}  // namespace

bool is_flag(const EngineProfile& engine, std::string_view word) {
  if (engine.keywords) return word.find('=') != std::string_view::npos;
  if (word.size() < 2 || word[0] != '-') return false;
  if (word.substr(0, word.find('=')).find(' ') != std::string_view::npos) return false;  // "- item"
  return !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

std::string flag_name(const EngineProfile& engine, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return engine.keywords ? std::string(name) : hyphens(name);
}

bool same_flag(std::string_view a, std::string_view b) {
  return hyphens(a) == hyphens(b);
}

std::string known_flag(const EngineProfile& engine, std::string_view name) {
  std::string known;
  visit_flags(engine, [&](const std::string& flag, const EngineSetting*) {
    if (known.empty() && same_flag(flag, name)) known = flag;
  });
  return known;
}

std::string flag_of_variable(const EngineProfile& engine, std::string_view name) {
  if (!engine.environment_is_flags || !name.starts_with(engine.environment_prefix)) return "";
  std::string flag = fmt::format("--{}", name.substr(engine.environment_prefix.size()));
  std::transform(flag.begin(), flag.end(), flag.begin(), [](unsigned char letter) {
    return letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
  });
  return known_flag(engine, flag).empty() ? "" : flag;
}

bool known_variable(const EngineProfile& engine, std::string_view name) {
  for (const EngineSetting& setting : engine.settings) {
    for (const EngineFlag& flag : setting.flags) {
      if (flag.environment == name || flag.factor_environment == name) return true;
    }
  }
  return !flag_of_variable(engine, name).empty();
}

std::string nearest_flag(const EngineProfile& engine, std::string_view name) {
  const std::string wanted = hyphens(name);
  std::string nearest;
  std::size_t best = wanted.size() / 3 + 1;
  visit_flags(engine, [&](const std::string& flag, const EngineSetting*) {
    const std::size_t distance = edit_distance(wanted, hyphens(flag));
    if (distance >= best) return;
    best = distance;
    nearest = flag;
  });
  return nearest;
}

ForeignFlag foreign_flag(const EngineProfile& engine, std::string_view name) {
  ForeignFlag found;
  for (const EngineProfile& other : engine_profiles()) {
    if (&other == &engine || found.setting != nullptr) continue;
    visit_flags(other, [&](const std::string& flag, const EngineSetting* setting) {
      if (setting != nullptr && found.setting == nullptr && same_flag(flag, name)) found = {&other, setting};
    });
  }
  return found;
}

}  // namespace pitwall
