// SPDX-License-Identifier: GPL-3.0-or-later
// simulate: the real scheduler and KV cache play a trace against a GPU's step-time model, on a virtual clock.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/load_flags.h"
#include "app/pitwallctl/load_text.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/base/text_escape.h"
#include "engine/bench/bench_result.h"
#include "engine/bench/simulated_machine.h"
#include "engine/bench/simulation.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/model_memory.h"
#include "engine/plan/roofline.h"
#include "engine/serve/scheduler_settings.h"
#include "engine/telemetry/record_json.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string gpu, trace, workload, request_rate;
  int num_prompts = 0, max_concurrency = 0;  // 0 = not given
  std::uint64_t seed = 0;
  bool json = false;
};

bool simulation_setting(const SettingInfo& info) {
  return info.name == "model" || info.name == "max-model-len" || info.group == "Memory" ||
         info.group == "Scheduling";
}

/// "H200" or "H200x1".
Result<GpuProfile> gpu_of(const std::string& text) {
  const std::size_t x = text.rfind('x');
  const std::string digits = x == std::string::npos ? "" : text.substr(x + 1);
  const bool counted = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!counted || digits == "1") return find_gpu(counted ? text.substr(0, x) : text);
  return Error{Error::Kind::unsupported,
               fmt::format("{} asks for {} GPUs; simulations of more than one are not provided yet",
                           quote_for_message(text), digits),
               "", "Take one GPU: --gpu " + text.substr(0, x), "gpu"};
}

Result<Trace> trace_of(const Options& options) {
  Trace trace;
  if (!options.trace.empty()) {
    auto read = read_trace(options.trace);
    if (!read.ok()) return read.error();
    trace = std::move(*read);
  } else {
    const auto workload = find_workload(options.workload);
    if (!workload.ok()) return workload.error();
    const int requests = options.num_prompts > 0 ? options.num_prompts : workload->requests;
    trace = make_trace(*workload, requests, options.seed);
  }
  const auto most = static_cast<std::size_t>(options.num_prompts);
  if (most > 0 && trace.requests.size() > most) trace.requests.resize(most);
  if (!options.request_rate.empty()) pace(trace, {std::stod(options.request_rate)}, options.seed);
  return trace;
}

std::optional<std::int64_t> asked(const Settings& settings, std::string_view name) {
  if (settings.is_auto(name)) return std::nullopt;
  return settings.integer(name);
}

struct Prepared {
  Trace trace;
  MachineWish wish;
  SimulatedMachine machine;
  SimulationConfig config;
};

Result<Prepared> prepare(const Options& options) {
  const Settings settings = options.flags->settings();
  auto spec = find_model_spec(settings.text("model"));
  if (!spec.ok()) return spec.error();
  const auto gpu = gpu_of(options.gpu);
  if (!gpu.ok()) return gpu.error();
  auto trace = trace_of(options);
  if (!trace.ok()) return trace.error();

  const auto scheduler = scheduler_config(settings);
  if (!scheduler.ok()) return scheduler.error();

  Prepared prepared;
  prepared.trace = std::move(*trace);
  MachineWish& wish = prepared.wish;
  wish.layout =
      kv_layout_of(*spec, find_kv_dtype(settings.text("kv-cache-dtype")).value_or(KvDtype::bfloat16),
                   static_cast<int>(settings.integer("block-size")));
  wish.spec = std::move(*spec);
  wish.gpu = *gpu;
  wish.kv_bytes = asked(settings, "kv-cache-memory-bytes");
  wish.memory_limit = asked(settings, "memory-limit");
  wish.swap_space = settings.integer("swap-space");
  if (const auto length = asked(settings, "max-model-len")) wish.max_model_len = static_cast<int>(*length);
  auto machine = make_machine(wish);
  if (!machine.ok()) return machine.error();
  prepared.machine = *machine;

  SimulationConfig& config = prepared.config;
  config.scheduler = *scheduler;
  config.scheduler.max_model_len = machine->max_model_len;
  config.cache.blocks = machine->blocks;
  config.cache.swap_blocks = machine->swap_blocks;
  config.cache.block_size = wish.layout.block_size;
  config.cache.prefix_caching = settings.flag("enable-prefix-caching");
  config.cache.model_identity = wish.spec.name;
  if (options.max_concurrency > 0) config.max_concurrency = options.max_concurrency;
  return prepared;
}

struct Outcome {
  BenchResult result;
  LedgerSnapshot ledger;
  Summary scheduler_us;
  std::size_t steps = 0;
};

Outcome outcome_of(const Prepared& prepared, Simulation&& simulation) {
  const Bytes block = prepared.wish.layout.bytes_per_block();
  Outcome outcome;
  outcome.result = summarize_bench(simulation.requests, std::move(simulation.itl_ms));
  outcome.result.max_concurrent_requests = simulation.peak_live;
  outcome.result.max_output_tokens_per_s = simulation.peak_tokens_in_a_second;
  outcome.result.peak_kv_bytes = simulation.peak_used_blocks * block;
  outcome.ledger = prepared.machine.ledger;
  outcome.ledger.kv_used = simulation.cache.used * block;
  outcome.ledger.kv_cached = simulation.cache.cached * block;
  outcome.ledger.kv_quarantined = simulation.cache.quarantined * block;
  outcome.ledger.kv_free = outcome.ledger.of(Category::kv) - outcome.ledger.kv_used -
                           outcome.ledger.kv_cached - outcome.ledger.kv_quarantined;
  outcome.scheduler_us = summarize(std::move(simulation.scheduler_us));
  outcome.steps = simulation.steps.size();
  return outcome;
}

