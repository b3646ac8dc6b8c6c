// SPDX-License-Identifier: GPL-3.0-or-later
// sweep: one setting at a time against the same base, each measurement a run; a killed sweep goes on where it
// stopped when the same command is given again.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/load_bench.h"
#include "app/pitwallctl/load_text.h"
#include "app/pitwallctl/number_checks.h"
#include "engine/bench/sweep.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  SyntheticFlags synthetic;
  LoadFlags load;
  std::vector<std::string> vary;
  std::string objective;
  bool json = false;
};

constexpr const char* kDefaultObjective = "output_throughput";

/// Beside settings, what may vary of the load.
bool is_load_variable(std::string_view name) {
  return name == "max-concurrency" || name == "request-rate";
}

Result<void> set_load_variable(LoadFlags& load, const SweepChange& change) {
  if (change.name == "request-rate") {
    if (const std::string fault = check_request_rate(change.value); !fault.empty())
      return Error{Error::Kind::invalid_input, "request-rate " + change.value + ": " + fault, "", "", "vary"};
    load.request_rate = change.value;
    return {};
  }
  constexpr int kMost = 1 << 24;
  const int value = std::atoi(change.value.c_str());
  if (value < 1 || value > kMost || std::to_string(value) != change.value)
    return Error{Error::Kind::invalid_input, "max-concurrency must be 1 or more, got " + change.value, "", "",
                 "vary"};
  load.max_concurrency = value;
  return {};
}

/// Says what is wrong with a variable before anything is measured.
Result<SweepVariable> sound_variable(const std::string& text) {
  auto variable = parse_variable(text);
  if (!variable.ok()) return variable;
  const SettingInfo* info = find_setting(variable->name);
  if (info != nullptr && engine_setting(*info) && !model_setting(*info)) {
    variable->name = info->name;
  } else if (!is_load_variable(variable->name)) {
    return Error{Error::Kind::not_found, variable->name + " cannot be varied",
                 "It is no setting of the engine, nor max-concurrency or request-rate", "See --help", "vary"};
  }
  for (const std::string& value : variable->values) {
    LoadFlags load;
    auto set = is_load_variable(variable->name) ? set_load_variable(load, {variable->name, value})
                                                : Settings().set(variable->name, value);
    if (!set.ok()) return set.error();
  }
  return variable;
}

std::string description_of(const Options& options, const Settings& settings) {
  const LoadFlags& load = options.load;
  const Json text = {{"settings", settings.to_json()},
                     {"model", settings.text("model")},
                     {"synthetic", options.synthetic.profile},
                     {"weights", options.synthetic.weights},
                     {"seed", options.synthetic.seed},
                     {"trace", load.trace},
                     {"workload", load.workload},
                     {"num_prompts", load.num_prompts},
                     {"request_rate", load.request_rate},
                     {"burstiness", load.burstiness},
                     {"max_concurrency", load.max_concurrency},
                     {"warmups", load.warmups},
                     {"ignore_eos", load.ignore_eos},
                     {"temperature", load.temperature}};
  return text.dump();
}

Result<SweepPlan> plan_of(const Options& options, const Settings& settings) {
  SweepPlan plan;
  for (const std::string& text : options.vary) {
    auto variable = sound_variable(text);
    if (!variable.ok()) return variable.error();
    plan.variables.push_back(std::move(*variable));
  }
  plan.repeats = options.load.repeats;
  auto objectives = parse_objectives(options.load.goodput);
  if (!objectives.ok()) return objectives.error();
  plan.objectives = std::move(*objectives);
  plan.objective = !options.objective.empty() ? options.objective
                   : plan.objectives.any()    ? std::string("goodput")
                                              : std::string(kDefaultObjective);
  plan.description = description_of(options, settings);
  return plan;
}

/// Measures with an engine for each change; the repeats of one change share it.
class Measurer {
 public:
  Measurer(const Options& options, const SweepPlan& plan, Settings base, Store& store)
      : options_(options), plan_(plan), base_(std::move(base)), store_(store) {}

