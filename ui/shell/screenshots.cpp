// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/screenshots.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <functional>

#include "engine/bench/checklist_template.h"
#include "engine/serve/chat_prompt.h"
#include "engine/serve/engine.h"
#include "ui/plan/plan_page.h"
#include "ui/reports/reports_page.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/main_window.h"
#include "ui/tune/tune_page.h"

namespace pitwall::ui {

namespace {

constexpr int kClients = 5;
constexpr int kLongestLoadMs = 300'000, kLongestReplyMs = 60'000, kLongestPlanMs = 10'000, kSettleMs = 1'500;

constexpr const char* kQuestions[] = {
    "Explain in a few sentences what a language model is.",
    "List five things to check before a server goes into production.",
    "Write a short story about a race engineer who reads telemetry all night.",
    "What is the difference between latency and throughput? Give an example.",
    "Summarise why caching helps, and when it does not.",
    "Give me a recipe for pancakes with exact amounts.",
    "Why is the sky blue, and why is the evening red?",
};

/// The event loop turns until `done` or until the time is over; true when done.
bool wait(int at_most_ms, const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  QTimer tick;
  tick.start(20);
  QEventLoop loop;
  QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
    if (done() || clock.elapsed() > at_most_ms) loop.quit();
  });
  loop.exec();
  return done();
}

void settle(int ms) {
  wait(ms, [] { return false; });
}

/// A closed loop of clients that ask one question after another, with replies of different lengths.
class Traffic : public QObject {
 public:
  explicit Traffic(Engine& engine) : engine_(engine) {
    for (int i = 0; i < kClients; ++i) ask();
  }
  void end() { ended_ = true; }
  bool idle() const { return running_ == 0; }

 private:
  void ask() {
    if (ended_) return;
    const int turn = asked_++;
    const std::string messages = std::string(R"([{"role":"user","content":")") +
                                 kQuestions[static_cast<std::size_t>(turn) % std::size(kQuestions)] +
                                 R"("}])";
    GenerationRequest request;
    auto prompt = chat_prompt_json(engine_, messages);
    if (!prompt) return;
    request.prompt = std::move(prompt->tokens);
    request.parts = std::move(prompt->parts);
    request.sampling.max_tokens = 24 + 24 * (turn % 5);
    request.sampling.choice.temperature = 0.7f;
    request.sampling.choice.seed = static_cast<std::uint64_t>(turn);
    request.ignore_eos = true;
    const auto id = engine_.submit(std::move(request), [this](OutputEvent&& event) {
      if (event.finished)
        QMetaObject::invokeMethod(
            this,
            [this] {
              --running_;
              ask();
            },
            Qt::QueuedConnection);
    });
    if (id) ++running_;
  }

  Engine& engine_;
  int asked_ = 0, running_ = 0;
  bool ended_ = false;
};

Result<void> save(MainWindow& window, const QString& page, const ScreenshotOptions& options,
                  QStringList& files) {
  window.show_page(page);
  settle(kSettleMs);
  if (QWidget* focused = window.focusWidget()) focused->clearFocus();
  const QString file = QDir(options.folder).filePath(page + QStringLiteral(".png"));
  if (!window.grab().save(file))
    return Error{Error::Kind::io, file.toStdString() + " cannot be written", "",
                 "Choose a folder that can be written", ""};
  files << file;
  return {};
}

Result<void> start_engine(MainWindow& window, EngineController& engine, const QString& model) {
  auto* serve = static_cast<ServePage*>(window.page(QStringLiteral("serve")));
  serve->choose_model(model);
  if (auto set = serve->set_setting("port", "0"); !set) return set;
  serve->start();
  const bool serving = wait(kLongestLoadMs, [&] { return engine.state() != EngineState::loading; });
  if (engine.state() == EngineState::failed) return engine.last_error();
  if (!serving)
    return Error{Error::Kind::internal, "The model did not load within 300 s", "", "Use a smaller model",
                 "model"};
  return {};
}

