// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "engine/telemetry/host_memory.h"
#include "engine/telemetry/ledger.h"
#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/recorder.h"
#include "engine/telemetry/run_statistics.h"
#include "tests/support/recorder_timeline.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

class TelemetryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void percentiles_are_type_7_data() {
    // The "linear" rows of the worked example; NumPy gives the same.
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("q");
    QTest::addColumn<double>("expected");
    QTest::newRow("20 p50") << 20 << 0.50 << 10.5;
    QTest::newRow("20 p90") << 20 << 0.90 << 18.1;
    QTest::newRow("20 p95") << 20 << 0.95 << 19.05;
    QTest::newRow("20 p99") << 20 << 0.99 << 19.81;
    QTest::newRow("200 p50") << 200 << 0.50 << 100.5;
    QTest::newRow("200 p90") << 200 << 0.90 << 180.1;
    QTest::newRow("200 p95") << 200 << 0.95 << 190.05;
    QTest::newRow("200 p99") << 200 << 0.99 << 198.01;
    QTest::newRow("one value") << 1 << 0.99 << 1.0;
    QTest::newRow("lowest") << 20 << 0.0 << 1.0;
    QTest::newRow("highest") << 20 << 1.0 << 20.0;
  }

  void percentiles_are_type_7() {
    QFETCH(int, n);
    QFETCH(double, q);
    QFETCH(double, expected);
    QVERIFY(near(quantile_sorted(one_to(n), q), expected));
  }

  void summary_of_a_sample() {
    std::vector<double> values = one_to(20);
    std::reverse(values.begin(), values.end());
    const Summary s = summarize(values);
    QCOMPARE(s.n, 20);
    QVERIFY(near(s.mean, 10.5));
    QVERIFY(near(s.std, std::sqrt(33.25)));  // population: (n² − 1) / 12
    QVERIFY(near(s.p10, 2.9) && near(s.p25, 5.75) && near(s.p75, 15.25));
    QCOMPARE(s.min, 1.0);
    QCOMPARE(s.max, 20.0);
  }

  void summary_of_nothing_is_undefined() {
    const Summary s = summarize({});
    QCOMPARE(s.n, 0);
    QVERIFY(std::isnan(s.mean) && std::isnan(s.p50) && std::isnan(s.max));
  }

  void worked_trace() {
    // Tokens at 100, 120 and, three at once, 180 ms after arrival.
    Timeline t;
    t.recorder->admitted({t.id}, t.at(30));
    t.recorder->token(t.id, t.at(100));
    t.recorder->token(t.id, t.at(120));
    t.recorder->token(t.id, t.at(180), 3);
    t.recorder->finished(t.id, t.at(200), FinishReason::stop);
    const RequestRecord r = t.recorder->record_of(t.id);
    QCOMPARE(r.queue_ms(), 30.0);
    QCOMPARE(r.ttft_ms(), 100.0);
    QCOMPARE(r.tpot_ms(), 20.0);
    QCOMPARE(r.e2e_ms(), 180.0);
    QCOMPARE(r.max_itl_ms(), 20.0);
    QCOMPARE(r.output_tokens, 5);
    QCOMPARE(r.finish, FinishReason::stop);
    // queue + prefill + decode = e2e, and TTFT + TPOT · (n − 1) = e2e.
    QVERIFY(near(r.ttft_ms() + r.tpot_ms() * 4, r.e2e_ms()));

    const Snapshot s = t.recorder->snapshot({});
    QCOMPARE(s.itl.n, std::int64_t{4});  // 20, and 60 shared by three; TTFT is none of them
    QCOMPARE(s.itl.max, 20.0);
    QVERIFY(near(s.itl.mean, 20.0));
    QCOMPARE(s.ttft.n, std::int64_t{1});
    QCOMPARE(s.ttft.max, 100.0);
    QCOMPARE(s.tpot.max, 20.0);
    QCOMPARE(s.queue.max, 30.0);
  }

  void undefined_until_it_happened() {
    Timeline t;
    RequestRecord r = t.recorder->record_of(t.id);
    QVERIFY(std::isnan(r.queue_ms()) && std::isnan(r.ttft_ms()) && std::isnan(r.tpot_ms()) &&
            std::isnan(r.e2e_ms()) && std::isnan(r.max_itl_ms()));
    t.recorder->token(t.id, t.at(50));
    t.recorder->finished(t.id, t.at(50), FinishReason::length);
    r = t.recorder->record_of(t.id);
    QCOMPARE(r.ttft_ms(), 50.0);
    QCOMPARE(r.e2e_ms(), 50.0);
    QVERIFY(std::isnan(r.tpot_ms()) && std::isnan(r.max_itl_ms()));  // one token has no gap
    QCOMPARE(t.recorder->record_of(RequestId{99}).id, RequestId{0});
  }

  void scheduling_counts_once() {
    Timeline t;
    t.recorder->admitted({t.id}, t.at(10));
    t.recorder->preempted({t.id}, t.at(20));
    t.recorder->admitted({t.id}, t.at(90));
    t.recorder->token(t.id, t.at(100));
    QCOMPARE(t.recorder->record_of(t.id).queue_ms(), 10.0);
    QCOMPARE(t.recorder->record_of(t.id).preemptions, 1);
    QCOMPARE(t.recorder->totals().preemptions, std::int64_t{1});
  }

  void a_virtual_clock_may_start_at_zero() {
    VirtualClock clock;
    Recorder recorder(clock);
    recorder.arrived(request(1, 0));
    recorder.admitted({RequestId{1}}, 0);
    clock.advance(ms(40));
    recorder.token({1}, clock.now());
    QCOMPARE(recorder.record_of({1}).queue_ms(), 0.0);
    QCOMPARE(recorder.record_of({1}).ttft_ms(), 40.0);
  }

  void unknown_requests_are_ignored() {
    Timeline t;
    const RequestId stranger{77};
    t.recorder->admitted({stranger}, t.at(1));
    t.recorder->token(stranger, t.at(2));
    t.recorder->preempted({stranger}, t.at(2));
    t.recorder->finished(stranger, t.at(3), FinishReason::stop);
    QCOMPARE(t.recorder->totals().output_tokens, std::int64_t{0});
    QCOMPARE(t.recorder->totals().requests_finished, std::int64_t{0});
  }

  void rolling_closes_seconds() {
    Timeline t;
    LedgerSnapshot ledger;
    ledger.kv_used = 7;
    QVERIFY(t.recorder->roll(ledger).seconds.empty());
    t.recorder->admitted({t.id}, t.at(100));
    t.recorder->token(t.id, t.at(400));
    t.recorder->token(t.id, t.at(900));
    t.recorder->queue_sizes(3, 2);
    t.recorder->token(t.id, t.at(1100));
    t.recorder->finished(t.id, t.at(1100), FinishReason::stop);
    t.at(2500);
    const RunRows rows = t.recorder->roll(ledger);
    QCOMPARE(rows.seconds.size(), std::size_t{2});
    QCOMPARE(rows.requests.size(), std::size_t{1});
    const SecondRecord &first = rows.seconds[0], &second = rows.seconds[1];
    QCOMPARE(first.utc, t.clock.utc_now() - ms(2500));
    QCOMPARE(second.utc - first.utc, kNanosPerSecond);
    QCOMPARE(first.output_tokens_per_s, 2.0);
    QCOMPARE(second.output_tokens_per_s, 1.0);
    QCOMPARE(first.finished, 0);
    QCOMPARE(second.finished, 1);
    QCOMPARE(first.itl.n, std::int64_t{1});
    QCOMPARE(second.itl.n, std::int64_t{2});  // the averaging window looks back
    QCOMPARE(second.itl.max, 500.0);
    QCOMPARE(second.running, 3);
    QCOMPARE(second.waiting, 2);
    QCOMPARE(second.kv_used, Bytes{7});
    const RunRows again = t.recorder->roll(ledger);
    QVERIFY(again.seconds.empty() && again.requests.empty());
    QCOMPARE(rows.itl.count(), std::int64_t{2});  // gaps of 500 and 200 ms, each once
    QCOMPARE(rows.itl.sum(), 700.0);
    QCOMPARE(again.itl.count(), std::int64_t{0});
    const Summary itl = t.recorder->summary().metrics.at("itl_ms");
    QVERIFY(itl.n == 2 && itl.max == 500 && std::isnan(itl.std));
    QCOMPARE(t.recorder->snapshot(ledger).history.size(), std::size_t{2});
  }

  void windows_slide() {
    Timeline t;
    t.recorder->token(t.id, t.at(500));  // TTFT in second 0
    t.at(10'000);
    RunRows rows = t.recorder->roll({});
    QCOMPARE(rows.seconds.size(), std::size_t{10});
    QCOMPARE(rows.seconds[9].ttft.n, std::int64_t{1});  // seconds 0 … 9
    t.at(11'000);
    rows = t.recorder->roll({});
    QCOMPARE(rows.seconds.at(0).ttft.n, std::int64_t{0});  // seconds 1 … 10
    QVERIFY(std::isnan(rows.seconds.at(0).ttft.p50));
    QCOMPARE(t.recorder->snapshot({}).ttft.n, std::int64_t{1});
    t.at(119'900);
    QCOMPARE(t.recorder->snapshot({}).ttft.n, std::int64_t{1});
    t.at(120'100);
    QCOMPARE(t.recorder->snapshot({}).ttft.n, std::int64_t{0});
  }

  void an_event_of_a_closed_second_is_not_lost() {
    Timeline t;
    t.at(1500);
    QCOMPARE(t.recorder->roll({}).seconds.size(), std::size_t{1});
    t.recorder->token(t.id, t.at(900));
    t.at(2500);
    QCOMPARE(t.recorder->roll({}).seconds.at(0).output_tokens_per_s, 1.0);
  }

  void a_sketch_that_was_written_down_is_the_same_again() {
    QuantileSketch sketch;
    for (int i = 0; i < 1000; ++i) sketch.add(i % 100 == 0 ? 0 : std::pow(1.1, i % 90));
    const QuantileSketch again = QuantileSketch::of(sketch.buckets(), sketch.sum(), sketch.max());
    QCOMPARE(again.count(), sketch.count());
    QCOMPARE(again.mean(), sketch.mean());
    for (const double q : {0.0, 0.005, 0.5, 0.9, 0.99, 0.9999, 1.0})
      QCOMPARE(again.quantile(q), sketch.quantile(q));
    const std::vector<QuantileSketch::Bucket> hostile{{-1, 3}, {1e308, 1}, {std::nan(""), 4}, {5, -7}};
    QCOMPARE(QuantileSketch::of(hostile, 1, 1).count(), std::int64_t{4});
    QCOMPARE(QuantileSketch::of(hostile, std::nan(""), 1).count(), std::int64_t{0});
  }

  void long_jumps_stay_bounded() {
    Timeline t;
    t.at(3'600'000);
    QCOMPARE(t.recorder->roll({}).seconds.size(), std::size_t{600});
    t.recorder->token(t.id, t.at(3'600'100));
    QCOMPARE(t.recorder->snapshot({}).ttft.n, std::int64_t{1});
    QCOMPARE(t.recorder->snapshot({}).history.size(), std::size_t{600});
  }

  void rates_cover_two_seconds() {
    Timeline t;
    for (int i = 1; i <= 40; ++i) t.recorder->token(t.id, t.at(i * 100), 2);  // 20 tokens/s for 4 s
    QVERIFY(near(t.recorder->snapshot({}).output_tokens_per_s, 20.0));
    StepRecord step;
    step.finished = t.at(4000);
    step.prefill_tokens = 512;
    t.recorder->step(step);
    QCOMPARE(t.recorder->snapshot({}).prompt_tokens_per_s, 256.0);
    t.at(6001);
    QCOMPARE(t.recorder->snapshot({}).output_tokens_per_s, 0.0);
    QCOMPARE(t.recorder->snapshot({}).prompt_tokens_per_s, 0.0);
  }

  void rings_keep_the_newest() {
    Timeline t;
    for (std::uint64_t i = 1; i <= 300; ++i) {
      StepRecord step;
      step.step = i;
      t.recorder->step(step);
    }
    const Snapshot s = t.recorder->snapshot({});
    QCOMPARE(s.steps.size(), std::size_t{256});
    QCOMPARE(s.steps.front().step, std::uint64_t{45});
    QCOMPARE(t.recorder->last_steps(2).front().step, std::uint64_t{299});
    QCOMPARE(t.recorder->last_steps(1000).size(), std::size_t{300});
    for (std::uint64_t id = 2; id <= 250; ++id) {
      t.recorder->arrived(request(id, t.start));
      if (id <= 240) t.recorder->finished({id}, t.at(double(id)), FinishReason::cancelled);
    }
    const auto requests = t.recorder->snapshot({}).requests;  // 11 live, then 200 of 239 ended
    QCOMPARE(requests.size(), std::size_t{211});
    QCOMPARE(requests.front().id, RequestId{250});
    QCOMPARE(requests[10].id, RequestId{1});
    QCOMPARE(requests[11].id, RequestId{240});
    QCOMPARE(requests.back().id, RequestId{41});
    QCOMPARE(t.recorder->last_requests(5).size(), std::size_t{5});
  }

  void summary_counts_requests_that_ended_well() {
    Timeline t;
    for (std::uint64_t id = 2; id <= 4; ++id) t.recorder->arrived(request(id, t.start, 100));
    for (std::uint64_t id = 1; id <= 4; ++id) {
      t.recorder->token({id}, t.at(100.0 * double(id)));
      t.recorder->token({id}, t.at(100.0 * double(id) + 50));
    }
    t.recorder->finished({1}, t.at(460), FinishReason::stop);
    t.recorder->finished({2}, t.at(460), FinishReason::length);
    t.recorder->finished({3}, t.at(460), FinishReason::cancelled);
    t.recorder->finished({4}, t.at(460), FinishReason::error, "out of KV", FailureCause::out_of_memory);
    const RunSummary s = t.recorder->summary();
    QCOMPARE(s.totals.requests_finished, std::int64_t{4});
    QCOMPARE(s.totals.requests_stop, std::int64_t{1});
    QCOMPARE(s.totals.requests_length, std::int64_t{1});
    QCOMPARE(s.totals.requests_cancelled, std::int64_t{1});
    QCOMPARE(s.totals.requests_error, std::int64_t{1});
    QVERIFY(t.recorder->sources().failures == (std::array<std::int64_t, kFailureCauses>{0, 0, 0, 1}));
    QCOMPARE(s.totals.output_tokens, std::int64_t{8});
    QCOMPARE(s.totals.prompt_tokens, std::int64_t{310});
    QCOMPARE(s.metrics.at("ttft_ms").n, std::int64_t{2});
    QCOMPARE(s.metrics.at("ttft_ms").p50, 150.0);
    QCOMPARE(s.metrics.at("tpot_ms").mean, 50.0);
    QVERIFY(near(s.output_tokens_per_s, 4 / 0.25));  // first arrival → last token at 250 ms
    QCOMPARE(t.recorder->record_of({4}).error, std::string("out of KV"));

    const RunSummary from_rows = summarize_requests(t.recorder->roll({}).requests);
    QCOMPARE(from_rows.metrics.at("e2e_ms").max, s.metrics.at("e2e_ms").max);
    QCOMPARE(from_rows.output_tokens_per_s, s.output_tokens_per_s);
    QCOMPARE(from_rows.totals.output_tokens, s.totals.output_tokens);
    QCOMPARE(summarize_requests({}).output_tokens_per_s, 0.0);
  }

  void histograms_are_cumulative() {
    Timeline t;
    t.recorder->token(t.id, t.at(40));  // exactly on an edge: counted there
    t.recorder->token(t.id, t.at(52));
    t.recorder->token(t.id, t.at(200'052));
    const auto ttft = t.recorder->histogram(Recorder::Measure::ttft);
    const auto& edges = Recorder::edges(Recorder::Measure::ttft);
    QCOMPARE(ttft.cumulative.size(), edges.size());
    QVERIFY(std::is_sorted(edges.begin(), edges.end()));
    const auto at = [&](double edge) {
      return ttft
          .cumulative[static_cast<std::size_t>(std::find(edges.begin(), edges.end(), edge) - edges.begin())];
    };
    QCOMPARE(at(0.02), std::int64_t{0});
    QCOMPARE(at(0.04), std::int64_t{1});
    QCOMPARE(ttft.cumulative.back(), std::int64_t{1});
    QVERIFY(near(ttft.sum, 0.04));
    const auto itl = t.recorder->histogram(Recorder::Measure::itl);
    QCOMPARE(itl.count, std::int64_t{2});  // 200 s lies above every edge
    QCOMPARE(itl.cumulative.back(), std::int64_t{1});
    QVERIFY(near(itl.sum, 200.012));
  }

  void what_ended_is_counted_by_part() {
    Timeline t;
    t.recorder->admitted({.request = t.id, .cached_tokens = 4, .miss_token = 4}, t.at(10));
    t.recorder->preempted({.request = t.id, .tokens = 6}, t.at(20));
    t.recorder->admitted({.request = t.id, .resumed = true}, t.at(50));
    t.recorder->token(t.id, t.at(70));
    t.recorder->preempted({.request = t.id, .tokens = 2, .swapped = true}, t.at(80));
    t.recorder->admitted({.request = t.id, .resumed = true}, t.at(180));
    t.recorder->token(t.id, t.at(200));
    t.recorder->finished(t.id, t.at(201), FinishReason::length);
    t.recorder->asked(2, 300);
    const auto sum = [&](Recorder::Measure measure) { return t.recorder->histogram(measure).sum; };
    using Measure = Recorder::Measure;
    QVERIFY(near(sum(Measure::prefill), 0.030));    // 60 ms, of which 30 preempted
    QVERIFY(near(sum(Measure::decode), 0.030));     // 130 ms, of which 100 preempted
    QVERIFY(near(sum(Measure::inference), 0.190));  // all of it
    QCOMPARE(sum(Measure::prompt_tokens), 10.0);
    QCOMPARE(sum(Measure::computed_tokens), 6.0);
    QCOMPARE(sum(Measure::output_tokens), 2.0);
    QCOMPARE(sum(Measure::asked_n), 2.0);
    QCOMPARE(sum(Measure::asked_tokens), 300.0);
    const auto sources = t.recorder->sources();
    QCOMPARE(sources.cached_prompt_tokens, std::int64_t{4});
    QCOMPARE(sources.computed_prompt_tokens, std::int64_t{6});
    QCOMPARE(sources.recomputes, std::int64_t{1});
    QCOMPARE(sources.swaps, std::int64_t{1});
  }

  void readers_and_the_writer_may_meet() {
    RealClock clock;
    Recorder recorder(clock);
    std::atomic<bool> stop = false;
    std::thread reader([&] {
      while (!stop) {
        const Snapshot s = recorder.snapshot({});
        if (s.totals.output_tokens < static_cast<std::int64_t>(s.itl.n)) qFatal("more gaps than tokens");
        (void)recorder.roll({});
        (void)recorder.summary();
      }
    });
    for (std::uint64_t id = 1; id <= 200; ++id) {
      recorder.arrived(request(id, clock.now()));
      recorder.admitted({RequestId{id}}, clock.now());
      for (int i = 0; i < 20; ++i) recorder.token({id}, clock.now());
      recorder.finished({id}, clock.now(), FinishReason::stop);
    }
    stop = true;
    reader.join();
    QCOMPARE(recorder.totals().output_tokens, std::int64_t{4000});
    QCOMPARE(recorder.summary().metrics.at("tpot_ms").n, std::int64_t{200});
  }

  void ledger_books_within_its_limit() {
    Ledger ledger(10 * kMiB);
    PW_VERIFY(ledger.take(Category::weights, 6 * kMiB, "weights"));
    const auto refused = ledger.take(Category::kv, 5 * kMiB, "the KV pool");
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().kind, Error::Kind::out_of_memory);
    const QString text = QString::fromStdString(refused.error().text());
    for (const char* part :
         {"5.0 MiB", "6.0 MiB", "10.0 MiB", "1.0 MiB", "kv-cache-memory-bytes", "memory-limit"}) {
      QVERIFY2(text.contains(part), qPrintable(text));
    }
    QCOMPARE(ledger.booked(), 6 * kMiB);
    PW_VERIFY(ledger.take(Category::kv, 4 * kMiB, "the KV pool"));
    ledger.give_back(Category::weights, 6 * kMiB);
    QCOMPARE(ledger.booked(), 4 * kMiB);
    ledger.give_back(Category::weights, 1);
    QCOMPARE(ledger.booked(), 4 * kMiB);
    QVERIFY(!ledger.take(Category::kv, -1, "nothing").ok());
    Ledger unlimited;
    PW_VERIFY(unlimited.take(Category::kv, std::numeric_limits<Bytes>::max(), "everything"));
    QVERIFY(!unlimited.take(Category::kv, 1, "one more").ok());
  }

  void ledger_splits_the_pool() {
    Ledger ledger;
    PW_VERIFY(ledger.take(Category::kv, 100, "the KV pool"));
    ledger.set_kv_split(30, 20, 5);
    LedgerSnapshot s = ledger.snapshot();
    QCOMPARE(s.kv_used, Bytes{30});
    QCOMPARE(s.kv_cached, Bytes{20});
    QCOMPARE(s.kv_quarantined, Bytes{5});
    QCOMPARE(s.kv_free, Bytes{45});
    ledger.give_back(Category::kv, 100);
    s = ledger.snapshot();  // parts of a pool that is gone
    QCOMPARE(s.kv_used + s.kv_cached + s.kv_quarantined + s.kv_free, Bytes{0});
  }

  void ledger_adds_up_to_what_linux_says() {
    Ledger ledger;
    PW_VERIFY(ledger.take(Category::weights, 3 * kMiB, "weights"));
    const LedgerSnapshot s = ledger.snapshot();
    QVERIFY(s.measured > kMiB);
    QVERIFY(s.device_total >= s.measured);
    QVERIFY(s.other_processes >= 0 && s.other_processes <= s.device_total);
    QCOMPARE(s.accounted() + s.unaccounted(), s.measured);
    QCOMPARE(s.accounted(), 3 * kMiB);
  }

  void ledger_of_a_gpu_adds_up_to_what_its_driver_says() {
    DeviceReading driver{141 * kGiB, 0, 3 * kGiB};
    Ledger ledger(20 * kGiB, [&driver] { return driver; });
    PW_VERIFY(ledger.take(Category::context, kGiB / 2, "context"));
    PW_VERIFY(ledger.take(Category::weights, 15 * kGiB, "weights"));
    QVERIFY(!ledger.take(Category::kv, 5 * kGiB, "KV").ok());         // another half would fit
    PW_VERIFY(ledger.take(Category::swap, 64 * kGiB, "swap space"));  // host memory: no limit of the GPU's
    PW_VERIFY(ledger.take(Category::kv, 4 * kGiB + kGiB / 2, "KV"));
    QCOMPARE(ledger.booked(), 20 * kGiB);
    for (const Bytes more : {Bytes{0}, 700 * kMiB, -2 * kMiB}) {
      driver.held = 20 * kGiB + more;
      const LedgerSnapshot s = ledger.snapshot();
      QCOMPARE(s.accounted(), 20 * kGiB);
      QCOMPARE(s.unaccounted(), more);
      QCOMPARE(s.device_total, 141 * kGiB);
      QCOMPARE(s.other_processes, 3 * kGiB);
      QCOMPARE(s.of(Category::swap), 64 * kGiB);
    }
  }

  void host_memory_reads_linux() {
    const test::TemporaryFolder folder;
    const auto root = folder.path();
    write(root / "proc/meminfo", "MemTotal:       16000 kB\nMemFree:  10 kB\nMemAvailable:   9000 kB\n");
    write(root / "proc/self/status",
          "Name:\tx\nVmRSS:\t    5000 kB\nRssAnon:\t    1500 kB\nRssFile:\t    3400 kB\nRssShmem:\t     100 "
          "kB\n");
    HostMemory memory = read_host_memory(root);
    QCOMPARE(memory.total, 16000 * kKiB);
    QCOMPARE(memory.resident, 5000 * kKiB);
    QCOMPARE(memory.others, (16000 - 9000 - 1600) * kKiB);

    write(root / "proc/self/status", "VmRSS:\t 9000 kB\nRssAnon:\t 9000 kB\n");
    QCOMPARE(read_host_memory(root).others, Bytes{0});  // never negative
  }

  void host_memory_obeys_control_groups() {
    const test::TemporaryFolder folder;
    const auto root = folder.path();
    write(root / "proc/meminfo", "MemTotal:       16000 kB\nMemAvailable:   9000 kB\n");
    write(root / "proc/self/status", "VmRSS:\t 500 kB\nRssAnon:\t 400 kB\n");
    write(root / "proc/self/cgroup", "0::/user.slice/app.scope\n");
    write(root / "sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
    QCOMPARE(read_host_memory(root).total, 16000 * kKiB);
    write(root / "sys/fs/cgroup/user.slice/memory.max",
          "4096000\n");  // the parent's limit holds for the child
    write(root / "sys/fs/cgroup/user.slice/memory.stat", "anon 1024000\nfile 9\nshmem 0\n");
    HostMemory memory = read_host_memory(root);
    QCOMPARE(memory.total, Bytes{4096000});
    QCOMPARE(memory.others, Bytes{1024000 - 400 * 1024});

    write(root / "proc/self/cgroup", "5:cpu:/\n4:memory:/box\n0::/\n");
    write(root / "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2048000\n");
    write(root / "sys/fs/cgroup/memory/box/memory.stat", "rss 5\ntotal_rss 500000\ntotal_shmem 24000\n");
    memory = read_host_memory(root);
    QCOMPARE(memory.total, Bytes{2048000});
    QCOMPARE(memory.others, Bytes{524000 - 400 * 1024});
    QCOMPARE(read_host_memory(root / "nowhere").total, Bytes{0});
  }

  void snapshot_is_json() {
    Timeline t;
    t.recorder->token(t.id, t.at(10));
    StepRecord step;
    step.step = 9;
    t.recorder->step(step);
    LedgerSnapshot ledger;
    ledger.bytes[static_cast<std::size_t>(Category::weights)] = 100;
    ledger.measured = 90;
    Snapshot s = t.recorder->snapshot(ledger);
    s.state = EngineState::serving;
    s.model = "bad \xFF utf-8";
    const auto json = nlohmann::json::parse(snapshot_json(s));
    QCOMPARE(json["state"].get<std::string>(), std::string("serving"));
    QCOMPARE(json["ledger"]["weights"].get<int>(), 100);
    QCOMPARE(json["ledger"]["unaccounted"].get<int>(), -10);
    QCOMPARE(json["totals"]["output_tokens"].get<int>(), 1);
    QVERIFY(json["itl"]["p50"].is_null());
    QCOMPARE(json["itl"]["n"].get<int>(), 0);
    QCOMPARE(json["ttft"]["n"].get<int>(), 1);
    QCOMPARE(json["steps"][0]["step"].get<int>(), 9);
    QCOMPARE(json["requests"][0]["ttft_ms"].get<double>(), 10.0);
    QVERIFY(json["requests"][0]["tpot_ms"].is_null());
    const auto none = [](const StepRecord&) { return std::vector<StepEvent>(); };
    QCOMPARE(nlohmann::json::parse(steps_json({step}, none)).size(), std::size_t{1});
    QCOMPARE(nlohmann::json::parse(requests_json({})).size(), std::size_t{0});
  }

  void statistics_stay_bounded() {
    constexpr std::size_t kMost = 1000;
    RunStatistics statistics(kMost);
    RequestRecord r = request(1, 1);
    r.finish = FinishReason::stop;
    for (std::size_t i = 0; i < kMost + 10; ++i) {
      r.first_token = r.last_token = 1 + ms(i < 10 ? 1e6 : 5);
      r.output_tokens = 1;
      statistics.add(r);
    }
    const RunSummary s = statistics.summary();
    QCOMPARE(s.metrics.at("ttft_ms").n, static_cast<std::int64_t>(kMost));
    QCOMPARE(s.metrics.at("ttft_ms").max, 5.0);
    QCOMPARE(s.totals.requests_finished, static_cast<std::int64_t>(kMost + 10));
  }
};

QTEST_GUILESS_MAIN(TelemetryTest)
#include "telemetry_test.moc"
