// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/checklist_measure.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/bench/bench_run.h"
#include "engine/bench/engine_job.h"
#include "engine/bench/openai_chunk.h"
#include "engine/bench/simulated_run.h"
#include "engine/library/models_folder.h"
#include "engine/telemetry/fields.h"

namespace pitwall {

namespace {

constexpr std::int32_t kAsManyAsServed = -1;

struct Asked {
  LoadSource source;
  LoadSetup setup;
};

Result<Asked> load_of(const Checklist& checklist, const TuneMeasurement& measurement) {
  Asked asked;
  auto workload = find_workload(checklist.workload);
  if (!workload) return workload.error();
  asked.source.num_prompts = checklist.num_prompts;
  asked.setup.workload = workload->name;
  asked.setup.request_rate = workload->request_rate;
  asked.source.workload = std::move(*workload);
  asked.setup.seed = checklist.seed + static_cast<std::uint64_t>(measurement.repeat - 1);
  asked.setup.warmups = 1;
  if (checklist.max_concurrency > 0) asked.setup.max_concurrency = checklist.max_concurrency;
  if (checklist.max_concurrency == kAsManyAsServed)
    asked.setup.max_concurrency = static_cast<int>(measurement.settings.integer("max-num-seqs"));
  return asked;
}

void add(std::vector<ConfigEntry>& config, const std::vector<ConfigEntry>& entries) {
  config.insert(config.end(), entries.begin(), entries.end());
}

std::vector<ConfigEntry> entries_of(const Settings& settings) {
  std::vector<ConfigEntry> entries;
  for (const Settings::Entry& entry : settings.entries())
    entries.push_back({entry.name, entry.value, entry.default_value, entry.origin, entry.changed});
  return entries;
}

Result<Run> play(BenchJob job, const TuneMeasurement& measurement, const TuneEnvironment& environment) {
  job.runs = environment.runs;
  job.cancel = environment.cancel;
  job.header.name = measurement.name;
  add(job.header.config, measurement.marks);
  const auto outcome = run_bench(job);
  if (!outcome) return outcome.error();
  const LoadReport& report = outcome->report;
  if (report.vllm.completed > 0) return environment.read_run(RunId{report.run_ids.front()});
  return Error{Error::Kind::io, fmt::format("None of the {} requests ended well", report.vllm.failed),
               report.failure_reasons.empty() ? "" : report.failure_reasons.begin()->first,
               "Choose a workload whose requests fit the model", ""};
}

// ---- the simulator ----

Result<Run> record(const SimulatedRun& simulated, RunHeader header, RunSink& sink) {
  Run run;
  run.requests = simulated.requests;
  run.seconds = simulated.seconds;
  run.steps = simulated.first_steps;
  run.itl = simulated.itl;
  for (RequestRecord& request : run.requests) request.arrival_utc = header.start_utc + request.arrival;
  for (SecondRecord& second : run.seconds) second.utc += header.start_utc;
  const auto id = sink.begin(header);
  if (!id) return id.error();
  run.id = *id;
  run.header = std::move(header);
  run.summary = summarize_requests(run.requests);
  run.summary.metrics["itl_ms"] = run.itl.summary();
  run.summary.ledger = simulated.ledger;
  run.summary.totals.steps = static_cast<std::int64_t>(simulated.steps);
  run.summary.totals.preemptions = simulated.result.preemptions;
  run.summary.totals.prefix_query_tokens = simulated.result.query_tokens;
  run.summary.totals.prefix_hit_tokens = simulated.result.hit_tokens;
  run.summary.totals.misses = simulated.result.misses;
  run.summary.end_utc =
      run.header.start_utc + static_cast<Nanos>(simulated.result.duration_s * kNanosPerSecond);
  if (auto appended = sink.append(run.id, {run.requests, run.seconds, {}, run.steps, run.itl}); !appended)
    return appended.error();
  if (auto ended = sink.end(run.id, run.summary); !ended) return ended.error();
  return run;
}

Result<Run> simulate_item(const Checklist& checklist, const TuneMeasurement& measurement,
                          const TuneEnvironment& environment) {
  auto model = read_outline(checklist.model);
  if (!model) return model.error();
  const auto gpus = parse_gpu_count(checklist.gpus);
  if (!gpus) return gpus.error();
  auto gpu = environment.find_gpu(gpus->name);
  if (!gpu) return gpu.error();
  auto asked = load_of(checklist, measurement);
  if (!asked) return asked.error();
  SimulationWish wish{std::move(*model), std::move(*gpu), gpus->count};
  if (!checklist.engine.empty()) wish.engine = checklist.engine;
  wish.max_concurrency = asked->setup.max_concurrency;
  wish.cancel = environment.cancel;
  const Trace trace = asked->source.make(asked->setup.seed);
  const auto simulated = simulate_run(trace, wish, measurement.settings);
  if (!simulated) return simulated.error();
  if (simulated->result.completed == 0)
    return Error{Error::Kind::invalid_input,
                 fmt::format("None of the {} requests could run", simulated->failed),
                 simulated->first_failure, "Choose a workload that fits", "workload"};
  asked->setup.num_prompts = std::ssize(trace.requests);
  asked->setup.endpoint = "simulator";
  asked->setup.warmups = 0;
  RunHeader header = client_run_header(wish.model.name);
  header.name = measurement.name;
  header.kind = "simulate";
  header.start_utc = RealClock().utc_now();
  header.device = fmt::format("simulated {} × {}", gpus->count, gpus->name);
  header.os.clear();
  header.cores = 0;
  header.architecture = wish.model.architecture;
  header.quantization = wish.model.weight_format;
  header.config = entries_of(measurement.settings);
  add(header.config, config_of(asked->setup));
  add(header.config, measurement.marks);
  return record(*simulated, std::move(header), *environment.runs);
}

// ---- an engine of its own ----

/// One engine for each set of settings; repeats share it.
class FreshEngine {
 public:
  explicit FreshEngine(TuneEnvironment environment) : environment_(std::move(environment)) {}

