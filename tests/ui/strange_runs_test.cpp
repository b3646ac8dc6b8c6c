// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that no sane engine records, and that files may bring: the page shows and exports them all.
#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/report/export_formats.h"
#include "engine/report/run_import.h"
#include "tests/support/made_up_run.h"
#include "tests/ui/reports_session.h"
#include "ui/reports/run_rows.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

Run named(const std::string& name) {
  Run run = test::made_up_run();
  run.header.name = run.header.model_name = run.note = name;
  run.header.config.push_back({name, name, name, name, true});
  run.changes = {{run.header.start_utc + kNanosPerSecond, name, name, name, ChangedBy::client}};
  return run;
}

Run with_figures(double value) {
  Run run = test::made_up_run();
  for (SecondRecord& second : run.seconds) {
    second.output_tokens_per_s = second.prompt_tokens_per_s = value;
    for (Percentiles* one : {&second.ttft, &second.tpot, &second.itl, &second.queue})
      *one = Percentiles{}, one->n = 200, one->p50 = one->p90 = one->p99 = one->max = one->mean = value;
  }
  for (auto& [name, summary] : run.summary.metrics)
    summary.mean = summary.std = summary.min = summary.max = summary.p50 = summary.p90 = summary.p99 = value;
  run.summary.output_tokens_per_s = value;
  return run;
}

Run without_requests() {
  Run run = test::made_up_run();
  run.requests.clear();
  run.seconds.clear();
  run.steps.clear();
  run.summary = summarize_requests({});
  run.summary.end_utc = run.header.start_utc;
  return run;
}

Run moved(Nanos by) {
  Run run = test::made_up_run();
  run.header.start_utc += by;
  run.summary.end_utc += by;
  for (RequestRecord& request : run.requests) request.arrival_utc += by;
  for (SecondRecord& second : run.seconds) second.utc += by;
  return run;
}

Run ended_before_it_began() {
  Run run = test::made_up_run();
  run.summary.end_utc = run.header.start_utc - 5 * kNanosPerSecond;
  for (RequestRecord& request : run.requests) std::swap(request.arrival, request.finished);
  return run;
}

