// SPDX-License-Identifier: GPL-3.0-or-later
// runs list | show | export | import, and report: what the store holds.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "engine/base/file.h"
#include "engine/report/checklist_import.h"
#include "engine/report/export_formats.h"
#include "engine/report/run_import.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::int64_t id = 0;
  std::vector<std::int64_t> compare;
  std::string format, output_file, input_file;
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
          {"imported", run.imported_utc > 0 ? Json(format_utc(run.imported_utc)) : Json()},
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
  return fmt::format("{:>5}  {}  {:<6} {:<10} {:>6} requests  TTFT {:>8}  TPOT {:>8}  {}{}\n", run.id.value,
                     format_utc(run.start_utc), run.kind, run_status_name(run.status),
                     format_count(run.requests), milliseconds(run.ttft_p50_ms), milliseconds(run.tpot_p50_ms),
                     run.model, run.imported_utc > 0 ? ", imported" : "");
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

Result<void> write_run(const Options& options) {
  const auto store = open_store();
  if (!store.ok()) return store.error();
  const auto run = (*store)->run(RunId{options.id});
  if (!run.ok()) return run.error();
  return write_output(options.output_file, find_export_format(options.format)->write(*run));
}

Result<void> write_comparison(const Options& options) {
  const auto store = open_store();
  if (!store.ok()) return store.error();
  std::vector<std::int64_t> ids{options.id};
  ids.insert(ids.end(), options.compare.begin(), options.compare.end());
  std::deque<Run> runs;
  std::vector<const Run*> compared;
  for (const std::int64_t id : ids) {
    auto run = (*store)->run(RunId{id});
    if (!run.ok()) return run.error();
    compared.push_back(&runs.emplace_back(std::move(*run)));
  }
  const ExportFormat* format = find_export_format(options.format);
  return write_output(options.output_file, format->write_comparison(compare_runs(compared)));
}

Result<void> import_run(Store& store, const std::string& text, const std::string& name, bool json) {
  const auto run = parse_run_file(text, name);
  if (!run.ok()) return run.error();
  const auto id = store.import_run(*run);
  if (!id.ok()) return id.error();
  const auto requests = static_cast<std::int64_t>(run->requests.size());
  json ? print_json({{"run_id", id->value}, {"kind", run->header.kind}, {"requests", requests}})
       : print(fmt::format("Run {}: {} requests, kind {}\n", id->value, format_count(requests),
                           run->header.kind));
  return {};
}

Result<void> import_checklist(Store& store, const std::string& text, const std::string& name, bool json) {
  const auto read = parse_checklist_file(text, name);
  if (!read.ok()) return read.error();
  const auto kept = store.import_checklist(read->checklist, read->runs);
  if (!kept.ok()) return kept.error();
  json ? print_json({{"checklist_id", kept->id}, {"items", kept->items.size()}, {"runs", read->runs.size()}})
       : print(fmt::format("Checklist {}, {}: {} items, {} runs\n", kept->id, kept->name, kept->items.size(),
                           read->runs.size()));
  return {};
}

Result<void> import_file(const Options& options) {
  const auto text = read_file(options.input_file);
  if (!text.ok()) return text.error();
  const auto store = open_store();
  if (!store.ok()) return store.error();
  const std::string name = std::filesystem::path(options.input_file).filename().string();
  return looks_like_checklist(*text) ? import_checklist(**store, *text, name, options.json)
                                     : import_run(**store, *text, name, options.json);
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

/// What only the window writes is named with the way to it.
CLI::Validator known_format(const std::vector<std::string>& names) {
  return CLI::Validator(
      [names](std::string& given) {
        if (std::find(names.begin(), names.end(), given) != names.end()) return std::string();
        const ExportFormat* format = find_export_format(given);
        if (format != nullptr && format->write == nullptr)
          return fmt::format("{} needs the window: `pitwall --report ID --format {}`", given, given);
        return fmt::format("{} is none of {}", given, fmt::join(names, ", "));
      },
      fmt::format("{{{}}}", fmt::join(names, ",")));
}

// `export` and `report` differ in the formats that they write.
std::shared_ptr<Options> add_writer(CLI::App& parent, const char* name, const char* help,
                                    const std::vector<std::string>& formats, const char* usual,
                                    Action& action) {
  const auto options = std::make_shared<Options>();
  options->format = usual;
  CLI::App* command = parent.add_subcommand(name, help);
  command->add_option("id", options->id, "The run's number in the list")->required();
  command->add_option("--format", options->format, "What to write")
      ->check(known_format(formats))
      ->capture_default_str();
  command->add_option("--output", options->output_file, "File to write instead of stdout");
  command->callback([&action, options] {
    action = [options] {
      return options->compare.empty() ? write_run(*options) : write_comparison(*options);
    };
  });
  return options;
}

void add_import(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand(
      "import",
      "Keep a run from a file: ours (JSON), a result of `vllm bench serve`, or AIPerf's JSON lines; or a "
      "checklist with its runs");
  command->add_option("file", options->input_file, "The file")->required()->check(CLI::ExistingFile);
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return import_file(*options); }; });
}

}  // namespace

void add_runs_command(CLI::App& app, Action& action) {
  CLI::App* runs = app.add_subcommand("runs", "The recorded runs");
  runs->require_subcommand(1);
  add_list(*runs, action);
  add_show(*runs, action);
  add_writer(*runs, "export", "A run in any format", export_names(false), "json", action);
  add_import(*runs, action);
}

void add_report_command(CLI::App& app, Action& action) {
  std::vector<std::string> formats = export_names(true);
  formats.emplace_back("json");
  const auto options =
      add_writer(app, "report", "A run, or several side by side, as a document", formats, "html", action);
  app.get_subcommand("report")
      ->add_option("--compare", options->compare, "Runs to hold against it, which is the reference")
      ->expected(1, static_cast<int>(kMostCompared) - 1);
}

void add_import_command(CLI::App& app, Action& action) {
  add_import(app, action);
}

}  // namespace pitwall::ctl
