// SPDX-License-Identifier: GPL-3.0-or-later
// The measured step-time model against steps whose duration is known.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "engine/schedule/measured_step_time.h"

using namespace pitwall;

namespace {

StepShape shape(int decodes, int context, int prefill = 0, int before = 0) {
  StepShape out;
  out.sequences = decodes + (prefill > 0 ? 1 : 0);
  out.decode_tokens = out.logit_rows = decodes;
  out.decode_context = std::int64_t{decodes} * context;
  out.prefill_tokens = prefill;
  out.prefill_context = prefill > 0 ? before + prefill : 0;
  out.prefill_pairs = std::int64_t{prefill} * before + std::int64_t{prefill} * (prefill + 1) / 2;
  return out;
}

/// 2 ms, 40 µs a row, 10 ns a position read, 20 ns a query-key product.
double truth(const StepShape& s) {
  return 2e6 + 40e3 * s.rows() + 10 * static_cast<double>(s.decode_context) +
         20 * static_cast<double>(s.prefill_pairs);
}

class Fixed final : public StepTimeModel {
 public:
  Nanos predict(const StepShape&) const override { return 123; }
};

double off(const MeasuredStepTime& model, const StepShape& s, double expected) {
  return std::abs(static_cast<double>(model.predict(s)) / expected - 1);
}

}  // namespace

class StepTimeTest : public QObject {
  Q_OBJECT

 private:
  std::mt19937 random_{7};
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  StepShape any() {
    return pick(0, 3) > 0 ? shape(pick(1, 32), pick(50, 4000))
                          : shape(pick(0, 16), pick(50, 2000), pick(16, 1024), pick(0, 4000));
  }

 private slots:
  void spread_is_what_199_of_200_steps_stay_within() {
    MeasuredStepTime model(nullptr);
    std::exponential_distribution<double> late(
        1 / 0.08);  // 99.5 % of the excess over the fastest lies below 0.42
    std::vector<double> ratios;
    for (int i = 0; i < 20'000; ++i) {
      const StepShape s = any();
      const double duration = truth(s) * (1 + late(random_));
      if (i >= 10'000) ratios.push_back(duration / static_cast<double>(model.predict(s)));
      model.observe(s, static_cast<Nanos>(duration), 0);
    }
    std::sort(ratios.begin(), ratios.end());
    const double expected = ratios[ratios.size() * 199 / 200];
    QVERIFY2(std::abs(model.spread() - expected) < 0.12,
             qPrintable(QString("%1 %2").arg(model.spread()).arg(expected)));
    for (int i = 0; i < 20'000; ++i) {
      const StepShape s = any();
      model.observe(s, static_cast<Nanos>(truth(s)), 0);
    }
    QVERIFY(model.spread() < 1.01);  // steady steps: no margin
  }

  void it_answers_from_the_prior_until_it_knows_better() {
    const Fixed prior;
    MeasuredStepTime with(&prior), without(nullptr);
    for (int i = 0; i < 15; ++i) {
      const StepShape s = any();
      with.observe(s, static_cast<Nanos>(truth(s)), 0);
      QCOMPARE(with.predict(s), Nanos{123});
      QCOMPARE(without.predict(s), Nanos{0});
    }
    const StepShape s = any();
    with.observe(s, static_cast<Nanos>(truth(s)), 0);
    QVERIFY(with.predict(s) != 123);
  }

  void it_finds_what_a_step_is_made_of() {
    MeasuredStepTime model(nullptr);
    std::normal_distribution<double> noise(1, 0.03);
    for (int i = 0; i < 600; ++i) {
      const StepShape s = any();
      model.observe(s, static_cast<Nanos>(truth(s) * noise(random_)), 0);
    }
    for (const StepShape& s :
         {shape(1, 100), shape(32, 4000), shape(8, 500, 512, 0), shape(8, 500, 1024, 3000)})
      QVERIFY2(off(model, s, truth(s)) < 0.05, std::to_string(off(model, s, truth(s))).c_str());
  }

  void outliers_hardly_move_it() {
    MeasuredStepTime model(nullptr);
    for (int i = 0; i < 600; ++i) {
      const StepShape s = any();
      model.observe(s, static_cast<Nanos>(truth(s) * (i % 20 == 19 ? 20 : 1)),
                    0);  // somebody else took the core
    }
    const StepShape s = shape(16, 1000);
    QVERIFY2(off(model, s, truth(s)) < 0.1, std::to_string(off(model, s, truth(s))).c_str());
  }

  void it_follows_a_machine_that_slows_down() {
    MeasuredStepTime model(nullptr);
    for (int i = 0; i < 4000; ++i) {
      const StepShape s = any();
      model.observe(s, static_cast<Nanos>(truth(s) * (i < 1000 ? 1 : 2)), 0);
    }
    const StepShape s = shape(16, 1000);
    QVERIFY2(off(model, s, 2 * truth(s)) < 0.1, std::to_string(off(model, s, 2 * truth(s))).c_str());
  }

  void no_term_makes_a_step_shorter() {
    MeasuredStepTime model(nullptr);
    std::normal_distribution<double> noise(1, 0.3);
    for (int i = 0; i < 300; ++i) {
      const StepShape s = shape(pick(4, 5), pick(900, 1000));
      model.observe(s, static_cast<Nanos>(2e6 * std::max(0.1, noise(random_))), 0);
    }
    Nanos last = 0;
    for (int prefill = 0; prefill <= 512; prefill += 32) {
      const Nanos next = model.predict(shape(4, 1000, prefill, 1000));
      QVERIFY(next >= last);
      last = next;
    }
  }

  void swaps_are_counted_by_the_block() {
    MeasuredStepTime model(nullptr);
    QCOMPARE(model.swap_ns(), 0.0);
    for (int i = 0; i < 40; ++i) {
      StepShape s = any();
      s.swapped_blocks = pick(1, 9);
      model.observe(s, static_cast<Nanos>(truth(s)), 5000 * s.swapped_blocks);
    }
    QCOMPARE(model.swap_ns(), 5000.0);
    StepShape plain = shape(8, 500), moving = plain;
    moving.swapped_blocks = 100;
    QVERIFY(std::abs(static_cast<double>(model.predict(moving) - model.predict(plain)) - 500'000) < 2);
  }
};

QTEST_APPLESS_MAIN(StepTimeTest)
#include "step_time_test.moc"
