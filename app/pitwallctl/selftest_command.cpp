// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/golden_check.h"
#include "engine/bench/soak.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string data = "tests/data", filter;
  std::int64_t soak_steps = 0;
  bool json = false;
};

class Tally {
 public:
  explicit Tally(bool json) : json_(json) {}

  void add(const std::string& name, const std::string& detail, const std::string& problem) {
    ++(problem.empty() ? passed_ : failed_);
    cases_.push_back({{"name", name}, {"detail", detail}, {"problem", problem}});
    if (!json_) {
      print(fmt::format("{}  {:<70} {}{}\n", problem.empty() ? "ok    " : "FAILED", name, detail,
                        problem.empty() ? "" : "  " + problem));
    }
  }

  Result<void> close() const {
    if (json_) {
      print_json({{"passed", passed_}, {"failed", failed_}, {"cases", cases_}});
    } else {
      print(fmt::format("{} passed, {} failed\n", passed_, failed_));
    }
    if (failed_ == 0 && passed_ > 0) return {};
    const std::string what =
        failed_ > 0 ? fmt::format("{} of {} cases failed", failed_, failed_ + passed_) : "No case was found";
    return Error{Error::Kind::internal, what, "", "Check --data and --filter; report what fails", ""};
  }

 private:
  bool json_;
  int passed_ = 0, failed_ = 0;
  Json cases_ = Json::array();
};

/// A way to run the golden folders, and how far from its reference it may stand.
struct Way {
  std::string dtype, kv;       ///< of the tested engine; empty dtype: what --dtype says
  std::string reference_kv;    ///< of the reference
  double limit, routed_limit;  ///< relative L2 of logits; of models whose experts are chosen
  bool against_file;           ///< a coarse KV format is compared with the same format on the CPU alone
  bool strict = false;         ///< every greedy step equal where the margin is above kClearMargin
};

Result<GoldenEngines> engines_for(const Options& options, const Way& way) {
  GoldenEngines engines;
  engines.tested.settings = options.flags->settings();
  engines.tested.make_backend = engines.reference.make_backend = backend_factory();
  engines.tested.strict_checks = engines.reference.strict_checks = true;
  const std::pair<std::string_view, std::string> both[] = {{"kv-cache-memory-bytes", "64MiB"},
                                                           {"max-num-seqs", "16"}};
  const std::pair<std::string_view, std::string> reference[] = {{"dtype", "float32"},
                                                                {"kv-cache-dtype", way.reference_kv}};
  const auto set = [](Settings& settings, const auto& list) -> Result<void> {
    for (const auto& [name, value] : list) {
      if (auto ok = settings.set(name, value, SettingOrigin::preset); !ok) return ok;
    }
    return {};
  };
  if (auto ok = set(engines.tested.settings, both); !ok) return std::move(ok).error();
  if (auto ok = engines.tested.settings.set("kv-cache-dtype", way.kv); !ok) return std::move(ok).error();
  if (!way.dtype.empty()) {
    if (auto ok = engines.tested.settings.set("dtype", way.dtype); !ok) return std::move(ok).error();
  }
  if (auto ok = set(engines.reference.settings, both); !ok) return std::move(ok).error();
  if (auto ok = set(engines.reference.settings, reference); !ok) return std::move(ok).error();
  return engines;
}

void check_folder(const Options& options, const std::filesystem::path& folder, const Way& way, Tally& tally) {
  const std::string name =
      "golden " + folder.filename().string() + (way.dtype.empty() ? "" : ", " + way.dtype) + ", KV " + way.kv;
  if (name.find(options.filter) == std::string::npos) return;
  auto engines = engines_for(options, way);
  if (!engines) return tally.add(name, "", engines.error().text());
  const auto result = check_golden(folder, *std::move(engines));
  if (!result) return tally.add(name, "", result.error().text());
  std::string problem;
  const double error = way.against_file ? result->file_l2 : result->reference_l2;
  const double limit = result->routed ? way.routed_limit : way.limit;
  if (!(error <= limit)) problem = fmt::format("above {}", limit);
  if (!result->same_twice) problem += problem.empty() ? "two runs differ" : "; two runs differ";
  const int wrong = way.strict ? result->differing_above : result->wrong;
  if (wrong + result->wrong_alone > 0) {
    problem += fmt::format("{}{} steps and {} continuations leave the reference at a clear margin",
                           problem.empty() ? "" : "; ", wrong, result->wrong_alone);
    for (const double lead : result->leads_alone) problem += fmt::format(", {:.3f}", lead);
    problem += fmt::format(" at rms differences of up to {:.3f}", result->largest_error);
  }
  tally.add(
      name,
      fmt::format("relative L2 {:.2e} (file) {:.2e} (CPU), {} of {} steps differ, {} where the margin is "
                  "above {}",
                  result->file_l2, result->reference_l2, result->differing, result->steps,
                  result->differing_above, kClearMargin),
      problem);
}

