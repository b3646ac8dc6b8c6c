// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <future>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/setting_flags.h"
#include "app/pitwallctl/stop_signals.h"
#include "engine/serve/http_server.h"

namespace pitwall::ctl {

namespace {

constexpr std::chrono::milliseconds kPoll{250};

std::string status_text(const Snapshot& snapshot) {
  return fmt::format(
      "running {} · waiting {} · {:.1f} tok/s · idle {:.2f} % · memory {} · KV {} of {} blocks",
      snapshot.running, snapshot.waiting, snapshot.output_tokens_per_s, snapshot.idle_percent,
      format_bytes(snapshot.ledger.measured), snapshot.kv_blocks_used, snapshot.kv_blocks);
}

void cancel_all(Engine& engine) {
  const auto snapshot = engine.snapshot();
  for (const RequestRecord& request : snapshot->requests) {
    if (request.finish == FinishReason::none) engine.cancel(request.id, "the server was stopped");
  }
}

// Running requests end by themselves within the grace, new ones are refused; a second signal cancels them.
void drain(Engine& engine, const StopSignals& signals, Nanos grace) {
  const auto snapshot = engine.snapshot();
  if (const int live = snapshot->running + snapshot->waiting; live > 0) {
    print_note(fmt::format("Stopping when {} requests have ended; a second signal cancels them", live));
  }
  const auto stopped = std::async(std::launch::async, [&engine, grace] { engine.stop(grace); });
  while (stopped.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (signals.wait(kPoll)) cancel_all(engine);
  }
}

Result<void> serve_until_stopped(Engine& engine, const StopSignals& signals) {
  StatusLine status;
  while (!signals.wait(kPoll)) {
    if (const auto failure = engine.failure()) return *failure;
    if (status.on_terminal()) status.show([&] { return status_text(*engine.snapshot()); });
  }
  return {};
}

// Serving matters more than recording: without a store there are no records, and the user hears why.
std::unique_ptr<Store> store_or_note() {
  auto store = open_store();
  if (store.ok()) return std::move(*store);
  print_note("This run is not recorded. " + store.error().text());
  return nullptr;
}

Result<void> serve(const Settings& settings, const SyntheticFlags& synthetic) {
  const StopSignals signals;
  auto http = http_options(settings);  // what it refuses is said before a model is loaded
  if (!http.ok()) return http.error();
  auto port = HttpPort::take(*http);
  if (!port.ok()) return port.error();
  const auto store = store_or_note();
  std::atomic<bool> stop_loading = false;
  EngineOptions options;
  options.settings = settings;
  options.runs = store.get();
  options.cancel = &stop_loading;
  options.on_progress = [&](const LoadProgress&) {
    if (signals.wait(std::chrono::milliseconds(0))) stop_loading = true;
  };
  auto engine = start_engine(std::move(options), synthetic);
  if (!engine.ok() && stop_loading) return {};  // as asked
  if (!engine.ok()) return engine.error();
  auto server = HttpServer::start(**engine, *http, *std::move(port));
  if (!server.ok()) return server.error();
  print(fmt::format("listening on {}\n", (*server)->url()));

  auto served = serve_until_stopped(**engine, signals);
  if (served.ok()) drain(**engine, signals, settings.integer("shutdown-timeout") * kNanosPerSecond);
  (*server)->stop();
  return served;
}

}  // namespace

void add_serve_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("serve", "Serve a model over HTTP: OpenAI's API, /metrics and /pitwall/*");
  const auto flags = std::make_shared<SettingFlags>(*command, any_setting);
  const auto synthetic = std::make_shared<SyntheticFlags>();
  synthetic->add_to(*command);
  command->callback([&action, command, flags, synthetic] {
    synthetic->check(*command);
    action = [flags, synthetic] {
      hide_secret_environment();
      return serve(flags->settings(), *synthetic);
    };
  });
}

}  // namespace pitwall::ctl
