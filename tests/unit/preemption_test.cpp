// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks run out: who gives way, by which means, and that no text shows it.
#include <QTest>

#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::make_request;

namespace {

SchedulerConfig config(Preemption preemption, int seqs = 4) {
  SchedulerConfig out{.max_num_seqs = seqs, .max_num_batched_tokens = 64, .max_model_len = 256};
  out.preemption = preemption;
  return out;
}

struct Rig : test::ScheduleRig {
  Rig(const SchedulerConfig& c, int blocks, int swap_blocks = 0, bool prefix_caching = true)
      : ScheduleRig(c, {.cache = {.blocks = blocks,
                                  .block_size = 8,
                                  .swap_blocks = swap_blocks,
                                  .prefix_caching = prefix_caching,
                                  .hash_seed = 1}}) {
    step_time = kNanosPerMs;
  }
};

int swaps(const test::ScheduleRig& rig) {
  return static_cast<int>(std::count_if(rig.preemptions.begin(), rig.preemptions.end(),
                                        [](const PreemptionEvent& event) { return event.swapped; }));
}

Error injected() {
  return {.kind = Error::Kind::internal, .what = "Injected", .cause = {}, .action = {}, .param = {}};
}

/// Predicts a fixed time for each token of a prefill.
struct PerToken final : StepTimeModel {
  Nanos token = 0;
  explicit PerToken(Nanos of_a_token) : token(of_a_token) {}
  Nanos predict(const StepShape& shape) const override { return token * shape.prefill_tokens; }
};

}  // namespace

class PreemptionTest : public QObject {
  Q_OBJECT

