// SPDX-License-Identifier: GPL-3.0-or-later
// The windows that live percentiles look back over: a change of a setting cuts them.
#include <QtTest>

#include "engine/telemetry/laps.h"
#include "tests/support/recorder_timeline.h"

using namespace pitwall;
using test::Timeline;

class LatencyWindowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_change_cuts_both_windows() {
    Timeline t;
    t.recorder->token(t.id, t.at(100));
    t.recorder->token(t.id, t.at(600));  // a gap in second 0
    t.at(1200);
    t.recorder->setting_changed("max-num-seqs", "24", "32", ChangedBy::user);  // in second 1
    t.recorder->token(t.id, t.at(1700));
    QCOMPARE(t.recorder->snapshot({}).itl.n, std::int64_t{2});  // the second of the change is not over
    t.at(2100);
    QCOMPARE(t.recorder->snapshot({}).itl.n, std::int64_t{0});
    t.recorder->token(t.id, t.at(2200));
    t.at(3100);
    const RunRows rows = t.recorder->roll({});
    QCOMPARE(rows.seconds.size(), std::size_t{3});
    QCOMPARE(rows.seconds[1].itl.n, std::int64_t{2});  // up to the end of the lap before
    QCOMPARE(rows.seconds[2].itl.n, std::int64_t{1});
    QCOMPARE(rows.seconds[2].itl.max, 500.0);
    QCOMPARE(t.recorder->snapshot({}).itl.n, std::int64_t{1});
    QCOMPARE(t.recorder->snapshot({}).ttft.n, std::int64_t{0});
  }

  void changes_of_successive_seconds_each_cut() {
    Timeline t;
    for (int second = 0; second < 4; ++second) {
      t.recorder->token(t.id, t.at(1000 * second + 100));
      t.recorder->token(t.id, t.at(1000 * second + 200));
      t.at(1000 * second + 300);
      t.recorder->setting_changed("max-num-seqs", "1", "2", ChangedBy::user);
    }
    t.at(4500);
    // Rolled late: each second still looks back to its own lap alone.
    const RunRows rows = t.recorder->roll({});
    QCOMPARE(rows.seconds.size(), std::size_t{4});
    QCOMPARE(rows.seconds[0].itl.n, std::int64_t{1});
    for (std::size_t i = 1; i < 4; ++i) QCOMPARE(rows.seconds[i].itl.n, std::int64_t{2});
  }

  void times_of_day_follow_a_sleep_and_never_go_back() {
    struct : Clock {
      Nanos steady = kNanosPerSecond, utc = 1'700'000'000 * kNanosPerSecond;
      Nanos now() const override { return steady; }
      Nanos utc_now() const override { return utc; }
      void pass(Nanos time) { steady += time, utc += time; }
    } clock;
    Recorder recorder(clock);
    const Nanos start = clock.utc;
    const auto newest = [&] {
      clock.pass(kNanosPerSecond);
      return recorder.roll({}).seconds.back().utc;
    };
    QCOMPARE(newest(), start);
    clock.utc += 3600 * kNanosPerSecond;  // the machine slept: the steady clock stood still
    const Nanos slept = newest();
    QCOMPARE(slept, start + 3601 * kNanosPerSecond);
    const Snapshot after = recorder.snapshot({});
    QCOMPARE(after.utc, clock.utc);
    QVERIFY(after.history.back().utc > after.utc - 2 * kNanosPerSecond);  // charts show it
    clock.utc -= 7200 * kNanosPerSecond;                                  // somebody set it back
    QCOMPARE(newest(), slept + kNanosPerSecond);
    recorder.setting_changed("max-num-seqs", "1", "2", ChangedBy::user);
    const Snapshot back = recorder.snapshot({});
    QCOMPARE(back.utc, slept + 2 * kNanosPerSecond);
    QCOMPARE(back.changes.back().utc, back.utc);
  }

  void laps_keep_their_numbers_when_old_changes_are_dropped() {
    VirtualClock clock;
    Recorder recorder(clock);
    QCOMPARE(recorder.snapshot({}).first_lap, 2);
    std::vector<SettingChange> all;
    for (int lap = 2; lap <= 201; ++lap) {  // two settings change at each
      clock.advance(2 * kNanosPerSecond);
      for (const char* name : {"max-num-seqs", "preemption"})
        recorder.setting_changed(name, std::to_string(lap - 1), std::to_string(lap), ChangedBy::sweep);
    }
    const Snapshot snapshot = recorder.snapshot({});
    QCOMPARE(snapshot.changes.size(), std::size_t{256});
    const std::vector<Lap> kept = laps(snapshot.changes, snapshot.first_lap);
    QCOMPARE(kept.size(), std::size_t{128});
    for (const Lap& lap : kept) QCOMPARE(lap.changes.front().to, std::to_string(lap.number));
    QCOMPARE(kept.back().number, 201);

    clock.advance(2 * kNanosPerSecond);
    recorder.setting_changed("max-num-seqs", "201", "202", ChangedBy::sweep);
    const Snapshot later = recorder.snapshot({});  // half of the oldest lap is gone: the rest of it goes too
    QCOMPARE(later.changes.size(), std::size_t{255});
    QCOMPARE(later.changes.front().to, std::to_string(later.first_lap));
    QCOMPARE(laps(later.changes, later.first_lap).back().number, 202);
    QCOMPARE(recorder.roll({}, true).changes.size(), std::size_t{401});  // the run has them all
  }

  void a_snapshot_carries_what_its_percentiles_are_of() {
    Timeline t;
    t.recorder->admitted({t.id}, t.at(40));
    t.recorder->token(t.id, t.at(100));
    t.recorder->token(t.id, t.at(150));
    const Snapshot snapshot = t.recorder->snapshot({});
    QCOMPARE(snapshot.sketches.ttft.max(), 100.0);
    QCOMPARE(snapshot.sketches.queue.max(), 40.0);
    QCOMPARE(snapshot.sketches.itl.count(), snapshot.itl.n);
    QCOMPARE(snapshot.sketches.tpot.count(), std::int64_t{0});
  }
};

QTEST_APPLESS_MAIN(LatencyWindowsTest)
#include "latency_windows_test.moc"
