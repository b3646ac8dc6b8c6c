// SPDX-License-Identifier: GPL-3.0-or-later
// What was read for one engine, for another: its unspoken defaults, and the flags that no setting covers.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/deployment.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_words.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/flag_writer.h"

namespace pitwall {

namespace {

bool names_config(const EngineProfile& engine, std::string_view flag) {
  return std::any_of(engine.config_flags.begin(), engine.config_flags.end(),
                     [&](const std::string& each) { return same_flag(each, flag); });
}

/// Defaults that make a deployment what it is.
constexpr std::string_view kCarriedDefaults[] = {
    "max-num-seqs",           "max-num-batched-tokens",  "block-size",        "enable-prefix-caching",
    "enable-chunked-prefill", "attention-data-parallel", "speculative-tokens"};

/// Whether the flag that tells a setting has told another one: it has no default then.
bool is_spent(const EngineProfile& engine, std::string_view name, const EngineSettings& settings) {
  const auto flag_of = [&](std::string_view setting) {
    const auto& names = engine.find(setting)->flags.front().names;
    return names.empty() ? "" : names.front();
  };
  return std::any_of(settings.values.begin(), settings.values.end(), [&](const auto& said) {
    return said.first != name && engine.find(said.first) != nullptr && !flag_of(name).empty() &&
           flag_of(said.first) == flag_of(name);
  });
}

/// What the first engine does unasked and the second would not.
EngineSettings with_defaults(const EngineReading& reading, const EngineProfile& to,
                             const std::optional<MemoryTerms>& terms, std::vector<std::string>& notes) {
  EngineSettings settings = reading.settings;
  const EngineProfile& from = *reading.engine;
  const EnginePlace place = place_of(settings, from, terms);
  const auto blocks = settings.integer("kv-blocks");
  const int size = block_size_of(settings, from);
  if (blocks && !(to.find("kv-blocks") != nullptr && can_tell(to, "block-size", fmt::format("{}", size)))) {
    settings.values["kv-tokens"] = fmt::format("{}", *blocks * size);
    settings.values.erase("kv-blocks");
  }
  const auto carry = [&](std::string_view name, const std::string& value, bool shared) {
    const std::string* said = settings.find(name);
    if (value.empty() || shared || (said != nullptr && *said != "auto")) return;
    settings.values[std::string(name)] = value;
    notes.push_back(fmt::format("{} {} is the default of {}", name,
                                human_value(*find_engine_setting(name), value), from.title));
  };
  for (const std::string_view name : kCarriedDefaults) {
    const bool shares = name == "attention-data-parallel";  // who has replicas, and experts to share
    if (name == "speculative-tokens" && settings.find("speculative-method") == nullptr) continue;
    if (shares && !(reading.settings.replicas() > 1 && terms && terms->has_experts)) continue;
    const std::string value = from.default_of(name, place);
    // Whole prompts are a matter of the tokens of a step, even where both engines have those unasked.
    const bool whole = name == "max-num-batched-tokens" &&
                       said_or_default(settings, from, place, "enable-chunked-prefill") == "false";
    if (to.find(name) != nullptr && !value.empty() && !is_spent(from, name, reading.settings))
      carry(name, value, !whole && value == to.default_of(name, place));
  }
  const auto& memory = memory_settings();
  const bool said = std::any_of(memory.begin(), memory.end(),
                                [&](const auto& name) { return settings.find(name) != nullptr; });
  if (said) return settings;
  const Deployment deployment = deployment_of(reading.settings, from, terms);
  const auto mine = memory_setting_of(default_budget(from, deployment, place));
  if (mine)
    carry(mine->first, mine->second, mine == memory_setting_of(default_budget(to, deployment, place)));
  if (!mine && terms && terms->kv > 0) carry("kv-cache-memory-bytes", fmt::format("{}", terms->kv), false);
  return settings;
}

/// Words that an engine made up (formats of weights, parsers) mean nothing to one that does not list them.
void drop_foreign_words(EngineSettings& settings, const EngineProfile& to, std::vector<std::string>& notes) {
  std::erase_if(settings.values, [&](const auto& said) {
    const EngineSetting* setting = to.find(said.first);
    if (setting == nullptr || !setting->flags.front().open) return false;
    const auto& known = setting->flags.front().values;
    const bool known_there =
        std::any_of(known.begin(), known.end(), [&](const auto& word) { return word.first == said.second; });
    if (!known_there)
      notes.push_back(fmt::format("{} {} is not carried over: {} is not known to have it", said.first,
                                  said.second, to.title));
    return !known_there;
  });
}

}  // namespace

WrittenFlags translate(const EngineReading& reading, const EngineProfile& to,
                       const std::optional<MemoryTerms>& terms, const std::optional<MemoryTerms>& there) {
  std::vector<std::string> notes;
  const bool same = reading.engine == &to;
  EngineSettings settings = same ? reading.settings : with_defaults(reading, to, terms, notes);
  if (!same) drop_foreign_words(settings, to, notes);
  WrittenFlags written = write_flags(to, settings, terms, there);
  const auto unknown = [&](const UnmatchedFlag& flag, const std::string& text) {
    return flag.nearest.empty() ? fmt::format("{} is not known of {}", text, reading.engine->title)
                                : fmt::format("{} is not known of {}; did you mean {}?", text,
                                              reading.engine->title, flag.nearest);
  };
  for (const UnmatchedFlag& flag : reading.unmatched) {
    const std::string& name = flag.words.front();
    const std::string text = fmt::format("{}", fmt::join(flag.words, " "));
    const std::string theirs = name.starts_with('-') ? known_flag(to, name) : "";
    const bool alike = flag.known && !theirs.empty() &&
                       !names_config(*reading.engine, name);  // the file is in the first one's words
    if (same ? name.starts_with('-') : alike) {
      written.arguments.push_back(theirs.empty() ? name : theirs);
      written.arguments.insert(written.arguments.end(), flag.words.begin() + 1, flag.words.end());
      if (!same)
        notes.push_back(fmt::format("{} stands as it is: {} has a flag of that name", text, to.title));
      if (!flag.known) notes.push_back(unknown(flag, text));
    } else if (same && std::find(to.valued.begin(), to.valued.end(), name) != to.valued.end()) {
      notes.push_back(fmt::format("{} stays in the configuration file: it is not repeated here", text));
    } else if (flag.known) {
      notes.push_back(fmt::format("{} has no counterpart in {}", text, to.title));
    } else {
      notes.push_back(unknown(flag, text));
    }
  }
  written.notes.insert(written.notes.begin(), notes.begin(), notes.end());
  return written;
}

}  // namespace pitwall
