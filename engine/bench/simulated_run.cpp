// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "engine/bench/replicas.h"
#include "engine/serve/scheduler_settings.h"
#include "engine/telemetry/step_table.h"

namespace pitwall {

namespace {

std::optional<std::int64_t> asked(const Settings& settings, std::string_view name) {
  if (settings.is_auto(name)) return std::nullopt;
  return settings.integer(name);
}

Result<void> check_ranks(const ModelOutline& model, int ranks) {
  if (ranks >= 1 && model.heads % ranks == 0) return {};
  std::string legal;
  for (int size = 1; size <= model.heads; ++size) {
    if (model.heads % size == 0) legal += (legal.empty() ? "" : ", ") + std::to_string(size);
  }
  return Error{Error::Kind::invalid_input,
               fmt::format("{} has {} attention heads, which {} GPUs cannot share evenly", model.name,
                           model.heads, ranks),
               "", "Choose one of " + legal, "tensor-parallel-size"};
}

MachineWish machine_wish(const SimulationWish& wish, const Settings& settings) {
  MachineWish machine;
  machine.model = wish.model;
  machine.gpu = wish.gpu;
  machine.layout.tensor_parallel = wish.tensor_parallel;
  machine.layout.engine = wish.engine;
  const bool by_model = settings.is_auto("kv-cache-dtype") && !wish.model.kv_format.empty();
  const auto format = find_kv_format(by_model ? wish.model.kv_format : settings.text("kv-cache-dtype"));
  if (format) machine.layout.kv = *format;
  machine.max_num_seqs = static_cast<int>(settings.integer("max-num-seqs"));
  machine.max_num_batched_tokens = static_cast<int>(settings.integer("max-num-batched-tokens"));
  machine.layout.block_size = static_cast<int>(settings.integer("block-size"));
  machine.kv_bytes = asked(settings, "kv-cache-memory-bytes");
  machine.memory_limit = asked(settings, "memory-limit");
  machine.swap_space = settings.integer("swap-space");
  if (const auto length = asked(settings, "max-model-len")) machine.max_model_len = static_cast<int>(*length);
  return machine;
}

std::vector<SecondRecord> seconds_of(const Simulation& simulation, Bytes block_bytes,
                                     const LedgerSnapshot& ledger) {
  std::map<Nanos, SecondRecord> seconds;
  Nanos first = std::numeric_limits<Nanos>::max();
  for (const RequestRecord& request : simulation.requests) first = std::min(first, request.arrival);
  for (const SecondRecord& second : simulation.seconds) {
    if (second.utc + kNanosPerSecond <= first) continue;  // the clock does not begin at 0: nothing ran yet
    SecondRecord& kept = seconds[second.utc] = second;
    kept.prompt_tokens_per_s = 0;  // by step, below
    kept.preemptions = kept.running = kept.waiting = 0;
    kept.accounted = ledger.accounted();
    kept.kv_free = ledger.of(Category::kv);
  }
  for (const StepRecord& step : simulation.steps) {
    const Nanos ended = step.finished - step.finished % kNanosPerSecond;
    for (Nanos start = step.started - step.started % kNanosPerSecond; start <= ended;
         start += kNanosPerSecond) {
      const auto [place, unseen] = seconds.try_emplace(start);
      SecondRecord& second = place->second;
      second.utc = start;
      if (unseen) second.output_tokens_per_s = std::numeric_limits<double>::quiet_NaN();
      second.accounted = ledger.accounted();
      second.running = std::max(second.running, step.sequences);
      second.waiting = std::max(second.waiting, step.waiting);
      second.kv_used = std::max(second.kv_used, step.kv_used_blocks * block_bytes);
      second.kv_cached = step.kv_cached_blocks * block_bytes;
      second.kv_free = std::max<Bytes>(ledger.of(Category::kv) - second.kv_used - second.kv_cached, 0);
    }
    seconds[ended].prompt_tokens_per_s += step.prefill_tokens;
    seconds[ended].preemptions += step.preempted;
  }
  std::vector<SecondRecord> records;
  for (const auto& [start, second] : seconds) records.push_back(second);
  return records;
}

SimulatedRun run_of(const SimulatedMachine& machine, Simulation&& simulation) {
  SimulatedRun run;
  run.machine = machine;
  for (const RequestRecord& request : simulation.requests) {
    if (request.ended_well()) continue;
    if (run.failed++ > 0) continue;
    run.first_failed = static_cast<std::int64_t>(request.id.value);
    run.first_failure = request.error;
  }
  for (const double gap : simulation.itl_ms) run.itl.add(gap);
  run.result = summarize_bench(simulation.requests, std::move(simulation.itl_ms));
  run.result.max_concurrent_requests = simulation.peak_live;
  run.result.max_output_tokens_per_s = simulation.peak_tokens_in_a_second;
  run.result.peak_kv_bytes = simulation.peak_used_blocks * machine.block_bytes;
  run.ledger = machine.ledger;
  run.ledger.kv_used = simulation.cache.used * machine.block_bytes;
  run.ledger.kv_cached = simulation.cache.cached * machine.block_bytes;
  run.ledger.kv_quarantined = simulation.cache.quarantined * machine.block_bytes;
  run.ledger.kv_free =
      run.ledger.of(Category::kv) - run.ledger.kv_used - run.ledger.kv_cached - run.ledger.kv_quarantined;
  run.scheduler_us = summarize(std::move(simulation.scheduler_us));
  run.steps = simulation.steps.size();
  run.seconds = seconds_of(simulation, machine.block_bytes, machine.ledger);
  run.requests = std::move(simulation.requests);
  const std::size_t kept = std::min(kRunSteps, simulation.steps.size());
  run.first_steps.assign(simulation.steps.begin(),
                         simulation.steps.begin() + static_cast<std::ptrdiff_t>(kept));
  return run;
}

}  // namespace

Result<SimulatedRun> simulate_run(const Trace& trace, const SimulationWish& wish, const Settings& settings) {
  if (auto sound = check_ranks(wish.model, wish.tensor_parallel); !sound) return sound.error();
  const auto scheduler = scheduler_config(settings);
  if (!scheduler) return scheduler.error();
  const MachineWish machine_asked = machine_wish(wish, settings);
  const auto machine = make_machine(machine_asked);
  if (!machine) return machine.error();
  SimulationConfig config;
  config.scheduler = *scheduler;
  config.scheduler.max_model_len = machine->max_model_len;
  config.cache.blocks = machine->blocks;
  config.cache.swap_blocks = machine->swap_blocks;
  config.cache.block_size = machine_asked.layout.block_size;
  config.cache.prefix_caching = settings.flag("enable-prefix-caching");
  config.cache.model_identity = wish.model.name;
  config.max_concurrency = wish.max_concurrency;
  config.cancel = wish.cancel;
  const RooflineStepTime model(wish.model, wish.gpu, machine_asked.layout);
  auto simulation = simulate_replicas(trace, config, model, wish.replicas);
  if (!simulation) return simulation.error();
  return run_of(*machine, std::move(*simulation));
}

}  // namespace pitwall
