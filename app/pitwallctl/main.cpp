// SPDX-License-Identifier: GPL-3.0-or-later
// pitwallctl: the engine on the command line. Exit codes: 0 done, 1 failed, 2 wrong usage.
#include <fmt/format.h>
#include <malloc.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/base/text_escape.h"
#include "engine/serve/build_info.h"

namespace pitwall::ctl {

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2;

/// glibc's first value, kept: by itself it raises the size up to which buffers come from its arenas with each
/// large one that is freed, and twice that stays resident in every arena. The largest body or reply that a
/// server ever handled would be held for good, once a thread.
constexpr int kMappedBytes = 128 * 1024;

void add_commands(CLI::App& app, Action& action) {
  add_model_command(app, action);
  add_generate_command(app, action);
  add_serve_command(app, action);
  add_check_command(app, action);
  add_fetch_command(app, action);
  add_runs_command(app, action);
  add_report_command(app, action);
  add_import_command(app, action);
  add_tokenize_command(app, action);
  add_detokenize_command(app, action);
  add_template_command(app, action);
  add_logits_command(app, action);
  add_flags_command(app, action);
  add_floors_command(app, action);
  add_perplexity_command(app, action);
  add_bench_command(app, action);
  add_bench_kernels_command(app, action);
  add_selftest_command(app, action);
  add_simulate_command(app, action);
  add_sweep_command(app, action);
  add_plan_command(app, action);
}

int explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
    app.exit(error);
    return kDone;
  }
  const auto chosen = app.get_subcommands();
  const auto unknown = app.remaining();
  std::string what = error.what(), command;
  if (!chosen.empty()) {
    command = chosen.front()->get_name() + " ";
  } else if (!unknown.empty()) {
    what = fmt::format("There is no command {}", quote_for_message(unknown.front()));
  }
  print_note(fmt::format("error: {}\nRun `{} {}--help` for what it takes.", what, app.get_name(), command));
  return kWrongUsage;
}

/// `plan` takes vLLM's short names of ranks; CLI11 knows short names of one letter alone. Last word first, as
/// it wants them.
std::vector<std::string> words_of(int argc, char** argv) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"-tp", "--tensor-parallel-size"},
      {"-pp", "--pipeline-parallel-size"},
      {"-ep", "--enable-expert-parallel"}};
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool plans = !words.empty() && words.front() == "plan";
  for (std::string& word : words) {
    for (const auto& [brief, full] : kShort) {
      if (plans && word.substr(0, word.find('=')) == brief) word.replace(0, brief.size(), full);
    }
  }
  std::reverse(words.begin(), words.end());
  return words;
}

int run(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("pitwall"));
  CLI::App app("Pitwall: an LLM serving engine and its workbench, on the command line.", "pitwallctl");
  app.set_version_flag("--version", build_info().version);
  app.require_subcommand(1);
  Action action;
  add_commands(app, action);
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    return explain_usage(app, error);
  }
  hide_secret_arguments(argc, argv);
  const auto done = action();
  if (!done.ok()) {
    print_note("error: " + done.error().text());
    return kFailed;
  }
  if (std::ferror(stdout) != 0) {
    print_note("error: The output could not be written.");
    return kFailed;
  }
  return kDone;
}

}  // namespace

}  // namespace pitwall::ctl

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, pitwall::ctl::kMappedBytes);
  try {
    return pitwall::ctl::run(argc, argv);
  } catch (const std::exception& fault) {  // memory is the one thing that the house reports by throwing
    pitwall::ctl::print_note(fmt::format("error: {}", fault.what()));
    return 1;
  }
}
