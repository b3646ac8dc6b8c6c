// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps over a store: order, pairing, verdicts, and going on after a sudden end.
#include <QTest>
#include <cmath>

#include "engine/bench/sweep.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

SweepPlan plan() {
  SweepPlan plan;
  plan.variables = {{"max-num-seqs", {"6", "12"}}, {"block-size", {"16"}}};
  plan.description = "the tests'";
  return plan;
}

/// Runs with one request of so many tokens in one second.
class Bench {
 public:
  Bench(Store& store, const SweepPlan& plan) : store_(store), plan_(plan) {}

  Result<Run> measure(const SweepMeasurement& measurement) {
    measured.push_back(measurement.change.text() + " #" + std::to_string(measurement.repeat));
    if (measurement.change.text() == fails)
      return Error{Error::Kind::out_of_memory, "There is no room", "", "", ""};
    RunHeader header;
    header.kind = "bench";
    header.config = config_of(plan_, measurement);
    const RunId id = store_.begin(header).value();
    RequestRecord request;
    request.id = RequestId{1};
    request.arrival = kNanosPerSecond;
    request.first_token = request.arrival + 10 * kNanosPerMs;
    request.last_token = request.finished = request.arrival + kNanosPerSecond;
    request.prompt_tokens = 5;
    request.output_tokens = tokens(measurement);
    request.finish = FinishReason::length;
    PW_REQUIRE(store_.append(id, {{request}, {}, {}}).ok());
    if (measured.size() == stop_after)
      return Error{Error::Kind::cancelled, "killed", "", "", ""};  // run not ended
    PW_REQUIRE(store_.end(id, summarize_requests({request})).ok());
    return store_.run(id);
  }

  std::function<int(const SweepMeasurement&)> tokens = [](const SweepMeasurement& m) {
    const int noise = 10 * m.repeat;  // the same in base and value: pairs cancel it
    if (m.change.value == "6") return 90 + noise - m.repeat % 2;
    if (m.change.value == "12") return 130 + noise + m.repeat % 2;
    if (m.change.value == "16") return 100 + noise + (m.repeat == 2 ? 5 : -4);
    return 100 + noise;
  };
  std::vector<std::string> measured;
  std::string fails;
  std::size_t stop_after = 0;

 private:
  static void PW_REQUIRE(bool ok) {
    if (!ok) qFatal("the store failed");
  }
  Store& store_;
  const SweepPlan& plan_;
};

