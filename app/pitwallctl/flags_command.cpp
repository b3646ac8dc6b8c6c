// SPDX-License-Identifier: GPL-3.0-or-later
// flags: settings from one engine's command line or configuration, as another's.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/common/this_machine.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/library/model_profile.h"
#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/manifest.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string from = "auto", to, config, model, gpu, format = "command", name;
  std::string gpu_memory, weights_memory, working_memory;
  std::vector<std::string> words;
  bool json = false;
};

/// Flags beside a configuration file, or the command that reads it: of the same engine, and they win over it.
Result<void> add_command(const std::vector<std::string>& words, EngineCommand& command) {
  if (words.empty()) return {};
  auto beside = read_command(words, command.engine);
  if (!beside.ok()) return beside.error();
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(command.environment, beside->environment);
  append(command.arguments, beside->arguments);
  append(command.config, beside->config);
  append(command.notes, beside->notes);
  if (beside->gpus > 0) command.gpus = beside->gpus;
  return {};
}

Result<EngineReading> read(const Options& options) {
  const EngineProfile* from = nullptr;
  if (options.from != "auto") {
    const auto found = find_engine(options.from);
    if (!found.ok()) return found.error();
    from = *found;
  }
  EngineCommand command;
  if (!options.config.empty()) {
    const auto text = read_file(options.config, std::size_t{16} << 20);
    if (!text.ok()) return text.error();
    auto read = read_config(*text, from);
    if (!read.ok()) return read.error();
    command = std::move(*read);
    if (auto ok = add_command(options.words, command); !ok.ok()) return ok.error();
  } else {
    auto read = read_command(options.words, from);
    if (!read.ok()) return read.error();
    command = std::move(*read);
  }
  auto reading = read_engine_settings(command);
  // A command that names its model keeps that name: this one tells its bytes.
  if (reading.ok() && !options.model.empty()) {
    reading->settings.values.try_emplace("model", options.model);
    if (std::string dropped = drop_missing_format(reading->settings); !dropped.empty())
      reading->notes.push_back(std::move(dropped));
  }
  return reading;
}

struct Known {
  std::optional<MemoryTerms> terms, there;  // there: on the engine that is written for
  Bytes weights = 0;                        // of all ranks together
  int gpus = 0;                             // 0 = not said
  std::vector<std::string> notes;
};

/// The model with its weights as the settings ask for. To engines that flag names the method of a checkpoint
/// that is quantised already; a checkpoint in 16 bits gets that format.
Result<ModelOutline> as_served(const EngineReading& reading, const std::string& name) {
  constexpr double kPlainBits = 16;
  auto model = read_outline(name.empty() ? "" : local_model_name(name));
  const std::string format = deployment_of(reading.settings, *reading.engine, std::nullopt).quantization;
  if (!model.ok() || format.empty() || model->weight_bits < kPlainBits) return model;
  auto other = with_weight_format(*model, format);
  return other.ok() ? other : model;
}

/// Bytes a token are less on a rank than in all, under tensor parallelism.
std::string planned_text(const DeploymentPlan& plan, const MemoryTerms& terms) {
  std::string text = fmt::format(
      "{}: {} of weights and {} of working memory a GPU, as planned; KV takes {} B a token", plan.model.name,
      format_bytes(terms.weights), format_bytes(terms.working), format_count(terms.kv_per_token));
  if (plan.asked.tensor_parallel > 1)
    text += fmt::format(" per rank, {} B in all ranks",
                        format_count(terms.kv_per_token * plan.asked.tensor_parallel));
  return text;
}

/// Where no GPU is named: even shares.
Bytes weights_of_a_gpu(const ModelOutline& model, const EngineReading& reading) {
  Bytes experts = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!model.layers[i].draft) experts += model.layer_bytes[i].experts;
  }
  const Deployment deployment = deployment_of(reading.settings, *reading.engine, std::nullopt);
  return (model.weight_bytes() - experts) / deployment.tensor_parallel + experts / expert_ranks(deployment);
}

/// Where engines would refuse to start.
std::string length_note(const EngineSettings& settings, const ModelOutline& model) {
  const std::int64_t length = settings.integer("max-model-len").value_or(0);
  if (model.context_length <= 0 || length <= model.context_length) return "";
  return fmt::format(
      "max-model-len is {}, and the model was made for {} tokens: engines refuse to start with more, unless "
      "its positions are scaled",
      format_count(length), format_count(model.context_length));
}

/// The plan with the weights that the other engine loads: a format that it is told under no name is none
/// there, unless all engines that have it take it from the checkpoint.
DeploymentPlan as_loaded(const EngineReading& reading, const EngineProfile& to, const std::string& name,
                         const DeploymentPlan& plan, std::vector<std::string>& notes) {
  const std::string* said = reading.settings.find("quantization");
  const EngineSetting* setting = to.find("quantization");
  if (said == nullptr || setting == nullptr || reading.engine == &to) return plan;
  const auto plain = read_outline(local_model_name(name));
  if (!plain.ok() || plain->weight_bytes() == plan.model.weight_bytes()) return plan;
  const auto& words = setting->flags.front().values;
  if (std::any_of(words.begin(), words.end(), [&](const auto& word) { return word.first == *said; }))
    return plan;
  notes.push_back(fmt::format("{} loads the weights in {}: {}", to.title, plain->weight_format,
                              format_bytes(plain->weight_bytes())));
  DeploymentPlan there = plan;
  there.model = *plain;
  return there;
}

