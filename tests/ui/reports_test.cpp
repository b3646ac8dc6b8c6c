// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTextEdit>
#include <QtTest>
#include <cmath>

#include "engine/base/file.h"
#include "engine/report/report.h"
#include "engine/store/store.h"
#include "tests/support/accessible_names.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/overlap_watch.h"
#include "tests/ui/reports_session.h"
#include "ui/reports/reports_page.h"
#include "ui/reports/run_export.h"
#include "ui/reports/run_list.h"
#include "ui/reports/run_rows.h"
#include "ui/reports/run_verdict.h"
#include "ui/shell/engine_controller.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr Nanos kStart = 1'785'000'000 * kNanosPerSecond;

RequestRecord request(int i, FinishReason finish = FinishReason::stop) {
  RequestRecord r;
  r.id = {static_cast<std::uint64_t>(i + 1)};
  r.label = "cmpl-" + std::to_string(i);
  r.arrival_utc = kStart + i * kNanosPerSecond / 4;
  r.arrival = i * kNanosPerSecond / 4 + 1;
  r.scheduled = r.arrival + kNanosPerMs;
  r.first_token = r.arrival + (10 + i % 9) * kNanosPerMs;
  r.last_token = r.first_token + 1'000 * kNanosPerMs;
  r.finished = r.last_token;
  r.prompt_tokens = 500 + i;
  r.output_tokens = 201;
  r.max_itl = (9 + i % 50) * kNanosPerMs;
  r.finish = finish;
  if (finish == FinishReason::error) r.error = "out of KV";
  return r;
}

SecondRecord second(int i) {
  SecondRecord s;
  s.utc = kStart + i * kNanosPerSecond;
  for (Percentiles* p : {&s.ttft, &s.tpot, &s.itl, &s.queue}) {
    p->n = 20 * i;
    if (i > 0) p->mean = p->p50 = 5, p->p90 = 8, p->p99 = 12, p->max = i == 20 ? 318 : 15;
  }
  s.output_tokens_per_s = 600 + i;
  s.prompt_tokens_per_s = 900;
  s.kv_used = 100 * kMiB + i * kMiB;
  s.accounted = 2 * kGiB;
  s.measured = 2 * kGiB + 10 * kMiB;
  return s;
}

Run made_up_run(int requests, FinishReason finish = FinishReason::stop) {
  Run run;
  run.header.uuid = "u" + std::to_string(requests);
  run.header.name = "32 at once";
  run.header.start_utc = kStart;
  run.header.engine_version = "0.1.0";
  run.header.cpu = "a CPU";
  run.header.cores = 2;
  run.header.ram = 8 * kGiB;
  run.header.os = "Linux";
  run.header.device = "cpu";
  run.header.model_name = "SmolLM2-135M-Instruct";
  run.header.architecture = "llama";
  run.header.quantization = "Q4_1";
  run.header.model_path = "/models/smol.gguf";
  run.header.config = {{"max-num-seqs", "8", "32", "user", true},
                       {"block-size", "32", "32", "preset", false}};
  for (int i = 0; i < requests; ++i) run.requests.push_back(request(i, finish));
  for (int i = 0; i < 60; ++i) run.seconds.push_back(second(i));
  run.summary = summarize_requests(run.requests);
  run.summary.end_utc = kStart + 60 * kNanosPerSecond;
  return run;
}

struct Bench : test::ReportsSession {
  RunId add(const Run& run, bool end = true) {
    const auto id = store->begin(run.header);
    if (!id) qFatal("%s", id.error().text().c_str());
    (void)store->append(*id, {run.requests, run.seconds, {}});
    if (end) (void)store->end(*id, run.summary);
    return *id;
  }
  QString headline() const { return find<QLabel>("report.headline")->text(); }
};

RunVerdict verdict_of(const Run& run) {
  return run_verdict(run, std::ssize(run.requests));
}

QString cell(const std::vector<TableRow>& rows, std::size_t row, std::size_t column) {
  return rows[row].cells[column].text;
}

}  // namespace

class ReportsTest : public QObject {
  Q_OBJECT

