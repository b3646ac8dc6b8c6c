// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/flag_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/text_escape.h"
#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_words.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/speculation.h"

namespace pitwall {

namespace {

using json = nlohmann::json;

struct Said {
  const EngineSettingInfo* info;
  const EngineFlag* flag;
  std::string shown, value;  // value in the engine's words; of a switch in ours
  bool is_switch = false;
};

struct Candidate {
  const EngineSettingInfo* info;
  const EngineFlag* flag;
  std::optional<bool> turns;  // a switch, and to what
};

bool holds_flag(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& each) { return same_flag(each, name); });
}

std::string json_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const json& each : value) text += (text.empty() ? "" : ",") + json_text(each);
  return text;
}

class Reader {
 public:
  explicit Reader(const EngineCommand& command) : command_(command), engine_(*command.engine) {
    reading_.engine = &engine_;
    reading_.gpus = command.gpus;
    reading_.notes = command.notes;
  }

  Result<EngineReading> read() {
    for (const auto& [path, value] : command_.config) {
      if (const auto fault = config_value(path, value)) return *fault;
    }
    for (const auto& [name, value] : command_.environment) {
      if (const auto fault = variable(name, value)) return *fault;
    }
    const Words& words = command_.arguments;
    for (at_ = 0; at_ < words.size();) {
      const auto fault = is_flag(engine_, words[at_]) ? flag_word() : bare_word();
      if (fault) return *fault;
    }
    if (const auto fault = convert()) return *fault;
    for (std::string& note : understand_speculation(reading_.settings, engine_))
      reading_.notes.push_back(std::move(note));
    drop_needed_words();
    if (std::string dropped = drop_missing_format(reading_.settings); !dropped.empty())
      reading_.notes.push_back(std::move(dropped));
    if (!machine_.empty())
      reading_.notes.push_back(fmt::format("Keep in the environment, they mean the same to every engine: {}",
                                           fmt::join(machine_, ", ")));
    if (!assumed_.empty())
      reading_.notes.push_back("From general knowledge, not read at " + engine_.version + ": " + assumed_);
    return std::move(reading_);
  }

 private:
  std::vector<Candidate> candidates(std::string_view name) const {
    std::vector<Candidate> found;
    for (const EngineSetting& setting : engine_.settings) {
      const EngineSettingInfo* info = find_engine_setting(setting.name);
      for (const EngineFlag& flag : setting.flags) {
        if (holds_flag(flag.names, name)) found.push_back({info, &flag, std::nullopt});
        if (holds_flag(flag.on, name)) found.push_back({info, &flag, true});
        if (holds_flag(flag.off, name)) found.push_back({info, &flag, false});
      }
    }
    return found;
  }

  std::optional<Error> bare_word() {
    const std::string& word = command_.arguments[at_++];
    const bool positional = engine_.command.size() > 1 && engine_.command.back() == "{model}" &&
                            !engine_.command[engine_.command.size() - 2].starts_with('-');
    if (positional && !model_seen_) {
      model_seen_ = true;
      static const EngineFlag kFirstWord = [] {
        EngineFlag flag;
        flag.source = "first word";
        return flag;
      }();
      said_.push_back({find_engine_setting("model"), &kFirstWord, "", word});
    } else {
      reading_.unmatched.push_back({{word}, false, ""});
    }
    return std::nullopt;
  }

  std::optional<Error> flag_word() {
    const std::string& word = command_.arguments[at_++];
    std::string name = flag_name(engine_, word);
    const std::size_t equals = word.find('=');
    std::optional<std::string> inline_value;
    if (equals != std::string::npos) inline_value = word.substr(equals + 1);
    return flag_said(std::move(name), std::move(inline_value), true);
  }

  /// From the command line a value may be the next word.
  std::optional<Error> flag_said(std::string name, std::optional<std::string> value, bool from_words) {
    std::vector<Candidate> found = candidates(name);
    std::string key;
    const std::size_t dot = name.find('.');
    if (found.empty() && dot != std::string::npos) {  // --speculative-config.method ngram
      key = name.substr(dot + 1);
      std::replace(key.begin(), key.end(), '-', '_');
      found = candidates(name.substr(0, dot));
    }
    if (found.empty()) return no_counterpart(name, std::move(value), from_words);
    if (found.front().turns) return switched(found.front(), name, value);
    if (!value && from_words) value = next_value(found.front().flag->words);
    if (!value) {
      return Error{Error::Kind::invalid_input, name + " lacks its value", "", "Write it behind the flag",
                   name};
    }
    if (!key.empty()) return member(found, name, key, *value);
    if (!found.front().flag->key.empty()) return members(found, name, *value);
    return valued(found, name, *value);
  }

