// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>

#include "tests/support/test_support.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/decimate.h"
#include "ui/widgets/form_grid.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/memory_bar.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/ticks.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kStart = 1'700'000'000;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

std::vector<ChartSeries> two_series() {
  ChartSeries p50{u8("p50"), Colour::itl, Stroke::solid, 2.2, {}, {}};
  ChartSeries p99{u8("p99"), Colour::itl, Stroke::dots, 1.5, {}, {}};
  for (int i = 0; i < 60; ++i) {
    p50.x.push_back(kStart + i);
    p99.x.push_back(kStart + i);
    p50.y.push_back(i == 30 ? kNone : 5);
    p99.y.push_back(i == 40 ? 318 : 9);
  }
  return {p50, p99};
}

QWidget* plot_of(const LineChart& chart) {
  return chart.findChild<QWidget*>(chart.objectName() + u8(".plot"));
}

std::vector<TableRow> rows_of(std::vector<std::pair<qint64, double>> values) {
  std::vector<TableRow> rows;
  for (const auto& [key, value] : values)
    rows.push_back({key, {{QStringLiteral("row %1, \"q\"").arg(key)}, {three_digits(value), value}}});
  return rows;
}

std::vector<qint64> shown_keys(const DataTable& table) {
  std::vector<qint64> keys;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QString name = table.model()->index(row, 0).data().toString();
    keys.push_back(name.mid(4, name.indexOf(u',') - 4).toLongLong());
  }
  return keys;
}

}  // namespace

class WidgetsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void decimation_keeps_a_spike_and_cuts_at_gaps();
  void decimation_keeps_at_most_four_points_a_column();
  void ticks_are_one_two_five();
  void limits_grow_at_once_and_shrink_late();
  void axes_of_another_run_begin_anew();
  void numbers_data();
  void numbers();
  void model_holds_under_updates();
  void table_keeps_selection_by_key();
  void table_sorts_numbers_with_missing_ones_last();
  void table_copies_csv();
  void chart_says_what_it_shows();
  void chart_is_worked_by_keys();
  void chart_links_crosshairs();
  void chart_exports();
  void chart_without_data_says_why();
  void chart_against_another_number();
  void number_field_keeps_nonsense_and_its_last_number();
  void form_marks_the_field_that_an_error_names();
  void memory_adds_up_and_is_said();
  void memory_takes_three_columns_where_they_fit();
  void a_legend_leaves_the_question_whole();
  void a_column_yields_to_those_that_count();
  void remembered_widths_leave_the_others_their_room();
  void a_table_of_memory_keeps_off_its_focus_frame();
};