  Result<Run> measure(const SweepMeasurement& measurement) {
    LoadFlags load = options_.load;
    if (is_load_variable(measurement.change.name)) {
      if (auto set = set_load_variable(load, measurement.change); !set.ok()) return set.error();
    }
    if (auto ready = start_for(measurement.change); !ready.ok()) return ready.error();
    auto source = load.source();
    if (!source.ok()) return source.error();
    // Repeat k has the same requests whatever was changed, so that effects are differences of like and like.
    auto setup =
        load.setup(*source, options_.synthetic.seed + static_cast<std::uint64_t>(measurement.repeat - 1));
    if (!setup.ok()) return setup.error();
    setup->repeats = 1;
    BenchJob job = job_for_engine(*loaded_, load, std::move(*source), std::move(*setup), false);
    job.runs = &store_;
    job.header.name =
        fmt::format("sweep {}, {}, repeat {}", plan_.id(), measurement.change.text(), measurement.repeat);
    const auto entries = config_of(plan_, measurement);
    job.header.config.insert(job.header.config.end(), entries.begin(), entries.end());
    const auto outcome = run_bench(job);
    if (!outcome.ok()) return outcome.error();
    return store_.run(RunId{outcome->report.run_ids.front()});
  }

 private:
  Result<void> start_for(const SweepChange& change) {
    if (loaded_ && started_ == change.text()) return {};
    loaded_.reset();  // its memory is the next one's
    Settings settings = base_;
    if (!change.is_base() && !is_load_variable(change.name)) {
      if (auto set = settings.set(change.name, change.value, SettingOrigin::tuner); !set.ok())
        return set.error();
    }
    auto loaded = start_for_load(std::move(settings), options_.synthetic);
    if (!loaded.ok()) return loaded.error();
    loaded_ = std::move(*loaded);
    started_ = change.text();
    return {};
  }

  const Options& options_;
  const SweepPlan& plan_;
  Settings base_;
  Store& store_;
  std::optional<LoadedBench> loaded_;
  std::string started_;
};

Json point_json(const SweepPoint& point, const std::string& objective) {
  const auto found = point.figures.find(objective);
  Json json = {{"value", found != point.figures.end() ? Json(found->second) : Json()}};
  for (const auto& [name, value] : point.figures) json[name] = value;
  json["run_ids"] = point.runs;
  return json;
}

Json number(double value) {
  return std::isnan(value) ? Json() : Json(value);
}

/// What a variable is where it is not varied.
std::string base_value(const std::string& name, const LoadFlags& load, const Settings& settings) {
  if (name == "request-rate") return load.request_rate.empty() ? "the load's own" : load.request_rate;
  if (name == "max-concurrency")
    return load.max_concurrency > 0 ? fmt::format("{}", load.max_concurrency) : "unlimited";
  return settings.display(name);
}

Json result_json(const SweepResult& result, const SweepPlan& plan, const Options& options,
                 const Settings& settings) {
  Json items = Json::array();
  for (const SweepItem& item : result.items) {
    items.push_back({{"change", item.change.text()},
                     {"name", item.change.name},
                     {"from", base_value(item.change.name, options.load, settings)},
                     {"to", item.change.value},
                     {"before", point_json(item.before, plan.objective)},
                     {"after", point_json(item.after, plan.objective)},
                     {"effect",
                      {{"mean", number(item.effect.mean)},
                       {"ci95_low", number(item.effect.low)},
                       {"ci95_high", number(item.effect.high)},
                       {"percent", number(item.percent)}}},
                     {"verdict", item.verdict},
                     {"error", item.error}});
  }
  return {{"sweep_id", result.id},
          {"objective", plan.objective},
          {"unit", objective_unit(plan.objective)},
          {"more_is_better", sweep_objectives().at(plan.objective)},
          {"repeats", plan.repeats},
          {"resumed", result.resumed},
          {"base", point_json(result.base, plan.objective)},
          {"items", items}};
}