  std::optional<std::string> next_value(bool list) {
    const Words& words = command_.arguments;
    std::string text;
    while (at_ < words.size() && !is_flag(engine_, words[at_])) {
      text += (text.empty() ? "" : ",") + words[at_++];
      if (!list) return text;
    }
    if (text.empty()) return std::nullopt;
    return text;
  }

  std::optional<Error> switched(const Candidate& candidate, const std::string& name,
                                const std::optional<std::string>& value) {
    bool on = *candidate.turns;
    if (value) {
      const bool no = *value == "false" || *value == "False" || *value == "0" || *value == "off";
      const bool yes = *value == "true" || *value == "True" || *value == "1" || *value == "on";
      if (!no && !yes) {
        return Error{Error::Kind::invalid_input, fmt::format("{} is {}", name, quote_for_message(*value)), "",
                     "It is a switch: give true, false or nothing", name};
      }
      if (no) on = !on;
    }
    said_.push_back({candidate.info, candidate.flag, name, on ? "true" : "false", true});
    return std::nullopt;
  }

  std::optional<Error> valued(const std::vector<Candidate>& found, const std::string& name,
                              const std::string& value) {
    const auto fits = std::find_if(found.begin(), found.end(), [&](const Candidate& each) {
      return flag_takes(*each.info, *each.flag, value) && !each.flag->values.empty();
    });
    const auto any = std::find_if(found.begin(), found.end(), [&](const Candidate& each) {
      return flag_takes(*each.info, *each.flag, value);
    });
    const Candidate& chosen = fits != found.end() && fits->flag->open == false ? *fits
                              : any != found.end()                             ? *any
                                                                               : found.front();
    if (chosen.info->name == "model") model_seen_ = true;
    said_.push_back({chosen.info, chosen.flag, name, value});
    return std::nullopt;
  }

  std::optional<Error> member(const std::vector<Candidate>& found, const std::string& name,
                              const std::string& key, const std::string& value) {
    for (const Candidate& each : found) {
      if (each.flag->key != key) continue;
      said_.push_back({each.info, each.flag, name, value});
      return std::nullopt;
    }
    reading_.unmatched.push_back({{name, value}, true, ""});
    return std::nullopt;
  }

  std::optional<Error> members(const std::vector<Candidate>& found, const std::string& name,
                               const std::string& value) {
    const json object = json::parse(value, nullptr, false);
    if (!object.is_object()) {
      return Error{Error::Kind::invalid_input, fmt::format("{} is {}", name, quote_for_message(value)),
                   "It takes a JSON object",
                   fmt::format("Write it in single quotes, such as '{{\"{}\": …}}'", found.front().flag->key),
                   name};
    }
    for (const auto& [key, each] : object.items())
      member(found, fmt::format("{}.{}", name, key), key, json_text(each));
    return std::nullopt;
  }

  std::optional<Error> no_counterpart(const std::string& name, std::optional<std::string> value,
                                      bool from_words) {
    UnmatchedFlag flag{{name}, false, ""};
    const bool config = holds_flag(engine_.config_flags, name);
    const bool is_switch = holds_flag(engine_.switches, name);
    const bool several = holds_flag(engine_.several, name);
    const std::string whole = name.substr(0, name.find('.'));  // --override-generation-config.temperature
    flag.known = config || is_switch || several || holds_flag(engine_.valued, whole);
    const bool on = value == "true" || value == "True", off = value == "false" || value == "False";
    if (!from_words && (is_switch || !flag.known) && (on || off)) {  // a switch in a configuration file
      if (off) return std::nullopt;
      value.reset();
    }
    if (!value && from_words && !is_switch) value = next_value(false);
    if (value && !is_secret(name)) flag.words.push_back(*value);
    for (const auto& [changing, change] : engine_.unplanned) {
      if (same_flag(changing, name) && value.value_or("") != "1")
        reading_.notes.push_back(fmt::format("{} is not planned: {}", fmt::join(flag.words, " "), change));
    }
    while (several && from_words && at_ < command_.arguments.size() &&
           !is_flag(engine_, command_.arguments[at_]))
      flag.words.push_back(command_.arguments[at_++]);
    if (!flag.known) flag.nearest = nearest_flag(engine_, name);
    if (config && command_.config.empty())
      reading_.notes.push_back(fmt::format("{} also reads {}; give that file as --config to have it read",
                                           engine_.title, value.value_or("a file")));
    const ForeignFlag foreign = flag.known ? ForeignFlag{} : foreign_flag(engine_, name);
    if (foreign.setting != nullptr && engine_.find(foreign.setting->name) != nullptr) {
      flag.nearest = engine_.find(foreign.setting->name)->flags.front().shown();
      reading_.notes.push_back(
          fmt::format("{} is a flag of {}; here it is {}", name, foreign.engine->title, flag.nearest));
    }
    if (!config || command_.config.empty()) reading_.unmatched.push_back(std::move(flag));
    return std::nullopt;
  }

