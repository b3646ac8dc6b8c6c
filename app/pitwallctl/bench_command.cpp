// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/equal_requests.h"

namespace pitwall::ctl {

namespace {

struct Options {
  std::unique_ptr<SettingFlags> flags;
  SyntheticFlags synthetic;
  EqualRequests load;
  bool json = false;
};

/// Room for all requests at once, and for no longer ones, unless the user said otherwise.
Result<Settings> settings_for(const Options& options) {
  Settings settings = options.flags->settings();
  const EqualRequests& load = options.load;
  const std::pair<std::string_view, int> wanted[] = {
      {"max-num-seqs", load.count},
      {"max-model-len", load.shared_tokens + load.prompt_tokens + load.output_tokens + 1}};
  for (const auto& [name, value] : wanted) {
    if (options.flags->given(name)) continue;
    if (auto set = settings.set(name, std::to_string(value), SettingOrigin::preset); !set.ok())
      return set.error();
  }
  return settings;
}

Result<void> bench(const Options& options) {
  EngineOptions engine_options;
  auto settings = settings_for(options);
  if (!settings.ok()) return settings.error();
  engine_options.settings = std::move(*settings);
  const RealClock clock;
  const Nanos began = clock.now();
  auto engine = start_engine(std::move(engine_options), options.synthetic);
  if (!engine.ok()) return engine.error();
  const double ready_s = static_cast<double>(clock.now() - began) / static_cast<double>(kNanosPerSecond);
  const auto result = run_equal_requests(**engine, options.load);
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
    print_json({{"num_prompts", options.load.count},
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
                  options.load.count, options.load.shared_tokens + options.load.prompt_tokens,
                  options.load.output_tokens, result->prompt_tokens_per_s, result->decode_tokens_per_s,
                  result->output_tokens_per_s, result->ttft_p50_ms, result->tpot_p50_ms, result->gap_percent,
                  ready_s, format_bytes(ledger.accounted()), format_bytes(ledger.measured), unaccounted));
  return {};
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench", "Equal requests, all at once, through the engine in this process");
  options->flags = std::make_unique<SettingFlags>(*command, engine_setting);
  options->synthetic.add_to(*command);
  EqualRequests& load = options->load;
  command->add_option("--num-prompts", load.count, "Requests")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--input-len", load.prompt_tokens, "Prompt tokens of each request's own")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--prefix-len", load.shared_tokens, "Prompt tokens before them that all share")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  command->add_option("--output-len", load.output_tokens, "Tokens of each reply")
      ->check(CLI::Range(2, 1 << 24))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, command, options] {
    options->synthetic.check(*command);
    action = [options] { return bench(*options); };
  });
}

}  // namespace pitwall::ctl