 private:
  test::TemporaryFolder home_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
    Theme::current().set_mode(ThemeMode::light);
  }

  // ---- verdict and rows ----

  void the_verdict_says_how_it_went() {
    const RunVerdict good = verdict_of(made_up_run(120));
    QCOMPARE(good.kind, Tag::Kind::good);
    QCOMPARE(good.tag, QStringLiteral("✓ finished"));
    QVERIFY2(good.headline.startsWith(QStringLiteral("120 requests ended well at ")),
             qPrintable(good.headline));
    QVERIFY2(good.headline.endsWith(QStringLiteral("the worst gap between tokens was 58.0\u00a0ms")),
             qPrintable(good.headline));
    QVERIFY2(good.detail.contains(QStringLiteral("99 % within 18.0\u00a0ms")), qPrintable(good.detail));

    const RunVerdict few = verdict_of(made_up_run(1));
    QVERIFY(few.headline.startsWith(QStringLiteral("1 request ended well")));
    QVERIFY(few.detail.contains(QStringLiteral("all within 10.0\u00a0ms")));  // no p99 of one

    const RunVerdict none = verdict_of(made_up_run(0));
    QCOMPARE(none.headline, QStringLiteral("No request ended in this run"));
    const RunVerdict errors = verdict_of(made_up_run(3, FinishReason::error));
    QCOMPARE(errors.kind, Tag::Kind::warn);
    QVERIFY2(errors.headline.startsWith(QStringLiteral("3 of 3 requests failed")),
             qPrintable(errors.headline));
    const RunVerdict stopped = verdict_of(made_up_run(3, FinishReason::cancelled));
    QVERIFY2(stopped.headline.startsWith(QStringLiteral("3 requests, all stopped by the client")),
             qPrintable(stopped.headline));

    Run failed = made_up_run(2);
    failed.summary.status = RunStatus::failed;
    failed.summary.error = "the device is gone";
    QCOMPARE(verdict_of(failed).kind, Tag::Kind::bad);
    QCOMPARE(verdict_of(failed).headline, QStringLiteral("The run failed: the device is gone"));
    failed.summary.status = RunStatus::cut_off;
    QCOMPARE(verdict_of(failed).tag, QStringLiteral("△ cut off"));
    QVERIFY(verdict_of(failed).detail.startsWith(QStringLiteral("the device is gone. Half had")));  // why
    failed.summary.status = RunStatus::cancelled;
    failed.summary.error.clear();
    QCOMPARE(verdict_of(failed).tag, QStringLiteral("△ cancelled"));
    QVERIFY(verdict_of(failed).headline.startsWith(QStringLiteral("Cancelled before its end: 2 requests")));
    failed.summary.status = RunStatus::recording;
    QCOMPARE(verdict_of(failed).headline, QStringLiteral("Recording; 2 requests ended so far"));
  }

  void percentiles_need_their_samples() {
    const auto many = percentile_rows(made_up_run(120));
    QCOMPARE(cell(many, 0, 0), QStringLiteral("TTFT"));
    QCOMPARE(cell(many, 0, 1), QStringLiteral("120"));
    // numpy.percentile([10 + i % 9 for i in range(120)], [50, 90, 99])
    QCOMPARE(cell(many, 0, 3), QStringLiteral("14.0"));
    QCOMPARE(cell(many, 0, 4), QStringLiteral("18.0"));
    QCOMPARE(cell(many, 0, 5), QStringLiteral("18.0"));
    QCOMPARE(cell(many, 1, 3), QStringLiteral("5.00"));  // TPOT: 1 s over 200 tokens
    const auto some = percentile_rows(made_up_run(20));
    QVERIFY(cell(some, 0, 4) != QStringLiteral("–"));
    QCOMPARE(cell(some, 0, 5), QStringLiteral("–"));
    const auto few = percentile_rows(made_up_run(19));
    QCOMPARE(cell(few, 0, 4), QStringLiteral("–"));
    const auto none = percentile_rows(made_up_run(0));
    QCOMPARE(cell(none, 0, 1), QStringLiteral("0"));
    QCOMPARE(cell(none, 0, 6), QStringLiteral("–"));
    for (const TableRow& row : none) QCOMPARE(row.cells.size(), percentile_columns().size());
  }

  void changed_settings_come_first_and_marked() {
    Run run = made_up_run(0);
    std::swap(run.header.config[0], run.header.config[1]);
    const auto rows = config_rows(run.header);
    QCOMPARE(cell(rows, 0, 0), QStringLiteral("max-num-seqs"));
    QCOMPARE(cell(rows, 0, 1), QStringLiteral("△ 8"));
    QCOMPARE(cell(rows, 0, 2), QStringLiteral("32"));
    QCOMPARE(cell(rows, 1, 1), QStringLiteral("32"));
  }

  void rows_have_a_cell_for_each_column() {
    const auto rows = run_request_rows(made_up_run(120).requests);
    QCOMPARE(rows.size(), std::size_t{120});
    QCOMPARE(cell(rows, 49, 9), QStringLiteral("58.0"));
    QCOMPARE(rows[0].cells.size(), run_request_columns(true).size());
    QCOMPARE(run_row(RunListItem()).cells.size(), run_columns().size());
    QCOMPARE(environment_rows(made_up_run(1), 1)[0].cells.size(), environment_columns().size());
  }

  // ---- the page ----

  void without_a_run_the_next_step_is_serving() {
    Bench bench;
    bench.open_page();
    QTRY_VERIFY(bench.find<QLabel>("report.message")->text().startsWith(QStringLiteral("No run yet")));
    QSignalSpy asked(bench.page.get(), &ReportsPage::page_requested);
    bench.find<QPushButton>("report.verb")->click();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("serve"));
    QVERIFY(!bench.find<QAction>("report.html")->isEnabled());
    QVERIFY(!bench.find<QPushButton>("report.exportButton")->isEnabled());
  }

  void the_newest_run_opens_and_the_list_can_be_searched() {
    Bench bench;
    bench.add(made_up_run(120));
    Run other = made_up_run(7);
    other.header.kind = "check";
    other.header.name = "self check";
    const RunId newest = bench.add(other);
    bench.open_page();
    auto* list = bench.find<DataTable>("report.list");
    QAbstractItemModelTester source(list->table(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester proxy(list->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_COMPARE(list->model()->rowCount(), 2);
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("7 requests")));
    QCOMPARE(list->current_key(), newest.value);
    QVERIFY(bench.find<QPushButton>("report.exportButton")->isEnabled());

    bench.find<QLineEdit>("report.search")->setText(QStringLiteral("32 at"));
    QCOMPARE(list->model()->rowCount(), 1);
    bench.find<QLineEdit>("report.search")->setText(QStringLiteral("at 32"));  // words, in any order
    QCOMPARE(list->model()->rowCount(), 1);
    bench.find<QLineEdit>("report.search")->setText(QStringLiteral("32 nowhere"));
    QCOMPARE(list->model()->rowCount(), 0);
    const auto* said = bench.find<QLabel>("report.marked");
    QCOMPARE(said->text(), QStringLiteral("No run has all of these words"));
    bench.find<QComboBox>("report.kind")->setCurrentText(QStringLiteral("check"));
    QCOMPARE(said->text(), QStringLiteral("No run of this kind has all of these words"));
    bench.find<QComboBox>("report.kind")->setCurrentIndex(0);
    auto* runs = bench.page->findChild<RunList*>();
    runs->mark(newest.value, true);
    QCOMPARE(said->text(), QStringLiteral("No run found · marked and not shown: 1"));
    runs->clear_marks();
    bench.find<QLineEdit>("report.search")->clear();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_End);
    QCOMPARE(list->currentIndex().row(), 1);
    QTest::keyClick(list, Qt::Key_Home);
    QCOMPARE(list->currentIndex().row(), 0);
    bench.find<QComboBox>("report.kind")->setCurrentText(QStringLiteral("check"));
    QCOMPARE(list->model()->rowCount(), 1);
    bench.find<QComboBox>("report.kind")->setCurrentIndex(0);
    bench.page->open_run(1);
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("120 requests")));
    QCOMPARE(list->current_key(), qint64{1});

    list->sortByColumn(3, Qt::DescendingOrder);  // ITL max
    QCOMPARE(list->model()->index(0, 3).data().toString(), QStringLiteral("58.0"));
  }

  void charts_show_the_seconds_of_the_run() {
    Bench bench;
    bench.add(made_up_run(120));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("120 requests")));
    auto* itl = bench.find<LineChart>("report.chart.itl");
    QCOMPARE(itl->series().size(), std::size_t{3});
    QCOMPARE(itl->series()[0].x.size(), std::size_t{60});
    QVERIFY(std::isnan(itl->series()[2].y[4]));  // n = 80: no p99 yet
    QCOMPARE(itl->series()[2].y[5], 12.0);
    QCOMPARE(bench.find<LineChart>("report.chart.throughput")->series()[0].y[10], 610.0);
    QCOMPARE(bench.find<LineChart>("report.chart.memory")->series()[1].y[0], 2.0);
    for (const char* id : {"report.chart.ttft", "report.chart.tpot"})
      QVERIFY(!bench.find<LineChart>(id)->series().empty());
  }

  void the_note_is_kept_with_the_run() {
    Bench bench;
    const RunId id = bench.add(made_up_run(3));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("3 requests")));
    bench.find<QAction>("report.action.note")->trigger();
    auto* note = bench.find<QLineEdit>("report.note");
    QTest::keyClicks(note, QStringLiteral("the baseline"));
    QTest::keyClick(note, Qt::Key_Return);
    QTRY_COMPARE(bench.store->run(id)->note, std::string("the baseline"));
  }

  void records_that_can_only_be_read_lose_no_note_and_no_run() {
    Bench bench;
    const RunId other = bench.add(made_up_run(2));
    const RunId id = bench.add(made_up_run(3));
    bench.engine.reset();
    bench.store.reset();
    auto read_only = Store::stand_in(bench.folder.path() / "pitwall.db");
    PW_VERIFY(read_only);
    bench.store = std::move(*read_only);
    QCOMPARE(bench.store->access(), Store::Access::read_only);
    bench.engine = std::make_unique<EngineController>(backend_factory(), bench.store.get());
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("3 requests")));
    auto* note = bench.find<QLineEdit>("report.note");
    const auto* trouble = bench.find<QLabel>("report.noteTrouble");
    QVERIFY(!trouble->isVisible());
    bench.find<QAction>("report.action.note")->trigger();
    QTest::keyClicks(note, QStringLiteral("the baseline"));
    QTest::keyClick(note, Qt::Key_Return);
    QTRY_VERIFY(trouble->isVisible());
    QVERIFY2(trouble->text().startsWith(QStringLiteral("Not kept: ")), qPrintable(trouble->text()));
    QCOMPARE(note->text(), QStringLiteral("the baseline"));
    QVERIFY(!bench.find<DataTable>("report.list")->to_csv().contains(QStringLiteral("the baseline")));
    QVERIFY(bench.banners.empty());  // it is said where the note stands
    bench.page->open_run(other.value);
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("2 requests")));
    QVERIFY(note->text().isEmpty() && !trouble->isVisible());
    bench.page->open_run(id.value);
    QTRY_COMPARE(note->text(), QStringLiteral("the baseline"));  // it waits there
    QVERIFY(trouble->isVisible());
    note->setFocus();
    note->clear();  // as it was
    QTest::keyClick(note, Qt::Key_Return);
    QTRY_VERIFY(!trouble->isVisible());

    bench.find<QAction>("report.delete")->trigger();
    QVERIFY(bench.has_banner(QStringLiteral("can only be read")));
    QCOMPARE(bench.banners.size(), std::size_t{1});
    QCOMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 2);
  }

  void a_run_that_the_search_leaves_out_is_marked() {
    Bench bench;
    bench.add(made_up_run(3));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("3 requests")));
    const auto* mark = bench.find<QLabel>("report.unlisted");
    QVERIFY(!mark->isVisible());
    bench.find<QLineEdit>("report.search")->setText(QStringLiteral("nowhere"));
    QVERIFY(mark->isVisible());
    bench.find<QLineEdit>("report.search")->clear();
    QVERIFY(!mark->isVisible());
  }

  void exports_are_whole_and_readable() {
    Bench bench;
    const RunId id = bench.add(made_up_run(12));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("12 requests")));
    const auto file = [&](const char* name) {
      return QString::fromStdString((bench.folder.path() / name).string());
    };
    for (const char* name : {"run.json", "run.html", "run.csv", "run.md", "run.pdf", "run.vllm.json",
                             "run.aiperf.jsonl", "run.perfetto.json"}) {
      bench.banners.clear();
      bench.page->export_to(file(name));
      QTRY_VERIFY(bench.has_banner(QStringLiteral("Saved to ")));
      QCOMPARE(bench.banners.back().verb, QStringLiteral("Open folder"));
    }
    const auto text = [&](const char* name) { return *read_file(bench.folder.path() / name); };
    QJsonParseError error;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text("run.json")), &error);
    QCOMPARE(error.error, QJsonParseError::NoError);
    QVERIFY(json.isObject());
    const auto back = parse_run_json(text("run.json"));
    PW_VERIFY(back);
    QCOMPARE(back->requests.size(), std::size_t{12});
    QCOMPARE(back->header.model_name, std::string("SmolLM2-135M-Instruct"));
    const QString html = QString::fromStdString(text("run.html"));
    QVERIFY(html.contains(QStringLiteral("<svg")));
    for (const char* outside : {"<script", "<link", "src=", "url(", "@import"})
      QVERIFY2(!html.contains(QLatin1String(outside)), outside);
    QCOMPARE(QString::fromStdString(text("run.csv")).count(QLatin1Char('\n')), 13);

    bench.page->export_to(file("run.docx"));
    QTRY_VERIFY(bench.has_banner(QStringLiteral("must end in one of .html")));
    bench.page->export_to(file("missing/run.json"));
    QTRY_COMPARE(bench.banners.back().severity, Banner::Severity::bad);
    QCOMPARE(bench.store->run(id)->summary.status, RunStatus::finished);
  }

  void a_deleted_run_comes_back() {
    Bench bench;
    const RunId first = bench.add(made_up_run(2));
    bench.add(made_up_run(3));
    bench.open_page();
    auto* list = bench.find<DataTable>("report.list");
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("3 requests")));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("2 requests")));
    QCOMPARE(bench.banners.back().verb, QStringLiteral("Undo"));
    QSignalSpy outdated(bench.page.get(), &ReportsPage::banner_outdated);
    bench.find<QAction>("report.action.undo")->trigger();
    QCOMPARE(outdated.size(), 1);
    QCOMPARE(outdated[0][0].toString(), bench.banners.back().text);
    QTRY_COMPARE(list->model()->rowCount(), 2);
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("3 requests")));
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    bench.page.reset();
    QCOMPARE(bench.store->runs()->size(), std::size_t{1});
    QCOMPARE(bench.store->runs()->front().id, first);
  }

  void a_recording_run_is_not_deleted() {
    Bench bench;
    bench.add(made_up_run(2), false);
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("Recording; 2 requests")));
    bench.find<QAction>("report.delete")->trigger();
    QVERIFY(bench.has_banner(QStringLiteral("Stop the engine first")));
    QCOMPARE(bench.store->runs()->size(), std::size_t{1});
  }

  void a_run_that_is_gone_says_so() {
    Bench bench;
    bench.add(made_up_run(2));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("2 requests")));
    bench.page->open_run(99);
    QTRY_VERIFY(bench.find<QLabel>("report.message")->text().contains(QStringLiteral("99")));
    bench.find<QPushButton>("report.verb")->click();
    QTRY_VERIFY(bench.find<QLabel>("report.headline")->isVisible());
  }

  void every_focusable_widget_has_a_name() {
    Bench bench;
    bench.add(made_up_run(2));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("2 requests")));
    const QString nameless = test::nameless_focusable_widget(*bench.page);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
  }

  void the_first_paint_has_each_card_in_its_place() {
    for (const int width : {1000, 1190, 1350}) {
      QStackedWidget pages;  // as in the window: the run is read before the page is first shown
      Bench bench;
      bench.add(made_up_run(120));
      bench.page = std::make_unique<ReportsPage>(*bench.engine, *bench.store);
      pages.addWidget(new QWidget);
      pages.addWidget(bench.page.get());
      pages.resize(width, 800);
      pages.show();
      QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("120 requests")));
      test::OverlapWatch watch(pages);
      pages.setCurrentWidget(bench.page.get());
      watch.expose();
      QTRY_VERIFY(watch.paints > 5);
      QVERIFY2(watch.faults.isEmpty(), qPrintable(watch.faults.join(QStringLiteral(", "))));
    }
  }

  void both_themes() {
    Bench bench;
    bench.add(made_up_run(120));
    bench.open_page();
    QTRY_VERIFY(bench.headline().startsWith(QStringLiteral("120 requests")));
    for (const ThemeMode mode : {ThemeMode::dark, ThemeMode::light}) {
      Theme::current().set_mode(mode);
      QTRY_COMPARE(bench.page->palette().color(QPalette::Window), Theme::current().colour(Colour::window));
      QCOMPARE(bench.page->grab().toImage().pixelColor(1, 1), Theme::current().colour(Colour::window));
    }
  }

  /// A run recorded by an engine appears when the engine stops, with the requests it served.
  void the_list_follows_the_engine() {
    Bench bench;
    bench.open_page();
    const auto model = test::write_tiny_model(bench.folder.path());
    Settings settings;
    PW_VERIFY(settings.set("port", "0"));
    PW_VERIFY(settings.set("max-num-seqs", "2"));
    bench.engine->start(QString::fromStdString(model.string()), settings);
    QTRY_COMPARE_WITH_TIMEOUT(bench.engine->state(), EngineState::serving, 60'000);
    QTRY_VERIFY(bench.find<QLabel>("report.headline")->text().startsWith(QStringLiteral("Recording")));
    GenerationRequest request;
    request.prompt = {70, 71, 72};
    request.sampling.max_tokens = 5;
    request.ignore_eos = true;
    std::atomic<bool> ended = false;
    PW_VERIFY(bench.engine->engine()->submit(
        request, [&ended](OutputEvent&& event) { ended = ended || event.finished; }));
    QTRY_VERIFY(ended);
    bench.engine->stop();
    QTRY_VERIFY_WITH_TIMEOUT(bench.headline().startsWith(QStringLiteral("1 request ended well")), 30'000);
    QVERIFY(bench.find<QLabel>("report.status")->text().contains(QStringLiteral("finished")));
  }
};

QTEST_MAIN(ReportsTest)
#include "reports_test.moc"
