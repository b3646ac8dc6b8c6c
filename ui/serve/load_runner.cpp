// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/load_runner.h"

#include <thread>

#include "engine/bench/bench_run.h"
#include "engine/bench/engine_job.h"
#include "ui/shell/engine_controller.h"

namespace pitwall::ui {

namespace {

constexpr int kWarmups = 1;

RunHeader header_of(const Engine& engine) {
  RunHeader header = client_run_header(engine.served_name());
  const LedgerSnapshot ledger = engine.snapshot()->ledger;
  header.device = ledger.swap_apart ? "cuda" : "cpu";
  header.cpu = engine.device_name();
  header.ram = ledger.device_total;
  header.model_path = engine.model().path().string();
  header.architecture = engine.model().spec().architecture;
  header.quantization = engine.model().quantization();
  header.model_sha256 = engine.model().header_sha256();
  for (const Settings::Entry& entry : engine.settings().entries())
    header.config.push_back(
        {entry.name, engine.effective(entry.name), entry.default_value, entry.origin, entry.changed});
  return header;
}

BenchJob job_of(Engine& engine, const Workload& workload, const LoadWish& wish) {
  LoadSource source;
  source.workload = workload;
  source.num_prompts = wish.requests;
  source.request_rate = wish.per_second;
  LoadSetup setup;
  setup.workload = workload.name;
  setup.request_rate = wish.per_second.value_or(workload.request_rate);
  setup.max_concurrency = wish.at_once;
  setup.warmups = kWarmups;
  setup.objectives = wish.objectives;
  JobOptions options;
  options.ignore_eos = true;  // as many tokens as the workload says
  return engine_job(engine, header_of(engine), std::move(source), std::move(setup), options);
}

}  // namespace

struct LoadRunner::State {
  explicit State(EngineController& engine) : engine(engine) {}
  EngineController& engine;
  std::atomic<bool> cancelled{false};
  bool running = false;
  std::thread thread;
};

LoadRunner::LoadRunner(EngineController& engine, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(engine)) {
  connect(&engine, &EngineController::state_changed, this, [this](EngineState now) {
    if (now == EngineState::serving || !state_->running) return;
    cancel();
    state_->thread.join();  // so that whoever stops the engine is the last to let go of it
  });
}

LoadRunner::~LoadRunner() {
  cancel();
  if (state_->thread.joinable()) state_->thread.join();
}

bool LoadRunner::running() const {
  return state_->running;
}

void LoadRunner::cancel() {
  state_->cancelled = true;
}

Result<void> LoadRunner::start(const LoadWish& wish) {
  State& s = *state_;
  if (s.running)
    return Error{Error::Kind::busy, "A load is running", "", "Wait for its end, or cancel it", ""};
  std::shared_ptr<Engine> engine = s.engine.hold();
  if (!engine)
    return Error{Error::Kind::invalid_input, "No engine is serving", "", "Start the engine first", ""};
  const auto workload = find_workload(wish.workload);
  if (!workload) return workload.error();
  if (s.thread.joinable()) s.thread.join();
  s.cancelled = false;
  s.running = true;
  BenchJob job = job_of(*engine, *workload, wish);
  job.runs = s.engine.runs();
  job.cancel = &s.cancelled;
  job.on_progress = [this](int repeat, const PlayProgress& now) {
    QMetaObject::invokeMethod(
        this, [this, repeat, now] { Q_EMIT progress(now, repeat == 0); }, Qt::QueuedConnection);
  };
  s.thread = std::thread([this, job = std::move(job), engine = std::move(engine)]() mutable {
    // Where nobody else is served each test begins alike: the prompts of one are those of the next.
    (void)engine->reset_prefix_cache();
    auto outcome = run_bench(job);
    engine.reset();
    const auto report = outcome ? std::make_shared<const Result<LoadReport>>(std::move(outcome->report))
                                : std::make_shared<const Result<LoadReport>>(outcome.error());
    QMetaObject::invokeMethod(
        this,
        [this, report] {
          state_->running = false;
          Q_EMIT finished(*report);
        },
        Qt::QueuedConnection);
  });
  return {};
}

}  // namespace pitwall::ui