  std::optional<Error> config_value(const std::string& path, const std::string& value) {
    for (const EngineSetting& setting : engine_.settings) {
      for (const EngineFlag& flag : setting.flags) {
        if (flag.config != path || path.empty()) continue;
        const EngineSettingInfo* info = find_engine_setting(setting.name);
        const bool is_switch = flag.values.empty() && info->type == EngineValue::boolean;
        said_.push_back({info, &flag, path, value, is_switch});
        return std::nullopt;
      }
    }
    if (engine_.config_holds_flags)
      return flag_said(flag_name(engine_, fmt::format("--{}", path)), value, false);
    UnmatchedFlag unmatched{{path}, holds_flag(engine_.valued, path), ""};
    if (!is_secret(path)) unmatched.words.push_back(value);
    reading_.unmatched.push_back(std::move(unmatched));
    return std::nullopt;
  }

  std::optional<Error> variable(const std::string& name, const std::string& value) {
    for (const EngineSetting& setting : engine_.settings) {
      for (const EngineFlag& flag : setting.flags) {
        if (!flag.factor_environment.empty() && flag.factor_environment == name) {
          factor_ = {&flag, find_engine_setting(setting.name), value};
          return std::nullopt;
        }
        if (flag.environment != name) continue;
        said_.push_back({find_engine_setting(setting.name), &flag, name, value});
        return std::nullopt;
      }
    }
    if (const std::string flag = flag_of_variable(engine_, name); !flag.empty())
      return flag_said(flag, value, false);
    static constexpr std::string_view kOfTheMachine[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
                                                         "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HOME"};
    if (std::find(std::begin(kOfTheMachine), std::end(kOfTheMachine), name) != std::end(kOfTheMachine)) {
      machine_.insert(name);
      return std::nullopt;
    }
    const std::string reference = fmt::format("${}", name), braced = fmt::format("${{{}", name),
                      manifest = fmt::format("$({})", name);
    for (const std::string& word : command_.arguments) {  // the flag it stands in says what it is
      if (word == reference || word == manifest || word.starts_with(braced)) return std::nullopt;
    }
    const bool secret = is_secret(name), known = secret || holds_flag(engine_.valued, name);
    reading_.unmatched.push_back({{secret ? name + "=(set)" : fmt::format("{}={}", name, value)}, known, ""});
    return std::nullopt;
  }

  /// The share with the factor that a variable gives it, in place of the profile's.
  Result<std::string> with_factor(const Said& said, const std::string& ours) const {
    if (factor_.flag == nullptr || said.flag != factor_.flag) return ours;
    const double factor = human_number(factor_.value).value_or(0);
    if (!(factor > 0 && factor <= 1)) {
      return Error{Error::Kind::invalid_input,
                   fmt::format("{} is {}", said.flag->factor_environment, quote_for_message(factor_.value)),
                   "It is a share of the share", "Give it above 0 and at most 1",
                   said.flag->factor_environment};
    }
    return fmt::format("{:.10g}", human_number(ours).value_or(0) / said.flag->factor * factor);
  }