/// Bytes of one GPU, as far as GPU and model are known.
Result<Known> known(const Options& options, const EngineReading& reading, const EngineProfile& to) {
  Known known;
  known.gpus = reading.gpus;
  MemoryTerms terms;
  std::optional<GpuProfile> gpu;
  if (!options.gpu.empty()) {
    const auto named = parse_gpu_count(options.gpu);
    if (!named.ok()) return named.error();
    auto found = find_gpu_or_this_machine(*named);
    if (!found.ok()) return found.error();
    if (named->count > 1) known.gpus = named->count;
    gpu = std::move(*found);
    terms.total = gpu->memory;
  }
  const std::string* named = reading.settings.find("model");
  const std::string name = !options.model.empty() ? options.model : named != nullptr ? *named : "";
  const auto model = as_served(reading, name);
  if (model.ok()) {
    known.weights = model->weight_bytes();
    terms.weights = weights_of_a_gpu(*model, reading);
    const std::string* method = reading.settings.find("quantization");
    const std::string counted = deployment_of(reading.settings, *reading.engine, std::nullopt).quantization;
    if (method != nullptr && !method->empty() && counted.empty() && model->weight_bits >= 16)
      known.notes.push_back(
          fmt::format("What {} makes of the weights is not known here: they are counted in {}", *method,
                      model->weight_format));
    if (std::string note = length_note(reading.settings, *model); !note.empty())
      known.notes.push_back(std::move(note));
    if (gpu) {
      const auto plan = plan_settings(reading.settings, *reading.engine, *model, *gpu, known.gpus);
      if (plan.ok()) {
        terms = memory_terms_of(*plan);
        known.there = memory_terms_on(to, as_loaded(reading, to, name, *plan, known.notes));
        known.notes.push_back(planned_text(*plan, terms));
      } else {
        known.notes.push_back(fmt::format("No plan of {}: {}", name, plan.error().what));
      }
    } else {
      known.notes.push_back(fmt::format("{}: {} of weights a GPU", name, format_bytes(terms.weights)));
    }
  } else if (!name.empty() && options.weights_memory.empty()) {
    known.notes.push_back(fmt::format("{} is not known here: give --model or --weights-memory", name));
  }
  for (const auto& [text, place] :
       {std::pair{&options.gpu_memory, &terms.total}, std::pair{&options.weights_memory, &terms.weights},
        std::pair{&options.working_memory, &terms.working}}) {
    if (text->empty()) continue;
    *place = parse_size(*text).value();  // checked with the command line
    known.there.reset();                 // what is stated holds for both engines
    terms.kv = 0;
  }
  if (terms.weights > 0 && terms.working == 0)
    known.notes.push_back("Activations, graphs and context are not counted: --working-memory takes them");
  if (terms.total > 0) known.terms = terms;
  return known;
}

Json reading_json(const EngineReading& reading) {
  Json understood = Json::array(), unmatched = Json::array();
  for (const UnderstoodFlag& each : reading.understood) {
    understood.push_back({{"flag", each.written},
                          {"setting", each.setting},
                          {"value", each.value},
                          {"source", each.source},
                          {"verified", each.verified}});
  }
  for (const UnmatchedFlag& each : reading.unmatched) {
    unmatched.push_back({{"flag", fmt::format("{}", fmt::join(each.words, " "))},
                         {"known", each.known},
                         {"nearest", each.nearest.empty() ? Json() : Json(each.nearest)}});
  }
  return {{"from", reading.engine->name}, {"understood", understood}, {"no_counterpart", unmatched}};
}

/// Where a command takes more GPUs than it is given, or says that it takes fewer.
std::string gpus_note(const EngineSettings& settings, const Deployment& told, int given) {
  const auto names = {"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"};
  const bool said = std::any_of(names.begin(), names.end(),
                                [&](const char* name) { return settings.find(name) != nullptr; });
  if (given == 0 || given == told.gpus || (given > told.gpus && !said)) return "";
  return fmt::format("GPUs that the flags take: {}; that are given: {}", told.gpus, given);
}

struct Outcome {
  EngineReading reading;
  WrittenFlags written;
  std::vector<std::string> notes;
  std::string text;  // to paste
};

