// SPDX-License-Identifier: GPL-3.0-or-later
// What a Recorder keeps of a server that runs on and on takes no more memory than it took at first.
#include <malloc.h>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/telemetry/ring.h"
#include "tests/support/recorder_timeline.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

constexpr int kRequestsPerSecond = 100;

/// Bytes of the heap that are in use. Sanitizers, with a heap of their own, leave it at 0.
std::size_t in_use() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// A second of serving: requests come, get tokens step by step and end; the second is closed.
void serve_a_second(Timeline& t, std::uint64_t second) {
  for (int i = 0; i < kRequestsPerSecond; ++i) {
    const Nanos at = t.at(1000.0 * static_cast<double>(second) + 10.0 * i);
    const RequestId id{second * kRequestsPerSecond + static_cast<std::uint64_t>(i) + 2};
    t.recorder->arrived(request(id.value, at));
    t.recorder->admitted({.request = id}, at);
    for (const int later : {2, 5, 9}) {
      StepRecord step;
      step.started = step.finished = at + ms(later);
      const std::array<StepEvent, 2> events{StepEvent{.request = id}, StepEvent{.request = id}};
      t.recorder->step(step, events);
      t.recorder->token(id, at + ms(later));
    }
    t.recorder->finished(id, at + ms(9), FinishReason::stop);
  }
  t.at(1000.0 * static_cast<double>(second + 1));
  (void)t.recorder->roll({});
}

}  // namespace

class RecorderMemoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_ring_keeps_the_newest() {
    Ring<int> ring(3);
    QCOMPARE(ring.size(), std::size_t{0});
    QVERIFY(ring.newest(5).empty());
    ring.push(1);
    ring.push(2);
    QCOMPARE(ring.newest(5), (std::vector{1, 2}));
    for (int i = 3; i <= 8; ++i) ring.push(i);
    QCOMPARE(ring.size(), std::size_t{3});
    QCOMPARE(ring[0], 6);
    QCOMPARE(ring.newest(2), (std::vector{7, 8}));
    QCOMPARE(ring.newest(9), (std::vector{6, 7, 8}));
  }

  void memory_is_flat_while_a_server_runs_on() {
    Timeline t;
    std::uint64_t second = 0;
    // Labels of the newest requests and the windows of two minutes are full then.
    while (second < 150) serve_a_second(t, second++);
    const std::size_t before = in_use();
    while (second < 1200) serve_a_second(t, second++);
    const std::size_t after = in_use();
    QCOMPARE(t.recorder->totals().requests_finished, std::int64_t{1200} * kRequestsPerSecond);
    QVERIFY2(after <= before + 64 * 1024, qPrintable(QString("%1, then %2 bytes").arg(before).arg(after)));
  }

  void lists_of_a_snapshot_hold_every_entry() {
    Timeline t;
    for (std::uint64_t second = 0; second < 3; ++second) serve_a_second(t, second);
    const Snapshot snapshot = t.recorder->snapshot({});
    const auto json = nlohmann::json::parse(snapshot_json(snapshot));
    QCOMPARE(json["history"].size(), std::size_t{3});
    QCOMPARE(json["steps"].size(), std::size_t{256});
    QCOMPARE(json["requests"].size(), std::size_t{201});  // the one of the timeline is live
    for (std::size_t i = 0; i < 3; ++i)
      QCOMPARE(json["history"][i]["utc"].get<Nanos>(), snapshot.history[i].utc);
    const auto two = nlohmann::json::parse(requests_json(t.recorder->last_requests(2)));
    QCOMPARE(two.size(), std::size_t{2});
    const auto steps = nlohmann::json::parse(steps_json(
        t.recorder->last_steps(2), [&](const StepRecord& step) { return t.recorder->events_of(step); }));
    QCOMPARE(steps.size(), std::size_t{2});
    QCOMPARE(steps[1]["events"].size(), std::size_t{2});
  }
};

QTEST_GUILESS_MAIN(RecorderMemoryTest)
#include "recorder_memory_test.moc"
