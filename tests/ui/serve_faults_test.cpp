// SPDX-License-Identifier: GPL-3.0-or-later
// The serve page under what goes wrong around it: a full disk, a model's file that changes or goes, memory
// that is not there, starts and stops in a row, settings that change a hundred times a second, a window
// nobody sees.
#include <sys/resource.h>
#include <sys/stat.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <fstream>

#include "engine/library/models_folder.h"
#include "tests/ui/serve_session.h"
#include "ui/serve/event_log.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chart_card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/text_line.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// While it lives no file of this process grows beyond `bytes`, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit full{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

class ServeFaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session_.begin(); }
  void init() { session_.open(); }
  void cleanup() { session_.close(); }
  void a_full_disk_interrupts_the_record_and_not_the_engine();
  void a_full_disk_at_the_start_is_no_trouble();
  void a_model_that_changes_or_goes_is_served_on();
  void memory_that_is_not_there_is_refused();
  void sixty_four_starts_and_stops_in_a_row();
  void hundreds_of_changes_are_taken();
  void a_window_that_nobody_sees_looks_once_a_second();
  void names_are_no_html();
  void names_stand_on_one_line();
  void names_are_read_in_their_order();
  void a_long_name_leaves_room_for_the_rest();
  void what_cannot_be_a_model_is_told_in_the_list_data();
  void what_cannot_be_a_model_is_told_in_the_list();
  void a_name_that_is_not_utf8_is_told();
  void a_failed_export_of_a_chart_is_a_banner();

 private:
  void expect_whole_run(int requests);
  test::ServeFixture session_;
};

/// Stops the engine; nothing of its run is missing.
void ServeFaultsTest::expect_whole_run(int requests) {
  QTRY_VERIFY_WITH_TIMEOUT(session_->engine.engine()->run().value > 0, kPatienceMs);
  session_->engine.stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  const auto runs = session_->store->runs();
  PW_VERIFY(runs);
  QCOMPARE(runs->size(), std::size_t{1});
  QCOMPARE(runs->front().status, RunStatus::finished);
  const auto run = session_->store->run(runs->front().id);
  PW_VERIFY(run);
  QCOMPARE(static_cast<int>(run->requests.size()), requests);
  QCOMPARE(static_cast<int>(run->summary.totals.requests_finished), requests);
}

void ServeFaultsTest::a_full_disk_interrupts_the_record_and_not_the_engine() {
  session_.serve();
  auto* text = session_->child<QLabel>("shell.banner.text");
  const auto* events = session_->child<DataTable>("serve.eventTable");
  const auto* recorded = session_->child<QLabel>("report.status");  // one word for one thing on each page
  const auto* list = session_->child<DataTable>("report.list");
  session_->generate(20);
  QVERIFY(session_->engine.engine()->run().value > 0);
  QTRY_COMPARE(recorded->text(), u8("● recording"));
  {
    const FullDisk disk(4096);
    session_->generate(20);
    QTRY_VERIFY_WITH_TIMEOUT(session_->engine.engine()->run().value == 0, kPatienceMs);
    QTRY_VERIFY(text->text().startsWith(u8("Since ")));
    QTRY_VERIFY(events->to_csv().contains(u8("Not recorded")));
    QTRY_COMPARE_WITH_TIMEOUT(recorded->text(), u8("△ not recorded"), kPatienceMs);
    QTRY_VERIFY(list->to_csv().contains(u8("not recorded")));
    QVERIFY2(!list->to_csv().contains(u8(",recording")), qPrintable(list->to_csv()));
    QCOMPARE(session_->generate(20).output_tokens, 20);
    session_->child<QPushButton>("shell.banner.verb")->click();
    auto* tabs = session_->child<QTabWidget>("serve.tabs");
    QCOMPARE(tabs->tabText(tabs->currentIndex()), u8("Log"));
    QTRY_VERIFY(session_->child<DataTable>("serve.log.lines")->to_csv().contains(u8("no longer recorded")));
  }
  QTRY_VERIFY_WITH_TIMEOUT(events->to_csv().contains(u8("Recorded again")), kPatienceMs);
  QTRY_COMPARE_WITH_TIMEOUT(recorded->text(), u8("● recording"), kPatienceMs);
  expect_whole_run(3);
}

void ServeFaultsTest::a_full_disk_at_the_start_is_no_trouble() {
  {
    const FullDisk disk(4096);
    session_.serve();
    QCOMPARE(session_->engine.engine()->run().value, std::int64_t{0});
    QCOMPARE(session_->generate(20).output_tokens, 20);
  }
  expect_whole_run(1);
}

