// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "engine/library/fetch.h"

namespace pitwall::ctl {

namespace {

struct Options {
  std::string name;
  bool json = false;
};

std::string progress_text(const FetchProgress& progress) {
  if (progress.total <= 0)
    return progress.done > 0 ? fmt::format("{}: {}", progress.phase, format_bytes(progress.done))
                             : progress.phase;
  return fmt::format("{}: {} of {}", progress.phase, format_bytes(progress.done),
                     format_bytes(progress.total));
}

Result<void> fetch(const Options& options) {
  StatusLine status;
  FetchOptions fetch_options;
  fetch_options.on_progress = [&](const FetchProgress& progress) {
    status.show([&] { return progress_text(progress); });
  };
  const auto path = fetch_model(options.name, fetch_options);
  status.clear();
  if (!path.ok()) return path.error();
  options.json ? print_json({{"path", path->string()}}) : print(path->string() + "\n");
  return {};
}

}  // namespace

void add_fetch_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fetch", "Fetch a model into the data folder");
  command
      ->add_option("name", options->name,
                   fmt::format("Model to fetch: {}", fmt::join(fetchable_models(), ", ")))
      ->required();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return fetch(*options); }; });
}

}  // namespace pitwall::ctl