  std::optional<Error> convert() {
    const bool told =
        std::any_of(said_.begin(), said_.end(), [&](const Said& said) { return said.flag == factor_.flag; });
    if (factor_.flag != nullptr && !told)  // a part of the whole, where the share is not said
      said_.push_back({factor_.info, factor_.flag, factor_.flag->shown(), "1"});
    // What others are counted by comes first.
    static constexpr std::string_view kFirst[] = {"attention-data-parallel", "data-parallel-size",
                                                  "tensor-parallel-size", "max-num-seqs", "kv-unified"};
    FlagScale scale;
    for (const std::string_view first : kFirst) {
      if (replicas_share_experts(reading_.settings, engine_)) scale.replicas = reading_.settings.replicas();
      for (const Said& said : said_) {
        if (said.info->name != first) continue;
        if (const auto fault = take(said, scale)) return fault;
      }
      if (first == "tensor-parallel-size") every_rank_a_replica(scale);
    }
    scale.ranks = reading_.settings.ranks();
    const std::string* unified = reading_.settings.find("kv-unified");
    const auto slots = reading_.settings.integer("max-num-seqs");
    if (slots && !(unified != nullptr && *unified == "true")) scale.sequences = static_cast<int>(*slots);
    for (const Said& said : said_) {
      if (std::find(std::begin(kFirst), std::end(kFirst), said.info->name) != std::end(kFirst)) continue;
      if (const auto fault = take(said, scale)) return fault;
    }
    deal_experts(scale);
    share_experts();
    const std::string* v = reading_.settings.find("kv-cache-dtype-v");
    const std::string* k = reading_.settings.find("kv-cache-dtype");
    if (v != nullptr && k != nullptr && *v == *k) reading_.settings.values.erase("kv-cache-dtype-v");
    return std::nullopt;
  }

  /// Engines that are told whether, but not how many, replicas share the experts (TensorRT-LLM).
  void every_rank_a_replica(FlagScale& scale) {
    auto& values = reading_.settings.values;
    const std::string* shared = reading_.settings.find("attention-data-parallel");
    const bool counts = engine_.find("data-parallel-size") != nullptr;
    if (shared == nullptr || *shared != "true" || counts || reading_.settings.ranks() == 1) return;
    scale.replicas = reading_.settings.ranks();
    values["data-parallel-size"] = fmt::format("{}", scale.replicas);
    values["tensor-parallel-size"] = "1";
  }

  /// Where the way to the experts deals them out.
  void deal_experts(const FlagScale& scale) {
    const std::string* way = reading_.settings.find("expert-exchange");
    const EngineSetting* setting = engine_.find("expert-exchange");
    if (way == nullptr || *way == "none" || !setting->flags.front().deals_experts || scale.gpus() == 1)
      return;
    reading_.settings.values["expert-parallel-size"] = fmt::format("{}", scale.gpus());
    reading_.notes.push_back(fmt::format("With {} whole experts are dealt out to all {} GPUs",
                                         setting->flags.front().shown(), scale.gpus()));
  }

  /// More GPUs to deal experts out to than share a layer are those of all replicas; one replica shares with
  /// none.
  void share_experts() {
    auto& settings = reading_.settings;
    const bool several = settings.replicas() > 1;
    if (several && settings.integer("expert-parallel-size").value_or(1) > settings.ranks())
      settings.values["attention-data-parallel"] = "true";
    if (const std::string* shared = settings.find("attention-data-parallel");
        !several && shared != nullptr && *shared == "true")
      settings.values.erase("attention-data-parallel");
  }

  std::optional<Error> take(const Said& said, const FlagScale& scale) {
    const bool secret = said.info->name == "api-key";
    std::string value = secret ? "(set)" : said.value;
    if (said.is_switch && said.info->type == EngineValue::integer) {  // all of them, or none
      value = fmt::format("{}", said.value == "true" ? scale.gpus() : 1);
    } else if (!secret) {
      const auto ours = said.is_switch
                            ? canonical_value(*said.info, said.value, said.shown)
                            : ours_of(engine_, *said.info, *said.flag, said.value, said.shown, scale);
      if (!ours.ok()) return ours.error();
      const auto share = with_factor(said, *ours);
      if (!share.ok()) return share.error();
      value = *share;
    }
    const std::string name(said.info->name);
    if (const std::string* before = reading_.settings.find(name); before != nullptr && *before != value) {
      std::erase_if(reading_.notes, [&](const std::string& note) {
        return note.starts_with(name + " is given more than once");
      });
      reading_.notes.push_back(fmt::format("{} is given more than once; the last, {}, holds", name, value));
    }
    reading_.settings.values[name] = value;
    std::string written = said.shown;
    if (!said.is_switch || !said.shown.starts_with('-'))
      written += fmt::format("{}{}", written.empty() ? "" : " ", secret ? "(set)" : said.value);
    reading_.understood.push_back({written, name, value, said.flag->source, said.flag->verified});
    static constexpr std::string_view kPlain[] = {"model", "served-model-name", "host", "port", "api-key"};
    const bool plain = std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
    if (!said.flag->verified && !plain && !said.shown.empty() &&
        assumed_.find(said.shown) == std::string::npos)
      assumed_ += (assumed_.empty() ? "" : ", ") + said.shown;
    if (said.flag->gone) {
      reading_.notes.push_back(fmt::format("{} is gone from {}: {} takes its place", said.shown,
                                           engine_.version, engine_.find(name)->flags.front().shown()));
    }
    if (said.info->type == EngineValue::integer && value != "auto" && !can_tell(engine_, name, value)) {
      reading_.notes.push_back(fmt::format("{} is {}, and {} takes {}", said.shown, said.value, engine_.title,
                                           tellable_values(engine_, name)));
    }
    static constexpr std::string_view kOffTheGpu[] = {"weights-offload", "cpu-experts", "kv-on-host"};
    if (std::find(std::begin(kOffTheGpu), std::end(kOffTheGpu), name) != std::end(kOffTheGpu) &&
        value != "0" && value != "false")
      reading_.notes.push_back(fmt::format("{} is not planned: a GPU holds less than is said here", written));
    if (said.flag->shared_slots && scale.sequences > 1) {
      reading_.notes.push_back(fmt::format("{} {} is for all slots together: {} slots of {} tokens each",
                                           said.shown, said.value, scale.sequences, value));
    }
    return std::nullopt;
  }