/// One question typed into the chat page, as a person would.
void chat(MainWindow& window) {
  window.show_page(QStringLiteral("chat"));
  auto* input = window.findChild<QPlainTextEdit*>(QStringLiteral("chat.input"));
  auto* send = window.findChild<QPushButton*>(QStringLiteral("chat.send"));
  if (!input || !send) return;
  const QString idle = send->text();
  input->setPlainText(
      MainWindow::tr("Why do streams stutter when a long prompt comes in? Answer with a short list."));
  send->click();
  wait(kLongestReplyMs, [&] { return send->text() == idle; });
}

/// One shipped deployment on three kinds of GPUs.
void plan(MainWindow& window) {
  auto* page = static_cast<PlanPage*>(window.page(QStringLiteral("plan")));
  const auto& shipped = shipped_deployments();
  const auto shown = std::find_if(shipped.begin(), shipped.end(), [](const Deployment& one) {
    return one.name == "Chat with long documents";
  });
  if (shown == shipped.end()) return;
  std::vector<Deployment> alternatives(3, *shown);
  const std::pair<const char*, int> gpus[] = {{"H200", 1}, {"L40S", 2}, {"A100-80G", 8}};
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    alternatives[i].max_num_seqs = 128;
    alternatives[i].requests = 72;  // more than two small cards hold
    alternatives[i].gpu = gpus[i].first;
    alternatives[i].gpus = alternatives[i].tensor_parallel = gpus[i].second;
  }
  window.show_page(QStringLiteral("plan"));
  page->compare(alternatives);
  wait(kLongestPlanMs, [&] { return page->answered(); });
}

/// The first template, measured in the simulator.
void tune(MainWindow& window) {
  auto* page = static_cast<TunePage*>(window.page(QStringLiteral("tune")));
  const Checklist checklist = checklist_templates().front();
  window.show_page(QStringLiteral("tune"));
  page->start(checklist);
  page->session().run(open_items(checklist));
  wait(kLongestReplyMs, [&] { return !page->session().running(); });
  page->choose(static_cast<int>(checklist.items.size()) - 1);
}

}  // namespace

Result<QStringList> take_screenshots(MainWindow& window, EngineController& engine,
                                     const ScreenshotOptions& options) {
  QStringList files;
  if (!QDir().mkpath(options.folder))
    return Error{Error::Kind::io, options.folder.toStdString() + " cannot be created", "",
                 "Choose a folder that can be written", ""};
  window.resize(options.size);
  window.show();
  plan(window);
  if (auto saved = save(window, QStringLiteral("plan"), options, files); !saved) return saved.error();
  if (options.run == 0) {
    tune(window);
    if (auto saved = save(window, QStringLiteral("tune"), options, files); !saved) return saved.error();
  }
  qint64 run = options.run;
  if (!options.model.isEmpty()) {
    if (auto started = start_engine(window, engine, options.model); !started) return started.error();
    run = engine.engine()->run().value;
    window.show_page(QStringLiteral("serve"));
    Traffic traffic(*engine.engine());
    settle(1000 * options.seconds);
    if (auto saved = save(window, QStringLiteral("serve"), options, files); !saved) return saved.error();
    traffic.end();
    wait(kLongestReplyMs, [&] { return traffic.idle(); });
    chat(window);
    if (auto saved = save(window, QStringLiteral("chat"), options, files); !saved) return saved.error();
    engine.stop();  // an ended run has its summary
    wait(kLongestReplyMs, [&] { return engine.state() == EngineState::stopped; });
  }
  window.show_page(QStringLiteral("reports"));
  if (run > 0) static_cast<ReportsPage*>(window.page(QStringLiteral("reports")))->open_run(run);
  settle(kSettleMs);
  for (const QString& page : window.page_ids())
    if (!files.contains(QDir(options.folder).filePath(page + QStringLiteral(".png"))))
      if (auto saved = save(window, page, options, files); !saved) return saved.error();
  return files;
}

}  // namespace pitwall::ui
