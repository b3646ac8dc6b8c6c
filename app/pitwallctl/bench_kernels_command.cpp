// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  KernelBench bench;
  bool json = false;
};

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json report_json(const KernelReport& report) {
  Json json{{"name", report.name},
            {"shape", report.shape},
            {"us", number(report.us)},
            {"gbps", number(report.gbps)},
            {"tflops", number(report.tflops)},
            {"floor_percent", number(report.floor_percent)},
            {"max_error", number(report.error)}};
  if (!report.problem.empty()) json["problem"] = report.problem;
  return json;
}

std::string report_line(const KernelReport& report) {
  std::string line = fmt::format("{:<18} {:<52} {:9.2e}", report.name, report.shape, report.error);
  if (report.us > 0) {
    line += fmt::format(" {:10.2f} us {:8.1f} GB/s {:8.3f} TFLOP/s {:5.1f} %", report.us, report.gbps,
                        report.tflops, report.floor_percent);
  }
  return report.problem.empty() ? line + "\n" : line + "  FAILED: " + report.problem + "\n";
}

Result<void> bench(const Options& options) {
  Json kernels = Json::array();
  int failed = 0;
  auto done = bench_kernels(backend_options(options.flags->settings()), options.bench,
                            [&](const KernelReport& report) {
                              failed += report.problem.empty() ? 0 : 1;
                              if (options.json) kernels.push_back(report_json(report));
                              if (!options.json) print(report_line(report));
                            });
  if (options.json) print_json({{"kernels", kernels}});
  if (!done) return done;
  if (failed == 0) return {};
  return Error{Error::Kind::internal, fmt::format("{} kernels failed", failed), "",
               "Report it with what `floors` prints of the device", ""};
}

}  // namespace

void add_bench_kernels_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench-kernels", "Check every kernel against its reference, and time it");
  options->flags = std::make_unique<SettingFlags>(*command, device_setting);
  command->add_option("--filter", options->bench.filter, "Only kernels whose name or shape contains this");
  command->add_flag("--small", options->bench.small, "Small shapes, for memory checkers; not timed");
  command->add_flag("!--no-timing", options->bench.timed, "Correctness alone");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return bench(*options); }; });
}

}  // namespace pitwall::ctl
