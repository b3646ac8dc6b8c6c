// SPDX-License-Identifier: GPL-3.0-or-later
// simulate: the real scheduler and KV cache play a trace against a GPU's step-time model, on a virtual clock.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/common/this_machine.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/load_flags.h"
#include "app/pitwallctl/load_text.h"
#include "app/pitwallctl/number_checks.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/simulated_run.h"
#include "engine/bench/workload.h"
#include "engine/plan/model_outline.h"
#include "engine/telemetry/record_json.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string gpu, trace, workload, request_rate;
  int num_prompts = 0, max_concurrency = 0, tensor_parallel = 0;  // 0 = not given
  std::uint64_t seed = 0;
  bool json = false;
};

bool simulation_setting(const SettingInfo& info) {
  return info.name == "model" || info.name == "max-model-len" || info.group == "Memory" ||
         info.group == "Scheduling";
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

struct Prepared {
  Trace trace;
  SimulationWish wish;
};

Result<Prepared> prepare(const Options& options) {
  const Settings settings = options.flags->settings();
  const auto model = read_outline(settings.text("model"));
  if (!model.ok()) return model.error();
  const auto gpus = parse_gpu_count(options.gpu);
  if (!gpus.ok()) return gpus.error();
  const auto gpu = find_gpu_or_this_machine(*gpus);
  if (!gpu.ok()) return gpu.error();
  auto trace = trace_of(options);
  if (!trace.ok()) return trace.error();
  const int ranks = options.tensor_parallel > 0 ? options.tensor_parallel : gpus->count;
  if (gpus->count % ranks != 0) {
    return Error{
        Error::Kind::invalid_input, fmt::format("{} GPUs cannot be replicas of {} each", gpus->count, ranks),
        "", fmt::format("Take --gpu {}x{} or a multiple of it", gpus->name, ranks), "tensor-parallel-size"};
  }
  Prepared prepared{std::move(*trace), {*model, *gpu, ranks, gpus->count / ranks}};
  if (options.max_concurrency > 0) prepared.wish.max_concurrency = options.max_concurrency;
  return prepared;
}

Json outcome_json(const Prepared& prepared, const SimulatedRun& run) {
  Json document = {{"model", prepared.wish.model.name},
                   {"gpu", prepared.wish.gpu.name},
                   {"gpus", prepared.wish.tensor_parallel * prepared.wish.replicas},
                   {"tensor_parallel_size", prepared.wish.tensor_parallel},
                   {"trace", prepared.trace.name},
                   {"max_model_len", run.machine.max_model_len},
                   {"error_share", prepared.wish.gpu.rates(kOwnEngine).error_share}};
  document.update(to_json_value(run.result));
  document["ledger"] = to_json_value(run.ledger);
  document["steps"] = run.steps;
  document["scheduler_us_per_step"] = {{"p50", run.scheduler_us.p50}, {"p99", run.scheduler_us.p99}};
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

std::string outcome_text(const Prepared& prepared, const SimulatedRun& run) {
  const BenchResult& result = run.result;
  const LedgerSnapshot& ledger = run.ledger;
  const double hit_share = result.query_tokens > 0 ? 100.0 * static_cast<double>(result.hit_tokens) /
                                                         static_cast<double>(result.query_tokens)
                                                   : 0;
  const int gpus = prepared.wish.tensor_parallel * prepared.wish.replicas;
  const std::string each = gpus > 1 ? " a GPU" : "";
  std::string text =
      fmt::format("{} on {} {}, {}\n\n", prepared.wish.model.name, gpus > 1 ? std::to_string(gpus) : "one",
                  prepared.wish.gpu.name, prepared.trace.name);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<22}{}\n", name, value);
  };
  row("requests", fmt::format("{} completed, {} failed, {} at once at most", format_count(result.completed),
                              format_count(result.failed), format_count(result.max_concurrent_requests)));
  row("duration", fmt::format("{:.2f} s, {} steps", result.duration_s,
                              format_count(static_cast<std::int64_t>(run.steps))));
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
  row("KV at the peak", fmt::format("{} of {}{}", format_bytes(result.peak_kv_bytes),
                                    format_bytes(ledger.of(Category::kv)), each));
  row("weights", format_bytes(ledger.of(Category::weights)) + each);
  row("step times",
      fmt::format("computed, expected within {:.0f} % of what a {} takes",
                  100 * prepared.wish.gpu.rates(kOwnEngine).error_share, prepared.wish.gpu.name));
  if (run.steps > 0) {
    row("scheduler, real time",
        fmt::format("p50 {:.1f} µs, p99 {:.1f} µs a step", run.scheduler_us.p50, run.scheduler_us.p99));
  }
  return text;
}

Result<void> run_simulation(const Options& options) {
  const auto prepared = prepare(options);
  if (!prepared.ok()) return prepared.error();
  const auto run = simulate_run(prepared->trace, prepared->wish, options.flags->settings());
  if (!run.ok()) return run.error();
  if (run->failed > 0) {
    print_note(fmt::format("{} of {} requests failed; the first, number {}: {}", run->failed,
                           prepared->trace.requests.size(), run->first_failed, run->first_failure));
  }
  options.json ? print_json(outcome_json(*prepared, *run)) : print(outcome_text(*prepared, *run));
  if (run->result.completed > 0 || prepared->trace.requests.empty()) return {};
  return Error{Error::Kind::invalid_input, "None of the " + format_count(run->failed) + " requests could run",
               run->first_failure, "Raise what the first one lacks, or choose a trace that fits", "trace"};
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "simulate",
      "Play a trace through the scheduler against a GPU's step times; needs neither GPU nor weights");
  options->flags = std::make_unique<SettingFlags>(*command, simulation_setting);
  command->add_option("--gpu", options->gpu, "GPU profile and how many of them, such as H200 or A100-80Gx8")
      ->required()
      ->type_name("NAME[xN]");
  command
      ->add_option("--tensor-parallel-size", options->tensor_parallel,
                   "GPUs that share the model; default: all of --gpu")
      ->check(check_above_zero);
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
      ->check(check_above_zero);
  command->add_option("--seed", options->seed, "Of workloads and --request-rate")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return run_simulation(*options); }; });
}

}  // namespace pitwall::ctl