void WidgetsTest::initTestCase() {
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void WidgetsTest::decimation_keeps_a_spike_and_cuts_at_gaps() {
  std::vector<double> x, y;
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(i);
    y.push_back(i == 77'777 ? 318 : i >= 50'000 && i < 51'000 ? kNone : 5);
  }
  const auto segments = decimate(x, y, 0, 99'999, 200);
  QCOMPARE(segments.size(), std::size_t{2});
  QCOMPARE(segments[0].front(), (PlotPoint{0, 5}));
  QCOMPARE(segments[0].back(), (PlotPoint{49'999, 5}));
  QCOMPARE(segments[1].back(), (PlotPoint{99'999, 5}));
  const bool spike =
      std::find(segments[1].begin(), segments[1].end(), PlotPoint{77'777, 318}) != segments[1].end();
  QVERIFY(spike);
  for (const auto& segment : segments)
    QVERIFY(std::is_sorted(segment.begin(), segment.end(),
                           [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
}

void WidgetsTest::decimation_keeps_at_most_four_points_a_column() {
  std::vector<double> x, y;
  for (int i = 0; i < 10'000; ++i) {
    x.push_back(i);
    y.push_back(std::sin(i));
  }
  const auto segments = decimate(x, y, 0, 10'000, 100);
  QCOMPARE(segments.size(), std::size_t{1});
  QVERIFY(segments[0].size() <= 4 * 101);
  QVERIFY(decimate(x, y, 5, 5, 100).empty());
  QVERIFY(decimate({}, {}, 0, 1, 100).empty());
  // Neighbours outside keep the line running to the edge.
  const auto part = decimate(x, y, 100.5, 200.5, 1000);
  QCOMPARE(part[0].front().x, 100.0);
  QCOMPARE(part[0].back().x, 201.0);
}

void WidgetsTest::ticks_are_one_two_five() {
  QCOMPARE(linear_ticks({0, 8000}, 5), (std::vector<double>{0, 2000, 4000, 6000, 8000}));
  QCOMPARE(log_ticks({2, 500}, 20), (std::vector<double>{2, 5, 10, 20, 50, 100, 200, 500}));
  QCOMPARE(log_ticks({0.01, 100}, 6).size(), std::size_t{5});
  QCOMPARE(log_ticks({1, 1e6}, 3), (std::vector<double>{1, 1e3, 1e6}));  // each third decade
  QCOMPARE(log_ticks({2000, 50'000}, 5), (std::vector<double>{2000, 5000, 10'000, 20'000, 50'000}));
  QCOMPARE(time_ticks({kStart, kStart + 120}, 5),
           (std::vector<double>{kStart + 10, kStart + 40, kStart + 70, kStart + 100}));
  QCOMPARE(linear_limits(6030), (AxisLimits{0, 8000}));
  QCOMPARE(linear_limits(0), (AxisLimits{0, 1}));
  QCOMPARE(log_limits(5, 318), (AxisLimits{2, 500}));
  const AxisLimits calm = log_limits(46, 47);
  QVERIFY(calm.high / calm.low >= 9);
}

void WidgetsTest::limits_grow_at_once_and_shrink_late() {
  SteadyLimits limits;
  QCOMPARE(limits.update({0, 10}, 0), (AxisLimits{0, 10}));
  QCOMPARE(limits.update({0, 50}, 1), (AxisLimits{0, 50}));
  QCOMPARE(limits.update({0, 10}, 2), (AxisLimits{0, 50}));
  QCOMPARE(limits.update({0, 10}, 11), (AxisLimits{0, 50}));
  QCOMPARE(limits.update({0, 10}, 12), (AxisLimits{0, 10}));
}

void WidgetsTest::axes_of_another_run_begin_anew() {
  LineChart used({u8("used"), u8("ITL"), u8("ms"), u8("Any stutter?")}),
      fresh({u8("fresh"), u8("ITL"), u8("ms"), u8("Any stutter?")});
  const auto show = [](LineChart& chart, double most) {
    chart.resize(400, 240);
    chart.set_series({{u8("p50"), Colour::itl, Stroke::solid, 2, {100, 101, 102}, {1, most, 2}}});
  };
  show(used, 8000);
  used.forget_limits();
  show(used, 20);
  show(fresh, 20);
  QCOMPARE(used.grab().toImage(), fresh.grab().toImage());
}

void WidgetsTest::numbers_data() {
  QTest::addColumn<QString>("shown");
  QTest::addColumn<QString>("expected");
  const auto row = [](const QString& shown, const char* expected) {
    QTest::newRow(expected) << shown << u8(expected);
  };
  row(bytes_text(Bytes(14.96 * double(kGiB))), "14.96 GiB");
  row(bytes_text(Bytes(0.1 * double(kGiB)) + 1), "0.10 GiB");
  row(bytes_text(64 * kMiB), "64.0 MiB");
  row(bytes_text(22 * kKiB + 512), "22.5 KiB");
  row(bytes_text(0), "0 B");
  row(signed_gib_number(-Bytes(0.03 * double(kGiB))), "−0.03");
  row(signed_gib_number(Bytes(0.04 * double(kGiB))), "+0.04");
  row(signed_gib_number(-1), "0.00");
  row(ms_text(5.2), "5.20 ms");
  row(ms_text(14), "14.0 ms");
  row(ms_text(318.4), "318 ms");
  row(ms_text(999.4), "999 ms");
  row(ms_text(999.6), "1.00 s");
  row(ms_text(kNone), "–");
  row(three_digits(9.996), "10.0");
  row(three_digits(0.3341), "0.334");
  row(rate_number(6026), "6,030");
  row(rate_number(141.2), "141");
  row(rate_number(0), "0");
  row(count_text(-57344), "−57,344");
  row(percent_text(0.63), "63.0 %");
  row(elapsed_text(165 * kNanosPerSecond), "00:02:45");
  row(parameters_text(134515008), "135 M");
  row(parameters_text(8030261248), "8.03 B");
  row(run_name(147), "R-0147");
}

void WidgetsTest::numbers() {
  QFETCH(QString, shown);
  QFETCH(QString, expected);
  QCOMPARE(shown, expected);
}

void WidgetsTest::model_holds_under_updates() {
  TableModel model({{u8("Name")}, {u8("Value"), true}});
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  for (const int count : {3, 0, 200, 5, 5, 1}) {
    std::vector<std::pair<qint64, double>> values;
    for (int i = 0; i < count; ++i) values.emplace_back(1000 - i, i);
    model.set_rows(rows_of(values));
    QCOMPARE(model.rowCount(), count);
  }
  model.set_columns({{u8("Other")}});
  QCOMPARE(model.rowCount(), 0);
}

void WidgetsTest::table_keeps_selection_by_key() {
  DataTable table(u8("Numbers"), {{u8("Name")}, {u8("Value"), true}});
  QAbstractItemModelTester tester(table.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
  table.set_rows(rows_of({{7, 1}, {8, 2}, {9, 3}}));
  table.select_key(8);
  QCOMPARE(table.current_key(), 8);
  table.set_rows(rows_of({{5, 0}, {6, 0}, {7, 1}, {8, 4}}));
  QCOMPARE(table.current_key(), 8);
  QCOMPARE(table.selected_keys(), (std::vector<qint64>{8}));
  table.set_rows(rows_of({{5, 0}}));
  QVERIFY(table.selected_keys().empty());
}

void WidgetsTest::table_sorts_numbers_with_missing_ones_last() {
  DataTable table(u8("Numbers"), {{u8("Name")}, {u8("Value"), true}});
  table.set_rows(rows_of({{1, 10}, {2, kNone}, {3, 9}, {4, 100}}));
  table.sortByColumn(1, Qt::AscendingOrder);
  QCOMPARE(shown_keys(table), (std::vector<qint64>{3, 1, 4, 2}));
  table.sortByColumn(1, Qt::DescendingOrder);
  QCOMPARE(shown_keys(table), (std::vector<qint64>{4, 1, 3, 2}));
  table.set_filter(u8("row 3"));
  QCOMPARE(shown_keys(table), (std::vector<qint64>{3}));
}

void WidgetsTest::table_copies_csv() {
  DataTable table(u8("Numbers"), {{u8("Name")}, {u8("Value ms"), true}});
  table.set_rows(rows_of({{1, 1234.5}, {2, kNone}}));
  QCOMPARE(table.to_csv(), u8("Name,Value ms\n\"row 1, \"\"q\"\"\",1234.5\n\"row 2, \"\"q\"\"\",\n"));
  table.select_key(2);
  QTest::keySequence(&table, QKeySequence::Copy);
  QCOMPARE(QApplication::clipboard()->text(), u8("Name,Value ms\n\"row 2, \"\"q\"\"\",\n"));
}

void WidgetsTest::chart_says_what_it_shows() {
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), u8("Does any stream stutter?"), true});
  chart.set_series(two_series());
  const QString summary = chart.summary();
  QVERIFY2(summary.startsWith(u8("ITL, ms: p50 5.00, p99 9.00; largest 318 at ")), qPrintable(summary));
  QWidget* plot = plot_of(chart);
  QCOMPARE(plot->accessibleName(), u8("ITL"));
  QCOMPARE(plot->accessibleDescription(), summary);
}

void WidgetsTest::chart_is_worked_by_keys() {
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), u8("Does any stream stutter?"), true});
  chart.resize(480, 200);
  chart.set_series(two_series());
  chart.show();
  QWidget* plot = plot_of(chart);
  QSignalSpy moved(&chart, &LineChart::crosshair_moved);
  QTest::keyClick(plot, Qt::Key_End);
  QCOMPARE(chart.crosshair(), kStart + 59);
  QTest::keyClick(plot, Qt::Key_Left);
  QTest::keyClick(plot, Qt::Key_Left);
  QCOMPARE(chart.crosshair(), kStart + 57);
  QTest::keyClick(plot, Qt::Key_Home);
  QCOMPARE(chart.crosshair(), kStart);
  QTest::keyClick(plot, Qt::Key_Escape);
  QVERIFY(std::isnan(chart.crosshair()));
  QCOMPARE(moved.count(), 5);
  QTest::keyClick(plot, Qt::Key_T);
  QVERIFY(chart.table_shown());
  auto* table = chart.findChild<DataTable*>();
  QCOMPARE(table->model()->rowCount(), 60);
  QCOMPARE(table->model()->columnCount(), 3);
  QTest::keyClick(table, Qt::Key_T);
  QVERIFY(!chart.table_shown());
}

void WidgetsTest::chart_links_crosshairs() {
  LineChart one({u8("one"), u8("ITL"), u8("ms"), {}, true}),
      two({u8("two"), u8("TTFT"), u8("ms"), {}, false});
  connect(&one, &LineChart::crosshair_moved, &two, &LineChart::set_crosshair);
  for (LineChart* chart : {&one, &two}) {
    chart->set_series(two_series());
    chart->show();
  }
  QTest::keyClick(plot_of(one), Qt::Key_End);
  QCOMPARE(two.crosshair(), kStart + 59);
}

void WidgetsTest::chart_exports() {
  test::TemporaryFolder folder;
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), u8("Does any <b>stream</b> stutter?"), true});
  chart.resize(480, 200);
  chart.set_series(two_series());
  chart.set_source(u8("R-0147"));
  chart.show();
  const QString base = QString::fromStdString((folder.path() / "chart").string());
  QCOMPARE(chart.export_to(base + u8(".csv")), QString());
  QFile csv(base + u8(".csv"));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = csv.readAll().split('\n');
  QCOMPARE(lines[0], QByteArray("# ITL | ms | Does any <b>stream</b> stutter? | R-0147"));
  QCOMPARE(lines[1], QByteArray("time_utc,p50,p99"));
  QCOMPARE(lines[2], QByteArray("2023-11-14T22:13:20.000Z,5,9"));
  QCOMPARE(lines[32], QByteArray("2023-11-14T22:13:50.000Z,,9"));
  QCOMPARE(chart.export_to(base + u8(".svg")), QString());
  QFile svg(base + u8(".svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray drawing = svg.readAll();
  QVERIFY(drawing.contains("<svg") && drawing.contains("R-0147") && !drawing.contains("<b>"));
  QCOMPARE(chart.export_to(base + u8(".png")), QString());
  const QImage picture(base + u8(".png"));
  QCOMPARE(picture.width(), 2 * chart.width());
  QVERIFY(picture.height() > 2 * chart.height());
  QVERIFY(!chart.export_to(base + u8(".bmp")).isEmpty());
  QVERIFY(!chart.export_to(u8("/nowhere/at/all.csv")).isEmpty());
}

void WidgetsTest::chart_without_data_says_why() {
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), {}, true});
  chart.set_note(u8("No request yet"));
  chart.set_series({});
  chart.resize(300, 200);
  chart.show();
  QVERIFY(!chart.grab().isNull());
  QCOMPARE(chart.summary(), u8("ITL: no data yet."));
  QTest::keyClick(plot_of(chart), Qt::Key_End);
}

void WidgetsTest::chart_against_another_number() {
  test::TemporaryFolder folder;
  LineChart::Spec spec{u8("test.chart"), u8("Requests that fit"), u8("requests"), u8("Where?"), true};
  spec.x = XAxis::log;
  spec.x_name = u8("tokens each");
  spec.names_at_lines = true;
  LineChart chart(spec);
  chart.resize(480, 240);
  chart.set_series(
      {{u8("1 × H200"), Colour::itl, Stroke::solid, 2, {512, 1024, 2048, 4096}, {80, 40, 20, kNone}}});
  ChartMark demand;
  demand.x = 2048;
  demand.y = 20;
  demand.text = u8("20 requests at p95");
  demand.to_axes = true;
  chart.set_marks({demand});
  chart.show();
  QCOMPARE(chart.summary(), u8("Requests that fit, requests: 1 × H200 20.0; largest 80.0 at 512 tokens each. "
                               "20 requests at p95."));
  QWidget* plot = plot_of(chart);
  QTest::keyClick(plot, Qt::Key_Home);
  QCOMPARE(chart.crosshair(), 512.0);
  QTest::keyClick(plot, Qt::Key_Right);
  QCOMPARE(chart.crosshair(), 1024.0);
  QVERIFY(!chart.grab().isNull());
  chart.show_table(true);
  auto* table = chart.findChild<DataTable*>();
  QCOMPARE(table->model()->headerData(0, Qt::Horizontal).toString(), u8("tokens each"));
  QCOMPARE(table->model()->index(0, 0).data().toString(), u8("512"));
  const QString path = QString::fromStdString((folder.path() / "chart.csv").string());
  QCOMPARE(chart.export_to(path), QString());
  QFile csv(path);
  QVERIFY(csv.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = csv.readAll().split('\n');
  QCOMPARE(lines[1], QByteArray("tokens each,1 × H200"));
  QCOMPARE(lines[2], QByteArray("512,80"));
  QCOMPARE(lines[5], QByteArray("4096,"));
  QCOMPARE(chart.export_to(QString(path).replace(u8(".csv"), u8(".svg"))), QString());
}

void WidgetsTest::number_field_keeps_nonsense_and_its_last_number() {
  NumberField field(
      {u8("test.field"), u8("Max length"), u8("tokens"), u8("Longest sequence"), 1, 100'000, 0, {}});
  QSignalSpy changed(&field, &NumberField::changed), refused(&field, &NumberField::refused);
  field.set_value(8192);
  QCOMPARE(field.text(), u8("8,192"));
  QCOMPARE(field.accessibleDescription(), u8("tokens. Longest sequence"));
  const auto type = [&](const char* text) {
    field.selectAll();
    QTest::keyClicks(&field, u8(text));
    QTest::keyClick(&field, Qt::Key_Return);
  };
  type("16,384");
  QCOMPARE(field.value(), 16384.0);
  QCOMPARE(changed.count(), 1);
  for (const char* nonsense : {"many", "0", "-5", "1e12", "nan"}) {
    type(nonsense);
    QVERIFY2(field.is_wrong(), nonsense);
    QCOMPARE(field.text(), u8(nonsense));
    QCOMPARE(field.value(), 16384.0);
    QVERIFY(field.property("wrong").toBool());
    QVERIFY2(field.accessibleDescription().contains(u8(nonsense)), qPrintable(field.accessibleDescription()));
  }
  QVERIFY(refused.count() >= 5);
  QCOMPARE(changed.count(), 1);
  type("4096");
  QVERIFY(!field.is_wrong() && !field.property("wrong").toBool());
  QTest::keyClick(&field, Qt::Key_Up);
  QCOMPARE(field.value(), 4097.0);
}

void WidgetsTest::form_marks_the_field_that_an_error_names() {
  FormGrid form;
  auto* gpus = new NumberField({u8("gpus"), u8("GPUs"), {}, {}, 1, 8});
  auto* length = new NumberField({u8("length"), u8("Length"), {}, {}, 1, 100});
  form.add_row(u8("GPUs"), gpus, {}, {u8("gpus"), u8("tensor-parallel-size")});
  form.add_row(u8("Length"), length, u8("tokens"), {u8("lengths")});
  QCOMPARE(form.mark(u8("tensor-parallel-size"), u8("3 ranks do not divide 8 heads")), gpus);
  QVERIFY(gpus->property("wrong").toBool() && !length->property("wrong").toBool());
  QVERIFY(!form.has_wrong_field());  // the number is one; what it means is wrong
  QCOMPARE(form.mark(u8("no-such-setting"), u8("why")), nullptr);
  QTest::keyClicks(length, u8("x"));
  QTest::keyClick(length, Qt::Key_Return);
  QVERIFY(form.has_wrong_field());
  form.clear_marks();
  QVERIFY(!gpus->property("wrong").toBool());
  QVERIFY(length->property("wrong").toBool());  // still no number
}

void WidgetsTest::memory_adds_up_and_is_said() {
  LedgerSnapshot ledger;
  ledger.bytes[static_cast<std::size_t>(Category::weights)] = 93 * kMiB;
  ledger.bytes[static_cast<std::size_t>(Category::kv)] = 360 * kMiB;
  ledger.bytes[static_cast<std::size_t>(Category::logits)] = 6 * kMiB;
  ledger.bytes[static_cast<std::size_t>(Category::library_workspace)] = kMiB;
  ledger.kv_used = 24 * kMiB;
  ledger.kv_free = 336 * kMiB;
  ledger.measured = 420 * kMiB;
  ledger.device_total = 16 * kGiB;
  ledger.other_processes = 5 * kGiB;
  ledger.limit = 2 * kGiB;
  Bytes sum = 0;
  for (const MemoryPart& part : memory_parts(ledger))
    if (part.colour != Colour::other_processes) sum += part.bytes;
  QCOMPARE(sum, ledger.measured);

  for (const Bytes device : {16 * kGiB, 512 * kMiB, Bytes{0}}) {
    ledger.device_total = device;
    MemoryBar bar;
    bar.resize(600, bar.sizeHint().height());
    bar.set_ledger(ledger);
    QVERIFY(!bar.grab().isNull());
    QVERIFY2(bar.accessibleDescription().startsWith(u8("Weights 93.0 MiB, KV used 24.0 MiB")),
             qPrintable(bar.accessibleDescription()));
    QVERIFY(bar.accessibleDescription().contains(u8("limit 2.00 GiB")));
  }
  MemoryTable table;
  table.set_ledger(ledger);
  QVERIFY(table.to_csv().contains(u8("Workspace,,7340032\n")));
  QTest::keySequence(&table, QKeySequence::Copy);
  QCOMPARE(QApplication::clipboard()->text(), table.to_csv());

  QCOMPARE(memory_parts(ledger).back().name, u8("Not touched yet"));
  ledger.measured = 470 * kMiB;
  QCOMPARE(memory_parts(ledger).back().name, u8("Unaccounted"));
  QCOMPARE(memory_parts(ledger).back().bytes, 10 * kMiB);
  QVERIFY(table.to_csv().contains(u8("Weights,,%1\n").arg(93 * kMiB)));
  std::array<Bytes, kCategoryCount> planned{};
  planned[static_cast<std::size_t>(Category::weights)] = 90 * kMiB;
  table.set_planned(planned);
  QVERIFY(table.to_csv().contains(u8("Weights,%1,%2\n").arg(90 * kMiB).arg(93 * kMiB)));
  QVERIFY(table.to_csv().contains(u8("KV used,,%1\n").arg(24 * kMiB)));
  QVERIFY(table.accessibleDescription().contains(u8("Weights 93.0 MiB (planned 90.0 MiB)")));
}

void WidgetsTest::memory_takes_three_columns_where_they_fit() {
  LedgerSnapshot ledger;
  ledger.bytes[static_cast<std::size_t>(Category::weights)] = 93 * kMiB;
  ledger.bytes[static_cast<std::size_t>(Category::kv)] = 5 * kGiB;
  ledger.kv_free = 5 * kGiB;
  ledger.device_total = 24 * kGiB;
  ledger.measured = kGiB;
  MemoryTable table;
  table.set_planned(ledger.bytes);
  table.set_ledger(ledger);
  table.resize(units(240), 400);
  QVERIFY(!table.grab().isNull());
  const int wide = table.sizeHint().height();
  table.resize(units(170), 400);
  QVERIFY(!table.grab().isNull());
  const int narrow = table.sizeHint().height();
  QCOMPARE(wide / 5, narrow / 7);  // a head and four rows, or six
}

void WidgetsTest::a_legend_leaves_the_question_whole() {
  Card card(u8("ITL"), u8("ms, log"), u8("Does any stream stutter?"));
  card.set_legend({{u8("p50"), Colour::itl}, {u8("p90"), Colour::itl}, {u8("p99"), Colour::itl}});
  card.add_tool(u8("table"), u8("Table"));
  card.show();
  const auto* question = card.findChild<ElidedLabel*>(u8("card.question"));
  const auto* legend = card.findChild<QWidget*>(u8("card.legend"));
  QVERIFY(question && legend);
  const auto whole = [&] { return question->width() >= question->sizeHint().width(); };
  card.resize(units(140), units(40));
  QTRY_VERIFY(whole() && legend->y() < question->geometry().bottom());
  card.resize(units(85), units(40));
  QTRY_VERIFY(legend->y() > question->geometry().bottom());
  QVERIFY(whole());
  card.resize(units(140), units(40));
  QTRY_VERIFY(legend->y() < question->geometry().bottom());
  QVERIFY(card.minimumSizeHint().width() < units(80));  // a grid may make it so narrow
}

void WidgetsTest::a_column_yields_to_those_that_count() {
  DataTable table(u8("Runs"), {{u8("Run")}, {u8("Name")}, {u8("tok/s"), true}, {u8("Note")}});
  table.set_yielding_column(1, 2);
  table.set_rows({{1,
                   {{u8("R-0001")},
                    {u8("Four steps, item 4: max-num-seqs=32, repeat 3")},
                    {u8("1,740"), 1740},
                    {u8("–")}}}});
  table.show();
  for (const int width : {units(90), units(70), units(200)}) {
    table.resize(width, units(40));
    QCoreApplication::sendPostedEvents();
    const int end = table.columnViewportPosition(2) + table.columnWidth(2);
    QVERIFY2(end <= table.viewport()->width(), qPrintable(QString::number(end)));
  }
  table.resize(units(40), units(40));  // a name keeps enough to be one
  QCoreApplication::sendPostedEvents();
  QVERIFY(table.columnWidth(1) >= units(20));
}

void WidgetsTest::remembered_widths_leave_the_others_their_room() {
  DataTable table(u8("Models"), {{u8("Name")}, {u8("Size"), true}});
  table.set_rows({{1, {{u8("a model")}, {u8("93.8 MiB, and more"), 98}}}});
  const int wide = table.columnWidth(1);
  table.set_user_widths({{QStringLiteral("0"), units(60)}});
  QCOMPARE(table.columnWidth(0), units(60));
  QCOMPARE(table.columnWidth(1), wide);
}

void WidgetsTest::a_table_of_memory_keeps_off_its_focus_frame() {
  MemoryTable table;
  LedgerSnapshot ledger;
  ledger.device_total = ledger.limit = Bytes{8} << 30;
  ledger.kv_used = Bytes{1} << 30;
  table.set_ledger(ledger);
  table.resize(units(180), table.sizeHint().height());
  const QImage image = table.grab().toImage();
  for (int y = 0; y < image.height(); ++y)
    for (const int x : {0, 1, image.width() - 2, image.width() - 1})  // as wide as the frame
      QCOMPARE(image.pixel(x, y), image.pixel(0, 0));
}

QTEST_MAIN(WidgetsTest)
#include "widgets_test.moc"