SweepRunner runner_of(const SweepPlan& plan, Bench& bench) {
  return SweepRunner(plan, [&bench](const SweepMeasurement& m) { return bench.measure(m); });
}

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<test::TemporaryFolder>();
    store_ = Store::open(folder_->path() / "s.db").value();
  }

  void one_variable_at_a_time_against_one_base() {
    const SweepPlan asked = plan();
    Bench bench(*store_, asked);
    auto runner = runner_of(asked, bench);
    std::vector<std::size_t> done;
    runner.on_progress([&](const SweepProgress& progress) { done.push_back(progress.done); });
    const auto result = runner.run();
    PW_VERIFY(result);
    QCOMPARE(bench.measured,
             (std::vector<std::string>{"base #1", "base #2", "base #3", "max-num-seqs=6 #1",
                                       "max-num-seqs=6 #2", "max-num-seqs=6 #3", "max-num-seqs=12 #1",
                                       "max-num-seqs=12 #2", "max-num-seqs=12 #3", "block-size=16 #1",
                                       "block-size=16 #2", "block-size=16 #3"}));
    QCOMPARE(done.back(), std::size_t{12});
    QCOMPARE(result->items.size(), std::size_t{3});
    const SweepItem &six = result->items[0], &twelve = result->items[1], &sixteen = result->items[2];
    QCOMPARE(six.verdict, std::string("worse"));
    QCOMPARE(twelve.verdict, std::string("better"));
    QCOMPARE(sixteen.verdict, std::string("no clear difference"));
    QCOMPARE(six.before.runs, result->base.runs);
    QCOMPARE(result->base.figures.at("output_throughput"), 120.0);
    // Differences of twelve: 31, 30, 31. t(0.975, 2) = 4.302653, s = 1/√3.
    QVERIFY(std::abs(twelve.effect.mean - 92.0 / 3) < 1e-9);
    QVERIFY(std::abs(twelve.effect.high - twelve.effect.mean - 4.302653 / 3) < 1e-5);
    QVERIFY(std::abs(twelve.percent - 100 * 92.0 / 3 / 120) < 1e-9);
    QVERIFY(sixteen.effect.low < 0 && sixteen.effect.high > 0);
    QCOMPARE(twelve.after.runs.size(), std::size_t{3});
  }

  void a_killed_sweep_goes_on() {
    const SweepPlan asked = plan();
    Bench killed(*store_, asked);
    killed.stop_after = 5;  // the fifth run is begun and never ended
    QCOMPARE(runner_of(asked, killed).run().error().kind, Error::Kind::cancelled);

    SweepPlan other = asked;
    other.description = "another model's";
    Bench foreign(*store_, other);
    PW_VERIFY(runner_of(other, foreign).run());

    Bench bench(*store_, asked);
    auto runner = runner_of(asked, bench);
    const auto list = store_->runs();
    for (const RunListItem& item : *list) runner.remember(store_->run(item.id).value());
    QCOMPARE(runner.remembered(), std::size_t{4});
    const auto result = runner.run();
    PW_VERIFY(result);
    QCOMPARE(bench.measured.front(), std::string("max-num-seqs=6 #2"));
    QCOMPARE(bench.measured.size(), std::size_t{8});
    QCOMPARE(result->resumed, std::size_t{4});
    QCOMPARE(result->items[1].verdict, std::string("better"));
    QCOMPARE(result->items[0].after.runs.size(), std::size_t{3});

    Bench again(*store_, asked);
    auto whole = runner_of(asked, again);
    const auto all = store_->runs();
    for (const RunListItem& item : *all) whole.remember(store_->run(item.id).value());
    PW_VERIFY(whole.run());
    QVERIFY(again.measured.empty());
  }

  void a_value_that_cannot_run_fails_alone() {
    const SweepPlan asked = plan();
    Bench bench(*store_, asked);
    bench.fails = "max-num-seqs=12";
    const auto result = runner_of(asked, bench).run();
    PW_VERIFY(result);
    QCOMPARE(result->items[1].verdict, std::string("failed"));
    QVERIFY(result->items[1].error.find("no room") != std::string::npos);
    QCOMPARE(result->items[0].verdict, std::string("worse"));
    QCOMPARE(result->items[2].verdict, std::string("no clear difference"));
    bench.fails = "base";
    QVERIFY(!runner_of(asked, bench).run().ok());
  }

  void less_is_better_for_latency() {
    SweepPlan asked = plan();
    asked.objective = "p50_tpot_ms";
    Bench bench(*store_, asked);
    const auto result = runner_of(asked, bench).run();
    PW_VERIFY(result);
    QCOMPARE(result->items[1].verdict, std::string("better"));  // more tokens in the same time
    asked.repeats = 1;
    Bench once(*store_, asked);
    QCOMPARE(runner_of(asked, once).run()->items[1].verdict, std::string("one repeat: not judged"));
    asked.objective = "goodput";  // without limits
    QCOMPARE(runner_of(asked, once).run()->items[1].verdict, std::string("failed"));
    asked.objectives.ttft = 5;
    QCOMPARE(runner_of(asked, once).run()->items[1].after.figures.at("goodput"), 0.0);
  }

  void it_stops_when_told() {
    const SweepPlan asked = plan();
    Bench bench(*store_, asked);
    SweepRunner runner(asked, [&](const SweepMeasurement& m) {
      if (bench.measured.size() == 2) stop_();
      return bench.measure(m);
    });
    stop_ = [&runner] { runner.cancel(); };
    QCOMPARE(runner.run().error().kind, Error::Kind::cancelled);
    QCOMPARE(bench.measured.size(), std::size_t{3});
  }

  void variables_are_read() {
    const auto variable = parse_variable("max-num-seqs=6,12,16");
    PW_VERIFY(variable);
    QCOMPARE(variable->name, std::string("max-num-seqs"));
    QCOMPARE(variable->values, (std::vector<std::string>{"6", "12", "16"}));
    for (const char* bad : {"", "max-num-seqs", "=5", "a=", "a=1,,2", "a=1,", "a=1,1"})
      QVERIFY2(!parse_variable(bad).ok(), bad);
    QVERIFY(plan().id() == plan().id());
    SweepPlan changed = plan();
    changed.variables[0].values[1] = "13";
    QVERIFY(changed.id() != plan().id());
  }

 private:
  std::unique_ptr<test::TemporaryFolder> folder_;
  std::unique_ptr<Store> store_;
  std::function<void()> stop_;
};

QTEST_APPLESS_MAIN(SweepTest)
#include "sweep_test.moc"