/// More requests than slots, and fewer blocks than they want: every way of giving way happens.
void soak(const Options& options, Tally& tally) {
  const std::string name = "soak";
  const auto folders = golden_folders(options.data);
  const auto folder = std::find_if(folders.begin(), folders.end(),
                                   [](const auto& path) { return path.filename() == "llama-gqa"; });
  if (folder == folders.end()) return tally.add(name, "", "There is no golden/llama-gqa");
  EngineOptions engine_options;
  engine_options.settings = options.flags->settings();
  engine_options.make_backend = backend_factory();
  engine_options.strict_checks = true;
  engine_options.model = *folder;
  const std::pair<std::string_view, std::string_view> wanted[] = {
      {"max-num-seqs", "24"}, {"max-model-len", "512"}, {"kv-cache-memory-bytes", "2MiB"},
      {"swap-space", "8MiB"}, {"preemption", "swap"},   {"max-num-batched-tokens", "256"}};
  for (const auto& [setting, value] : wanted) {
    if (options.flags->given(setting)) continue;
    if (auto set = engine_options.settings.set(setting, value, SettingOrigin::preset); !set)
      return tally.add(name, "", set.error().text());
  }
  auto engine = Engine::start(std::move(engine_options));
  if (!engine) return tally.add(name, "", engine.error().text());
  SoakLoad load;
  load.steps = options.soak_steps;
  const SoakResult result = run_soak(**engine, load);
  std::string problem = result.problem;
  if (problem.empty() && (result.preemptions == 0 || result.swapped_tokens == 0))
    problem = "nobody was preempted by swapping";
  tally.add(
      name,
      fmt::format("{} steps, {} requests, {} cancelled, {} failed, {} preemptions, {} tokens swapped, {} "
                  "recomputed; memory measured {} before, {} after",
                  result.steps, result.requests, result.cancelled, result.failed, result.preemptions,
                  result.swapped_tokens, result.recomputed_tokens, format_bytes(result.measured_before),
                  format_bytes(result.measured_after)),
      problem);
}

Result<void> run_selftest(const Options& options) {
  spdlog::set_level(spdlog::level::err);  // engines come and go: what each warns of is no finding
  Tally tally(options.json);
  if (options.soak_steps > 0) {
    soak(options, tally);
    return tally.close();
  }
  KernelBench bench;
  bench.filter = options.filter;
  bench.timed = false;
  auto done =
      bench_kernels(backend_options(options.flags->settings()), bench, [&](const KernelReport& report) {
        tally.add(report.name + " " + report.shape, fmt::format("relative L2 {:.2e}", report.error),
                  report.problem);
      });
  if (!done) return done;
  const bool cuda = options.flags->settings().text("device") == "cuda";
  // 16-bit KV stands for the device's own precision. A coarse format rounds to few numbers: what differs a
  // little before it may differ by a whole step behind it.
  std::vector<Way> ways = {{"", "fp8_e4m3", "fp8_e4m3", 0.1, 0.25, false},
                           {"", "int8", "int8", 4e-2, 0.2, false}};
  if (cuda) {
    ways.push_back({"", "float16", "float32", 3e-3, 3e-3, true, true});
    ways.push_back({"bfloat16", "bfloat16", "float32", 2e-2, 0.2, true});
  } else {
    ways.push_back({"", "float32", "float32", 2e-2, 0.2, true});
  }
  for (const auto& folder : golden_folders(options.data)) {
    for (const Way& way : ways) check_folder(options, folder, way, tally);
  }
  return tally.close();
}

}  // namespace

void add_selftest_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("selftest", "Check every operation and golden checkpoint against its reference");
  options->flags = std::make_unique<SettingFlags>(*command, engine_setting_without_model);
  command->add_option("--data", options->data, "Folder with golden/")->capture_default_str();
  command->add_option("--filter", options->filter, "Only cases whose name contains this");
  command
      ->add_option("--soak", options->soak_steps,
                   "Instead: so many steps of random requests, cancels and preemptions")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return run_selftest(*options); }; });
}

}  // namespace pitwall::ctl