  Result<Run> measure(const Checklist& checklist, const TuneMeasurement& measurement) {
    auto asked = load_of(checklist, measurement);
    if (!asked) return asked.error();
    if (auto ready = start(checklist, measurement.settings); !ready) return ready.error();
    JobOptions options;
    options.ignore_eos = true;  // equal lengths, whatever is changed
    options.owns_engine = true;
    return play(
        engine_job(*engine_, said_->header(), std::move(asked->source), std::move(asked->setup), options),
        measurement, environment_);
  }

 private:
  Result<void> start(const Checklist& checklist, const Settings& settings) {
    const std::string what = checklist.model + settings.to_json();
    if (engine_ && what == started_) return {};
    engine_.reset();  // its memory is the next one's
    const auto model = resolve_model(checklist.model);
    if (!model) return model.error();
    said_ = std::make_unique<HeaderSink>();
    EngineOptions options;
    options.settings = settings;
    options.model = *model;
    options.make_backend = environment_.make_backend;
    options.runs = said_.get();
    options.cancel = environment_.cancel;
    auto engine = Engine::start(std::move(options));
    if (!engine) return engine.error();
    engine_ = std::move(*engine);
    started_ = what;
    return {};
  }

  TuneEnvironment environment_;
  std::unique_ptr<HeaderSink> said_;  // the engine holds on to it
  std::unique_ptr<Engine> engine_;
  std::string started_;
};

// ---- a running engine ----

/// Changes only what differs; at the end the settings that were there come back.
class RunningEngine {
 public:
  explicit RunningEngine(TuneEnvironment environment) : environment_(std::move(environment)) {}
  ~RunningEngine() {
    if (!found_.empty()) (void)send(found_, by_);
  }

  Result<Run> measure(const Checklist& checklist, const TuneMeasurement& measurement) {
    auto asked = load_of(checklist, measurement);
    if (!asked) return asked.error();
    by_ = measurement.by;
    // First, since it is refused while others are served: then nothing has been changed yet.
    if (auto forgotten = forget_prefixes(); !forgotten) return forgotten.error();
    if (auto changed = change_to(checklist, measurement.settings); !changed) return changed.error();
    JobOptions options;
    options.ignore_eos = true;
    auto job = server_job(environment_.server, {}, environment_.tokenizer, std::move(asked->source),
                          std::move(asked->setup), options);
    if (!job) return job.error();
    job->header.config = config_;
    return play(std::move(*job), measurement, environment_);
  }