struct Strange {
  const char* name;
  Run run;
};
std::vector<Strange> strange_runs() {
  constexpr Nanos kYear = Nanos{365} * 24 * 3600 * kNanosPerSecond;
  return {{"newlines", named("first\nsecond\r\n\tthird")},
          {"emoji", named("🦭🚀 e\u0301")},
          {"right to left", named("שלום \u202Eabc\u202C مرحبا")},
          {"10,000 characters", named(std::string(10'000, 'W'))},
          {"markup", named("<b>&amp;</b> | `x` *y* \"q\" ]]> %1 %2 %n")},
          {"not a number", with_figures(std::nan(""))},
          {"infinite", with_figures(INFINITY)},
          {"below zero", with_figures(-5)},
          {"too large for an axis", with_figures(1e300)},
          {"no request", without_requests()},
          {"before 1970", moved(-100 * kYear)},
          {"far ahead", moved(200 * kYear)},
          {"ended before it began", ended_before_it_began()}};
}

}  // namespace

class StrangeRunsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    Theme::current().set_mode(ThemeMode::light);
  }

  void each_is_shown_and_exported_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const Strange& one : strange_runs()) QTest::newRow(one.name) << index++;
  }

  void each_is_shown_and_exported() {
    QFETCH(int, index);
    const Run run = strange_runs()[static_cast<std::size_t>(index)].run;
    test::ReportsSession session;
    const auto id = session.store->import_run(run);
    PW_VERIFY(id);
    session.open_page();
    auto* list = session.find<DataTable>("report.list");
    QAbstractItemModelTester tester(list->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    auto* verdict = session.find<QLabel>("report.headline");
    QTRY_VERIFY(verdict->isVisible() && !verdict->text().isEmpty());
    QCOMPARE(list->rowHeight(0), list->verticalHeader()->defaultSectionSize());
    QVERIFY(!session.page->grab().isNull());
    QVERIFY2(session.page->minimumSizeHint().width() < 1300, "a long text widens the page");

    for (const ExportFormat& format : export_formats()) {
      const QString path = QString::fromStdString((session.folder.path() / "out.").string()) +
                           QString::fromUtf8(format.suffix.data(), static_cast<int>(format.suffix.size()));
      session.page->export_to(path);
      QTRY_VERIFY2(session.has_banner(u8("Saved to %1").arg(path)), format.name.data());
      const auto text = read_file(path.toStdString());
      PW_VERIFY(text);
      if (format.suffix.ends_with("json"))
        QVERIFY2(!nlohmann::json::parse(*text, nullptr, false).is_discarded(), format.name.data());
      if (format.name == "html") QVERIFY(text->find("<b>&amp;</b>") == std::string::npos);
    }
    const auto again = parse_run_file(*read_file((session.folder.path() / "out.json").string()), "out.json");
    PW_VERIFY(again);
    QCOMPARE(QString::fromStdString(again->header.name), QString::fromStdString(run.header.name));
    QCOMPARE(again->header.start_utc, run.header.start_utc);
  }

  void eight_of_them_are_compared() {
    test::ReportsSession session;
    std::vector<qint64> ids;
    for (Strange& one : strange_runs()) {
      if (ids.size() == 8) break;
      one.run.header.uuid = one.name;
      ids.push_back(session.store->import_run(one.run)->value);
    }
    session.open_page(1400, 900);
    session.page->compare_runs(ids);
    auto* table = session.find<DataTable>("report.compare");
    QTRY_VERIFY(table->isVisible() && table->model()->rowCount() > 0);
    QVERIFY(!session.page->grab().isNull());
    const QString path = QString::fromStdString((session.folder.path() / "compared.html").string());
    session.page->export_to(path);
    QTRY_VERIFY(session.has_banner(u8("Saved to %1").arg(path)));
  }

  void ten_thousand_runs_can_be_searched() {
    test::ReportsSession session;
    for (int i = 0; i < 10'000; ++i) {
      RunHeader header;
      header.uuid = header.name = "run " + std::to_string(i);
      header.start_utc = i * kNanosPerSecond;
      const RunId id = *session.store->begin(header);
      if (i % 100 == 0) PW_VERIFY(session.store->end(id, {}));
    }
    session.open_page();
    auto* list = session.find<DataTable>("report.list");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 10'000, 60'000);
    session.find<QLineEdit>("report.search")->setText(u8("run 999"));
    QCOMPARE(list->model()->rowCount(), 29);  // 19 names, and the ids R-… of ten others, one further
    session.find<QLineEdit>("report.search")->setText(u8("no such run"));
    QCOMPARE(list->model()->rowCount(), 0);
    session.find<QLineEdit>("report.search")->clear();
    QCOMPARE(list->model()->rowCount(), 10'000);
  }

  void a_second_window_sees_what_the_first_removes() {
    test::ReportsSession session;
    Run run = test::made_up_run();
    const RunId first = *session.store->import_run(run);
    run.header.uuid = "other";
    const RunId second = *session.store->import_run(run);
    session.open_page();
    auto* list = session.find<DataTable>("report.list");
    QTRY_COMPARE(list->model()->rowCount(), 2);
    auto elsewhere = Store::open(session.folder.path() / "pitwall.db").value();
    PW_VERIFY(elsewhere->remove_run(first));
    session.page->open_run(first.value);
    QTRY_VERIFY(session.find<QLabel>("report.message")->text().contains(u8("There is no run 1")));
    session.page->activated();
    QTRY_COMPARE(list->model()->rowCount(), 1);
    PW_VERIFY(elsewhere->set_note(second, "from there"));
    session.page->activated();
    QTRY_VERIFY(list->model()->index(0, static_cast<int>(run_columns().size()) - 1).data().toString() ==
                u8("from there"));
  }
};

QTEST_MAIN(StrangeRunsTest)
#include "strange_runs_test.moc"
