// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/bench/bench_run.h"

namespace pitwall {

namespace {

// Far from the seeds that anybody counts up.
constexpr std::uint64_t kWarmupSeeds = 0x7761726d75700000;

bool shares_prefixes(const Trace& trace) {
  std::set<std::int32_t> seen;
  for (const TraceRequest& request : trace.requests) {
    for (const std::int32_t block : request.blocks) {
      if (!seen.insert(block).second) return true;
    }
  }
  return false;
}

Trace warmup_trace(const Trace& trace, std::size_t count) {
  Trace warmup{trace.name, {}};
  for (std::size_t i = 0; i < std::min(count, trace.requests.size()); ++i) {
    TraceRequest request = trace.requests[i];
    request.arrival = request.think = 0;
    request.after = -1;
    warmup.requests.push_back(std::move(request));
  }
  return warmup;
}

Result<void> warm_up(const BenchJob& job, const Trace& trace) {
  Load load;
  load.trace = warmup_trace(trace, static_cast<std::size_t>(job.setup.warmups));
  if (load.trace.requests.empty()) return {};
  load.max_concurrency = 1;
  load.cancel = job.cancel;
  if (job.on_progress)
    load.on_progress = [&job](const PlayProgress& progress) { job.on_progress(0, progress); };
  const PromptMaker prompts(load.trace, job.setup.seed ^ kWarmupSeeds, job.tokenizer, job.vocabulary);
  const auto played = job.play(load, prompts);
  if (!played) return played.error();
  for (const StreamRecord& record : played->records) {
    if (record.ended_well() || record.end == StreamEnd::cancelled) continue;
    return Error{Error::Kind::io, "A warm-up request failed", record.reason,
                 "Send one request by hand, or look at the server's log", ""};
  }
  return {};
}

bool cancelled(const BenchJob& job) {
  return job.cancel != nullptr && job.cancel->load();
}

Result<PlayedLoad> play_once(const BenchJob& job, int repeat, Trace trace,
                             std::vector<std::int64_t>& run_ids) {
  Load load;
  load.trace = std::move(trace);
  load.max_concurrency = job.setup.max_concurrency;
  load.cancel = job.cancel;
  if (job.on_progress) {
    load.on_progress = [&job, repeat](const PlayProgress& progress) { job.on_progress(repeat, progress); };
  }
  const PromptMaker prompts(load.trace, job.setup.seed + static_cast<std::uint64_t>(repeat - 1),
                            job.tokenizer, job.vocabulary);
  std::unique_ptr<BenchRun> run;
  if (job.runs != nullptr) {
    RunHeader header = job.header;
    const auto entries = config_of(job.setup);
    header.config.insert(header.config.end(), entries.begin(), entries.end());
    auto begun = BenchRun::begin(*job.runs, std::move(header), job.engine);
    if (!begun) return begun.error();
    run = std::move(*begun);
    load.listener = run.get();
    run_ids.push_back(run->id().value);
  }
  auto played = job.play(load, prompts);
  if (!run) return played;
  auto ended = !played          ? run->end(RunStatus::failed, played.error().text())
               : cancelled(job) ? run->end(RunStatus::cancelled)
                                : run->end();
  if (played && !ended) return ended.error();
  return played;
}

std::string rate_text(double rate) {
  return std::isnan(rate) ? "trace" : fmt::format("{}", rate);
}

}  // namespace

Trace LoadSource::make(std::uint64_t seed) const {
  if (trace) {
    Trace made = *trace;
    if (num_prompts > 0 && std::ssize(made.requests) > num_prompts)
      made.requests.resize(static_cast<std::size_t>(num_prompts));
    if (request_rate) scale_to_rate(made, *request_rate);
    return made;
  }
  Trace made = make_trace(*workload, num_prompts > 0 ? num_prompts : workload->requests, seed);
  if (request_rate || burstiness != 1)
    pace(made, {request_rate.value_or(workload->request_rate), burstiness}, seed);
  return made;
}

bool LoadSource::open_loop() const {
  if (request_rate) return std::isfinite(*request_rate);
  return trace || std::isfinite(workload->request_rate);
}

Result<BenchOutcome> run_bench(const BenchJob& job) {
  LoadSetup setup = job.setup;
  const Trace first = job.source.make(setup.seed);
  setup.open_loop = job.source.open_loop();
  setup.shares_prefixes = shares_prefixes(first);
  setup.num_prompts = std::ssize(first.requests);
  setup.date_utc = RealClock().utc_now();
  BenchJob known = job;
  known.setup = setup;
  if (auto warm = warm_up(known, first); !warm) return warm.error();

  BenchOutcome outcome;
  std::vector<std::int64_t> run_ids;
  for (int repeat = 1; repeat <= setup.repeats; ++repeat) {
    auto played = play_once(known, repeat,
                            known.source.make(setup.seed + static_cast<std::uint64_t>(repeat - 1)), run_ids);
    if (!played) return played.error();
    if (cancelled(job)) return Error{Error::Kind::cancelled, "Cancelled", "", "", ""};
    outcome.plays.push_back(std::move(*played));
  }
  outcome.report = make_report(setup, outcome.plays);
  outcome.report.run_ids = std::move(run_ids);
  return outcome;
}

std::vector<ConfigEntry> config_of(const LoadSetup& setup) {
  const auto entry = [](const char* name, std::string value) {
    return ConfigEntry{std::string("load.") + name, std::move(value), "", "user", false};
  };
  std::vector<ConfigEntry> entries{
      entry("workload", setup.workload),
      entry("endpoint", setup.endpoint),
      entry("num-prompts", std::to_string(setup.num_prompts)),
      entry("request-rate", rate_text(setup.request_rate)),
      entry("burstiness", fmt::format("{}", setup.burstiness)),
      entry("max-concurrency", setup.max_concurrency ? std::to_string(*setup.max_concurrency) : "unlimited"),
      entry("warm-up", std::to_string(setup.warmups)),
      entry("seed", std::to_string(setup.seed))};
  const auto limit = [&](const char* name, const std::optional<double>& ms) {
    if (ms) entries.push_back(entry(name, fmt::format("{}", *ms)));
  };
  limit("goodput-ttft-ms", setup.objectives.ttft);
  limit("goodput-tpot-ms", setup.objectives.tpot);
  limit("goodput-e2el-ms", setup.objectives.e2el);
  return entries;
}

}  // namespace pitwall
