// SPDX-License-Identifier: GPL-3.0-or-later
// What the window costs. First: how long one turn of its event loop is, in wall and in processor time, while
// 256 streams of llama-3.1-8b on one H200 are served by SimExecutor on the real clock and every chart is in
// sight; the target is p99 < 16 ms. Then: what the CPU engine delivers with the window open and minimised,
// against none, as ratios of one process that takes turns, with the processor time that the window's thread
// takes in a second. Usage: window_bench [seconds] [model]; without a model the starter model, where it is
// here.
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
#include <mutex>
#include <thread>
#include <vector>

#include "app/common/backend_factory.h"
#include "engine/base/threads.h"
#include "engine/bench/confidence.h"
#include "engine/store/store.h"
#include "engine/telemetry/quantiles.h"
#include "tests/support/llama_on_h200.h"
#include "tests/support/simulated_backend.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"

using namespace pitwall;

namespace {

constexpr int kStreams = 256;
constexpr double kWarmUpSeconds = 5;      // until each chart has lines
constexpr QSize kAllInSight{1920, 2000};  // as much as two screens, so that nothing is scrolled away
constexpr TokenId kFirstToken = 70, kTokens = 90;
constexpr int kRounds = 24;
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
    if (depth_ > 0 || !recording_) return QApplication::notify(receiver, event);
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
  /// Tokens that came until now, and when the last of them did: between two such counts lie whole steps.
  struct Count {
    std::int64_t tokens = 0;
    double seconds = 0;
  };
  Count count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  void ask() {
    if (ended_) return;
    GenerationRequest request;
    const int turn = static_cast<int>(asked_.load());
    for (int i = 0; i < prompt_ + turn % 7; ++i)
      request.prompt.push_back(kFirstToken + (turn * 31 + i) % kTokens);
    request.sampling.max_tokens = shortest_ * (1 + turn % 4);
    request.ignore_eos = true;
    const auto id = engine_.submit(std::move(request), [this](OutputEvent&& event) {
      {
        const std::lock_guard lock(mutex_);
        count_ = {count_.tokens + static_cast<std::int64_t>(event.tokens.size()),
                  seconds_on(CLOCK_MONOTONIC)};
      }
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
  std::atomic<int> running_{0};
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  Count count_;
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
  const test::LlamaOnH200 llama;
  Session session(folder.path(), [&](const Settings&) -> Result<std::unique_ptr<Backend>> {
    return test::make_simulated_backend(llama.model, kFirstToken, kTokens);
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

/// One state of the window, over rounds: what the engine delivers of what it does alone, and what the
/// window's thread takes.
struct Share {
  std::vector<double> ratios, ms_per_second;
};

void print_share(const char* what, int threads, const Share& share) {
  const Interval ratio = mean_interval(share.ratios);
  std::printf("%-10s %7d %8.4f %9.4f–%.4f %12.1f\n", what, threads, ratio.mean, ratio.low, ratio.high,
              summarize(share.ms_per_second).p50);
}

void throughput(const std::filesystem::path& model, int threads, double seconds) {
  const test::TemporaryFolder folder;
  Session session(folder.path(), backend_factory());
  session.start(model, {{"port", "0"},
                        {"threads", std::to_string(threads)},
                        {"max-num-seqs", "8"},
                        {"kv-cache-memory-bytes", "256MiB"}});
  // Prompts of a few tokens: how many fall into a turn would be most of what two turns differ by.
  const Streams streams(*session.engine.engine(), 8, 1, 100);
  const auto sleep = [](double for_seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(for_seconds));
  };
  sleep(3);
  const auto measure = [&](Share* share) {  // without one there is no window, and no event loop either
    const Streams::Count before = streams.count();
    const double began = seconds_on(CLOCK_MONOTONIC), cpu = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    share ? run_loop(seconds) : sleep(seconds);
    const double took = seconds_on(CLOCK_MONOTONIC) - began;
    if (share) share->ms_per_second.push_back((seconds_on(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1000 / took);
    const Streams::Count after = streams.count();
    return static_cast<double>(after.tokens - before.tokens) / (after.seconds - before.seconds);
  };
  Share open, minimised;
  std::vector<double> alone{measure(nullptr)};
  for (int round = 0; round < kRounds; ++round) {
    session.open_window({1440, 900});
    if (round % 2 == 1) session.window->showMinimized();
    run_loop(1);
    const double first = measure(round % 2 == 0 ? &open : &minimised);
    round % 2 == 0 ? session.window->showMinimized() : session.window->showNormal();
    run_loop(1);
    const double second = measure(round % 2 == 0 ? &minimised : &open);
    session.window.reset();
    alone.push_back(measure(nullptr));
    const double around = (alone.back() + alone.end()[-2]) / 2;  // a drift of the machine cancels
    open.ratios.push_back((round % 2 == 0 ? first : second) / around);
    minimised.ratios.push_back((round % 2 == 0 ? second : first) / around);
  }
  print_share("open", threads, open);
  print_share("minimised", threads, minimised);
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
  std::printf("Throughput of the CPU engine against no window, mean of %d rounds\n%-10s %7s %8s %17s %12s\n",
              kRounds, "", "threads", "ratio", "95 % interval", "UI, ms per s");
  for (const int threads : {1, 2}) throughput(*model, threads, seconds / 10);
  return 0;
}
