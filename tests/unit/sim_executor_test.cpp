// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <set>

#include "engine/execute/sim_executor.h"

using namespace pitwall;

namespace {

/// 10 ns a row, 100 ns a swapped block, 1,000 ns a step.
class LinearModel final : public StepTimeModel {
 public:
  Nanos predict(const StepShape& shape) const override {
    return 1000 + Nanos{10} * shape.rows() + 100 * shape.swapped_blocks;
  }
};

StepPlan plan_of(std::uint64_t number, std::int32_t rows, std::int64_t swapped = 0) {
  StepPlan plan;
  plan.number = number;
  plan.shape.prefill_tokens = rows;
  plan.shape.swapped_blocks = swapped;
  return plan;
}

SequenceSlice slice_of(std::uint64_t request, std::int32_t first, std::int32_t count, bool samples) {
  SequenceSlice slice;
  slice.request = RequestId{request};
  slice.slot = SlotId{static_cast<std::int32_t>(request)};
  slice.first_position = first;
  slice.count = count;
  slice.samples = samples;
  return slice;
}

}  // namespace

class SimExecutorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_step_takes_the_time_of_the_model();
  void a_step_waits_for_the_one_before_it();
  void an_idle_executor_starts_at_launch();
  void tokens_are_fixed_by_request_and_position();
  void on_the_real_clock_a_step_is_not_collected_before_its_end();
};

void SimExecutorTest::a_step_takes_the_time_of_the_model() {
  const LinearModel model;
  VirtualClock clock;
  clock.advance(500);
  SimExecutor executor(model, clock);
  executor.launch(plan_of(1, 20, 3));
  QCOMPARE(clock.now(), Nanos{500});  // launching takes no time
  const StepResult result = executor.collect();
  QCOMPARE(result.number, std::uint64_t{1});
  QCOMPARE(result.started, Nanos{500});
  QCOMPARE(result.finished, Nanos{500 + 1000 + 200 + 300});
  QCOMPARE(result.swapping, Nanos{300});
  QCOMPARE(clock.now(), result.finished);
  QVERIFY(!result.error);
}

void SimExecutorTest::a_step_waits_for_the_one_before_it() {
  const LinearModel model;
  VirtualClock clock;
  SimExecutor executor(model, clock);
  executor.launch(plan_of(1, 100));
  executor.launch(plan_of(2, 50));
  QCOMPARE(executor.collect().finished, Nanos{2000});
  const StepResult second = executor.collect();
  QCOMPARE(second.started, Nanos{2000});
  QCOMPARE(second.finished, Nanos{3500});
}

void SimExecutorTest::an_idle_executor_starts_at_launch() {
  const LinearModel model;
  VirtualClock clock;
  SimExecutor executor(model, clock);
  executor.launch(plan_of(1, 0));
  executor.collect();
  clock.advance_to(5000);
  executor.launch(plan_of(2, 0));
  QCOMPARE(executor.collect().started, Nanos{5000});
}

void SimExecutorTest::tokens_are_fixed_by_request_and_position() {
  const LinearModel model;
  VirtualClock clock;
  SimExecutor executor(model, clock);
  StepPlan plan = plan_of(1, 1);
  plan.slices = {slice_of(7, 0, 12, true), slice_of(8, 4, 3, false), slice_of(9, 30, 1, true)};
  StepPlan chunked = plan_of(2, 1);  // the same position of the same request, reached by another slice
  chunked.slices = {slice_of(7, 11, 1, true)};
  executor.launch(plan);
  executor.launch(chunked);
  const StepResult first = executor.collect(), second = executor.collect();
  QCOMPARE(first.sampled.size(), std::size_t{2});
  QCOMPARE(first.sampled[0].request, RequestId{7});
  QCOMPARE(first.sampled[1].request, RequestId{9});
  QCOMPARE(first.sampled[1].slot, SlotId{9});
  QCOMPARE(second.sampled.at(0).token, first.sampled[0].token);

  std::set<TokenId> tokens;
  for (std::uint64_t request = 1; request <= 50; ++request) {
    for (std::int32_t position = 0; position < 20; ++position) {
      const TokenId token = simulated_token(RequestId{request}, position);
      QVERIFY(token >= kFirstSimulatedToken);
      tokens.insert(token);
    }
  }
  QCOMPARE(tokens.size(), std::size_t{1000});
}

void SimExecutorTest::on_the_real_clock_a_step_is_not_collected_before_its_end() {
  const LinearModel model;
  const RealClock clock;
  SimExecutor executor(model, clock);
  const Nanos began = clock.now();
  executor.launch(plan_of(1, 100'000));  // 1 ms
  executor.launch(plan_of(2, 200'000));
  const StepResult first = executor.collect();
  QVERIFY(first.started >= began);
  QVERIFY(clock.now() >= first.finished);
  const StepResult second = executor.collect();
  QVERIFY(second.started >= first.finished);
  QCOMPARE(second.finished - second.started, Nanos{2'001'000});
  QVERIFY(clock.now() >= second.finished);
}

QTEST_APPLESS_MAIN(SimExecutorTest)
#include "sim_executor_test.moc"