void ServeFaultsTest::a_model_that_changes_or_goes_is_served_on() {
  const auto model = session_.data() / "goes.gguf";
  std::filesystem::copy_file(session_.model(), model);
  session_->serve_model(model);
  const auto is_planned = [lines = session_->child<QWidget>("serve.memoryCard")->findChildren<TextLine*>()] {
    return std::any_of(lines.begin(), lines.end(),
                       [](TextLine* line) { return line->text().startsWith(u8("Planned")); });
  };
  QTRY_VERIFY_WITH_TIMEOUT(is_planned(), kPatienceMs);  // nobody reads its header any more
  std::ofstream(model, std::ios::trunc) << "other bytes";
  QCOMPARE(session_->generate(50).output_tokens, 50);
  std::filesystem::remove(model);
  QCOMPARE(session_->generate(50).output_tokens, 50);
  session_->engine.stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QVERIFY(session_->engine.last_error().text().find("goes.gguf") != std::string::npos);
}

void ServeFaultsTest::memory_that_is_not_there_is_refused() {
  PW_VERIFY(session_->serve->set_setting("kv-cache-memory-bytes", "921600GiB"));
  PW_VERIFY(session_->serve->set_setting("port", "0"));
  session_->serve->choose_model(QString::fromStdString(session_.model().string()));
  session_->serve->start();
  QVERIFY(QTest::qWaitFor([&] { return session_->engine.state() != EngineState::loading; }, kPatienceMs));
  QCOMPARE(session_->engine.state(), EngineState::failed);
  QVERIFY(!session_->engine.last_error().what.empty());
}

void ServeFaultsTest::sixty_four_starts_and_stops_in_a_row() {
  session_.serve();
  const QString model = session_->engine.model_path();
  const Settings settings = session_->engine.settings();
  for (int i = 0; i < 64; ++i) {
    session_->engine.start(model, settings);
    if (i % 3 > 0) QTest::qWait(i % 5);  // at another moment of its load each time
    session_->engine.stop();
  }
  QVERIFY(session_->reaches(EngineState::stopped));
  session_->engine.start(model, settings);
  QVERIFY(session_->reaches(EngineState::serving));
  QCOMPARE(session_->generate(5).output_tokens, 5);
}

void ServeFaultsTest::hundreds_of_changes_are_taken() {
  std::vector<SettingChange> changes;
  for (int i = 0; i < 300; ++i)
    changes.push_back({(1'000 + i * 10) * kNanosPerMs, i % 2 == 0 ? "max-num-seqs" : "max-waiting",
                       std::to_string(i), std::to_string(i + 2)});
  // A snapshot holds the newest changes alone; the log of events goes on all the same.
  EventLog log;
  Snapshot snapshot;
  snapshot.changes.assign(changes.begin(), changes.begin() + 200);
  log.take(snapshot, {});
  QCOMPARE(log.events().size(), std::size_t{2});
  snapshot.changes.assign(changes.begin() + 200, changes.end());
  log.take(snapshot, {});
  QCOMPARE(log.events().size(), std::size_t{3});

  session_.serve();
  for (int i = 0; i < 300; ++i) session_->engine.change("max-num-seqs", std::to_string(1 + i % 8));
  QSignalSpy answers(&session_->engine, &EngineController::setting_changed);
  QTRY_COMPARE_WITH_TIMEOUT(answers.size(), 300, kPatienceMs);
  QCOMPARE(session_->engine.engine()->settings().display("max-num-seqs"), std::string("4"));
  QCOMPARE(session_->generate(5).output_tokens, 5);
}

void ServeFaultsTest::a_window_that_nobody_sees_looks_once_a_second() {
  session_.serve();
  const auto pace = [&] { return session_->engine.findChild<QTimer*>()->interval(); };
  QTRY_COMPARE(pace(), 250);  // it is exposed
  auto* figures = session_->child<QWidget>("serve.figures");
  const auto shown = [figures] {
    QString text;
    for (const TextLine* line : figures->findChildren<TextLine*>()) text += line->text() + QLatin1Char('\n');
    return text;
  };
  QTRY_VERIFY(shown().contains(u8("of 32")));
  session_->window->showMinimized();
  QTRY_COMPARE(pace(), 1000);
  const QString before = shown();
  QSignalSpy ready(&session_->engine, &EngineController::snapshot_ready);
  session_->generate(50);
  QTRY_VERIFY_WITH_TIMEOUT(ready.size() >= 2, kPatienceMs);
  QCOMPARE(shown(), before);  // taken, and not drawn
  const auto looks = ready.size();
  session_->window->showNormal();
  QTRY_COMPARE(pace(), 250);
  QVERIFY(ready.size() > looks);  // at once
  QTRY_VERIFY(shown() != before);
}

void ServeFaultsTest::names_are_no_html() {
  Label label(u8("<img src=\"/etc/hostname\"><b>model</b>"));
  label.ensurePolished();
  QCOMPARE(label.textFormat(), Qt::PlainText);
  const auto model = session_.data() / "<b>bold<b>.gguf";
  std::ofstream(model) << "no model";
  PW_VERIFY(session_->serve->set_setting("port", "0"));  // whoever else is on the usual one
  session_->serve->choose_model(QString::fromStdString(model.string()));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QTRY_VERIFY(session_->child<QLabel>("shell.banner.text")->text().contains(u8("<b>bold<b>.gguf")));
  QCOMPARE(session_->child<QLabel>("shell.banner.text")->textFormat(), Qt::PlainText);
}

void ServeFaultsTest::names_stand_on_one_line() {
  const auto model = session_.data() / "two\nlines.gguf";
  std::filesystem::copy_file(session_.model(), model);
  session_->serve->choose_model(QString::fromStdString(model.string()));
  QCOMPARE(session_->child<QComboBox>("serve.model")->currentText(), u8("two␤lines"));
  QStringList words;
  for (const QLabel* label : session_->child<QWidget>("serve.modelCard")->findChildren<QLabel*>())
    words << label->text();
  QVERIFY(words.contains(u8("two␤lines.gguf")));
  session_->serve_model(model);
  session_->engine.stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  session_->serve->activated();
  const auto* models = session_->child<DataTable>("serve.models");
  QTRY_VERIFY_WITH_TIMEOUT(models->to_csv().contains(u8("two␤lines,")), kPatienceMs);
}

void ServeFaultsTest::names_are_read_in_their_order() {
  const auto model = session_.data() / "tiny\u202efugg\u2066.gguf";
  session_->serve->choose_model(QString::fromStdString(model.string()));
  QCOMPARE(session_->child<QComboBox>("serve.model")->currentText(), u8("tiny\ufffdfugg\ufffd"));
}

void ServeFaultsTest::a_long_name_leaves_room_for_the_rest() {
  const auto model = default_models_folder() / (std::string(230, 'n') + ".gguf");
  std::filesystem::create_directories(model.parent_path());
  std::filesystem::copy_file(session_.model(), model);
  session_->window->resize(1024, 640);
  session_->serve->activated();
  const auto* models = session_->child<DataTable>("serve.models");
  QTRY_VERIFY_WITH_TIMEOUT(models->to_csv().contains(u8("nnnn")), kPatienceMs);
  QTRY_VERIFY2(models->columnViewportPosition(3) + models->columnWidth(3) <= models->viewport()->width() + 1,
               qPrintable(u8("the folder ends at %1 of %2")
                              .arg(models->columnViewportPosition(3) + models->columnWidth(3))
                              .arg(models->viewport()->width())));
  session_->serve_model(model);
  const auto* keys = session_->child<QWidget>("shell.commandsButton");
  QTRY_VERIFY(keys->isVisible() && keys->geometry().right() <= session_->window->width());
  QVERIFY(session_->window->width() < 1100);
  QVERIFY(std::filesystem::remove(model));
}

void ServeFaultsTest::what_cannot_be_a_model_is_told_in_the_list_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("told");
  QTest::newRow("pipe") << u8("pipe") << u8("It is not a file.");
  QTest::newRow("loop of links") << u8("loop") << u8("which is missing");
  QTest::newRow("empty") << u8("empty") << u8("It is empty.");
  QTest::newRow("text") << u8("text") << u8("It does not begin as a GGUF file does.");
  QTest::newRow("not UTF-8") << u8("bytes") << u8("Its name is not UTF-8. Rename it, then open it.");
}

