// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/engine_controller.h"

#include <QTimer>
#include <algorithm>
#include <atomic>

#include "engine/base/threads.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

/// An engine and its server live and die together: the server first, it refers to the engine.
struct Running {
  std::unique_ptr<Engine> engine;
  std::unique_ptr<HttpServer> server;
  ~Running() {
    if (server) server->stop();
    server.reset();
    if (engine) engine->stop();
  }
};

Result<std::shared_ptr<Running>> start_running(EngineOptions options) {
  const auto http = http_options(options.settings);
  if (!http) return http.error();
  auto port = HttpPort::take(*http);
  if (!port) return port.error();
  auto engine = Engine::start(std::move(options));
  if (!engine) return engine.error();
  auto running = std::make_shared<Running>();
  running->engine = std::move(*engine);
  auto server = HttpServer::start(*running->engine, *http, *std::move(port));
  if (!server) return server.error();  // and `running` stops the engine again
  running->server = std::move(*server);
  return running;
}

}  // namespace

struct EngineController::State {
  void look(EngineController& controller);  // the timer's tick
  void set_pace();
  void loaded(EngineController& controller, std::uint64_t of, const Result<std::shared_ptr<Running>>& result);

  BackendFactory make_backend;
  RunSink* runs = nullptr;

  EngineState state = EngineState::stopped;
  std::shared_ptr<Running> running;
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<std::atomic<bool>> cancel;  // of the load in progress
  std::uint64_t generation = 0;               // of the last start or stop: older answers are dropped
  QString model_path;
  Settings settings;
  Error error;
  int refresh_hz = 4;
  bool watched = true;
  QTimer* timer = nullptr;
  std::unique_ptr<WorkerPool> worker;  // one thread: loads and stops in order; last member, joins first
};

void EngineController::State::loaded(EngineController& controller, std::uint64_t of,
                                     const Result<std::shared_ptr<Running>>& result) {
  if (of != generation) {  // cancelled while this answer was on its way: the engine ends off the UI thread
    if (result) worker->post([late = *result]() mutable { late.reset(); });
    return;
  }
  if (result) {
    running = *result;
    state = EngineState::serving;
    snapshot = running->engine->snapshot();
    timer->start();
  } else {
    error = result.error();
    state = EngineState::failed;
  }
  Q_EMIT controller.state_changed(state);
}

void EngineController::State::look(EngineController& controller) {
  if (!running) return;
  snapshot = running->engine->snapshot();
  Q_EMIT controller.snapshot_ready();
  const std::optional<Error> failure = running ? running->engine->failure() : std::nullopt;
  if (!failure) return;
  timer->stop();
  error = *failure;
  state = EngineState::failed;
  worker->post([failed = std::move(running)]() mutable { failed.reset(); });
  running.reset();
  Q_EMIT controller.state_changed(state);
}

void EngineController::State::set_pace() {
  timer->setInterval(watched ? 1000 / refresh_hz : 1000);
}

EngineController::EngineController(BackendFactory make_backend, RunSink* runs, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>()) {
  state_->make_backend = std::move(make_backend);
  state_->runs = runs;
  state_->worker = std::make_unique<WorkerPool>(1, "engine loader");
  state_->timer = new QTimer(this);
  state_->set_pace();
  connect(state_->timer, &QTimer::timeout, this, [this] { state_->look(*this); });
}

EngineController::~EngineController() {
  if (state_->cancel) *state_->cancel = true;
  state_->running.reset();
}