Json outcome_json(const Outcome& outcome) {
  Json document = reading_json(outcome.reading);
  const WrittenFlags& written = outcome.written;
  Json environment = Json::object();
  for (const auto& [name, value] : written.environment) environment[name] = value;
  Json settings = Json::object();
  for (const auto& [name, value] : outcome.reading.settings.values) settings[name] = value;
  document["settings"] = settings;
  document["to"] = written.engine->name;
  document["flags"] = written.arguments;
  document["environment"] = environment;
  document["config"] =
      written.config.empty() ? Json() : Json({{"name", written.config_name}, {"text", written.config}});
  document["command"] = command_text(written);
  document["text"] = outcome.text;
  document["notes"] = outcome.notes;
  return document;
}

/// What stands behind the end of a line is no comment, and names may hold one.
std::string one_line(std::string text) {
  for (const std::string_view end : {"\n", "\r", "\u0085", "\u2028", "\u2029"}) {
    for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end, at))
      text.replace(at, end.size(), 1, ' ');
  }
  return text;
}

/// Notes are comments, so that the whole can be pasted or written to a file.
std::string outcome_text(const Outcome& outcome) {
  std::string text = outcome.text;
  if (!text.ends_with('\n')) text += "\n";
  if (!outcome.written.config.empty()) {
    text += fmt::format("\n# {}:\n", outcome.written.config_name);
    for (const char letter : outcome.written.config) {
      if (text.back() == '\n') text += "#   ";
      text += letter;
    }
  }
  for (const std::string& note : outcome.notes) text += fmt::format("\n# {}", one_line(note));
  return outcome.notes.empty() ? text : text + "\n";
}

/// For CLI11: the error's text, empty where the value is sound.
template <class Read>
CLI::Validator sound(Read read) {
  return CLI::Validator(
      [read](const std::string& text) {
        const auto value = read(text);
        return value.ok() ? std::string() : value.error().text();
      },
      "");
}

Result<void> translate_flags(const Options& options) {
  const auto to = find_engine(options.to);
  if (!to.ok()) return to.error();
  auto reading = read(options);
  if (!reading.ok()) return reading.error();
  const auto known_here = known(options, *reading, **to);
  if (!known_here.ok()) return known_here.error();

  Outcome outcome;
  outcome.written = translate(*reading, **to, known_here->terms, known_here->there);
  const auto add = [&](const std::vector<std::string>& notes) {
    outcome.notes.insert(outcome.notes.end(), notes.begin(), notes.end());
  };
  add(known_here->notes);
  add(reading->notes);
  const Deployment told = deployment_of(reading->settings, *reading->engine, std::nullopt);
  if (std::string note = gpus_note(reading->settings, told, known_here->gpus); !note.empty())
    outcome.notes.push_back(std::move(note));
  add(memory_notes(*reading, known_here->terms, *to));
  add(outcome.written.notes);
  outcome.text = command_text(outcome.written);
  if (options.format != "command") {
    ManifestOptions manifest;
    manifest.name = options.name;
    manifest.replicas = told.gpus / (told.tensor_parallel * told.pipeline_parallel);
    manifest.weights = known_here->weights;
    auto written = options.format == "compose" ? compose_file(outcome.written, manifest)
                                               : kubernetes_manifest(outcome.written, manifest);
    if (!written.ok()) return written.error();
    outcome.text = std::move(written->text);
    add(written->notes);
  }
  outcome.reading = std::move(*reading);
  options.json ? print_json(outcome_json(outcome)) : print(outcome_text(outcome));
  return {};
}

}  // namespace

void add_flags_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "flags", "Translate an engine's command line or configuration into another's, with the bytes it means");
  command
      ->add_option("--from", options->from,
                   "Engine whose flags they are; auto finds it out from the command or the file")
      ->check(sound([](const std::string& name) { return find_engine(name == "auto" ? "vllm" : name); }))
      ->capture_default_str();
  command->add_option("--to", options->to, "Engine to write for")->required()->check(sound(find_engine));
  command->add_option(
      "--config", options->config,
      "Read a file instead: an engine's YAML or JSON, a compose file or a Kubernetes manifest");
  command->add_option("--gpu", options->gpu, "GPU by profile, such as H200 or H200x4: shares become bytes")
      ->check(sound(parse_known_gpus));
  command->add_option("--model", options->model, "Model, where the command's name for it is not known here");
  command
      ->add_option("--gpu-memory", options->gpu_memory, "Memory of one GPU, such as 80GiB, instead of --gpu")
      ->check(sound(parse_size));
  command
      ->add_option("--weights-memory", options->weights_memory,
                   "Bytes of weights on one GPU, such as 15GiB, instead of the model's")
      ->check(sound(parse_size));
  command
      ->add_option("--working-memory", options->working_memory,
                   "Bytes of activations, graphs and context on one GPU")
      ->check(sound(parse_size));
  command->add_option("--format", options->format, "What to write")
      ->check(CLI::IsMember({"command", "compose", "kubernetes"}))
      ->capture_default_str();
  command->add_option("--name", options->name, "Name of the service or deployment in a manifest");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->add_option("flags", options->words,
                      "Behind --: the flags, or the whole command as it is pasted, in quotes or not");
  command->callback([&action, options] { action = [options] { return translate_flags(*options); }; });
}

}  // namespace pitwall::ctl
