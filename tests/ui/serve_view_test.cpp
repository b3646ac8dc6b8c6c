// SPDX-License-Identifier: GPL-3.0-or-later
// The live view of a serving engine: distributions, the log, who was in a step, requests, and a window that
// gets narrow.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>

#include "tests/ui/serve_session.h"
#include "ui/serve/engine_log.h"
#include "ui/serve/model_list.h"
#include "ui/serve/step_members.h"
#include "ui/widgets/cdf_chart.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/memory_bar.h"
#include "ui/widgets/step_chart.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class ServeViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session_.begin(); }
  void init() { session_.open(); }
  void cleanup() { session_.close(); }

  void latencies_have_percentiles_distribution_and_tail() {
    session_.serve();
    for (int i = 0; i < 4; ++i) session_->generate(60);
    auto* tail = session_->child<CdfChart>("serve.chart.cdf");
    QTRY_VERIFY2(tail->summary().contains(u8("ITL p50 ")), qPrintable(tail->summary()));
    QTRY_VERIFY2(tail->summary().contains(u8("p99 ")), qPrintable(tail->summary()));  // 236 gaps
    for (const char* measure : {"TPOT ", "TTFT ", "queue "})
      QVERIFY2(tail->summary().contains(u8(measure)), qPrintable(tail->summary()));
    auto* distribution = session_->child<LineChart>("serve.chart.distribution");
    QTRY_COMPARE(distribution->series().size(), std::size_t{4});
    double sum = 0;
    for (const double share : distribution->series().front().y) sum += share;
    QVERIFY2(std::abs(sum - 100) < 1e-6, qPrintable(QString::number(sum)));
    QVERIFY(QTest::qWaitFor([&] { return session_->engine.snapshot()->history.size() >= 2; }, kPatienceMs));
    auto* queue = session_->child<LineChart>("serve.chart.queue");
    QTRY_VERIFY2(queue->summary().startsWith(u8("Queue time, ms: p50 ")), qPrintable(queue->summary()));
    QVERIFY(!queue->series().front().n.empty());
  }

  void a_live_change_cuts_the_windows() {
    session_.serve();
    for (int i = 0; i < 3; ++i) session_->generate(40);
    QTRY_VERIFY(session_->engine.engine()->snapshot()->itl.n > 100);
    PW_VERIFY(session_->engine.engine()->change("max-num-seqs", "7", ChangedBy::user));
    QTRY_COMPARE(session_->engine.engine()->snapshot()->itl.n, std::int64_t{0});
    session_->generate(11);
    QTRY_COMPARE(session_->engine.engine()->snapshot()->itl.n, std::int64_t{10});
  }

  void the_right_column_grows_with_what_it_shows() {
    session_->window->resize(1440, 800);
    session_.serve();
    auto* card = session_->child<QWidget>("serve.prefixCache");
    QTRY_VERIFY(card->isVisible());
    card->setMinimumWidth(card->width() + 40);
    const auto cut = [card] {
      return card->mapTo(card->parentWidget()->parentWidget(), QPoint(card->width(), 0)).x() >
             card->parentWidget()->parentWidget()->width();
    };
    QTRY_VERIFY_WITH_TIMEOUT(card->width() >= card->minimumWidth() && !cut(), kPatienceMs);
  }

  void the_newest_requests_show_whole_columns() {
    session_.serve();
    session_->generate(8);
    auto* table = session_->child<DataTable>("serve.requestTable");
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, kPatienceMs);
    const auto hidden = [table] {
      QStringList titles;
      for (int column = 0; column < table->model()->columnCount(); ++column)
        if (table->isColumnHidden(column))
          titles << table->model()->headerData(column, Qt::Horizontal).toString();
      return titles;
    };
    session_->window->resize(1440, 900);
    QTRY_COMPARE_WITH_TIMEOUT(table->horizontalScrollBar()->maximum(), 0, kPatienceMs);
    QVERIFY(hidden().contains(u8("Cached")));
    session_->window->resize(2560, 1200);
    QTRY_COMPARE_WITH_TIMEOUT(hidden(), QStringList(), kPatienceMs);
    QCOMPARE(table->horizontalScrollBar()->maximum(), 0);
  }

  void the_log_is_filtered_searched_and_copied() {
    session_.serve();
    auto* tabs = session_->child<QTabWidget>("serve.tabs");
    tabs->setCurrentIndex(3);
    QCOMPARE(tabs->tabText(3), u8("Log"));
    auto* lines = session_->child<DataTable>("serve.log.lines");
    const QAbstractItemModelTester tester(lines->table(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto shown = [&] { return lines->to_csv(); };
    QTRY_VERIFY2(shown().contains(u8("requests are taken at http://127.0.0.1:")), qPrintable(shown()));
    PW_VERIFY(session_->engine.engine()->change("max-num-seqs", "9", ChangedBy::user));
    QTRY_VERIFY2(shown().contains(u8("max-num-seqs is 9 from the next step on")), qPrintable(shown()));
    // Newest first.
    QVERIFY2(shown().section(QLatin1Char('\n'), 1, 1).contains(u8("max-num-seqs")), qPrintable(shown()));
    EngineLog::current().add(0, LogLevel::warning, "a warning");
    EngineLog::current().add(0, LogLevel::error, "an error");
    auto* level = session_->child<QComboBox>("serve.log.level");
    level->setCurrentIndex(2);
    QTRY_VERIFY(shown().contains(u8("an error")));
    QVERIFY(shown().contains(u8("a warning")) && !shown().contains(u8("max-num-seqs")));
    level->setCurrentIndex(3);
    QVERIFY(!shown().contains(u8("a warning")));
    level->setCurrentIndex(0);
    session_->child<QLineEdit>("serve.log.search")->setText(u8("TAKEN AT"));
    QVERIFY(shown().contains(u8("requests are taken at")) && !shown().contains(u8("an error")));
    QTest::mouseClick(session_->child<QPushButton>("serve.log.copy"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), shown());
  }

  void the_log_is_bounded_and_holds_no_prompt() {
    session_.serve();
    session_->generate(8);
    for (const LogLine& line : EngineLog::current().lines())
      QVERIFY(!line.text.contains(u8("FGHIJ")));  // what the prompt of generate() spells
    for (std::size_t i = 0; i < EngineLog::kMost + 10; ++i)
      EngineLog::current().add(0, LogLevel::debug, std::string(3000, 'x'));
    const std::vector<LogLine> lines = EngineLog::current().lines();
    QCOMPARE(lines.size(), EngineLog::kMost);
    QCOMPARE(lines.front().number, EngineLog::current().written());
    QCOMPARE(lines.front().text.size(), static_cast<qsizetype>(EngineLog::kLongest));
  }

  void a_step_names_who_was_in_it() {
    session_.serve();
    std::promise<void> ended[2];
    for (std::promise<void>& end : ended) {
      GenerationRequest request;
      request.prompt = {70, 71, 72};
      request.sampling.max_tokens = 60;
      request.ignore_eos = true;
      PW_VERIFY(session_->engine.engine()->submit(std::move(request), [&end](OutputEvent&& event) {
        if (event.finished) end.set_value();
      }));
    }
    for (std::promise<void>& end : ended) end.get_future().wait();
    Recorder& recorder = session_->engine.engine()->recorder();
    const std::vector<StepRecord> steps = recorder.last_steps(1000);
    const auto both = std::find_if(steps.begin(), steps.end(),
                                   [](const StepRecord& step) { return step.decode_tokens == 2; });
    QVERIFY(both != steps.end());
    const std::vector<StepMember> members = step_members(both->step, recorder);
    QCOMPARE(members.size(), std::size_t{2});
    QVERIFY(!members.front().event);
    QCOMPARE(step_members(1'000'000, recorder).size(), std::size_t{0});

    session_->child<QTabWidget>("serve.tabs")->setCurrentIndex(1);
    auto* timeline = session_->child<StepChart>("serve.steps");
    QTRY_VERIFY(timeline->summary().startsWith(u8("Steps: ")));
    timeline->choose(both->step);
    auto* table = session_->child<DataTable>("serve.stepMembers");
    const QAbstractItemModelTester tester(table->table(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(table->model()->rowCount(), 2);
    QCOMPARE(table->model()->index(0, 1).data().toString(), u8("went on"));
    timeline->choose(steps.front().step);
    QVERIFY(table->to_csv().contains(u8("joined")));
    session_->serve->stop();
    QVERIFY(session_->reaches(EngineState::stopped));
    timeline->choose(both->step);
    QVERIFY(session_->child<QLabel>("serve.stepText")->text().contains(u8("has stopped")));
    QCOMPARE(table->model()->rowCount(), 0);
  }

  void requests_say_what_was_cached_and_preempted() {
    session_.serve();
    session_->generate(4, 200);
    session_->generate(4, 200);  // the same prompt
    auto* tabs = session_->child<QTabWidget>("serve.tabs");
    tabs->setCurrentIndex(2);
    auto* table = session_->child<DataTable>("serve.allRequests");
    QTRY_COMPARE(table->model()->rowCount(), 2);
    QStringList columns;
    for (const TableColumn& column : table->table()->columns()) columns << column.title;
    for (const char* wanted : {"Queue ms", "Cached", "Preempted"}) QVERIFY(columns.contains(u8(wanted)));
    const int cached = static_cast<int>(columns.indexOf(u8("Cached")));
    QVERIFY(table->model()->index(0, cached).data().toString().toInt() > 100);
    QCOMPARE(table->model()->index(1, cached).data().toString(), u8("0"));
    QCOMPARE(tabs->tabText(2), u8("Requests 2"));
  }

  void the_right_column_becomes_a_tab_under_320_units() {
    session_.serve();
    auto* tabs = session_->child<QTabBar>("serve.narrowTabs");
    const double u = Theme::current().u();
    session_->window->resize(static_cast<int>(std::ceil(322 * u)), 900);
    QApplication::processEvents();
    QVERIFY(!tabs->isVisible());
    session_->window->resize(static_cast<int>(318 * u), 900);
    QApplication::processEvents();
    QVERIFY(tabs->isVisible());
    QVERIFY(!session_->child<QWidget>("serve.settings")->isVisible());
  }

  void memory_names_keep_off_their_figures() {
    session_.serve();
    MemoryTable table;
    table.set_ledger(session_->engine.snapshot()->ledger);
    table.resize(Theme::current().units(300), 100);
    table.show();
    const int wide = table.sizeHint().height();
    table.resize(Theme::current().units(120), 100);
    QVERIFY2(table.sizeHint().height() > wide, "where there is no room for three columns there are fewer");
    session_->window->resize(session_->window->minimumSize());
    QApplication::processEvents();
    auto* shown = session_->child<MemoryTable>("serve.memoryTable");
    QTRY_COMPARE(shown->height(), shown->sizeHint().height());
    auto* note = session_->child<QLabel>("serve.memoryNote");
    QVERIFY(note->height() >= note->heightForWidth(note->width()));
  }

  void choices_are_not_cut() {
    for (QComboBox* box : session_->child<QWidget>("serve.settings")->findChildren<QComboBox*>())
      QVERIFY2(box->width() >= box->sizeHint().width(), qPrintable(box->objectName()));
  }

  void the_device_stands_in_the_top_bar_and_in_its_setting() {
    auto* top = session_->child<QComboBox>("serve.device");
    auto* field = session_->child<QComboBox>("serve.setting.device");
    QCOMPARE(top->currentData().toString(), u8("cpu"));
    top->setFocus();
    QTest::keyClick(top, Qt::Key_Down);
    QCOMPARE(field->currentText(), u8("cuda"));
    QTest::keyClick(field, Qt::Key_Up);
    QCOMPARE(top->currentData().toString(), u8("cpu"));
    session_.serve();
    QVERIFY(!top->isEnabled());
  }

  void a_fetch_shows_itself_beside_serving() {
    session_.serve();
    auto* strip = session_->child<QWidget>("serve.fetchStrip");
    QVERIFY(!strip->isVisible());
    auto* list = session_->window->findChild<ModelList*>();
    Q_EMIT list->fetch_progressed(u8("Fetching SmolLM2: 12 of 100 MiB"), 12, 100);
    QVERIFY(strip->isVisible());
    QCOMPARE(session_->child<QLabel>("serve.fetchStrip.said")->text(), u8("Fetching SmolLM2: 12 of 100 MiB"));
    Q_EMIT list->fetch_ended();
    QVERIFY(!strip->isVisible());
  }

 private:
  test::ServeFixture session_;
};

QTEST_MAIN(ServeViewTest)
#include "serve_view_test.moc"