void EngineController::start(const QString& model_path, const Settings& settings) {
  if (state_->cancel) *state_->cancel = true;
  const std::uint64_t generation = ++state_->generation;
  auto previous = std::move(state_->running);
  state_->timer->stop();
  state_->model_path = model_path;
  state_->settings = settings;
  state_->error = {};
  state_->cancel = std::make_shared<std::atomic<bool>>(false);
  state_->state = EngineState::loading;
  Q_EMIT state_changed(state_->state);

  // What the worker tells the window goes through its event loop, and is dropped when a later start or stop
  // came first.
  auto tell = [this, generation](std::function<void()> news) {
    QMetaObject::invokeMethod(
        this,
        [this, generation, news = std::move(news)] {
          if (state_->generation == generation) news();
        },
        Qt::QueuedConnection);
  };
  EngineOptions options;
  options.settings = settings;
  options.model = model_path.toStdString();
  options.make_backend = state_->make_backend;
  options.runs = state_->runs;
  options.cancel = state_->cancel.get();
  options.on_progress = [this, tell](const LoadProgress& progress) {
    tell([this, progress] {
      Q_EMIT load_progress(engine_words(progress.phase), progress.done, progress.total);
    });
  };
  state_->worker->post([this, generation, options = std::move(options), previous = std::move(previous),
                        cancel = state_->cancel]() mutable {
    previous.reset();
    auto result = start_running(std::move(options));
    if (*cancel) return;  // and an engine that came up all the same ends here, off the UI thread
    QMetaObject::invokeMethod(
        this, [this, generation, result = std::move(result)] { state_->loaded(*this, generation, result); },
        Qt::QueuedConnection);
  });
}

void EngineController::stop() {
  if (state_->state == EngineState::stopped || state_->state == EngineState::stopping) return;
  if (state_->cancel) *state_->cancel = true;
  const std::uint64_t generation = ++state_->generation;
  state_->timer->stop();
  if (state_->running) state_->snapshot = state_->running->engine->snapshot();
  auto running = std::move(state_->running);
  if (running) running->engine->abandon();  // a change that waits for the end of a step is before it
  state_->state = EngineState::stopping;
  Q_EMIT state_changed(state_->state);
  state_->worker->post([this, generation, running = std::move(running)]() mutable {
    running.reset();
    QMetaObject::invokeMethod(
        this,
        [this, generation] {
          if (state_->generation != generation) return;
          state_->state = EngineState::stopped;
          Q_EMIT state_changed(state_->state);
        },
        Qt::QueuedConnection);
  });
}

void EngineController::change(const std::string& name, const std::string& text) {
  if (!state_->running) return;
  // The engine answers between two steps, which may take seconds: not on the UI thread.
  state_->worker->post([this, name, text, generation = state_->generation, running = state_->running] {
    const Result<void> result = running->engine->change(name, text, ChangedBy::user);
    QMetaObject::invokeMethod(
        this,
        [this, name, text, generation, result] {
          if (state_->generation != generation || !state_->running) return;
          if (result) state_->settings = state_->running->engine->settings();
          Q_EMIT setting_changed(name, text, result);
        },
        Qt::QueuedConnection);
  });
}

EngineState EngineController::state() const {
  return state_->state;
}
Engine* EngineController::engine() const {
  return state_->running ? state_->running->engine.get() : nullptr;
}
std::shared_ptr<Engine> EngineController::hold() const {
  return {state_->running, engine()};
}
RunSink* EngineController::runs() const {
  return state_->runs;
}
std::shared_ptr<const Snapshot> EngineController::snapshot() const {
  return state_->snapshot;
}
QString EngineController::url() const {
  return state_->running ? QString::fromStdString(state_->running->server->url()) : QString();
}
QString EngineController::model_path() const {
  return state_->model_path;
}
const Settings& EngineController::settings() const {
  return state_->settings;
}
const BackendFactory& EngineController::backend_factory() const {
  return state_->make_backend;
}
const Error& EngineController::last_error() const {
  return state_->error;
}
void EngineController::set_refresh_hz(int hz) {
  state_->refresh_hz = std::clamp(hz, 4, 10);
  state_->set_pace();
}
bool EngineController::watched() const {
  return state_->watched;
}
void EngineController::set_watched(bool watched) {
  if (state_->watched == watched) return;
  state_->watched = watched;
  state_->set_pace();
  if (watched && state_->timer->isActive()) state_->look(*this);
}

}  // namespace pitwall::ui
