// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution in bounded memory: quantiles within one percent, and the whole of it in steps.
#include <QtTest>
#include <cmath>
#include <random>

#include "engine/telemetry/quantiles.h"

using namespace pitwall;

class QuantileSketchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void is_within_one_percent_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("uniform") << 0;
    QTest::newRow("lognormal, heavy tail") << 1;
    QTest::newRow("exponential") << 2;
    QTest::newRow("two far peaks") << 3;
    QTest::newRow("Pareto") << 4;
  }

  void is_within_one_percent() {
    QFETCH(int, kind);
    for (const unsigned seed : {1U, 17U, 4711U}) {
      qInfo() << "seed" << seed;
      std::mt19937_64 random(seed);
      std::uniform_real_distribution<double> unit(0, 1);
      std::lognormal_distribution<double> lognormal(2, 2);
      std::exponential_distribution<double> exponential(0.01);
      std::vector<double> values;
      QuantileSketch halves[2];
      for (int i = 0; i < 5001; ++i) {
        const double u = unit(random);
        const double value = kind == 0   ? u * 1000
                             : kind == 1 ? lognormal(random)
                             : kind == 2 ? exponential(random)
                             : kind == 3 ? (u < 0.9 ? 5 + u : 5000 + u)
                                         : std::pow(1 - u, -1 / 1.2);
        values.push_back(value);
        halves[i % 2].add(value);
      }
      QuantileSketch sketch;
      sketch.merge(halves[0]);
      sketch.merge(halves[1]);
      std::sort(values.begin(), values.end());
      QCOMPARE(sketch.count(), std::int64_t{5001});
      QCOMPARE(sketch.max(), values.back());
      for (const double q : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const double exact = quantile_sorted(values, q);
        QVERIFY2(std::fabs(sketch.quantile(q) - exact) <= 0.01 * exact,
                 qPrintable(QString("q %1: %2 for %3").arg(q).arg(sketch.quantile(q)).arg(exact)));
      }
    }
  }

  void edges() {
    QuantileSketch sketch;
    QVERIFY(std::isnan(sketch.quantile(0.5)) && std::isnan(sketch.mean()) && std::isnan(sketch.max()));
    sketch.add(0);
    sketch.add(1e-12);
    sketch.add(std::nan(""));
    sketch.add(INFINITY);
    QCOMPARE(sketch.count(), std::int64_t{2});
    QCOMPARE(sketch.quantile(0.5), 0.0);
    sketch.add(50, 98);
    QVERIFY(std::fabs(sketch.quantile(0.5) - 50) <= 0.5);
    QVERIFY(std::fabs(sketch.mean() - 49.0) <= 49e-9);
    sketch.clear();
    QCOMPARE(sketch.count(), std::int64_t{0});
  }

  void it_tells_its_whole_distribution() {
    QuantileSketch sketch;
    QVERIFY(sketch.steps().empty());
    sketch.add(0, 3);
    for (int i = 1; i <= 1000; ++i) sketch.add(i);
    const std::vector<QuantileSketch::Step> steps = sketch.steps();
    QCOMPARE(steps.front().value, 0.0);
    QCOMPARE(steps.front().at_most, std::int64_t{3});
    QCOMPARE(steps.back().value, 1000.0);
    QCOMPARE(steps.back().at_most, std::int64_t{1003});
    for (std::size_t i = 1; i < steps.size(); ++i) {
      QVERIFY(steps[i].value > steps[i - 1].value && steps[i].at_most > steps[i - 1].at_most);
      const double exact = static_cast<double>(steps[i].at_most - 3);  // the value of that rank
      QVERIFY2(std::abs(steps[i].value - exact) <= 0.02 * exact + 1, qPrintable(QString::number(exact)));
    }
  }
};

QTEST_APPLESS_MAIN(QuantileSketchTest)
#include "quantile_sketch_test.moc"
