// SPDX-License-Identifier: GPL-3.0-or-later
// What the window costs. First: how long one turn of its event loop is, in wall and in processor time, while
// 256 streams run on the real clock, each step as long as it is told to be, and every chart is in sight; the
// target is p99 < 16 ms. Then: what the CPU engine delivers with the window open and minimised, against none,
// as ratios of one process that takes turns. Usage: window_bench [seconds] [model]; without a model the
// starter model, where it is here.
#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "app/common/backend_factory.h"
#include "engine/base/threads.h"
#include "engine/store/store.h"
#include "engine/telemetry/quantiles.h"
#include "tests/support/instant_backend.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"

using namespace pitwall;

namespace {

constexpr int kStreams = 256;
constexpr Nanos kStep = 12 * kNanosPerMs;  // of an 8B model on one H200
constexpr double kWarmUpSeconds = 5;       // until each chart has lines
constexpr QSize kAllInSight{1920, 2000};   // as much as two screens, so that nothing is scrolled away
constexpr int kRounds = 5;
constexpr double kTargetMs = 16;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(1);
}

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// The UI thread's turns: all events that are handled between two waits. Waiting itself is in none.
class Turns : public QApplication {
 public:
  using QApplication::QApplication;
  void begin() {
    connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::aboutToBlock, this,
            [this] { close(); });
  }
  void record(bool on) {
    close();
    recording_ = on;
  }
  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_ > 0) return QApplication::notify(receiver, event);
    ++depth_;
    const double wall = seconds_on(CLOCK_MONOTONIC), cpu = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    const bool result = QApplication::notify(receiver, event);
    wall_ += seconds_on(CLOCK_MONOTONIC) - wall;
    cpu_ += seconds_on(CLOCK_THREAD_CPUTIME_ID) - cpu;
    --depth_;
    return result;
  }
  std::vector<double> wall_ms, cpu_ms;

 private:
  void close() {
    if (recording_ && wall_ > 0) {
      wall_ms.push_back(wall_ * 1000);
      cpu_ms.push_back(cpu_ * 1000);
    }
    wall_ = cpu_ = 0;
  }
  int depth_ = 0;
  bool recording_ = false;
  double wall_ = 0, cpu_ = 0;
};

void run_loop(double seconds) {
  QEventLoop loop;
  QTimer::singleShot(static_cast<int>(seconds * 1000), &loop, &QEventLoop::quit);
  loop.exec();
}