 private:
  /// Of the live settings, those that the checklist names: the others stay as they are.
  Result<void> change_to(const Checklist& checklist, const Settings& wanted) {
    auto now = ask();
    if (!now) return now.error();
    nlohmann::json named = nlohmann::json::parse(checklist.settings), values = nlohmann::json::object();
    for (const Item& item : checklist.items)
      for (const ItemChange& change : item.changes) named[change.setting] = true;
    const nlohmann::json all = nlohmann::json::parse(wanted.to_json());
    for (const auto& [name, value] : named.items()) {
      const SettingInfo* info = find_setting(name);
      if (info == nullptr || !info->live || (*now)[name] == all[name]) continue;
      values[name] = all[name];
      if (!found_.contains(name)) found_[name] = (*now)[name];
    }
    if (!values.empty()) {
      if (auto sent = send(values, by_); !sent) return sent;
    }
    now->update(values);
    Settings settings;
    if (auto read = settings.load_json(now->dump()); !read) return read;
    config_ = entries_of(settings);
    return {};
  }

  Result<nlohmann::json> ask() {
    const auto answer = http_send({.url = environment_.server.base() + "/pitwall/settings",
                                   .headers = environment_.server.headers(),
                                   .cancel = environment_.cancel});
    if (!answer) return answer.error();
    auto settings = nlohmann::json::parse(answer->body, nullptr, false);
    if (answer->status != 200 || !settings.is_object())
      return Error{Error::Kind::io,
                   fmt::format("GET /pitwall/settings of {} answers HTTP {}", environment_.server.base(),
                               answer->status),
                   "Only a Pitwall server tells its settings", "Measure on a fresh engine", ""};
    return settings;
  }

  /// Repeat k has the same prompts before and after: what the one left behind is no hit of the other.
  /// Blocks of requests that have just ended are free a step later.
  Result<void> forget_prefixes() {
    constexpr int kTries = 20;
    constexpr std::chrono::milliseconds kPause(50);
    for (int i = 1;; ++i) {
      auto forgotten = post("/reset_prefix_cache", "{}");
      if (forgotten || forgotten.error().kind != Error::Kind::busy) return forgotten;
      if (i == kTries || (environment_.cancel != nullptr && *environment_.cancel))
        return Error{Error::Kind::busy, "The running engine serves other requests", forgotten.error().cause,
                     "Measure when it serves nobody else, or on an engine of its own", "requests"};
      std::this_thread::sleep_for(kPause);
    }
  }

  Result<void> send(const nlohmann::json& values, ChangedBy by) {
    return post(fmt::format("/pitwall/settings?by={}", word_of(by)), values.dump());
  }

  Result<void> post(const std::string& path, const std::string& body) {
    const auto answer = http_send({.method = "POST",
                                   .url = environment_.server.base() + path,
                                   .headers = environment_.server.headers(),
                                   .body = body});
    if (!answer) return answer.error();
    if (answer->status == 200) return {};
    constexpr int kBusy = 503;
    return Error{answer->status == kBusy ? Error::Kind::busy : Error::Kind::invalid_input,
                 fmt::format("The running engine refuses {} (HTTP {})", path, answer->status),
                 error_message(answer->body), "Measure on an engine of its own", ""};
  }

  TuneEnvironment environment_;
  ChangedBy by_ = ChangedBy::checklist;
  nlohmann::json found_ = nlohmann::json::object();  // what this changed, as it was
  std::vector<ConfigEntry> config_;
};

template <class Target>
MeasureItem measure_on(TuneEnvironment environment) {
  auto target = std::make_shared<Target>(std::move(environment));
  return [target](const Checklist& checklist, const TuneMeasurement& measurement) {
    return target->measure(checklist, measurement);
  };
}

}  // namespace

MeasureItem make_measure(TuneTarget target, TuneEnvironment environment) {
  if (target == TuneTarget::fresh_engine) return measure_on<FreshEngine>(std::move(environment));
  if (target == TuneTarget::running_engine) return measure_on<RunningEngine>(std::move(environment));
  return
      [environment = std::move(environment)](const Checklist& checklist, const TuneMeasurement& measurement) {
        return simulate_item(checklist, measurement, environment);
      };
}

}  // namespace pitwall