void ServeFaultsTest::what_cannot_be_a_model_is_told_in_the_list() {
  QFETCH(QString, kind);
  QFETCH(QString, told);
  const auto file = default_models_folder() / (kind == u8("bytes") ? "bad\xff\xfeutf.gguf" : "wrong.gguf");
  std::filesystem::create_directories(file.parent_path());
  if (kind == u8("pipe")) QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
  if (kind == u8("loop")) std::filesystem::create_symlink(file, file);
  if (kind == u8("empty")) std::ofstream{file};
  if (kind == u8("text")) std::ofstream(file) << "no model at all";
  if (kind == u8("bytes")) std::filesystem::copy_file(session_.model(), file);
  session_->serve->activated();
  const auto* models = session_->child<DataTable>("serve.models");
  QTRY_VERIFY2_WITH_TIMEOUT(models->to_csv().contains(told) && models->to_csv().contains(u8("△")),
                            qPrintable(models->to_csv()), kPatienceMs);
  QVERIFY(std::filesystem::remove(file));
}

void ServeFaultsTest::a_name_that_is_not_utf8_is_told() {
  PW_VERIFY(session_->serve->set_setting("port", "0"));  // whoever else is on the usual one
  session_->serve->choose_model(QString::fromStdString((session_.data() / "bad\xff\xfeutf.gguf").string()));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::failed));
  QTRY_VERIFY(session_->child<QLabel>("shell.banner.text")->text().contains(u8("is not UTF-8")));
}

void ServeFaultsTest::a_failed_export_of_a_chart_is_a_banner() {
  auto* chart = session_->window->findChild<ChartCard*>();
  const auto file = session_.data() / "no such folder" / "chart.png";
  chart->export_or_tell(QString::fromStdString(file.string()));
  QVERIFY(session_->banner->current() != nullptr);
  QVERIFY(session_->banner->current()->text.contains(u8("no such folder")));
  QCOMPARE(session_->banner->current()->verb, u8("Export elsewhere…"));
}

QTEST_MAIN(ServeFaultsTest)
#include "serve_faults_test.moc"
