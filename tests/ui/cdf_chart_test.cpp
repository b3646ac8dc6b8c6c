// SPDX-License-Identifier: GPL-3.0-or-later
// The axis of nines and the chart on it: where its marks stand, where a curve ends, what it says of itself.
#include <QFile>
#include <QTest>
#include <cmath>

#include "tests/support/test_support.h"
#include "ui/shell/theme.h"
#include "ui/widgets/cdf_chart.h"
#include "ui/widgets/plot_scale.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// 1, 2, … n
CdfCurve curve_to(int n) {
  std::vector<double> samples;
  for (int i = n; i >= 1; --i) samples.push_back(i);
  CdfCurve curve;
  curve.cdf = cdf_of(std::move(samples));
  return curve;
}

}  // namespace

class CdfChartTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    Theme::current().set_mode(ThemeMode::light);
  }

  void each_nine_takes_the_same_room() {
    const auto at = [](double percent) { return to_scale(ValueScale::tail, percent); };
    QCOMPARE(at(0), 0.0);
    QVERIFY(std::abs(at(90) - 1) < 1e-9 && std::abs(at(99) - 2) < 1e-9 && std::abs(at(99.9) - 3) < 1e-9);
    QVERIFY(std::isfinite(at(100)));
    const AxisLimits limits = scale_limits(ValueScale::tail, 0, 99.95);
    QStringList words;
    for (const double tick : scale_ticks(ValueScale::tail, limits, 10))
      words << tick_text(ValueScale::tail, limits, tick);
    QCOMPARE(words, (QStringList{u8("0 %"), u8("90 %"), u8("99 %"), u8("99.9 %")}));
    // Fewer than ten samples never reach 90 %.
    QCOMPARE(scale_ticks(ValueScale::tail, scale_limits(ValueScale::tail, 0, 75), 10),
             (std::vector<double>{0, 50}));
  }

  void a_curve_ends_where_one_sample_does() {
    CdfChart chart({u8("cdf"), u8("ITL distribution"), u8("How bad is the worst?"), u8("ms")});
    CdfCurve curve = curve_to(1000);
    curve.name = u8("R-0001");
    QCOMPARE(curve.cdf.samples(), std::int64_t{1000});
    chart.set_curves({curve});
    const ChartSeries& line = chart.series().front();
    QVERIFY(std::is_sorted(line.x.begin(), line.x.end()) && std::is_sorted(line.y.begin(), line.y.end()));
    QCOMPARE(line.x.back(), 1000.0);
    QVERIFY2(std::abs(line.y.back() - 99.9) < 1e-9, qPrintable(QString::number(line.y.back(), 'g', 12)));
    QVERIFY2(chart.summary().contains(u8("p90 900, p99 990, p99.9 999, largest 1,000 of 1,000 samples")),
             qPrintable(chart.summary()));
    QVERIFY(!chart.summary().contains(u8("p99.99")));
  }

  void a_large_sample_keeps_what_can_be_seen() {
    std::vector<double> samples(200'000, 5);
    samples[100] = 318;
    samples[200] = std::nan("");
    for (int i = 1000; i < 100'000; ++i) samples[static_cast<std::size_t>(i)] = 5 + i * 1e-5;
    const Cdf cdf = cdf_of(samples);
    QCOMPARE(cdf.samples(), std::int64_t{199'999});
    QCOMPARE(cdf.values.back(), 318.0);
    QVERIFY2(cdf.values.size() < 4000, qPrintable(QString::number(cdf.values.size())));
  }

  void few_and_no_samples_say_so() {
    CdfChart chart({u8("cdf"), u8("TTFT distribution"), u8("How bad is the worst?"), u8("ms")});
    CdfCurve empty;
    chart.set_curves({empty, empty});
    QCOMPARE(chart.summary(), u8("TTFT distribution: no sample yet."));
    CdfCurve one;
    one.cdf = cdf_of({7});
    one.name = u8("before");
    CdfCurve few = curve_to(15);
    few.name = u8("after");
    chart.set_curves({one, few});
    QVERIFY2(chart.summary().contains(u8("before largest 7.00 of 1 samples")), qPrintable(chart.summary()));
    QVERIFY(!chart.summary().contains(u8("p90")));
  }

  void it_is_drawn_shown_as_a_table_and_exported() {
    CdfChart chart({u8("cdf"), u8("ITL distribution"), u8("How bad is the worst?"), u8("ms")}, true);
    CdfCurve before = curve_to(5000), after = curve_to(800);
    before.name = u8("before");
    before.stroke = Stroke::dash;
    after.name = u8("after");
    chart.set_curves({before, after});
    chart.set_limit(u8("SLO 50"), 50);
    chart.resize(600, 320);
    chart.show();
    QVERIFY(!chart.grab().isNull());
    chart.show_table(true);
    QCOMPARE(chart.findChild<DataTable*>()->model()->index(2, 1).data().toString(), u8("4,950"));
    chart.show_table(false);
    const test::TemporaryFolder folder;
    for (const char* name : {"c.png", "c.svg", "c.csv"}) {
      const QString path = QString::fromStdString((folder.path() / name).string());
      QCOMPARE(chart.export_to(path), QString());
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY(file.readAll().size() > 500);
    }
  }
};

QTEST_MAIN(CdfChartTest)
#include "cdf_chart_test.moc"
