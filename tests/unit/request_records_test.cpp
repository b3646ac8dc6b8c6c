// SPDX-License-Identifier: GPL-3.0-or-later
// What is written down of admissions, preemptions and the prefix cache.
#include <QtTest>
#include <cmath>
#include <random>

#include "tests/support/recorder_timeline.h"

using namespace pitwall;
using namespace pitwall::test;

class RequestRecordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_parts_of_a_request_add_up_to_its_end_to_end_time() {
    std::mt19937 random(20261129);  // property 33: any history of preemptions
    for (int round = 0; round < 200; ++round) {
      Timeline t;
      int now = 0;
      const auto later = [&](int most) {
        now += static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
        return t.at(now);
      };
      t.recorder->admitted({t.id}, later(50));
      const int events = static_cast<int>(random() % 30);
      bool running = true;
      for (int i = 0; i < events; ++i) {
        if (!running) {
          t.recorder->admitted({.request = t.id, .resumed = true}, later(40));
          running = true;
        } else if (random() % 3 == 0) {
          t.recorder->preempted({.request = t.id, .tokens = 5, .swapped = random() % 2 == 0}, later(20));
          running = false;
        } else {
          t.recorder->token(t.id, later(20));
        }
      }
      t.recorder->finished(t.id, later(9), FinishReason::cancelled);
      const RequestRecord r = t.recorder->record_of(t.id);
      if (r.output_tokens == 0) {
        QVERIFY(std::isnan(r.prefill_ms()) && std::isnan(r.e2e_ms()));
        continue;
      }
      QVERIFY(r.prefill_ms() >= 0 && r.decode_ms() >= 0 && r.preempted_ms() >= 0);
      QCOMPARE(r.queue_ms() + r.prefill_ms() + r.decode_ms() + r.preempted_ms(), r.e2e_ms());
      QCOMPARE(r.recomputed_tokens + r.swapped_tokens, 5 * r.preemptions);
    }
  }

  void a_preemption_after_the_token_does_not_count_before_it() {
    Timeline t;  // the engine thread is ahead of the output thread
    t.recorder->admitted({t.id}, t.at(5));
    t.recorder->preempted({.request = t.id, .tokens = 5}, t.at(10));
    t.recorder->admitted({.request = t.id, .resumed = true}, t.at(20));
    t.recorder->token(t.id, t.at(8));
    QCOMPARE(t.recorder->record_of(t.id).prefill_ms(), 3.0);
    QCOMPARE(t.recorder->record_of(t.id).preempted_ms(), 0.0);
    t.recorder->token(t.id, t.at(31));
    const RequestRecord r = t.recorder->record_of(t.id);
    QCOMPARE(r.prefill_ms(), 3.0);
    QCOMPARE(r.preempted_ms(), 10.0);
    QCOMPARE(r.decode_ms(), 13.0);
  }

  void the_last_roll_closes_the_second_in_progress() {
    Timeline t;
    t.recorder->admitted({t.id}, t.at(5));
    t.recorder->token(t.id, t.at(300));
    t.recorder->finished(t.id, t.at(310), FinishReason::stop);
    QVERIFY(t.recorder->roll({}).seconds.empty());
    const RunRows rows = t.recorder->roll({}, true);
    QCOMPARE(rows.seconds.size(), std::size_t{1});
    QCOMPARE(rows.seconds[0].finished, 1);
  }

  void a_prefix_is_looked_up_once_and_a_miss_has_its_place() {
    Timeline t;
    RequestRecord second = t.recorder->record_of(t.id);
    second.id = RequestId{2};
    second.prompt_tokens = 100;
    t.recorder->arrived(second, {{0, "template"}, {3, "messages[0] (system)"}, {40, "messages[1] (user)"}});
    const AdmissionEvent admission{.request = second.id,
                                   .resumed = false,
                                   .cached_tokens = 32,
                                   .swapped_tokens = 0,
                                   .miss = MissReason::diverged,
                                   .miss_token = 34};
    t.recorder->admitted(admission, t.at(10));
    t.recorder->preempted({.request = second.id, .tokens = 60}, t.at(20));
    t.recorder->admitted({.request = second.id, .resumed = true, .cached_tokens = 60}, t.at(30));
    const RequestRecord r = t.recorder->record_of(second.id);
    QCOMPARE(r.cached_tokens, 32);
    QCOMPARE(r.miss, MissReason::diverged);
    QCOMPARE(r.miss_part, std::string("messages[0] (system), token 31"));
    const EngineTotals totals = t.recorder->totals();
    QCOMPARE(totals.prefix_query_tokens, std::int64_t{100});
    QCOMPARE(totals.prefix_hit_tokens, std::int64_t{32});
    QCOMPARE(totals.recomputed_tokens, std::int64_t{60});
    QCOMPARE(totals.misses[static_cast<std::size_t>(MissReason::diverged)], std::int64_t{1});
    const Snapshot snapshot = t.recorder->snapshot({});
    QCOMPARE(snapshot.recent_query_tokens, std::int64_t{100});
    QCOMPARE(snapshot.recent_hit_tokens, std::int64_t{32});
  }

  void steps_name_their_events_while_the_ring_has_them() {
    Timeline t;
    StepRecord step;
    step.finished = t.at(1);
    const std::vector<StepEvent> events = {{1, RequestId{7}, StepEvent::Kind::joined, 32},
                                           {1, RequestId{8}, StepEvent::Kind::preempted, 5}};
    t.recorder->step(step, events, 3);
    step.step = 2;
    t.recorder->step(step);
    const auto steps = t.recorder->last_steps(2);
    QCOMPARE(t.recorder->events_of(steps[0]).size(), std::size_t{2});
    QCOMPARE(t.recorder->events_of(steps[0])[1].request, RequestId{8});
    QVERIFY(t.recorder->events_of(steps[1]).empty());
    QCOMPARE(t.recorder->totals().evicted_blocks, std::int64_t{3});
    for (int i = 0; i < 20'000; ++i) t.recorder->step(step, {events.data(), 1});
    QVERIFY(t.recorder->events_of(steps[0]).empty());  // gone, and not mistaken for others
    QCOMPARE(t.recorder->events_of(t.recorder->last_steps(1)[0]).size(), std::size_t{1});
  }

  void the_summary_of_a_long_life_is_of_the_newest() {
    Timeline t;
    constexpr std::int64_t kRequests = 65'600;
    for (std::uint64_t id = 2; id <= kRequests; ++id) {
      t.recorder->arrived(request(id, t.start));
      t.recorder->token({id}, t.at(5));
      t.recorder->finished({id}, t.at(5), FinishReason::stop);
    }
    const RunSummary live = t.recorder->summary();
    QCOMPARE(live.metrics.at("ttft_ms").n, std::int64_t{65'536});
    QCOMPARE(live.totals.requests_finished, kRequests - 1);
  }
};

QTEST_APPLESS_MAIN(RequestRecordsTest)
#include "request_records_test.moc"
