// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/stop_signals.h"
#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"

namespace pitwall::ctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSignalPoll{100};
constexpr double kShortest = 0.5;  // seconds before a rate means anything

struct Options {
  std::string source;
  std::string sha256;
  bool json = false;
};

/// What a phase has done since it began, as text with rate and time left.
class PhaseText {
 public:
  std::string text(const FetchProgress& progress) {
    if (progress.phase != phase_) {
      phase_ = progress.phase;
      first_ = progress.done;
      began_ = Clock::now();
    }
    std::string out = phase_;
    if (progress.done <= 0) return out;
    out += ": " + format_bytes(progress.done);
    if (progress.total > 0) out += " of " + format_bytes(progress.total);
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    const double rate = static_cast<double>(progress.done - first_) / seconds;  // bytes a second
    if (seconds < kShortest || rate < 1) return out;
    out += fmt::format(", {}/s", format_bytes(static_cast<Bytes>(rate)));
    const Bytes rest = progress.total - progress.done;
    if (rest > 0) out += fmt::format(", {:.0f} s left", static_cast<double>(rest) / rate);
    return out;
  }

 private:
  std::string phase_;
  Bytes first_ = 0;
  Clock::time_point began_;
};

/// Sets `stop` on Ctrl-C, so that what has come stays for the next fetch.
class StopWatch {
 public:
  StopWatch() : thread_([this] { watch(); }) {}
  ~StopWatch() {
    over_ = true;
    thread_.join();
  }
  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  void watch() {
    while (!over_) {
      if (signals_.wait(kSignalPoll)) stop_ = true;
    }
  }

  StopSignals signals_;
  std::atomic<bool> stop_{false}, over_{false};
  std::thread thread_;
};

Result<void> fetch(const Options& options) {
  if (const ModelProfile* profile = find_model_profile(options.source); profile && !profile->terms.empty())
    print_note(fmt::format("By fetching {} you agree to its terms: {}", profile->title, profile->terms));
  const StopWatch watch;
  StatusLine status;
  PhaseText phase;
  FetchOptions fetch_options{.sha256 = options.sha256};
  fetch_options.cancel = watch.stop();
  fetch_options.on_progress = [&](const FetchProgress& progress) {
    const std::string text = phase.text(progress);
    status.show([&] { return text; });
  };
  fetch_options.on_note = [&](std::string_view note) {
    status.clear();
    print_note(note);
  };
  const auto path = fetch_model(options.source, fetch_options);
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
      ->add_option("source", options->source,
                   fmt::format("Model to fetch: {}; an http or https address; or hf:org/repo[@revision]/file "
                               "(HF_TOKEN for private ones)",
                               fmt::join(fetchable_models(), ", ")))
      ->required();
  command->add_option("--sha256", options->sha256, "Expected sum of a file from an address");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return fetch(*options); }; });
}

}  // namespace pitwall::ctl
