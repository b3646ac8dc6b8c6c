// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "app/common/this_machine.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  bool json = false;
};

Result<void> show_floors(const Options& options) {
  print_note("Measuring memory bandwidth and arithmetic; this takes a few seconds");
  const auto floors = renew_floors(backend_options(options.flags->settings()));
  if (!floors.ok()) return floors.error();
  if (options.json) {
    Json rates = Json::object();
    for (const auto& [format, rate] : floors->tflops) rates[format] = rate;
    Json json{{"device", floors->device},
              {"threads", floors->threads},
              {"read_gbps", floors->read_gbps},
              {"copy_gbps", floors->copy_gbps},
              {"tflops", rates}};
    if (floors->launch_us > 0) json["launch_us"] = floors->launch_us;
    print_json(json);
  } else {
    std::string text = fmt::format("{}\nread     {:9.2f} GB/s\ncopy     {:9.2f} GB/s\n", floors->device,
                                   floors->read_gbps, floors->copy_gbps);
    for (const auto& [format, rate] : floors->tflops)
      text += fmt::format("{:<8} {:9.3f} TFLOP/s\n", format, rate);
    if (floors->launch_us > 0) text += fmt::format("launch   {:9.2f} us\n", floors->launch_us);
    print(text);
  }
  return {};
}

}  // namespace

void add_floors_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("floors", "Measure what this machine can do at best");
  options->flags = std::make_unique<SettingFlags>(*command, device_setting);
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return show_floors(*options); }; });
}

}  // namespace pitwall::ctl
