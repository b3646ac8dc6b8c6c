// SPDX-License-Identifier: GPL-3.0-or-later
// The reports page with several runs: marks, comparison, exports, imports, and a run too large to read at
// once.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTextEdit>
#include <QtTest>
#include <cmath>

#include "engine/base/file.h"
#include "engine/report/report.h"
#include "engine/store/store.h"
#include "tests/support/accessible_names.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"
#include "tests/ui/reports_session.h"
#include "ui/reports/report_pdf.h"
#include "ui/reports/reports_page.h"
#include "ui/reports/run_export.h"
#include "ui/reports/run_rows.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/language.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/number_format.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

struct Bench : test::ReportsSession {
  /// Later ones start later.
  RunId add(const test::MadeUp& wish, int max_num_seqs = 8) {
    Run run = test::made_up_run(wish);
    run.header.uuid = "run " + std::to_string(++count_);
    run.header.start_utc += count_ * kNanosPerSecond;
    run.header.config[0].value = std::to_string(max_num_seqs);
    const auto id = store->import_run(run);
    if (!id) qFatal("%s", id.error().text().c_str());
    return *id;
  }
  QString file(const char* name) const { return QString::fromStdString((folder.path() / name).string()); }
  std::string text(const char* name) const { return *read_file(folder.path() / name); }
  bool shows_comparison() const { return find<QWidget>("report.comparison")->isVisible(); }
  QString cell(const char* table, int row, int column) const {
    return find<DataTable>(table)->model()->index(row, column).data().toString();
  }
  int row_of(const char* table, const QString& name) const {
    for (int row = 0; row < find<DataTable>(table)->model()->rowCount(); ++row)
      if (cell(table, row, 0) == name) return row;
    return -1;
  }

 private:
  int count_ = 0;
};

QString pdf_text(const QString& path) {
  QProcess reader;
  reader.start(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), path, QStringLiteral("-")});
  return reader.waitForFinished(60'000) ? QString::fromUtf8(reader.readAllStandardOutput()) : QString();
}

}  // namespace

class ReportsCompareTest : public QObject {
  Q_OBJECT

