// SPDX-License-Identifier: GPL-3.0-or-later
// Which captured step a plan is played with.
#include <QTest>
#include <algorithm>

#include "engine/execute/executor.h"

using namespace pitwall;

namespace {

StepPlan decode_plan(int rows) {
  StepPlan plan;
  plan.tokens.assign(static_cast<std::size_t>(rows), 1);
  plan.shape.decode_tokens = rows;
  return plan;
}

}  // namespace

class BucketsTest : public QObject {
  Q_OBJECT

 private slots:
  void prompts_are_not_captured() {
    StepPlan plan = decode_plan(3);
    plan.shape.prefill_tokens = 2;
    QCOMPARE(bucket_of(plan, 16), 0);
  }

  void every_decode_step_finds_a_bucket_that_was_made_ready_data() {
    QTest::addColumn<int>("most");
    for (int most : {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 60, 64, 250, 256})
      QTest::addRow("%d slots", most) << most;
  }

  void every_decode_step_finds_a_bucket_that_was_made_ready() {
    QFETCH(int, most);
    const std::vector<int> buckets = decode_buckets(most);
    QVERIFY(std::is_sorted(buckets.rbegin(), buckets.rend()));
    QVERIFY(std::adjacent_find(buckets.begin(), buckets.end()) == buckets.end());
    for (int rows = 1; rows <= most; ++rows) {
      const int bucket = bucket_of(decode_plan(rows), most);
      QVERIFY2(std::find(buckets.begin(), buckets.end(), bucket) != buckets.end(),
               qPrintable(QString::number(rows)));
      QVERIFY(bucket >= rows);
      QVERIFY2(bucket < rows + std::max(8, rows), "more padding than rows");
    }
  }

  void the_buckets_of_256_slots() {
    const std::vector<int> buckets = decode_buckets(256);
    QCOMPARE(buckets.front(), 256);
    QCOMPARE(buckets.size(), std::size_t{35});  // 1, 2, 4, 8, then 31 multiples of 8
  }
};

QTEST_GUILESS_MAIN(BucketsTest)
#include "buckets_test.moc"