/// Closed loop: who ends is followed by another one with a reply of another length.
class Streams {
 public:
  Streams(Engine& engine, int streams, int prompt, int shortest)
      : engine_(engine), prompt_(prompt), shortest_(shortest) {
    for (int i = 0; i < streams; ++i) ask();
  }
  ~Streams() {
    ended_ = true;
    for (std::uint64_t id = 1; id <= asked_; ++id) engine_.cancel(RequestId{id}, "the bench has ended");
    while (running_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::int64_t tokens() const { return tokens_; }

 private:
  void ask() {
    if (ended_) return;
    GenerationRequest request;
    const int turn = static_cast<int>(asked_.load());
    for (int i = 0; i < prompt_ + turn % 7; ++i) request.prompt.push_back(70 + (turn * 31 + i) % 90);
    request.sampling.max_tokens = shortest_ * (1 + turn % 4);
    request.ignore_eos = true;
    const auto id = engine_.submit(std::move(request), [this](OutputEvent&& event) {
      tokens_ += static_cast<std::int64_t>(event.tokens.size());
      if (!event.finished) return;
      --running_;
      asker_.post([this] { ask(); });  // the output thread waits for nobody
    });
    if (!id) give_up(id.error().text());
    ++running_;
    asked_ = id->value;
  }
  Engine& engine_;
  const int prompt_, shortest_;
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::int64_t> tokens_{0};
  std::atomic<int> running_{0};
  std::atomic<bool> ended_{false};
  WorkerPool asker_{1, "bench"};  // last: it joins first
};

/// An engine and what the window needs, on folders of their own.
struct Session {
  Session(const std::filesystem::path& folder, BackendFactory make_backend)
      : preferences(folder),
        store(*Store::open(folder / "pitwall.db")),
        engine(std::move(make_backend), store.get()) {}
  void open_window(QSize size) {
    window = ui::compose_window(engine, *store, preferences,
                                [](const std::string& name) { return find_gpu(name); });
    window->resize(size);
    window->show_page(QStringLiteral("serve"));
    window->show();
  }
  void start(const std::filesystem::path& model,
             const std::vector<std::pair<std::string, std::string>>& wishes) {
    Settings settings;
    for (const auto& [name, value] : wishes)
      if (auto set = settings.set(name, value); !set) give_up(set.error().text());
    engine.start(QString::fromStdString(model.string()), settings);
    while (engine.state() == EngineState::loading) run_loop(0.05);
    if (engine.state() != EngineState::serving) give_up(engine.last_error().text());
  }
  ui::Preferences preferences;
  std::unique_ptr<Store> store;
  ui::EngineController engine;
  std::unique_ptr<ui::MainWindow> window;
};

void print_turns(const char* what, std::vector<double> ms, double seconds) {
  if (ms.empty()) give_up("the event loop had no turn");
  std::sort(ms.begin(), ms.end());
  double sum = 0;
  for (const double one : ms) sum += one;
  std::printf("%-10s %8zu %8.2f %8.2f %8.2f %8.2f %8.2f %9.1f%%  %s\n", what, ms.size(),
              quantile_sorted(ms, 0.5), quantile_sorted(ms, 0.9), quantile_sorted(ms, 0.99),
              quantile_sorted(ms, 0.999), ms.back(), 100 * sum / 1000 / seconds,
              quantile_sorted(ms, 0.99) < kTargetMs ? "met" : "MISSED");
}

void turns(Turns& app, const std::filesystem::path& model, double seconds) {
  const test::TemporaryFolder folder;
  Session session(folder.path(), [](const Settings&) -> Result<std::unique_ptr<Backend>> {
    return test::make_instant_backend(kStep, [](Nanos) { return TokenId{75}; });
  });
  session.open_window(kAllInSight);
  session.start(
      model, {{"port", "0"}, {"max-num-seqs", std::to_string(kStreams)}, {"kv-cache-memory-bytes", "1GiB"}});
  const Streams streams(*session.engine.engine(), kStreams, 40, 100);
  run_loop(kWarmUpSeconds);
  auto* tabs = session.window->findChild<QTabWidget*>(QStringLiteral("serve.tabs"));
  std::printf("One turn of the event loop, %d streams, ms\n%-10s %8s %8s %8s %8s %8s %8s %10s  p99 < %.0f\n",
              kStreams, "", "turns", "p50", "p90", "p99", "p99.9", "max", "of a core", kTargetMs);
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    run_loop(1);
    app.wall_ms.clear();
    app.cpu_ms.clear();
    app.record(true);
    run_loop(seconds);
    app.record(false);
    const QByteArray name = tabs->tabText(tab).section(QLatin1Char(' '), 0, 0).toUtf8();
    std::printf("%s\n", name.constData());
    print_turns("  wall", app.wall_ms, seconds);
    print_turns("  cpu", app.cpu_ms, seconds);
  }
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile_sorted(values, 0.5);
}

void throughput(const std::filesystem::path& model, int threads, double seconds) {
  const test::TemporaryFolder folder;
  Session session(folder.path(), backend_factory());
  session.start(model, {{"port", "0"},
                        {"threads", std::to_string(threads)},
                        {"max-num-seqs", "8"},
                        {"kv-cache-memory-bytes", "256MiB"}});
  const Streams streams(*session.engine.engine(), 8, 30, 100);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto rate = [&](auto&& wait) {
    const std::int64_t before = streams.tokens();
    const double began = seconds_on(CLOCK_MONOTONIC);
    wait();
    return static_cast<double>(streams.tokens() - before) / (seconds_on(CLOCK_MONOTONIC) - began);
  };
  std::vector<double> none, open, minimised;
  for (int round = 0; round < kRounds; ++round) {
    const double alone = rate([&] { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); });
    session.open_window({1440, 900});
    run_loop(1);
    const double shown = rate([&] { run_loop(seconds); });
    session.window->showMinimized();
    run_loop(0.5);
    const double hidden = rate([&] { run_loop(seconds); });
    session.window.reset();
    const double again = rate([&] { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); });
    const double headless = (alone + again) / 2;  // around the others: a drift of the machine cancels
    none.push_back(headless);
    open.push_back(shown / headless);
    minimised.push_back(hidden / headless);
  }
  std::printf("%7d %12.1f %10.3f %10.3f\n", threads, median(none), median(open), median(minimised));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("QT_QPA_PLATFORM") == nullptr) qputenv("QT_QPA_PLATFORM", "offscreen");
  Turns app(argc, argv);
  app.begin();
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  const test::TemporaryFolder home;
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home.path().string()));
  turns(app, test::write_tiny_model(home.path()), seconds);
  const auto model = argc > 2 ? std::optional<std::filesystem::path>(argv[2]) : test::starter_model();
  if (!model) {
    std::printf("No model is here: the engine's throughput is not measured.\n");
    return 0;
  }
  std::printf("Throughput of the CPU engine, median of %d rounds\n%7s %12s %10s %10s\n", kRounds, "threads",
              "tok/s alone", "open", "minimised");
  for (const int threads : {1, 2}) throughput(*model, threads, seconds / 4);
  return 0;
}
