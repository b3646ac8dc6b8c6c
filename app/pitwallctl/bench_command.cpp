// SPDX-License-Identifier: GPL-3.0-or-later
// bench: equal requests through the engine in this process; or, with --workload, --trace or --url, a load
// against any OpenAI server or that engine.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/load_bench.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/equal_requests.h"

namespace pitwall::ctl {

namespace {

struct Options {
  LoadBench bench;
  EqualRequests equal;
  bool json = false;
};

/// Room for all requests at once, and for no longer ones, unless the user said otherwise.
Result<Settings> settings_for(const Options& options) {
  Settings settings = options.bench.flags->settings();
  const EqualRequests& load = options.equal;
  const std::pair<std::string_view, int> wanted[] = {
      {"max-num-seqs", load.count},
      {"max-model-len", load.shared_tokens + load.prompt_tokens + load.output_tokens + 1}};
  for (const auto& [name, value] : wanted) {
    if (options.bench.flags->given(name)) continue;
    if (auto set = settings.set(name, std::to_string(value), SettingOrigin::preset); !set.ok())
      return set.error();
  }
  return settings;
}

Result<void> bench_equal(const Options& options) {
  EngineOptions engine_options;
  auto settings = settings_for(options);
  if (!settings.ok()) return settings.error();
  engine_options.settings = std::move(*settings);
  const RealClock clock;
  const Nanos began = clock.now();
  auto engine = start_engine(std::move(engine_options), options.bench.synthetic);
  if (!engine.ok()) return engine.error();
  const double ready_s = static_cast<double>(clock.now() - began) / static_cast<double>(kNanosPerSecond);
  const auto result = run_equal_requests(**engine, options.equal);
  if (!result.ok()) return result.error();
  const LedgerSnapshot ledger = (*engine)->snapshot()->ledger;
  const double unaccounted =
      100 * static_cast<double>(ledger.unaccounted()) / static_cast<double>(ledger.device_total);
  if (options.json) {
    nlohmann::ordered_json categories;
    for (int i = 0; i < kCategoryCount; ++i) {
      const auto category = static_cast<Category>(i);
      categories[std::string(category_name(category))] = ledger.of(category);
    }
    print_json({{"num_prompts", options.equal.count},
                {"ready_s", ready_s},
                {"duration", result->duration_s},
                {"prefill_tokens_per_s", result->prompt_tokens_per_s},
                {"decode_tokens_per_s", result->decode_tokens_per_s},
                {"output_throughput", result->output_tokens_per_s},
                {"median_ttft_ms", result->ttft_p50_ms},
                {"median_tpot_ms", result->tpot_p50_ms},
                {"gap_percent", result->gap_percent},
                {"cached_tokens", result->cached_tokens},
                {"ledger",
                 {{"categories", categories},
                  {"measured", ledger.measured},
                  {"other_processes", ledger.other_processes},
                  {"device_total", ledger.device_total},
                  {"unaccounted", ledger.unaccounted()}}}});
    return {};
  }
  print(
      fmt::format("{} requests of {} + {} tokens: prefill {:.0f} tok/s, decode {:.1f} tok/s, output {:.1f} "
                  "tok/s\nTTFT p50 {:.1f} ms, TPOT p50 {:.3f} ms, idle between steps {:.2f} %, ready in "
                  "{:.1f} s\nmemory {} accounted, {} measured, unaccounted {:.2f} % of the device\n",
                  options.equal.count, options.equal.shared_tokens + options.equal.prompt_tokens,
                  options.equal.output_tokens, result->prompt_tokens_per_s, result->decode_tokens_per_s,
                  result->output_tokens_per_s, result->ttft_p50_ms, result->tpot_p50_ms, result->gap_percent,
                  ready_s, format_bytes(ledger.accounted()), format_bytes(ledger.measured), unaccounted));
  return {};
}

/// Equal requests as a load, for a server.
Result<LoadSource> equal_source(const EqualRequests& equal, int count) {
  if (equal.shared_tokens % kTraceBlockTokens != 0) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("--prefix-len {} is not a multiple of {}", equal.shared_tokens, kTraceBlockTokens),
        "Shared prompts of a load are made of whole blocks", "Round it, or take --workload", "prefix-len"};
  }
  Workload workload{"equal", "Equal requests", "The command line", count, INFINITY, {}};
  WorkloadClass one;
  one.prompt.minimum = one.prompt.maximum = equal.shared_tokens + equal.prompt_tokens;
  one.output.minimum = one.output.maximum = equal.output_tokens;
  one.shared_prefix = equal.shared_tokens;
  workload.classes.push_back(one);
  LoadSource source;
  source.workload = std::move(workload);
  return source;
}

Result<void> bench_load(const Options& options) {
  const LoadBench& bench = options.bench;
  if (bench.load.given()) {
    auto source = bench.load.source();
    return source.ok() ? run_load_bench(bench, std::move(*source), options.json) : source.error();
  }
  auto source = equal_source(options.equal, options.equal.count);
  if (!source.ok()) return source.error();
  if (!bench.load.request_rate.empty()) source->request_rate = std::stod(bench.load.request_rate);
  source->burstiness = std::stod(bench.load.burstiness);
  return run_load_bench(bench, std::move(*source), options.json);
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench",
                                         "A load against an OpenAI server (--url) or the engine in this "
                                         "process; without --workload, --trace and "
                                         "--url equal requests, all at once");
  LoadBench& bench = options->bench;
  bench.flags = std::make_unique<SettingFlags>(*command, engine_setting);
  bench.synthetic.add_to(*command);
  bench.add_to(*command);
  EqualRequests& equal = options->equal;
  CLI::Option* count =
      command->add_option("--num-prompts", equal.count, "Requests; of a trace or workload at most so many")
          ->check(CLI::Range(1, 1 << 24))
          ->capture_default_str();
  command->add_option("--input-len", equal.prompt_tokens, "Equal requests: prompt tokens of each one's own")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command
      ->add_option("--prefix-len", equal.shared_tokens,
                   "Equal requests: prompt tokens before them that all share")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  command->add_option("--output-len", equal.output_tokens, "Equal requests: tokens of each reply")
      ->check(CLI::Range(2, 1 << 24))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, command, count, options] {
    LoadBench& asked = options->bench;
    asked.load.num_prompts = count->count() > 0 ? options->equal.count : 0;
    asked.check(*command);
    const bool load = asked.load.given() || !asked.server.url.empty();
    constexpr int kMostEqual = 4096;
    if (!load && options->equal.count > kMostEqual)
      throw CLI::ValidationError("--num-prompts", fmt::format("Equal requests are at most {}", kMostEqual));
    action = [options, load] { return load ? bench_load(*options) : bench_equal(*options); };
  });
}

}  // namespace pitwall::ctl