  /// Words without which an understood flag has no effect are understood with it.
  void drop_needed_words() {
    for (const Said& said : said_) {
      for (const std::string& needed : said.flag->needs) {
        std::erase_if(reading_.unmatched,
                      [&](const UnmatchedFlag& flag) { return flag.words.front() == needed; });
      }
    }
  }

  const EngineCommand& command_;
  const EngineProfile& engine_;
  EngineReading reading_;
  std::vector<Said> said_;
  struct {
    const EngineFlag* flag = nullptr;
    const EngineSettingInfo* info = nullptr;
    std::string value;
  } factor_;  // said by a variable
  std::size_t at_ = 0;
  bool model_seen_ = false;
  std::string assumed_;
  std::set<std::string> machine_;  // variables that are no setting of the engine
};

bool is_share(std::string_view setting) {
  return find_engine_setting(setting)->type == EngineValue::share;
}

}  // namespace

Result<EngineReading> read_engine_settings(const EngineCommand& command) {
  return Reader(command).read();
}

std::vector<std::string> memory_notes(const EngineReading& reading, const std::optional<MemoryTerms>& terms,
                                      const EngineProfile* to) {
  std::vector<std::string> notes;
  const int block_size = block_size_of(reading.settings, *reading.engine);
  const auto note = [&](std::string_view setting, const EngineFlag& flag, const std::string& value,
                        bool unasked) {
    const auto theirs = theirs_of(*find_engine_setting(setting), flag, value);
    const std::string number = theirs ? theirs->text : value;
    const std::string told_as = fmt::format("{} {}", flag.shown(), number);
    const std::string meaning = memory_meaning(setting, value, terms, block_size);
    notes.push_back(unasked ? fmt::format("{}, its default, stands for {}", told_as, meaning)
                            : fmt::format("{} stands for {}", told_as, meaning));
    if (!is_share(setting)) return;
    std::vector<std::string_view> told;
    for (const EngineProfile& other : engine_profiles()) {
      if (to == nullptr ? other.study : to != &other) continue;
      for (const EngineSetting& each : other.settings) {
        if (!is_share(each.name) || each.name == setting ||
            std::find(told.begin(), told.end(), each.name) != told.end())
          continue;
        told.push_back(find_engine_setting(each.name)->name);
        notes.push_back(fmt::format("In {} the same number stands for {}", other.title,
                                    memory_meaning(each.name, number, terms, block_size)));
      }
    }
  };
  for (const EngineSetting& setting : reading.engine->settings) {
    const auto& list = memory_settings();
    if (std::find(list.begin(), list.end(), setting.name) == list.end()) continue;
    if (const std::string* value = reading.settings.find(setting.name))
      note(setting.name, setting.flags.front(), *value, false);
  }
  if (!notes.empty()) return notes;
  for (const EngineSetting& setting : reading.engine->settings) {
    const EngineFlag& flag = setting.flags.front();
    if (is_share(setting.name) && !flag.default_value.empty())
      note(setting.name, flag, flag.default_value, true);
  }
  return notes;
}

}  // namespace pitwall
