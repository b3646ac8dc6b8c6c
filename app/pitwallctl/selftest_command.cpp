// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/golden_check.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string data = "tests/data", filter;
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

void check_folder(const Options& options, const std::filesystem::path& folder, const std::string& kv,
                  const GoldenLimits& limits, Tally& tally) {
  const std::string name = "golden " + folder.filename().string() + ", KV " + kv;
  if (name.find(options.filter) == std::string::npos) return;
  EngineOptions engine;
  engine.settings = options.flags->settings();
  engine.make_backend = backend_factory();
  engine.strict_checks = true;
  const std::pair<std::string_view, std::string> wanted[] = {
      {"kv-cache-dtype", kv}, {"kv-cache-memory-bytes", "64MiB"}, {"max-num-seqs", "16"}};
  for (const auto& [setting, value] : wanted) {
    if (options.flags->given(setting)) continue;
    if (auto set = engine.settings.set(setting, value, SettingOrigin::preset); !set)
      return tally.add(name, "", set.error().text());
  }
  auto result = check_golden(folder, std::move(engine), limits);
  if (!result) return tally.add(name, "", result.error().text());
  tally.add(name,
            fmt::format("relative L2 {:.2e}, {} of {} greedy steps differ", result->worst_l2,
                        result->differing, result->steps),
            result->within(limits)
                ? ""
                : fmt::format("{} of them and {} continuations where the margin is above {}", result->wrong,
                              result->free_wrong, limits.clear_margin));
}

Result<void> run_selftest(const Options& options) {
  Tally tally(options.json);
  const bool cuda = options.flags->settings().text("device") == "cuda";
  if (cuda) {
    KernelBench bench;
    bench.filter = options.filter;
    bench.timed = false;
    auto done =
        bench_kernels(backend_options(options.flags->settings()), bench, [&](const KernelReport& report) {
          tally.add(report.name + " " + report.shape, fmt::format("relative L2 {:.2e}", report.error),
                    report.problem);
        });
    if (!done) return done;
  }
  // The CPU's default mode rounds activations to 16 bits; both modes stand far inside these bounds on sound
  // kernels.
  const GoldenLimits exact{2e-2, 0.05}, coarse{8e-2, 0.3};
  for (const auto& folder : golden_folders(options.data)) {
    check_folder(options, folder, cuda ? "bfloat16" : "auto", exact, tally);
    check_folder(options, folder, "fp8_e4m3", coarse, tally);
    check_folder(options, folder, "int8", coarse, tally);
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
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return run_selftest(*options); }; });
}

}  // namespace pitwall::ctl
