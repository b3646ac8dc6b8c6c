// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/flag_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/library/model_profile.h"
#include "engine/plan/amounts.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_limits.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_stand_ins.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/machine_profile.h"
#include "engine/plan/speculation.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

namespace {

using json = nlohmann::ordered_json;

bool is_memory(std::string_view setting) {
  const auto& list = memory_settings();
  return std::find(list.begin(), list.end(), setting) != list.end();
}

/// Those take everything that the process holds: one follows from another without knowing what is loaded.
bool holds_everything(std::string_view setting) {
  return setting == "memory-share-of-total" || setting == "memory-limit" || setting == "memory-margin";
}

json typed(EngineValue type, const std::string& text) {
  if (type == EngineValue::integers) return json::parse(fmt::format("[{}]", text));
  if (type == EngineValue::text) return text;
  json value = json::parse(text, nullptr, false);  // numbers and booleans
  return value.is_discarded() ? json(text) : value;
}

/// Nested objects of numbers, texts and lists: all that configuration files here need.
std::string yaml_text(const json& object, int indent = 0) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{:{}}{}:", "", indent, key);
    text += value.is_object() ? fmt::format("\n{}", yaml_text(value, indent + 2))
                              : fmt::format(" {}\n", value.dump());
  }
  return text;
}

std::string upper(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

constexpr Bytes kFreePart = 10;  // a tenth of a GPU stays free, as engines leave it

class Writer {
 public:
  Writer(const EngineProfile& engine, const EngineSettings& settings, const std::optional<MemoryTerms>& terms,
         const std::optional<MemoryTerms>& there)
      : engine_(engine), settings_(settings), terms_(terms), there_(there ? there : terms) {
    out_.engine = &engine;
    if (!terms_ || !there_) return;
    const Bytes block = terms_->kv_block, other = there_->kv_block;
    there_->kv_block = grows() ? 0 : block > 0 && other > 0 ? std::min(block, other) : std::max(block, other);
  }

  WrittenFlags write() {
    const bool told_shared = settings_.find("kv-unified") != nullptr;
    for (std::string& told : stand_in(settings_, engine_)) note(std::move(told));
    if (!told_shared && settings_.find("kv-unified") != nullptr) note_shared_context();
    for (std::string& told : fit_speculation(settings_, engine_)) note(std::move(told));
    share_experts();
    const std::string* unified = settings_.find("kv-unified");
    if (!(unified != nullptr && *unified == "true"))
      scale_.sequences = static_cast<int>(settings_.integer("max-num-seqs").value_or(1));
    name_model();
    say_device();
    note_model();
    convert_memory();
    limit_slots();
    hold_one_sequence();
    const EnginePlace place = place_of(settings_, engine_, there_);
    for (LimitChange& kept : keep_limits(settings_, engine_, place, there_ ? there_->max_model_len : 0))
      note(std::move(kept.note));
    for (const EngineSetting& setting : engine_.settings) {
      const std::string* value = settings_.find(setting.name);
      if (value != nullptr && setting.name != "model") say(setting, *value);
    }
    for (const EngineSettingInfo& info : engine_setting_table()) {
      const std::string* value = settings_.find(info.name);
      const bool model = info.name == "model";
      if (value != nullptr && !model && engine_.find(info.name) == nullptr) has_no_counterpart(info, *value);
    }
    finish();
    return std::move(out_);
  }

 private:
  void note_shared_context() {
    if (terms_ && there_ && there_->kv < terms_->kv)
      note(fmt::format("KV of {} is not carried over: the shared context takes {}", format_bytes(terms_->kv),
                       format_bytes(there_->kv)));
  }

  /// What counts for each GPU and each replica; and replicas that share the experts, as the engine tells
  /// them.
  void share_experts() {
    const std::string* shared = settings_.find("attention-data-parallel");
    const bool sharing = shared != nullptr && *shared == "true" && settings_.replicas() > 1;
    scale_.ranks = settings_.ranks();
    if (!sharing) return;
    scale_.replicas = settings_.replicas();
    settings_.values.try_emplace("tensor-parallel-size", "1");  // engines count the replicas in it
    if (engine_.find("attention-data-parallel") == nullptr || engine_.find("data-parallel-size") != nullptr)
      return;
    if (scale_.ranks == 1) {  // every GPU is one
      settings_.values.erase("data-parallel-size");
      return;
    }
    note(fmt::format(
        "attention-data-parallel is not carried over: in {} each GPU is a replica, not {} of them",
        engine_.title, scale_.ranks));
    settings_.values.erase("attention-data-parallel");
    scale_.replicas = 1;
    if (settings_.integer("expert-parallel-size").value_or(1) > scale_.ranks)
      settings_.values["expert-parallel-size"] = fmt::format("{}", scale_.ranks);
  }

  /// A GPU that was planned, for an engine that runs on processors too.
  void say_device() {
    if (engine_.find("device") == nullptr || settings_.find("device") != nullptr || !there_ ||
        there_->gpu.empty())
      return;
    settings_.values["device"] = there_->gpu == kThisMachine ? "cpu" : "cuda";
  }

  /// Names of profiles mean nothing to other engines: they are told the file or the repository.
  void name_model() {
    const std::string* model = settings_.find("model");
    if (model == nullptr) return;
    const ModelProfile* profile = find_model_profile(*model);
    const bool file = profile != nullptr && profile->fetchable() && !engine_.model_files.empty();
    out_.model = engine_.kv_law == kv_law_name(KvLaw::pitwall) ? *model
                 : file                                        ? profile->file
                                                               : hub_model_name(*model);
  }

  void note_model() {
    const std::string& ending = engine_.model_files;
    if (const auto& refused = engine_.refused_weights;
        out_.model.ends_with(".gguf") && std::find(refused.begin(), refused.end(), "gguf") != refused.end())
      note(fmt::format("{} loads no .gguf files: take the repository that {} was made of", engine_.title,
                       out_.model));
    if (ending.empty() || out_.model.empty() || out_.model.ends_with(ending)) return;
    const std::string* format = settings_.find("quantization");
    std::string packed = format == nullptr ? "" : *format;
    for (const char* each : {"AWQ", "GPTQ"}) {
      if (packed.empty() && upper(out_.model).find(each) != std::string::npos) packed = each;
    }
    note(fmt::format("{} loads {} files alone, and {} is none: take the model's", engine_.title, ending,
                     out_.model));
    if (!packed.empty())
      note(fmt::format("weights in {} are not converted: other 4-bit ones such as Q4_K_M take their place",
                       upper(packed)));
  }

  /// Whether a token takes other bytes of KV there.
  bool grows() const {
    return terms_ && there_ && terms_->kv_per_token > 0 && there_->kv_per_token > 0 &&
           terms_->kv_per_token != there_->kv_per_token;
  }

  /// The same tokens there, as far as the same memory holds them.
  Bytes kv_there(Bytes kv) {
    if (!grows()) return kv;
    const double factor =
        static_cast<double>(there_->kv_per_token) / static_cast<double>(terms_->kv_per_token);
    const auto same = static_cast<Bytes>(factor * static_cast<double>(kv));
    const Bytes most =
        std::max(terms_->loaded() + kv, terms_->total / kFreePart * (kFreePart - 1)) - there_->loaded();
    const std::string a_token =
        fmt::format("KV takes {} B a token on each GPU, not {}", format_count(there_->kv_per_token),
                    format_count(terms_->kv_per_token));
    note(same <= most ? fmt::format("{}: the same tokens take {} instead of {}", a_token, format_bytes(same),
                                    format_bytes(kv))
                      : fmt::format("{}: {} are left for it, {} of {} tokens", a_token,
                                    format_bytes(std::max<Bytes>(most, 0)),
                                    format_count(std::max<Bytes>(most, 0) / there_->kv_per_token),
                                    format_count(kv / terms_->kv_per_token)));
    return std::min(same, most);
  }

  /// An engine that starts only where KV holds one sequence of the longest is told what it does hold.
  void hold_one_sequence() {
    const bool starts_without = engine_.kv_law != kv_law_name(KvLaw::vllm);
    if (starts_without || !there_ || there_->kv_per_token <= 0 || !there_->full_length) return;
    const std::int64_t length = settings_.integer("max-model-len").value_or(there_->max_model_len);
    const std::string* asked = settings_.find("block-size");
    const bool told = asked != nullptr && can_tell(engine_, "block-size", *asked);
    const int size = block_size_of(told ? settings_ : EngineSettings{}, engine_);
    const Bytes kv = kv_bytes_of(settings_, *there_, size).value_or(there_->kv);
    const double whole = static_cast<double>(there_->kv) / std::max(*there_->full_length, 1e-9);
    const auto one =
        static_cast<Bytes>(whole / static_cast<double>(std::max<std::int64_t>(there_->max_model_len, 1)) *
                           static_cast<double>(length));
    if (length <= 0 || kv >= one) return;
    const std::int64_t tokens = (kv / there_->kv_per_token / size - 1) * size;  // without the null block
    const bool grows_evenly = one <= capped_product(length + size, there_->kv_per_token);
    if (!grows_evenly || tokens <= 0) {
      note(fmt::format(
          "{} of KV hold no sequence of {} tokens, which {} starts with alone: lower max-model-len",
          format_bytes(kv), format_count(length), engine_.title));
      return;
    }
    settings_.values["max-model-len"] = fmt::format("{}", tokens);
    note(fmt::format(
        "max-model-len is {} instead of {}: {} starts where KV holds one such sequence, and {} do not",
        format_count(tokens), format_count(length), engine_.title, format_bytes(kv)));
  }

  /// What the settings give; less where it fits and the plan's pool ends before, by more than the rest of a
  /// block.
  std::optional<Bytes> kv_said(const EngineSettings& memory) const {
    const auto kv = kv_bytes_of(memory, *terms_, block());
    const bool stated =
        memory.find("kv-cache-memory-bytes") != nullptr || memory.find("kv-tokens") != nullptr;
    if (!kv || stated || terms_->kv <= 0 || *kv + terms_->loaded() > terms_->total) return kv;
    return *kv - terms_->kv < std::max<Bytes>(terms_->kv_block, 1) ? kv
                                                                   : std::min(*kv, in_blocks(terms_->kv));
  }

  /// A pool made for whole sequences without blocks (llama.cpp): there each of them ends a block of its own.
  Bytes in_blocks(Bytes kv) const {
    const auto tokens = settings_.integer("max-model-len"), sequences = settings_.integer("max-num-seqs");
    if (!tokens || !sequences || kv != capped_product(*tokens, *sequences, terms_->kv_per_token)) return kv;
    return capped_product(rounded_up(*tokens, block_size_of(settings_, engine_)), *sequences,
                          terms_->kv_per_token);
  }

  /// Whether the same numbers give other bytes of KV there.
  bool means_other_bytes(const EngineSettings& memory) const {
    if (!terms_ || !there_ || terms_->weights <= 0) return false;
    const bool loads_more = terms_->loaded() != there_->loaded();
    return std::any_of(memory.values.begin(), memory.values.end(), [&](const auto& each) {
      if (each.first == "kv-tokens" || each.first == "kv-blocks") return false;
      return each.first == "kv-cache-memory-bytes" ? grows() : loads_more;
    });
  }

  /// Memory that the engine takes of something else.
  void convert_memory() {
    EngineSettings asked, kept;
    for (const std::string_view name : memory_settings()) {
      const std::string* value = settings_.find(name);
      if (value == nullptr) continue;
      asked.values[std::string(name)] = *value;
      if (engine_.find(name) != nullptr) kept.values[std::string(name)] = *value;
    }
    if (asked.values.size() == kept.values.size() && !means_other_bytes(kept)) return;
    for (const auto& [name, value] : asked.values) settings_.values.erase(name);
    const std::string said = what_was_said(asked);
    if (!terms_ || terms_->total <= 0) {
      note(fmt::format("{} is not carried over: give the GPU and the model, and it becomes bytes", said));
      restore(kept);
      return;
    }
    // What a margin leaves is not all taken: the context ends before.
    const bool everything = std::all_of(asked.values.begin(), asked.values.end(), [](const auto& each) {
      return holds_everything(each.first) && each.first != "memory-margin";
    });
    const bool loaded = terms_->weights > 0;
    const auto kv = loaded || everything ? kv_said(asked) : std::nullopt;
    const bool known = kv.has_value();
    const Bytes wanted = known && *kv > 0 ? kv_there(*kv) : kv.value_or(0);
    const std::string target = target_for(loaded, wanted);
    if (target.empty()) {
      const std::string why = known && wanted <= 0 ? "it leaves nothing for KV"
                              : !loaded            ? "it cannot become bytes without the model's weights"
                                                   : engine_.title + " has no flag that says it";
      note(fmt::format("{} is not carried over: {}", said, why));
      restore(kept);
      return;
    }
    const std::string value = *memory_value_for(target, wanted, *there_, block());
    const EngineFlag& flag = engine_.find(target)->flags.front();
    const auto theirs = theirs_of(*find_engine_setting(target), flag, value, scale_);
    if (!theirs) {
      note(fmt::format("{} is not carried over: {} takes no more than {} of the GPU's memory", said,
                       engine_.title, flag.factor));
      return;
    }
    settings_.values[target] = value;
    const std::optional<MemoryTerms> terms = loaded ? there_ : std::nullopt;
    const EngineSettingInfo& info = *find_engine_setting(target);
    note(fmt::format("{} becomes {} {}: {}", said, flag.shown(),
                     info.type == EngineValue::share ? theirs->text : human_value(info, value),
                     memory_meaning(target, value, terms, block())));
    const Bytes reached = kv_bytes_of(target, value, *there_, block()).value_or(wanted);
    const Bytes unit = std::max<Bytes>(there_->kv_block, 1);
    const std::string off = format_bytes(std::abs(wanted - reached));
    if (reached / unit != wanted / unit)
      note(reached < wanted ? fmt::format("Rounded down: {} less than {}", off, format_bytes(wanted))
                            : fmt::format("Rounded up: {} more than {}", off, format_bytes(wanted)));
    if (const Bytes over = reached + there_->loaded() - there_->total; loaded && over > 0)
      note(fmt::format("With the {} that {} holds beside KV that is {} more than the GPU has",
                       format_bytes(there_->loaded()), engine_.title, format_bytes(over)));
  }

  /// Of the longest sequence, in what the margin leaves; none where the model is not known.
  std::optional<std::int64_t> slots_that_fit() const {
    if (!there_ || !there_->full_length) return std::nullopt;
    const std::string* told = settings_.find("memory-margin");
    const std::string margin = told != nullptr ? *told : engine_.default_of("memory-margin", {});
    const auto room = kv_bytes_of("memory-margin", margin, *there_, block());
    if (!room || there_->kv <= 0) return 0;
    const double pools = static_cast<double>(std::max<Bytes>(*room, 0)) / static_cast<double>(there_->kv);
    return static_cast<std::int64_t>(pools * *there_->full_length + 1e-6);
  }

  /// Where the KV of all slots is taken at the start, no more of them than the engine has and memory holds.
  void limit_slots() {
    const EngineSetting *length = engine_.find("max-model-len"), *slots = engine_.find("max-num-seqs");
    if (length == nullptr || slots == nullptr || !length->flags.front().shared_slots) return;
    const auto asked = settings_.integer("max-num-seqs"), tokens = settings_.integer("max-model-len");
    const std::int64_t most = slots->flags.front().most;
    std::int64_t left = asked.value_or(0);
    if (most > 0 && left > most) {
      note(fmt::format("max-num-seqs {} is not carried over: {} has at most {} slots", left, engine_.title,
                       most));
      left = most;
    }
    const std::string* unified = settings_.find("kv-unified");
    const bool each = tokens && !(unified != nullptr && *unified == "true");
    const auto fit = slots_that_fit();
    if (each && fit && left > *fit) {
      note(
          fmt::format("max-num-seqs {} is not carried over: {} takes the KV of all slots at the start, and "
                      "memory holds {} of {} tokens",
                      left, engine_.title, *fit, *tokens));
      left = std::max<std::int64_t>(*fit, 1);
    }
    if (!asked || left == *asked) return;
    settings_.values["max-num-seqs"] = fmt::format("{}", left);
    if (each) scale_.sequences = static_cast<int>(left);
  }

  void restore(const EngineSettings& kept) {
    for (const auto& [name, value] : kept.values) settings_.values[name] = value;
  }

  std::string target_for(bool loaded, Bytes kv) const {
    static constexpr std::string_view kPreferred[] = {"kv-cache-memory-bytes",
                                                      "memory-limit",
                                                      "memory-share-of-total",
                                                      "memory-share-static",
                                                      "memory-share-of-free",
                                                      "memory-share-after-weights",
                                                      "memory-margin",
                                                      "kv-tokens",
                                                      "kv-blocks"};
    for (const std::string_view name : kPreferred) {
      if (engine_.find(name) == nullptr || (!loaded && !holds_everything(name))) continue;
      if (memory_value_for(name, kv, *there_, block())) return std::string(name);
    }
    return "";
  }

  int block() const { return static_cast<int>(settings_.integer("block-size").value_or(1)); }

  static std::string what_was_said(const EngineSettings& asked) {
    std::string text;
    for (const auto& [name, value] : asked.values) {
      const EngineSettingInfo& info = *find_engine_setting(name);
      text += fmt::format("{}{} {}", text.empty() ? "" : " with ", name, human_value(info, value));
    }
    return text;
  }

  void say(const EngineSetting& setting, const std::string& value) {
    const EngineSettingInfo& info = *find_engine_setting(setting.name);
    const auto is_free = [&](const EngineFlag& each) {
      return each.names.empty() ||
             std::find(taken_.begin(), taken_.end(), each.names.front()) == taken_.end();
    };
    const auto told_beside = [&](const EngineFlag& each) {
      const std::string* beside = settings_.find(each.with.first);
      return beside != nullptr && *beside == each.with.second;
    };
    auto flag = std::find_if(setting.flags.begin(), setting.flags.end(), told_beside);
    if (flag == setting.flags.end()) flag = std::find_if(setting.flags.begin(), setting.flags.end(), is_free);
    if (flag == setting.flags.end()) {
      note(fmt::format("{} {} is not written: {} already says something else", info.name, value,
                       setting.flags.front().shown()));
      return;
    }
    if (info.name == "api-key") {
      say_key(*flag);
      return;
    }
    const bool counts_more = flag->all_replicas && scale_.replicas > 1;
    const bool usual =
        value == flag->default_value && !counts_more && (value == "auto" || value == "1" || value == "0");
    if (usual || value.empty()) return;
    if (info.type == EngineValue::boolean && flag->values.empty()) {
      say_switch(info, *flag, value == "true");
      return;
    }
    if (info.type == EngineValue::integer && !flag->on.empty()) {
      say_expert_ranks(*flag, value);
      return;
    }
    const auto theirs = theirs_of(info, *flag, value, scale_);
    if (!theirs) {
      if (value != flag->default_value && value != "auto") note_untold(info, *flag, value);
      return;
    }
    if (!theirs->exact)
      note(fmt::format("{} takes whole {}: {} became {}", flag->shown(),
                       flag->unit.empty() ? "bytes" : flag->unit, human_value(info, value), theirs->text));
    put(info, *flag, theirs->text);
    if (flag->shared_slots && scale_.sequences > 1)
      note(fmt::format("{} {} is for all slots together: {} of {} tokens each", flag->shown(), theirs->text,
                       scale_.sequences, value));
  }

  /// With what a KV format that falls back costs.
  void note_untold(const EngineSettingInfo& info, const EngineFlag& flag, const std::string& value) {
    if (info.name == "quantization") note_checkpoint(value);
    const std::string what = fmt::format("{} {}", info.name, value);
    note(info.name == "kv-cache-dtype" && grows()
             ? fmt::format(
                   "{} cannot be told {} by {}: its default holds, which takes {} B a token instead of {}",
                   engine_.title, what, flag.shown(), format_count(there_->kv_per_token),
                   format_count(terms_->kv_per_token))
             : fmt::format("{} cannot be told {} by {}: its default holds", engine_.title, what,
                           flag.shown()));
  }

  /// Weights that the first engine makes while it loads.
  void note_checkpoint(const std::string& format) {
    if (there_ && there_->weights > 0 && find_weight_format(format))
      note(
          fmt::format("{} loads weights as the checkpoint has them: take one in {}, which these bytes are of",
                      engine_.title, format));
  }

  void say_switch(const EngineSettingInfo& info, const EngineFlag& flag, bool on) {
    const auto& words = on ? flag.on : flag.off;
    if (!words.empty()) {
      add_needed(flag);
      out_.arguments.push_back(words.front());
    } else if (!flag.config.empty()) {
      put(info, flag, on ? "true" : "false");
    } else if (flag.default_value != (on ? "true" : "false")) {
      note(fmt::format("{} has no flag that turns {} {}", engine_.title, on ? "on" : "off", info.title));
    }
  }

  /// Told as all GPUs or none.
  void say_expert_ranks(const EngineFlag& flag, const std::string& value) {
    if (value == "1") return;
    out_.arguments.push_back(flag.on.front());
    if (const std::string all = fmt::format("{}", scale_.gpus()); value != all)
      note(fmt::format("expert-parallel-size {} is not carried over: with {} it is {} in {}", value,
                       flag.shown(), all, engine_.title));
  }

  void put(const EngineSettingInfo& info, const EngineFlag& flag, const std::string& text) {
    add_needed(flag);
    if (!flag.key.empty()) {
      if (!objects_.contains(flag.names.front())) out_.arguments.push_back(flag.names.front());
      objects_[flag.names.front()][flag.key] = typed(info.type, text);
    } else if (!flag.names.empty()) {
      taken_.push_back(flag.names.front());
      add(flag.names.front(), text, flag.words);
      for (const std::string& other : flag.also) add(other, text, flag.words);
    } else if (!flag.config.empty()) {
      json* place = &config_;
      for (std::size_t from = 0; from <= flag.config.size();) {
        const std::size_t dot = std::min(flag.config.find('.', from), flag.config.size());
        place = &(*place)[flag.config.substr(from, dot - from)];
        from = dot + 1;
      }
      *place = flag.values.empty() ? typed(info.type, text) : text == "null" ? json() : json(text);
    } else {
      out_.environment.emplace_back(flag.environment, text);
    }
  }

  void add(const std::string& name, const std::string& text, bool words) {
    if (engine_.keywords) {
      out_.arguments.push_back(name + "=" + text);
      return;
    }
    out_.arguments.push_back(name);
    std::string word;
    for (const char letter : text) {
      if (words && letter == ',') {
        out_.arguments.push_back(std::move(word));
        word.clear();
      } else {
        word += letter;
      }
    }
    out_.arguments.push_back(std::move(word));
  }

  void add_needed(const EngineFlag& flag) {
    if (flag.needs.empty() ||
        std::find(out_.arguments.begin(), out_.arguments.end(), flag.needs.front()) != out_.arguments.end())
      return;
    out_.arguments.insert(out_.arguments.end(), flag.needs.begin(), flag.needs.end());
  }

  void say_key(const EngineFlag& flag) {
    const std::string variable = flag.environment.empty() ? "API_KEY" : flag.environment;
    if (flag.environment.empty()) add(flag.names.front(), fmt::format("${}", variable), false);
    note(
        fmt::format("The key of clients is not repeated: {} takes it from the variable {}. Set that first: "
                    "without it the server is open to all who reach it",
                    engine_.title, variable));
  }

  void has_no_counterpart(const EngineSettingInfo& info, const std::string& value) {
    if (info.name == "api-key") {
      note(fmt::format("{} asks clients for no key: the server becomes open to all who reach it",
                       engine_.title));
      return;
    }
    static constexpr std::string_view kOnUnasked[] = {"graphs", "enable-prefix-caching",
                                                      "enable-chunked-prefill", "overlap-schedule"};
    const bool on_unasked =
        std::find(std::begin(kOnUnasked), std::end(kOnUnasked), info.name) != std::end(kOnUnasked);
    const bool nothing = (info.type == EngineValue::boolean && value == "false" && !on_unasked) ||
                         (value == "1" && (info.name.ends_with("-parallel-size") || info.name == "nodes")) ||
                         (info.name == "expert-exchange" && value == "none") || is_memory(info.name) ||
                         (info.name == "device" && value == "cuda") || info.name == "kv-unified";
    if (nothing) return;
    if (info.name == "quantization") note_checkpoint(value);
    note(fmt::format("{} has no counterpart of {} {} ({})", engine_.title, info.name,
                     human_value(info, value), info.title));
  }

  /// JSON flags get their objects, a configuration file its name.
  void finish() {
    for (const auto& [flag, object] : objects_.items()) {
      const auto at = std::find(out_.arguments.begin(), out_.arguments.end(), flag);
      out_.arguments.insert(at + 1, object.dump());
    }
    if (config_.empty()) return;
    out_.config = yaml_text(config_);
    out_.config_name = engine_.name + ".yaml";
    out_.arguments.push_back(engine_.config_flags.front());
    out_.arguments.push_back(out_.config_name);
  }

  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  const EngineProfile& engine_;
  EngineSettings settings_;
  const std::optional<MemoryTerms>& terms_;
  std::optional<MemoryTerms> there_;
  WrittenFlags out_;
  FlagScale scale_;
  json objects_ = json::object(), config_ = json::object();
  std::vector<std::string> taken_;
};

}  // namespace

WrittenFlags write_flags(const EngineProfile& engine, const EngineSettings& settings,
                         const std::optional<MemoryTerms>& terms, const std::optional<MemoryTerms>& there) {
  return Writer(engine, settings, terms, there).write();
}

WrittenFlags write_flags(const EngineProfile& engine, const DeploymentPlan& plan) {
  Deployment asked = plan.asked;
  asked.expert_parallel = asked.expert_parallel && plan.model.experts > 0;
  EngineSettings settings = settings_of(asked);
  const MemoryTerms terms = memory_terms_of(plan);
  const bool own_rule = plan.asked.budget.meaning == MemoryBudget::Meaning::automatic;
  if (own_rule && plan.engine != engine.name && terms.kv > 0)
    settings.values["kv-cache-memory-bytes"] = fmt::format("{}", terms.kv);
  return write_flags(engine, settings, terms, memory_terms_on(engine, plan));
}

}  // namespace pitwall
