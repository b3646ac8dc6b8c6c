// SPDX-License-Identifier: GPL-3.0-or-later
// Budgets and limits: of a step, of long requests, of the time between tokens; and changing them while
// serving.
#include <QTest>
#include <cmath>

#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::make_request;

namespace {

SchedulerConfig config(int seqs = 8, int batched = 128, int model_len = 4096) {
  return {.max_num_seqs = seqs, .max_num_batched_tokens = batched, .max_model_len = model_len};
}

struct Rig : test::ScheduleRig {
  explicit Rig(const SchedulerConfig& c, int blocks = 2048, const StepTimeModel* prior = nullptr)
      : ScheduleRig(
            c, {.cache = {.blocks = blocks, .block_size = 8, .prefix_caching = false}, .prior = prior}) {}

  void step() {
    if (!launch()) qFatal("nothing to run");
    commit();
  }
  /// Tokens of the request in a plan.
  static int tokens_in(const StepPlan& plan, std::uint64_t id) {
    for (const SequenceSlice& slice : plan.slices) {
      if (slice.request.value == id) return slice.count;
    }
    return 0;
  }
};

/// 1 ms and 10 µs a row.
struct Rows final : StepTimeModel {
  Nanos predict(const StepShape& shape) const override { return kNanosPerMs + 10'000 * shape.rows(); }
};

}  // namespace

class ScheduleLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  // Properties 20 to 22 and case 024: the rig holds every plan against the budget.
  void decodes_run_in_every_step_and_prefills_in_whole_blocks() {
    Rig rig(config(8, 100));
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 16, 100)));
    while (rig.client(4).tokens.empty()) rig.step();
    PW_VERIFY(rig.add(make_request(5, 2000, 5)));
    int covered = 0;
    while (rig.client(5).tokens.empty()) {
      rig.step();
      const StepPlan& plan = rig.plans.back();
      QCOMPARE(plan.shape.decode_tokens, 4);
      for (const SequenceSlice& slice : plan.slices) {
        if (slice.request.value != 5) continue;
        QCOMPARE(slice.first_position, covered);  // each prompt token once, in order
        covered += slice.count;
        QVERIFY(covered % 8 == 0 || covered == 2000);
        QVERIFY(slice.count == 96 || covered == 2000);
      }
    }
    QCOMPARE(covered, 2000);
    QCOMPARE(rig.problem(), std::string());
  }

  // Case 026, with no limit set and with limits: the first token within three steps, the long one goes on.
  void a_short_prompt_does_not_wait_for_a_long_one_data() {
    QTest::addColumn<int>("threshold");
    QTest::addColumn<int>("long_ones");
    QTest::newRow("no limits") << 0 << 1;
    QTest::newRow("threshold") << 64 << 1;
    QTest::newRow("three long ones") << 0 << 3;
    QTest::newRow("three long ones, threshold") << 64 << 3;
  }
  void a_short_prompt_does_not_wait_for_a_long_one() {
    QFETCH(int, threshold);
    QFETCH(int, long_ones);
    SchedulerConfig c = config();
    c.long_prefill_token_threshold = threshold;
    Rig rig(c);
    for (int i = 0; i < long_ones; ++i)
      PW_VERIFY(rig.add(make_request(static_cast<std::uint64_t>(100 + i), 4000, 2)));
    rig.step();
    const int came = static_cast<int>(rig.plans.size());
    PW_VERIFY(rig.add(make_request(1, 10, 2)));
    while (rig.client(1).tokens.empty()) rig.step();
    QVERIFY(rig.client(1).first_token_step <= came + 3);
    rig.run();
    for (const StepPlan& plan : rig.plans) {
      if (plan.shape.prefill_tokens > 10)
        QVERIFY(Rig::tokens_in(plan, 100) > 0 ||
                rig.client(100).first_token_step <= static_cast<int>(plan.number));
    }
    QCOMPARE(rig.problem(), std::string());
  }

  // What is left over is not wasted: alone, a long prompt gets the whole budget.
  void a_long_prompt_alone_gets_the_whole_budget() {
    Rig rig(config());
    PW_VERIFY(rig.add(make_request(1, 1280, 1)));
    rig.run();
    QCOMPARE(rig.plans.size(), std::size_t{10});
  }

  void long_prompts_keep_to_their_limits() {
    SchedulerConfig c = config();
    c.long_prefill_token_threshold = 40;
    c.max_long_partial_prefills = 2;
    c.long_token_share = 0.5;
    Rig rig(c);
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 400, 2)));
    PW_VERIFY(rig.add(make_request(5, 20, 2)));
    rig.run();
    for (const StepPlan& plan : rig.plans) {
      int long_tokens = 0, long_prompts = 0;
      for (const SequenceSlice& slice : plan.slices) {
        if (slice.request.value > 4 || !slice.prefill) continue;
        QVERIFY(slice.count <= 40);
        long_tokens += slice.count;
        ++long_prompts;
      }
      QVERIFY(long_tokens <= 64);
      QVERIFY(long_prompts <= 2);
    }
    QCOMPARE(rig.client(5).first_token_step, 1);  // past the long ones that wait
    QCOMPARE(rig.problem(), std::string());
  }

  // Long prompts behind their limit, which others pass; not those that wait for a slot.
  void who_is_passed_over_is_counted() {
    SchedulerConfig c = config();
    c.long_prefill_token_threshold = 40;
    c.max_long_partial_prefills = 1;
    c.max_num_seqs = 3;
    Rig rig(c);
    QCOMPARE(rig.scheduler.deferred(), 0);
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 400, 2)));
    for (std::uint64_t id = 5; id <= 8; ++id) PW_VERIFY(rig.add(make_request(id, 20, 2)));
    QVERIFY(rig.launch());
    QCOMPARE(rig.scheduler.running(), 3);
    QCOMPARE(rig.scheduler.waiting(), 5);
    QCOMPARE(rig.scheduler.deferred(), 3);
    rig.commit();
    rig.run();
    QCOMPARE(rig.scheduler.deferred(), 0);
    QCOMPARE(rig.problem(), std::string());
  }

  void long_requests_keep_to_their_share_of_kv() {
    SchedulerConfig c = config();
    c.long_prefill_token_threshold = 40;
    c.long_kv_share = 0.5;
    Rig rig(c, 100);
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 160, 4)));  // 20 blocks each
    std::size_t most = 0;
    while (!rig.scheduler.idle()) {
      rig.step();
      most = std::max(most, static_cast<std::size_t>(rig.cache.counts().used));
    }
    QVERIFY2(most > 20 && most <= 50, std::to_string(most).c_str());
    // A single one may pass it: it would never run otherwise.
    PW_VERIFY(rig.add(make_request(9, 700, 2)));
    rig.run();
    QVERIFY(rig.tokens(9) == rig.expected(9, 2));
  }

  void a_share_of_the_pool_stays_cached() {
    SchedulerConfig c = config(8, 512);
    c.cached_share = 0.5;
    test::ScheduleRig rig(c, {.cache = {.blocks = 100, .block_size = 8, .hash_seed = 1}});
    PW_VERIFY(rig.add(make_request(1, 396, 2, 396)));  // leaves 50 blocks
    rig.run();
    QCOMPARE(rig.cache.counts().cached, 50);
    for (std::uint64_t id = 2; id <= 9; ++id) PW_VERIFY(rig.add(make_request(id, 120, 4)));  // 15 blocks each
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans.back().joins.size(), std::size_t{3});
    QCOMPARE(rig.cache.counts().cached, 50);
    c.cached_share = 0.2;
    PW_VERIFY(rig.scheduler.reconfigure(c));
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans.back().joins.size(), std::size_t{2});
    QCOMPARE(rig.cache.counts().cached, 22);  // the three that run took one more block each to decode
    rig.run();
    QCOMPARE(rig.problem(), std::string());
  }

  void chunks_hold_the_time_between_tokens() {
    const Rows prior;
    SchedulerConfig c = config(8, 1024);
    c.target_itl = 2 * kNanosPerMs;  // 100 rows: 4 decodes and 96 of a prompt
    Rig rig(c, 2048, &prior);
    for (std::uint64_t id = 1; id <= 4; ++id) PW_VERIFY(rig.add(make_request(id, 16, 60)));
    while (rig.client(4).tokens.empty()) rig.step();
    PW_VERIFY(rig.add(make_request(5, 2000, 2)));
    while (rig.client(5).tokens.empty()) {
      rig.step();
      QVERIFY(prior.predict(rig.plans.back().shape) <= c.target_itl);
      // 96 less the margin for steps that take longer than expected.
      const int chunk = Rig::tokens_in(rig.plans.back(), 5);
      QVERIFY((chunk >= 96 / 2 && chunk <= 96) || !rig.client(5).tokens.empty());
    }
    // Where it cannot be held a prefill still goes on, a token at a time.
    c.target_itl = kNanosPerMs / 2;
    PW_VERIFY(rig.scheduler.reconfigure(c));
    PW_VERIFY(rig.add(make_request(6, 40, 2)));
    for (int i = 0; i < 80; ++i) {
      rig.step();
      QVERIFY(Rig::tokens_in(rig.plans.back(), 6) >= 1);
      if (!rig.client(6).tokens.empty()) break;
    }
    QVERIFY(!rig.client(6).tokens.empty());
    // Without decodes there is nobody to hold it for.
    rig.run();
    PW_VERIFY(rig.add(make_request(7, 1000, 1)));
    rig.step();
    QCOMPARE(Rig::tokens_in(rig.plans.back(), 7), 1000);
    QCOMPARE(rig.problem(), std::string());
  }

  void a_target_is_held_before_anything_is_known() {
    SchedulerConfig c = config(8, 1024);
    c.target_itl = kNanosPerMs;
    Rig rig(c);
    PW_VERIFY(rig.add(make_request(1, 16, 60)));
    rig.step();
    PW_VERIFY(rig.add(make_request(2, 400, 2)));
    rig.step();
    QCOMPARE(Rig::tokens_in(rig.plans.back(), 2), 1);  // no model yet
  }

  // Property 25.
  void forward_progress_in_the_smallest_pool() {
    Rig rig(config(4, 8, 24), 3);  // three blocks for all
    for (std::uint64_t id = 1; id <= 6; ++id) PW_VERIFY(rig.add(make_request(id, 10, 14)));
    rig.run();
    for (std::uint64_t id = 1; id <= 6; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 14));
    QCOMPARE(rig.problem(), std::string());
  }

  // Case 034.
  void the_dead_leave_the_queue_uncomputed() {
    Rig rig(config(1));
    PW_VERIFY(rig.add(make_request(1, 16, 10)));
    rig.step();
    for (std::uint64_t id = 2; id <= 11; ++id) PW_VERIFY(rig.add(make_request(id, 100, 10)));
    for (std::uint64_t id = 1; id <= 11; ++id) rig.scheduler.finish(RequestId{id}, FinishReason::cancelled);
    rig.take_events();
    QCOMPARE(rig.scheduler.waiting() + rig.scheduler.running(), 0);
    QVERIFY(rig.scheduler.idle());
    for (const StepPlan& plan : rig.plans) {
      for (const SequenceSlice& slice : plan.slices) QCOMPARE(slice.request, RequestId{1});
    }
    PW_VERIFY(rig.add(make_request(20, 16, 2)));
    rig.step();
    QCOMPARE(rig.client(20).tokens.size(), std::size_t{1});
  }

  void lowered_limits_let_running_ones_go_on() {
    Rig rig(config(8, 128));
    for (std::uint64_t id = 1; id <= 8; ++id) PW_VERIFY(rig.add(make_request(id, 16, 30)));
    rig.step();
    SchedulerConfig c = config(2, 3);  // eight streams and three tokens a step
    PW_VERIFY(rig.scheduler.reconfigure(c));
    PW_VERIFY(rig.add(make_request(9, 16, 3)));
    std::map<std::uint64_t, int> gap;
    for (int step = 0; step < 30; ++step) {
      rig.step();
      for (std::uint64_t id = 1; id <= 8; ++id) {
        if (rig.client(id).end) continue;
        gap[id] = Rig::tokens_in(rig.plans.back(), id) > 0 ? 0 : gap[id] + 1;
        QVERIFY(gap[id] <= 8);  // they take turns
      }
      QVERIFY(rig.client(9).admissions.empty());
    }
    rig.run();
    for (std::uint64_t id = 1; id <= 8; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 30));
    QVERIFY(rig.tokens(9) == rig.expected(9, 3));
    QCOMPARE(rig.problem(), std::string());
  }

  void bad_numbers_are_refused_by_name() {
    const auto param = [](auto change) {
      SchedulerConfig c = config();
      change(c);
      const auto result = c.check();
      return result.ok() ? std::string() : result.error().param;
    };
    using C = SchedulerConfig;
    QCOMPARE(param([](C&) {}), std::string());
    QCOMPARE(param([](C& c) { c.max_num_seqs = 0; }), std::string("max-num-seqs"));
    QCOMPARE(param([](C& c) { c.max_num_seqs = -3; }), std::string("max-num-seqs"));
    QCOMPARE(param([](C& c) { c.max_num_batched_tokens = 7; }), std::string("max-num-batched-tokens"));
    QCOMPARE(param([](C& c) { c.max_model_len = 1; }), std::string("max-model-len"));
    QCOMPARE(param([](C& c) { c.max_logit_rows = -1; }), std::string("max-logit-rows"));
    QCOMPARE(param([](C& c) { c.long_prefill_token_threshold = -1; }),
             std::string("long-prefill-token-threshold"));
    QCOMPARE(param([](C& c) { c.max_long_partial_prefills = -1; }), std::string("max-long-partial-prefills"));
    QCOMPARE(param([](C& c) { c.long_token_share = 0; }), std::string("long-token-share"));
    QCOMPARE(param([](C& c) { c.long_kv_share = 1.5; }), std::string("long-kv-share"));
    QCOMPARE(param([](C& c) { c.cached_share = 1; }), std::string("cached-share"));
    QCOMPARE(param([](C& c) { c.cached_share = std::nan(""); }), std::string("cached-share"));
    QCOMPARE(param([](C& c) { c.target_itl = -1; }), std::string("target-itl-ms"));
    QCOMPARE(param([](C& c) { c.max_wait = -1; }), std::string("max-wait"));
  }

  void what_the_engine_was_started_for_is_the_bound() {
    Rig rig(config(4, 64, 256), 64);
    const auto param = [&](auto change) {
      SchedulerConfig c = config(4, 64, 256);
      change(c);
      const auto result = rig.scheduler.reconfigure(c);
      return result.ok() ? std::string() : result.error().param;
    };
    using C = SchedulerConfig;
    QCOMPARE(param([](C& c) { c.max_num_seqs = 5; }), std::string("max-num-seqs"));
    QCOMPARE(param([](C& c) { c.max_num_batched_tokens = 65; }), std::string("max-num-batched-tokens"));
    QCOMPARE(param([](C& c) { c.max_model_len = 257; }), std::string("max-model-len"));
    QCOMPARE(param([](C& c) { c.max_logit_rows = 9; }), std::string("max-logit-rows"));
    QCOMPARE(rig.scheduler.config().max_num_seqs, 4);
    QCOMPARE(param([](C& c) { c.batching = Batching::fixed; }), std::string());
    Rig small(config(4, 64, 256), 20);
    SchedulerConfig fixed = config(4, 64, 256);
    fixed.batching = Batching::fixed;
    QVERIFY(!small.scheduler.reconfigure(fixed));
  }
};

QTEST_APPLESS_MAIN(ScheduleLimitsTest)
#include "schedule_limits_test.moc"