 private:
  test::TemporaryFolder home_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
    Theme::current().set_mode(ThemeMode::light);
  }

  void space_marks_and_c_compares() {
    Bench bench;
    bench.add({.requests = 2000}, 8);
    bench.add({.requests = 2000, .ttft_ms = 40}, 16);
    bench.open_page(1400, 860);
    auto* list = bench.find<DataTable>("report.list");
    QTRY_COMPARE(list->model()->rowCount(), 2);
    QTRY_COMPARE(list->current_key(), qint64{2});
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Space);
    QVERIFY(!list->model()->index(0, 0).data(Qt::DecorationRole).isNull());
    QVERIFY(!bench.find<QPushButton>("report.compareButton")->isEnabled());
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Space);
    QCOMPARE(bench.find<QPushButton>("report.compareButton")->text(), QStringLiteral("Compare 2"));
    bench.find<QAction>("report.action.compare")->trigger();
    QTRY_VERIFY(bench.shows_comparison());

    // The older run is the reference; one variable changed, and TTFT is a fifth shorter.
    auto* figures = bench.find<DataTable>("report.compare");
    QAbstractItemModelTester tester(figures->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(figures->model()->headerData(1, Qt::Horizontal).toString(), QStringLiteral("R-0001"));
    const int ttft = bench.row_of("report.compare", QStringLiteral("TTFT p50, ms"));
    QVERIFY(ttft >= 0);
    QVERIFY2(bench.cell("report.compare", ttft, 3).startsWith(QStringLiteral("−20 % ± ")),
             qPrintable(bench.cell("report.compare", ttft, 3)));
    QCOMPARE(bench.cell("report.compare", ttft, 4), QStringLiteral("✓ better"));
    QCOMPARE(bench.find<DataTable>("report.diffKeys")->model()->rowCount(), 1);
    QCOMPARE(bench.cell("report.diffKeys", 0, 0), QStringLiteral("max-num-seqs"));
    QCOMPARE(bench.cell("report.diffKeys", 0, 2), QStringLiteral("16"));
    QVERIFY(bench.find<QLabel>("report.equalKeys")->text().contains(QStringLiteral("Environment equal")));
    QVERIFY(bench.row_of("report.comparedConditions", QStringLiteral("Not tested")) > 0);
    QVERIFY(bench.find<QLabel>("report.comparedHeadline")->text().startsWith(QStringLiteral("Better: TTFT")));

    // Another run chosen in the list takes the comparison's place.
    QTest::keyClick(list, Qt::Key_Up);
    QTRY_VERIFY(!bench.shows_comparison());
  }

  void simulated_runs_say_so_and_one_each_is_no_verdict() {
    Bench bench;
    for (const double ttft_ms : {50.0, 90.0}) {
      Run run = test::made_up_run({.requests = 5, .ttft_ms = ttft_ms});
      run.header.kind = "simulate";
      run.header.uuid = "simulated " + std::to_string(ttft_ms);
      run.seconds.clear();
      PW_VERIFY(bench.store->import_run(run));
    }
    bench.open_page(1400, 860);
    bench.page->compare_runs({1, 2});
    QTRY_VERIFY(bench.shows_comparison());
    QVERIFY2(bench.find<QLabel>("report.comparedHeadline")->text().startsWith(QStringLiteral("No verdict")),
             qPrintable(bench.find<QLabel>("report.comparedHeadline")->text()));
    QCOMPARE(bench.find<QLabel>("report.comparedOrigin")->text(), QStringLiteral("simulated, imported"));
    const auto* memory = bench.find<DataTable>("report.planMeasured.table");
    QCOMPARE(memory->model()->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Simulated"));
    QVERIFY(memory->isColumnHidden(1) && memory->isColumnHidden(3));  // nothing was planned
    QCOMPARE(bench.row_of("report.planMeasured.table", QStringLiteral("Unaccounted")), -1);
    bench.page->open_run(2);
    QTRY_COMPARE(bench.find<QLabel>("report.origin")->text(), QStringLiteral("simulated, imported"));
    QTRY_VERIFY(bench.row_of("report.memory.table", QStringLiteral("Accounted")) > 0);
    QCOMPARE(bench.row_of("report.memory.table", QStringLiteral("Unaccounted")), -1);
  }

  void a_run_that_goes_on_is_tagged_and_keys_read_as_sizes() {
    speak(Language::english);  // its plural forms
    Bench bench;
    bench.add({});
    RunHeader header = test::made_up_run().header;
    header.uuid = "goes on";
    header.start_utc += 100 * kNanosPerSecond;
    header.ram = 25'276'502'016;
    header.model_sha256 = std::string(64, 'a');
    header.config.push_back({"memory-limit", "24684084 KiB", {}, {}, true});
    PW_VERIFY(bench.store->begin(header));
    bench.open_page(1400, 860);
    bench.page->compare_runs({1, 2});
    QTRY_VERIFY(bench.shows_comparison());
    const QString origin = bench.find<QLabel>("report.comparedOrigin")->text();
    QVERIFY2(origin.contains(QStringLiteral("R-0002: recording")), qPrintable(origin));
    const auto cell = [&](const char* key) {
      return bench.cell("report.diffKeys", bench.row_of("report.diffKeys", QString::fromUtf8(key)), 2);
    };
    QCOMPARE(cell("△ memory"), bytes_text(25'276'502'016));
    QCOMPARE(cell("memory-limit"), QStringLiteral("23.54 GiB"));
    QCOMPARE(cell("△ model header sha256"), QString(12, QLatin1Char('a')));
    const int samples = bench.row_of("report.comparedConditions", QStringLiteral("Samples"));
    QCOMPARE(bench.cell("report.comparedConditions", samples, 1), QStringLiteral("300 requests, 1 run"));
  }

  void effects_are_in_sight() {
    Bench bench;
    bench.add({.requests = 2000, .rate = 33'012}, 8);
    bench.add({.requests = 2000, .ttft_ms = 40, .rate = 33'012}, 16);
    for (const int width : {1000, 1190, 1300, 1350, 1400, 1900}) {
      bench.open_page(width, 860);
      bench.page->compare_runs({1, 2});
      QTRY_VERIFY(bench.shows_comparison());
      const auto* figures = bench.find<DataTable>("report.compare");
      QTRY_COMPARE(figures->horizontalScrollBar()->maximum(), 0);
      const auto* cdf = bench.find<QWidget>("report.cdf");
      const auto left = [&](const QWidget* part) { return part->mapTo(bench.page.get(), QPoint()).x(); };
      if (width >= 1350) QTRY_VERIFY(left(cdf) > left(figures) + figures->width());  // where there is room
    }
  }

  void figures_of_the_list_are_in_sight() {
    Bench bench;
    Run run = test::made_up_run({.rate = 33'012});
    run.header.name = "The article's four steps, item 3: max-num-batched-tokens=4096, repeat 3";
    run.summary.metrics["max_itl_ms"].max = 1'234;
    PW_VERIFY(bench.store->import_run(run));
    for (const int width : {1190, 1350}) {  // of the page, in windows of 1280 and 1440
      bench.open_page(width, 800);
      const auto* list = bench.find<DataTable>("report.list");
      QTRY_COMPARE(list->model()->rowCount(), 1);
      QTRY_VERIFY(list->columnViewportPosition(3) + list->columnWidth(3) <= list->viewport()->width());
    }
  }

  void a_name_is_cut_between_words() {
    const QFontMetrics metrics(Theme::current().font(FontRole::small));
    const QString name = QStringLiteral("Steps, item 3: max-num-batched-tokens=4096, repeat 3");
    const auto cut = [&](const QString& shown) {
      return elided_text(name, metrics, Qt::ElideLeft, metrics.horizontalAdvance(shown));
    };
    QCOMPARE(cut(QStringLiteral("…hed-tokens=4096, repeat 3")), QStringLiteral("…tokens=4096, repeat 3"));
    QCOMPARE(cut(QStringLiteral("…tokens=4096, repeat 3")), QStringLiteral("…tokens=4096, repeat 3"));
    QCOMPARE(cut(QStringLiteral("…ns=4096, repeat 3")),
             QStringLiteral("…ns=4096, repeat 3"));  // the value stays
    QCOMPARE(cut(name), name);
  }

  void the_distribution_ends_where_one_in_n_does() {
    Bench bench;
    bench.add({.requests = 1000});
    bench.add({.requests = 1000, .ttft_ms = 40});
    bench.open_page(1400, 860);
    bench.page->compare_runs({1, 2});
    QTRY_VERIFY(bench.shows_comparison());
    auto* cdf = bench.find<LineChart>("report.cdf");
    QCOMPARE(cdf->series().size(), std::size_t{2});
    QCOMPARE(cdf->series()[0].name, QStringLiteral("R-0001"));
    QCOMPARE(cdf->series()[0].stroke, Stroke::long_dash);
    QCOMPARE(cdf->series()[1].stroke, Stroke::solid);
    auto* measure = bench.find<QComboBox>("report.cdf.measure");
    QCOMPARE(measure->currentText(), QStringLiteral("ITL"));  // every gap
    QVERIFY2(cdf->summary().contains(QStringLiteral("of 5,000 samples")), qPrintable(cdf->summary()));
    measure->setCurrentText(QStringLiteral("TTFT"));
    QVERIFY(std::abs(cdf->series()[0].y.back() - 100 * 998.0 / 999) < 1e-9);  // one of 1,000 failed
    QCOMPARE(cdf->series()[1].x.front(), 40.0);
    QVERIFY2(cdf->summary().contains(QStringLiteral("of 999 samples")), qPrintable(cdf->summary()));
    QVERIFY(cdf->export_to(bench.file("cdf.svg")).isEmpty() &&
            cdf->export_to(bench.file("cdf.csv")).isEmpty());
    QVERIFY(bench.text("cdf.svg").find("99.9 %") != std::string::npos);
    cdf->show_table(true);
    const QString nameless = test::nameless_focusable_widget(*bench.page);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
  }

  void eight_runs_are_the_most() {
    Bench bench;
    for (int i = 0; i < 9; ++i) bench.add({.requests = 20, .ttft_ms = 40.0 + i}, 8 + i);
    bench.open_page(1400, 860);
    auto* list = bench.find<DataTable>("report.list");
    QTRY_COMPARE(list->model()->rowCount(), 9);
    list->setFocus();
    for (int i = 0; i < 9; ++i) {
      list->selectRow(i);
      QTest::keyClick(list, Qt::Key_Space);
    }
    QVERIFY(bench.has_banner(QStringLiteral("8 runs are marked")));
    bench.find<QPushButton>("report.compareButton")->click();
    QTRY_VERIFY(bench.shows_comparison());
    QCOMPARE(bench.find<DataTable>("report.diffKeys")->model()->columnCount(), 9);
    QCOMPARE(bench.find<LineChart>("report.cdf")->series().size(), std::size_t{8});
  }

  /// Of seven runs each figure stands in one column, at the usual size of the window.
  void seven_runs_are_in_sight() {
    Bench bench;
    for (int i = 0; i < 7; ++i) bench.add({.requests = 2000, .ttft_ms = 50.0 - 3 * i, .rate = 33'012}, 8 + i);
    bench.open_page(1350, 800);
    bench.page->compare_runs({1, 2, 3, 4, 5, 6, 7});
    QTRY_VERIFY(bench.shows_comparison());
    const auto* figures = bench.find<DataTable>("report.compare");
    QCOMPARE(figures->model()->columnCount(), 8);
    QTRY_COMPARE(figures->horizontalScrollBar()->maximum(), 0);
    const int ttft = bench.row_of("report.compare", QStringLiteral("TTFT p50, ms"));
    QVERIFY(ttft >= 0);
    QVERIFY(bench.cell("report.compare", ttft, 7).toDouble() > 0);
    const QString effect = bench.cell("report.compare", ttft + 1, 7);
    QVERIFY2(effect.startsWith(QStringLiteral("✓ −")) && effect.contains(QStringLiteral(" % ± ")),
             qPrintable(effect));
    bench.page->compare_runs({1, 2});
    QTRY_COMPARE(figures->model()->columnCount(), 5);
    QVERIFY(figures->isSortingEnabled());
  }

  void runs_without_samples_have_no_line() {
    Bench bench;
    for (int i = 0; i < 3; ++i) {
      Run run = test::made_up_run({.requests = 20, .ttft_ms = 40.0 + i});
      run.header.uuid = "run " + std::to_string(i);
      run.itl = {};
      if (i > 0) run.requests.clear();
      run.summary = summarize_requests(run.requests);
      PW_VERIFY(bench.store->import_run(run));
    }
    bench.open_page(1350, 800);
    bench.page->compare_runs({1, 2, 3});
    QTRY_VERIFY(bench.shows_comparison());
    const auto* cdf = bench.find<LineChart>("report.cdf");
    QCOMPARE(bench.find<QComboBox>("report.cdf.measure")->currentText(), QStringLiteral("Longest ITL"));
    QCOMPARE(cdf->series().size(), std::size_t{1});
    bench.page->compare_runs({2, 3});
    QTRY_COMPARE(cdf->series().size(), std::size_t{0});
  }

  void a_comparison_is_exported() {
    Bench bench;
    bench.add({.requests = 2000});
    bench.add({.requests = 2000, .ttft_ms = 40}, 16);
    bench.open_page(1400, 860);
    bench.page->compare_runs({1, 2});
    QTRY_VERIFY(bench.shows_comparison());
    for (const char* name : {"two.html", "two.md", "two.json", "two.pdf"}) {
      bench.banners.clear();
      bench.page->export_to(bench.file(name));
      QTRY_VERIFY(bench.has_banner(QStringLiteral("Saved to ")));
    }
    QVERIFY(bench.text("two.html").find("R-0001") != std::string::npos);
    bench.page->export_to(bench.file("two.csv"));  // of one run alone
    QTRY_VERIFY(bench.has_banner(QStringLiteral("does not say what to write")));
    if (QStandardPaths::findExecutable(QStringLiteral("pdftotext")).isEmpty()) QSKIP("pdftotext is not here");
    const QString text = pdf_text(bench.file("two.pdf"));
    QVERIFY2(text.contains(QStringLiteral("TTFT p50, ms")) && text.contains(QStringLiteral("max-num-seqs")),
             qPrintable(text));
  }

  void the_pdf_has_the_reports_figures_and_the_same_bytes() {
    const Run run = test::made_up_run();
    const ExportFormat& pdf = *find_export_format("pdf");
    const auto first = export_text(run, pdf);
    PW_VERIFY(first);
    QVERIFY(first->starts_with("%PDF-"));
    QVERIFY(first->find("/CreationDate (D:20260726120030") != std::string::npos);  // the run's end, not now
    QCOMPARE(*export_text(run, pdf), *first);
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "run.pdf";
    PW_VERIFY(write_file_atomic(path, *first));
    if (QStandardPaths::findExecutable(QStringLiteral("pdftotext")).isEmpty()) QSKIP("pdftotext is not here");
    const QString text = pdf_text(QString::fromStdString(path.string()));
    for (const char* words :
         {"300 requests: 299 ended well, 1 failed.", "318", "TTFT: arrival to first token", "max-num-seqs",
          "cmpl-78", "Which ones had it worst?", "Not tested, not known", "SmolLM2"})
      QVERIFY2(text.contains(QLatin1String(words)), words);
  }

  void an_exported_run_comes_back_once() {
    Bench bench;
    const Run run = test::made_up_run();
    PW_VERIFY(write_file_atomic(bench.folder.path() / "run.json", run_json(run)));
    PW_VERIFY(write_file_atomic(bench.folder.path() / "result.vllm.json", vllm_json(run)));
    PW_VERIFY(write_file_atomic(bench.folder.path() / "wrong.json", "{\"a\": 1}"));
    bench.open_page(1400, 860);
    QTRY_COMPARE(bench.find<QPushButton>("report.secondVerb")->text(), QStringLiteral("Import…"));

    QVERIFY(bench.page->accepts(bench.file("run.json")));
    bench.page->open(bench.file("run.json"));
    QTRY_VERIFY(bench.has_banner(QStringLiteral("Imported run.json as R-0001")));
    QTRY_COMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 1);

    bench.page->import_files(
        {bench.file("run.json"), bench.file("result.vllm.json"), bench.file("wrong.json")});
    QTRY_VERIFY(bench.has_banner(QStringLiteral("run.json is here already: it is R-0001")));
    QTRY_VERIFY(bench.has_banner(QStringLiteral("wrong.json is no run that Pitwall can read")));
    QTRY_COMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 2);
    PW_VERIFY(bench.store->begin(run.header));  // recorded here
    bench.page->activated();
    QTRY_COMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 3);
    bench.find<QComboBox>("report.kind")->setCurrentText(QStringLiteral("imported"));
    QCOMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 2);
    bench.find<QLineEdit>("report.search")
        ->setText(QString::fromStdString(run.header.kind) + QStringLiteral(", imported"));
    QCOMPARE(bench.find<DataTable>("report.list")->model()->rowCount(), 1);

    QMimeData picture;
    picture.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/a.png"))});
    QDragEnterEvent other({5, 5}, Qt::CopyAction, &picture, Qt::LeftButton, Qt::NoModifier);
    other.ignore();
    QCoreApplication::sendEvent(bench.page.get(), &other);
    QVERIFY(!other.isAccepted());
  }

  void the_table_of_requests_grows_as_it_is_scrolled() {
    Bench bench;
    bench.add({.requests = 1300});
    bench.open_page(1400, 860);
    auto* requests = bench.find<DataTable>("report.requests");
    QTRY_COMPARE(requests->model()->rowCount(), 500);
    QAbstractItemModelTester tester(requests->model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(requests->model()->index(0, 9).data().toString(), QStringLiteral("318"));
    QScrollBar* bar = requests->verticalScrollBar();
    bar->setValue(bar->maximum());
    QTRY_COMPARE(requests->model()->rowCount(), 1000);
    QTRY_VERIFY(bar->maximum() > bar->value());
    bar->setValue(bar->maximum());
    QTRY_COMPARE(requests->model()->rowCount(), 1300);
  }

  void a_run_has_its_files_and_its_memory() {
    Bench bench;
    bench.add({});
    bench.open_page(1400, 860);
    auto* files = bench.find<DataTable>("report.files");
    QTRY_COMPARE(files->model()->rowCount(), 7);  // all but PDF
    QCOMPARE(bench.cell("report.files", 0, 0), QStringLiteral("R-0001.html"));
    QCOMPARE(bench.cell("report.files", 0, 2).size(), qsizetype{12});
    const int kv = bench.row_of("report.memory.table", QStringLiteral("KV pool"));
    QVERIFY(kv >= 0);
    QCOMPARE(bench.cell("report.memory.table", kv, 1),
             QStringLiteral("–"));  // its model's file is not here
    QVERIFY(bench.row_of("report.conditions", QStringLiteral("Not tested")) > 0);
  }

  void names_of_a_sweep_can_be_told_apart() {
    const QString six = short_name("Four steps, item 2: max-num-seqs 6, repeat 3"),
                  twelve = short_name("Four steps, item 2: max-num-seqs 12, repeat 3");
    QVERIFY(six != twelve && six.size() <= 34);
    QVERIFY(six.startsWith(QStringLiteral("Four steps")) && six.endsWith(QStringLiteral("seqs 6, repeat 3")));
    QCOMPARE(short_name("short"), QStringLiteral("short"));
  }
};

QTEST_MAIN(ReportsCompareTest)
#include "reports_compare_test.moc"