 private slots:
  // Property 24, case 031: the same text whatever the way, and with prefixes kept or not.
  void no_text_shows_a_preemption_data() {
    QTest::addColumn<int>("preemption");
    QTest::addColumn<int>("swap_blocks");
    QTest::addColumn<bool>("prefix_caching");
    QTest::newRow("recompute") << int(Preemption::recompute) << 0 << true;
    QTest::newRow("recompute, no prefixes") << int(Preemption::recompute) << 0 << false;
    QTest::newRow("swap") << int(Preemption::swap) << 64 << true;
    QTest::newRow("swap, no prefixes") << int(Preemption::swap) << 64 << false;
    QTest::newRow("swap space for one") << int(Preemption::swap) << 6 << false;
    QTest::newRow("automatic") << int(Preemption::automatic) << 64 << true;
  }
  void no_text_shows_a_preemption() {
    QFETCH(int, preemption);
    QFETCH(int, swap_blocks);
    QFETCH(bool, prefix_caching);
    Rig rig(config(static_cast<Preemption>(preemption)), 14, swap_blocks, prefix_caching);
    rig.swap_time = 1000;
    for (std::uint64_t id = 1; id <= 6; ++id) PW_VERIFY(rig.add(make_request(id, 20, 60, 5)));
    rig.run();
    QVERIFY(rig.scheduler.preemptions() > 0);
    if (static_cast<Preemption>(preemption) == Preemption::swap) QVERIFY(swaps(rig) > 0);
    if (swap_blocks == 0) QCOMPARE(swaps(rig), 0);
    for (std::uint64_t id = 1; id <= 6; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 60));
    QCOMPARE(rig.problem(), std::string());
    QCOMPARE(rig.cache.counts().used + rig.cache.counts().swap_used, 0);
  }

  void a_swap_brings_back_what_was_computed() {
    Rig rig(config(Preemption::swap, 2), 10, 32, false);
    PW_VERIFY(rig.add(make_request(1, 20, 50)));
    PW_VERIFY(rig.add(make_request(2, 20, 50)));
    rig.run();
    QCOMPARE(swaps(rig), 1);
    const PreemptionEvent& event = rig.preemptions[0];
    QCOMPARE(event.request, RequestId{2});
    const AdmissionEvent& back = rig.client(2).admissions.back();
    QVERIFY(back.resumed);
    QCOMPARE(back.swapped_tokens, event.tokens);
    // Nothing was computed twice.
    QCOMPARE(rig.executor.computed_rows(), std::int64_t{2 * (20 + 49)});
    QCOMPARE(rig.problem(), std::string());
  }

  void a_recompute_finds_its_full_blocks_again_where_they_are() {
    Rig rig(config(Preemption::recompute, 2), 10);
    PW_VERIFY(rig.add(make_request(1, 20, 50)));
    PW_VERIFY(rig.add(make_request(2, 20, 50)));
    rig.run();
    QCOMPARE(rig.scheduler.preemptions(), std::int64_t{1});
    QVERIFY(rig.tokens(2) == rig.expected(2, 50));
    QCOMPARE(rig.client(2).admissions.back().swapped_tokens, 0);
    QCOMPARE(rig.problem(), std::string());
  }

  void swap_or_recompute_goes_by_cost() {
    // A block takes 1 ms each way, 2 ms in all; its 8 tokens take 8 times what the model says.
    for (const auto& [token_ns, expected_swaps] :
         {std::pair{kNanosPerMs, true}, std::pair{kNanosPerMs / 100, false}}) {
      const PerToken prior(token_ns);
      SchedulerConfig c = config(Preemption::automatic, 3);
      test::ScheduleRig rig(
          c, {.cache = {.blocks = 15, .block_size = 8, .swap_blocks = 64, .prefix_caching = false},
              .prior = &prior});
      rig.swap_time = kNanosPerMs;  // steps take no time: the prior stays
      for (std::uint64_t id = 1; id <= 8; ++id) PW_VERIFY(rig.add(make_request(id, 30, 60)));
      rig.run();
      QVERIFY(rig.scheduler.preemptions() > 1);
      QVERIFY(rig.preemptions[0].swapped);  // the first one measures the link
      QCOMPARE(rig.preemptions[1].swapped, expected_swaps);
      QCOMPARE(rig.problem(), std::string());
    }
  }

  void a_full_swap_space_means_recompute() {
    Rig rig(config(Preemption::swap), 14, 1, false);
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 20, 60)));
    rig.run();
    QVERIFY(rig.scheduler.preemptions() > 0);
    QCOMPARE(swaps(rig), 0);
    for (std::uint64_t id = 1; id <= 4; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 60));
    QCOMPARE(rig.problem(), std::string());
  }

  void what_a_failed_step_swapped_is_computed_again() {
    Rig rig(config(Preemption::swap, 2), 10, 32, false);
    PW_VERIFY(rig.add(make_request(1, 20, 50)));
    PW_VERIFY(rig.add(make_request(2, 20, 50)));
    while (rig.plans.empty() || rig.plans.back().swaps_out.empty()) {
      QVERIFY(rig.launch());
      if (rig.plans.back().swaps_out.empty()) rig.commit();
    }
    rig.commit(injected());
    QCOMPARE(rig.client(1).end->reason, FinishReason::error);
    QCOMPARE(rig.cache.counts().swap_used, 0);
    rig.run();
    QVERIFY(rig.tokens(2) == rig.expected(2, 50));
    QCOMPARE(rig.client(2).admissions.back().swapped_tokens, 0);
    QCOMPARE(rig.problem(), std::string());
  }

  void cancelling_one_in_the_swap_space_gives_its_blocks_back() {
    Rig rig(config(Preemption::swap, 2), 10, 32, false);
    PW_VERIFY(rig.add(make_request(1, 20, 50)));
    PW_VERIFY(rig.add(make_request(2, 22, 50)));
    while (swaps(rig) == 0) {
      rig.launch();
      if (rig.scheduler.in_flight() < 2) rig.launch();
      rig.commit();  // the victim leaves here, while the next step runs
    }
    QVERIFY(rig.cache.counts().swap_used > 0);
    rig.scheduler.finish(RequestId{2}, FinishReason::cancelled);  // its blocks have not even been moved
    QCOMPARE(rig.cache.counts().swap_used, 0);
    PW_VERIFY(rig.scheduler.check());
    rig.run();
    for (const StepPlan& plan : rig.plans) QVERIFY(plan.swaps_out.empty());
    QVERIFY(rig.tokens(1) == rig.expected(1, 50));
    QCOMPARE(rig.problem(), std::string());
  }

  // Case 032.
  void one_missing_block_costs_one_request() {
    Rig rig(config(Preemption::recompute, 8),
            8 * 3 + 7);  // the last of eight that cross a block together has none
    for (std::uint64_t id = 1; id <= 8; ++id) PW_VERIFY(rig.add(make_request(id, 20, 12)));
    rig.run();
    QCOMPARE(rig.preemptions.size(), std::size_t{1});
    QCOMPARE(rig.preemptions[0].request, RequestId{8});
    for (std::uint64_t id = 1; id <= 8; ++id) {
      QVERIFY(rig.tokens(id) == rig.expected(id, 12));
      QCOMPARE(rig.client(id).end->reason, FinishReason::length);
    }
    QCOMPARE(rig.problem(), std::string());
  }

  // Cases 030 and 031: 32 requests of 256 + 2,048 tokens in a pool for eight of them.
  void a_storm_stays_bounded() {
    SchedulerConfig c{.max_num_seqs = 32, .max_num_batched_tokens = 2048, .max_model_len = 2304};
    c.preemption = Preemption::recompute;
    test::ScheduleRig rig(c, {.cache = {.blocks = 8 * 144, .block_size = 16, .hash_seed = 1}});
    rig.step_time = kNanosPerMs;
    for (std::uint64_t id = 1; id <= 32; ++id) PW_VERIFY(rig.add(make_request(id, 256, 2048)));
    rig.run();
    std::int64_t thrown_away = 0;
    for (const PreemptionEvent& event : rig.preemptions) {
      thrown_away += event.tokens;
      QVERIFY(event.tokens > 0 && event.free_blocks >= 0);
    }
    qInfo("%zu preemptions, %.2f a request, %lld tokens thrown away, %lld rows computed",
          rig.preemptions.size(), static_cast<double>(rig.preemptions.size()) / 32,
          static_cast<long long>(thrown_away), static_cast<long long>(rig.executor.computed_rows()));
    QVERIFY(rig.preemptions.size() <= 3 * 32);
    for (std::uint64_t id = 1; id <= 32; ++id) {
      QVERIFY(rig.tokens(id) == rig.expected(id, 2048));
      QCOMPARE(rig.client(id).tokens.size(), std::size_t{2048});
    }
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 23.
  void the_worst_rank_gives_way_and_never_a_better_one() {
    SchedulerConfig c = config(Preemption::recompute);
    c.policy = SchedulingPolicy::priority;
    Rig rig(c, 12);
    for (std::uint64_t id = 1; id <= 4; ++id) {
      Request request = make_request(id, 20, 60);
      request.priority = id == 1 ? 9 : static_cast<int>(id);  // the first to come is the least important
      PW_VERIFY(rig.add(std::move(request)));
    }
    rig.run();
    QVERIFY(!rig.preemptions.empty());
    QCOMPARE(rig.preemptions[0].request, RequestId{1});
    QCOMPARE(rig.client(2).preemptions, 0);  // the most important one never
    QVERIFY(rig.client(1).preemptions >= rig.client(4).preemptions);
    QVERIFY(rig.client(4).preemptions >= rig.client(3).preemptions);
    for (std::uint64_t id = 1; id <= 4; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 60));
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 23: from the plan that leaves a victim out to the one after it has left, nobody comes in.
  void nothing_is_admitted_in_a_step_that_preempts() {
    int left_out = 0;
    for (int pool = 9; pool < 30; ++pool) {
      Rig rig(config(Preemption::recompute, 6), pool);
      for (std::uint64_t id = 1; id <= 30; ++id)
        PW_VERIFY(
            rig.add(make_request(id, 1 + static_cast<int>(id * 5 % 23), 3 + static_cast<int>(id * 7 % 40))));
      rig.run();
      for (std::size_t i = 0; i < rig.preemptions.size(); ++i) {
        const auto runs = [&](const StepPlan& plan) {
          return std::any_of(plan.slices.begin(), plan.slices.end(), [&](const SequenceSlice& slice) {
            return slice.request == rig.preemptions[i].request;
          });
        };
        for (std::size_t p = rig.preempted_after[i]; p-- > 0 && !runs(rig.plans[p]);) {
          QVERIFY2(rig.plans[p].joins.empty(), "somebody was let in while a victim was leaving");
          ++left_out;
        }
      }
      QCOMPARE(rig.problem(), std::string());
    }
    QVERIFY(left_out > 0);
  }

  // Admission foresees blocks: one that comes back beside others has room to double its output.
  void who_comes_back_has_room_to_grow() {
    Rig rig(config(Preemption::recompute, 6), 40);
    for (std::uint64_t id = 1; id <= 12; ++id) PW_VERIFY(rig.add(make_request(id, 20, 100)));
    int resumed = 0;
    while (!rig.scheduler.idle()) {
      while (rig.scheduler.in_flight() < 2 && rig.launch()) {
        // The last one let in: what those before it needed is taken by then.
        const auto& joins = rig.plans.back().joins;
        if (joins.empty() || rig.scheduler.running() == 1) continue;
        const std::uint64_t id = joins.back().request.value;
        if (rig.client(id).preemptions == 0) continue;
        const int outputs = rig.tokens_of(id), length = 20 + outputs, more = std::min(100 - outputs, outputs);
        QVERIFY(rig.cache.pool().available() >=
                rig.cache.blocks_for(length + more) - rig.cache.blocks_for(length));
        ++resumed;
      }
      rig.commit();
    }
    QVERIFY(resumed > 0);
    QCOMPARE(rig.problem(), std::string());
  }

  void what_others_share_is_not_swapped() {
    Rig rig(config(Preemption::swap, 2), 13, 32);
    PW_VERIFY(rig.add(make_request(1, 30, 50, 24)));
    PW_VERIFY(rig.add(make_request(2, 30, 50, 24)));
    rig.run();
    QCOMPARE(swaps(rig), 1);
    std::size_t moved = 0;
    for (const StepPlan& plan : rig.plans) moved += plan.swaps_out.size();
    QCOMPARE(static_cast<int>(moved), rig.cache.blocks_for(rig.preemptions[0].tokens));
    const AdmissionEvent& back = rig.client(2).admissions.back();
    QVERIFY(back.cached_tokens >= 24);
    QVERIFY(back.swapped_tokens <= rig.preemptions[0].tokens);
    const auto kept = static_cast<std::int32_t>(30 + rig.tokens_of(2)) - rig.preemptions[0].tokens;
    QVERIFY(kept > 24);
    QVERIFY(rig.tokens(1) == rig.expected(1, 50) && rig.tokens(2) == rig.expected(2, 50));
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 24: a victim whose step is in flight keeps the token of that step.
  void a_victim_in_flight_keeps_its_token() {
    Rig rig(config(Preemption::recompute, 2), 9);
    PW_VERIFY(rig.add(make_request(1, 20, 40)));
    PW_VERIFY(rig.add(make_request(2, 20, 40)));
    rig.run();  // one step is always launched ahead
    QVERIFY(rig.scheduler.preemptions() > 0);
    QVERIFY(rig.tokens(2) == rig.expected(2, 40));
    // Every position is sampled once: recomputed positions sample nothing, but the last.
    int sampled = 0;
    for (const StepPlan& plan : rig.plans) {
      for (const SequenceSlice& slice : plan.slices) sampled += slice.samples ? 1 : 0;
    }
    QCOMPARE(sampled, 80);
    QCOMPARE(rig.problem(), std::string());
  }
};

QTEST_APPLESS_MAIN(PreemptionTest)
#include "preemption_test.moc"