Json outcome_json(const Prepared& prepared, const Outcome& outcome) {
  Json document = {{"model", prepared.wish.spec.name},
                   {"gpu", prepared.wish.gpu.name},
                   {"trace", prepared.trace.name},
                   {"max_model_len", prepared.machine.max_model_len}};
  document.update(to_json_value(outcome.result));
  document["ledger"] = to_json_value(outcome.ledger);
  document["steps"] = outcome.steps;
  document["scheduler_us_per_step"] = {{"p50", outcome.scheduler_us.p50}, {"p99", outcome.scheduler_us.p99}};
  return document;
}

std::string misses_text(const BenchResult& result) {
  std::string text;
  for (int reason = 1; reason < kMissReasonCount; ++reason) {
    const std::int64_t count = result.misses[static_cast<std::size_t>(reason)];
    if (count == 0) continue;
    std::string name(miss_reason_name(static_cast<MissReason>(reason)));
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_count(count));
  }
  return text.empty() ? "none" : text;
}

std::string outcome_text(const Prepared& prepared, const Outcome& outcome) {
  const BenchResult& result = outcome.result;
  const LedgerSnapshot& ledger = outcome.ledger;
  const double hit_share = result.query_tokens > 0 ? 100.0 * static_cast<double>(result.hit_tokens) /
                                                         static_cast<double>(result.query_tokens)
                                                   : 0;
  std::string text = fmt::format("{} on one {}, {}\n\n", prepared.wish.spec.name, prepared.wish.gpu.name,
                                 prepared.trace.name);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<22}{}\n", name, value);
  };
  row("requests", fmt::format("{} completed, {} failed, {} at once at most", format_count(result.completed),
                              format_count(result.failed), format_count(result.max_concurrent_requests)));
  row("duration", fmt::format("{:.2f} s, {} steps", result.duration_s,
                              format_count(static_cast<std::int64_t>(outcome.steps))));
  row("tokens",
      fmt::format("{} in, {} out", format_count(result.input_tokens), format_count(result.output_tokens)));
  row("throughput",
      fmt::format("{:.2f} requests/s, {:.1f} output tokens/s, {:.1f} tokens/s", result.request_throughput,
                  result.output_throughput, result.total_token_throughput));
  text += "\n" + latency_header();
  text += latency_row("TTFT", result.ttft) + latency_row("TPOT", result.tpot) +
          latency_row("ITL", result.itl) + latency_row("E2E", result.e2el) + "\n";
  row("prefix cache", fmt::format("{} of {} prompt tokens found ({:.1f} %)", format_count(result.hit_tokens),
                                  format_count(result.query_tokens), hit_share));
  row("misses", misses_text(result));
  row("preemptions", format_count(result.preemptions));
  row("KV at the peak",
      fmt::format("{} of {}", format_bytes(result.peak_kv_bytes), format_bytes(ledger.of(Category::kv))));
  row("weights", format_bytes(ledger.of(Category::weights)));
  if (outcome.steps > 0) {
    row("scheduler, real time", fmt::format("p50 {:.1f} µs, p99 {:.1f} µs a step", outcome.scheduler_us.p50,
                                            outcome.scheduler_us.p99));
  }
  return text;
}

Result<void> run_simulation(const Options& options) {
  const auto prepared = prepare(options);
  if (!prepared.ok()) return prepared.error();
  const MachineWish& wish = prepared->wish;
  const RooflineStepTime model(wish.spec, wish.gpu, wish.layout);
  auto simulation = simulate(prepared->trace, prepared->config, model);
  if (!simulation.ok()) return simulation.error();
  const auto refused = std::find_if(simulation->requests.begin(), simulation->requests.end(),
                                    [](const RequestRecord& request) { return !request.ended_well(); });
  const std::string first_failure = refused != simulation->requests.end() ? refused->error : std::string();
  if (refused != simulation->requests.end()) {
    print_note(fmt::format("{} of {} requests failed; the first, number {}: {}",
                           std::count_if(simulation->requests.begin(), simulation->requests.end(),
                                         [](const RequestRecord& request) { return !request.ended_well(); }),
                           simulation->requests.size(), refused->id.value, refused->error));
  }
  const Outcome outcome = outcome_of(*prepared, std::move(*simulation));
  options.json ? print_json(outcome_json(*prepared, outcome)) : print(outcome_text(*prepared, outcome));
  if (outcome.result.completed > 0 || prepared->trace.requests.empty()) return {};
  return Error{Error::Kind::invalid_input,
               "None of the " + format_count(outcome.result.failed) + " requests could run", first_failure,
               "Raise what the first one lacks, or choose a trace that fits", "trace"};
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "simulate",
      "Play a trace through the scheduler against a GPU's step times; needs neither GPU nor weights");
  options->flags = std::make_unique<SettingFlags>(*command, simulation_setting);
  command->add_option("--gpu", options->gpu, "GPU profile, such as H200")->required()->type_name("NAME[xN]");
  CLI::Option_group* load = command->add_option_group("Load");
  load->add_option("--trace", options->trace, "Trace file: .csv, or JSON lines")->type_name("FILE");
  load->add_option("--workload", options->workload, "Named workload, such as chat")->type_name("NAME");
  load->require_option(1);
  command->add_option("--num-prompts", options->num_prompts, "Only so many requests")
      ->check(CLI::Range(1, 1 << 24));
  command
      ->add_option("--request-rate", options->request_rate,
                   "Requests per second, as a Poisson process, or inf; default: as the trace says")
      ->check(check_request_rate)
      ->type_name("R|inf");
  command->add_option("--max-concurrency", options->max_concurrency, "Requests sent and not ended, at most")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "Of workloads and --request-rate")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return run_simulation(*options); }; });
}

}  // namespace pitwall::ctl
