// SPDX-License-Identifier: GPL-3.0-or-later
// runs list | show | export, and report: what the store holds.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "engine/report/report.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::int64_t id = 0;
  std::string format, output_file;
  bool json = false;
};

Json item_json(const RunListItem& run) {
  return {{"id", run.id.value},
          {"name", run.name},
          {"kind", run.kind},
          {"model", run.model},
          {"status", run_status_name(run.status)},
          {"start", format_utc(run.start_utc)},
          {"end", run.end_utc > 0 ? Json(format_utc(run.end_utc)) : Json()},
          {"requests", run.requests},
          {"output_tokens_per_s", run.output_tokens_per_s},
          {"ttft_p50_ms", run.ttft_p50_ms},
          {"tpot_p50_ms", run.tpot_p50_ms},
          {"max_itl_ms", run.max_itl_ms},
          {"note", run.note}};
}

std::string milliseconds(double ms) {
  return std::isnan(ms) ? "–" : format_duration(static_cast<Nanos>(ms * static_cast<double>(kNanosPerMs)));
}

std::string item_text(const RunListItem& run) {
  return fmt::format("{:>5}  {}  {:<6} {:<10} {:>6} requests  TTFT {:>8}  TPOT {:>8}  {}\n", run.id.value,
                     format_utc(run.start_utc), run.kind, run_status_name(run.status),
                     format_count(run.requests), milliseconds(run.ttft_p50_ms), milliseconds(run.tpot_p50_ms),
                     run.model);
}

Result<void> list(const Options& options) {
  const auto store = open_store();
  if (!store.ok()) return store.error();
  const auto runs = (*store)->runs();
  if (!runs.ok()) return runs.error();
  Json items = Json::array();
  std::string text;
  for (const RunListItem& run : *runs) {
    items.push_back(item_json(run));
    text += item_text(run);
  }
  options.json ? print_json({{"runs", items}}) : print(text.empty() ? "No runs are recorded yet.\n" : text);
  return {};
}

std::string document(const Run& run, const std::string& format) {
  if (format == "html") return run_html(run);
  if (format == "csv") return requests_csv(run);
  if (format == "md") return run_markdown(run);
  return run_json(run) + "\n";
}

Result<void> write_run(const Options& options) {
  const auto store = open_store();
  if (!store.ok()) return store.error();
  const auto run = (*store)->run(RunId{options.id});
  if (!run.ok()) return run.error();
  return write_output(options.output_file, document(*run, options.format));
}

void add_list(CLI::App& runs, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = runs.add_subcommand("list", "All runs, newest first");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

void add_show(CLI::App& runs, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = runs.add_subcommand("show", "One run, for reading");
  command->add_option("id", options->id, "The run's number in the list")->required();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] {
    options->format = options->json ? "json" : "md";
    action = [options] { return write_run(*options); };
  });
}

// `export` and `report` differ in the formats that they write.
void add_writer(CLI::App& parent, const char* name, const char* help, const std::vector<std::string>& formats,
                Action& action) {
  const auto options = std::make_shared<Options>();
  options->format = formats.front();
  CLI::App* command = parent.add_subcommand(name, help);
  command->add_option("id", options->id, "The run's number in the list")->required();
  command->add_option("--format", options->format, "What to write")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command->add_option("--output", options->output_file, "File to write instead of stdout");
  command->callback([&action, options] { action = [options] { return write_run(*options); }; });
}

}  // namespace

void add_runs_command(CLI::App& app, Action& action) {
  CLI::App* runs = app.add_subcommand("runs", "The recorded runs");
  runs->require_subcommand(1);
  add_list(*runs, action);
  add_show(*runs, action);
  add_writer(*runs, "export", "All of a run as JSON, or its requests as CSV", {"json", "csv"}, action);
}

void add_report_command(CLI::App& app, Action& action) {
  add_writer(app, "report", "A run as a document", {"html", "md", "json"}, action);
}

}  // namespace pitwall::ctl