std::string effect_text(const SweepItem& item) {
  if (!item.error.empty()) return item.error;
  if (std::isnan(item.effect.low)) return fmt::format("{:+.4g} ({:+.1f} %)", item.effect.mean, item.percent);
  return fmt::format("{:+.4g} ± {:.3g} ({:+.1f} %)", item.effect.mean, item.effect.high - item.effect.mean,
                     item.percent);
}

std::string result_text(const SweepResult& result, const SweepPlan& plan, const Options& options,
                        const Settings& settings) {
  const auto value = [&](const SweepPoint& point) {
    const auto found = point.figures.find(plan.objective);
    return found == point.figures.end() ? std::string("–") : fmt::format("{:.5g}", found->second);
  };
  std::string base;
  for (const SweepVariable& variable : plan.variables)
    base += fmt::format("{}{}={}", base.empty() ? "base: " : ", ", variable.name,
                        base_value(variable.name, options.load, settings));
  std::string text =
      fmt::format("{} in {} (95 % intervals over {} repeats, paired by seed)\n{:<32}{:>12}\n", plan.objective,
                  objective_unit(plan.objective), plan.repeats, base, value(result.base));
  for (const SweepItem& item : result.items) {
    text += fmt::format("{:<32}{:>12}  {}: {}\n", item.change.text(), value(item.after), item.verdict,
                        effect_text(item));
  }
  return text;
}

Result<void> sweep(const Options& options) {
  const Settings settings = options.flags->settings();
  auto plan = plan_of(options, settings);
  if (!plan.ok()) return plan.error();
  auto store = open_store();
  if (!store.ok()) return store.error();

  Measurer measurer(options, *plan, settings, **store);
  SweepRunner runner(*plan,
                     [&](const SweepMeasurement& measurement) { return measurer.measure(measurement); });
  const auto runs = (*store)->runs();
  if (!runs.ok()) return runs.error();
  for (const RunListItem& item : *runs) {
    if (item.kind != "bench" || !item.name.starts_with("sweep " + plan->id())) continue;
    if (const auto run = (*store)->run(item.id); run.ok()) runner.remember(*run);
  }
  if (const std::size_t done = runner.remembered(); done > 0)
    print_note(fmt::format("sweep {} goes on: {} measurements are in the store already", plan->id(), done));
  runner.on_progress([](const SweepProgress& progress) {
    print_note(fmt::format("{} of {} measured; now {}, repeat {}", progress.done, progress.total,
                           progress.now.change.text(), progress.now.repeat));
  });
  const auto result = runner.run();
  if (!result.ok()) return result.error();
  options.json ? print_json(result_json(*result, *plan, options, settings))
               : print(result_text(*result, *plan, options, settings));
  return {};
}

}  // namespace

void add_sweep_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("sweep",
                                         "Try values of one setting at a time against the same base; each "
                                         "measurement is a run. Given again, it goes on "
                                         "where it stopped");
  options->flags = std::make_unique<SettingFlags>(*command, engine_setting);
  options->synthetic.add_to(*command);
  options->load.add_to(*command, 3);
  command->add_option("--num-prompts", options->load.num_prompts, "Requests of each measurement, at most")
      ->check(CLI::Range(1, 1 << 24));
  command
      ->add_option(
          "--vary", options->vary,
          "A setting of the engine, max-concurrency or request-rate, and its values; may be given several "
          "times: one after another")
      ->required()
      ->type_name("NAME=A,B,C")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  std::vector<std::string> objectives;
  for (const auto& [name, more] : sweep_objectives()) objectives.push_back(name);
  command
      ->add_option(
          "--objective", options->objective,
          fmt::format("What decides; default: goodput where --goodput is given, else {}", kDefaultObjective))
      ->check(CLI::IsMember(objectives));
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, command, options] {
    options->synthetic.check(*command);
    if (!options->load.given()) throw CLI::RequiredError("--workload or --trace");
    for (const std::string& text : options->vary) {
      if (const auto sound = sound_variable(text); !sound.ok())
        throw CLI::ValidationError("--vary", sound.error().text());
    }
    action = [options] { return sweep(*options); };
  });
}

}  // namespace pitwall::ctl
