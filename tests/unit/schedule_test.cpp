// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "engine/schedule/scheduler.h"
#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

SchedulerConfig config(int seqs = 4, int batched = 64, int model_len = 256) {
  return {.max_num_seqs = seqs, .max_num_batched_tokens = batched, .max_model_len = model_len};
}

struct Rig : test::ScheduleRig {
  Rig(const SchedulerConfig& c, int blocks, int block_size = 8)
      : ScheduleRig(c, {.cache = {.blocks = blocks, .block_size = block_size, .hash_seed = 1}}) {}
  BlockPool& pool() { return cache.pool(); }
};

/// Nothing was inconsistent, and nobody holds a block any more.
#define PW_SOUND(rig)                              \
  do {                                             \
    QCOMPARE((rig).problem(), std::string());      \
    QCOMPARE((rig).cache.counts().used, 0);        \
    QCOMPARE((rig).cache.counts().quarantined, 0); \
  } while (false)

}  // namespace

class ScheduleTest : public QObject {
  Q_OBJECT

 private slots:
  void one_request_gets_its_tokens() {
    Rig rig(config(), 32);
    PW_VERIFY(rig.add(test::make_request(1, 20, 5)));
    rig.run();
    QVERIFY(rig.tokens(1) == rig.expected(1, 5));
    QCOMPARE(rig.client(1).end->reason, FinishReason::length);
    PW_SOUND(rig);
    QCOMPARE(rig.plans.size(), std::size_t{5});  // one prefill, four decodes, nothing computed in vain
  }

  void decode_input_is_the_previous_token_when_launched_ahead() {
    Rig rig(config(), 32);
    PW_VERIFY(rig.add(test::make_request(1, 4, 3)));
    QVERIFY(rig.launch());
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans[1].tokens, std::vector<TokenId>{kPreviousToken});
    rig.run();
    QVERIFY(rig.tokens(1) == rig.expected(1, 3));
  }

  void long_prompts_are_chunked_on_block_boundaries_within_the_budget() {
    Rig rig(config(4, 30), 64);
    PW_VERIFY(rig.add(test::make_request(1, 70, 1)));
    rig.run();
    std::vector<int> chunks;
    for (const StepPlan& plan : rig.plans) {
      QVERIFY(static_cast<int>(plan.tokens.size()) <= 30);
      chunks.push_back(plan.slices[0].count);
    }
    QVERIFY(chunks == (std::vector<int>{24, 24, 22}));
    QVERIFY(rig.tokens(1) == rig.expected(1, 1));
  }

  void decodes_run_beside_prefills() {
    Rig rig(config(4, 16), 64);
    PW_VERIFY(rig.add(test::make_request(1, 8, 20)));
    QVERIFY(rig.launch());
    rig.commit();
    PW_VERIFY(rig.add(test::make_request(2, 60, 2)));
    for (int i = 0; i < 4; ++i) {
      QVERIFY(rig.launch());
      QCOMPARE(rig.plans.back().shape.decode_tokens, 1);  // the running stream never waits
      rig.commit();
    }
    rig.run();
    QVERIFY(rig.tokens(2) == rig.expected(2, 2));
  }

  void end_token_stops_and_the_token_in_flight_is_dropped() {
    Rig rig(config(), 32);
    Request r = test::make_request(1, 4, 50);
    const auto text = test::continuation(r.prompt, r.cache_key, 3);
    r.sampling.end_tokens = {text[2]};
    PW_VERIFY(rig.add(std::move(r)));
    rig.run();
    QVERIFY(rig.tokens(1) == text);
    QCOMPARE(rig.client(1).end->reason, FinishReason::stop);
    PW_SOUND(rig);
  }

  void ending_in_flight_quarantines_blocks_until_the_step_is_over() {
    Rig rig(config(), 32);
    Request r = test::make_request(1, 4, 50);
    r.sampling.end_tokens = test::continuation(r.prompt, r.cache_key, 1);
    PW_VERIFY(rig.add(std::move(r)));
    QVERIFY(rig.launch());
    QVERIFY(rig.launch());
    rig.commit();  // ends, while step 2 still runs
    QCOMPARE(rig.pool().quarantined_count(), 1);
    QCOMPARE(rig.pool().used_count(), 0);
    rig.scheduler.finish(RequestId{1}, FinishReason::cancelled);  // a second end is none
    rig.commit();
    PW_SOUND(rig);
    QCOMPARE(rig.client(1).end->reason, FinishReason::stop);
  }

  void cancel_frees_blocks_within_one_step() {
    Rig rig(config(), 32);
    for (std::uint64_t id = 1; id <= 6; ++id) PW_VERIFY(rig.add(test::make_request(id, 20, 40)));
    QVERIFY(rig.launch());
    QVERIFY(rig.launch());
    for (std::uint64_t id = 1; id <= 6; ++id) rig.scheduler.finish(RequestId{id}, FinishReason::cancelled);
    rig.commit();
    rig.commit();
    PW_SOUND(rig);
    for (std::uint64_t id = 1; id <= 6; ++id) QVERIFY(rig.client(id).end.has_value());
    QVERIFY(rig.scheduler.idle());
  }

  void out_of_blocks_preempts_the_youngest_and_loses_no_token() {
    Rig rig(config(4, 64), 9);  // 72 tokens for two sequences that want 60 each
    PW_VERIFY(rig.add(test::make_request(1, 20, 40)));
    PW_VERIFY(rig.add(test::make_request(2, 20, 40)));
    rig.run();
    QVERIFY(rig.scheduler.preemptions() > 0);
    QVERIFY(rig.tokens(1) == rig.expected(1, 40));
    QVERIFY(rig.tokens(2) == rig.expected(2, 40));
    PW_SOUND(rig);
  }

  void what_can_never_fit_is_refused_with_the_numbers() {
    Rig rig(config(4, 64, 100), 4);
    auto too_long = rig.add(test::make_request(1, 100, 1));
    QVERIFY(!too_long);
    QVERIFY(too_long.error().what.find("100") != std::string::npos);
    auto longer = rig.add(test::make_request(1, 1234, 1));
    QVERIFY(longer.error().what.find("has 1,234 tokens") != std::string::npos);
    auto too_big = rig.add(test::make_request(2, 30, 20));
    QVERIFY(!too_big);
    QVERIFY(too_big.error().what.find("7 KV blocks") != std::string::npos);
    QVERIFY(!rig.add(test::make_request(3, 0, 5)));
    PW_VERIFY(rig.add(test::make_request(4, 30, 3)));  // 32 tokens with KV: exactly four blocks
    rig.run();
    QCOMPARE(rig.tokens(4).size(), std::size_t{3});
  }

  void a_failed_step_ends_its_requests_alone() {
    Rig rig(config(2, 64), 32);
    PW_VERIFY(rig.add(test::make_request(1, 10, 10)));
    QVERIFY(rig.launch());
    PW_VERIFY(rig.add(test::make_request(2, 10, 4)));
    QVERIFY(rig.launch());  // decode of 1 and prefill of 2
    rig.commit(
        Error{.kind = Error::Kind::internal, .what = "Injected", .cause = {}, .action = {}, .param = {}});
    QCOMPARE(rig.client(1).end->reason, FinishReason::error);
    PW_VERIFY(rig.scheduler.check());
    rig.run();
    QVERIFY(rig.tokens(2) == rig.expected(2, 4));  // recomputed, nothing doubled
    QCOMPARE(rig.client(2).end->reason, FinishReason::length);
    PW_SOUND(rig);
  }

  void a_step_without_memory_ends_the_request_that_brought_most_rows() {
    Rig rig(config(4, 64), 32);
    PW_VERIFY(rig.add(test::make_request(1, 10, 10)));
    PW_VERIFY(rig.add(test::make_request(2, 6, 10)));
    QVERIFY(rig.launch());
    rig.commit();
    PW_VERIFY(rig.add(test::make_request(3, 30, 4)));
    QVERIFY(rig.launch());  // decodes of 1 and 2, prefill of 3
    QVERIFY(rig.launch());  // decodes of all
    rig.commit(Error{
        .kind = Error::Kind::out_of_memory, .what = "Injected", .cause = {}, .action = {}, .param = {}});
    QCOMPARE(rig.client(3).end->reason, FinishReason::error);
    QCOMPARE(rig.client(3).end->error, "Injected.");
    PW_VERIFY(rig.scheduler.check());
    rig.run();
    for (const std::uint64_t id : {1, 2}) {
      QCOMPARE(rig.client(id).end->reason, FinishReason::length);
      QVERIFY(rig.tokens(id) == rig.expected(id, 10));
    }
    PW_SOUND(rig);
  }

  void a_decode_step_without_memory_ends_the_newest() {
    Rig rig(config(4, 64), 32);
    for (const std::uint64_t id : {1, 2, 3}) PW_VERIFY(rig.add(test::make_request(id, 6, 10)));
    QVERIFY(rig.launch());
    rig.commit();
    QVERIFY(rig.launch());
    rig.commit(Error{
        .kind = Error::Kind::out_of_memory, .what = "Injected", .cause = {}, .action = {}, .param = {}});
    QCOMPARE(rig.client(3).end->reason, FinishReason::error);
    rig.run();
    for (const std::uint64_t id : {1, 2}) QVERIFY(rig.tokens(id) == rig.expected(id, 10));
    PW_SOUND(rig);
  }

  void stop_strings_hold_the_engine_near_the_output_thread() {
    Rig rig(config(), 32);
    Request r = test::make_request(1, 4, 30);
    r.sampling.stop = {"x"};
    PW_VERIFY(rig.add(std::move(r)));
    int steps = 0;
    while (steps < 20 && rig.launch()) {
      rig.commit();
      ++steps;
    }
    QCOMPARE(rig.tokens(1).size(), std::size_t{3});  // nothing was acknowledged
    rig.scheduler.acknowledge(RequestId{1}, 3);
    QVERIFY(rig.launch());
    rig.commit();
    QCOMPARE(rig.tokens(1).size(), std::size_t{4});
    rig.scheduler.finish(RequestId{1}, FinishReason::stop);
    rig.take_events();
    QCOMPARE(rig.client(1).end->reason, FinishReason::stop);
  }

  void discarding_a_plan_changes_nothing() {
    Rig rig(config(), 32);
    PW_VERIFY(rig.add(test::make_request(1, 20, 5)));
    const auto first = rig.scheduler.plan(0);
    QVERIFY(first.has_value());
    rig.scheduler.discard();
    QCOMPARE(rig.pool().free_count(), 32);
    PW_VERIFY(rig.scheduler.check());
    const auto second = rig.scheduler.plan(0);
    QVERIFY(second->tokens == first->tokens);
    QCOMPARE(second->appends.size(), first->appends.size());
    for (std::size_t i = 0; i < first->appends.size(); ++i)
      QVERIFY(second->appends[i].block == first->appends[i].block);
    rig.scheduler.discard();
  }

  // Property 32: the canary itself sees each kind of damage done to a good plan.
  void the_canary_sees_damage() {
    const std::vector<TokenId> prompt{1, 2, 3, 4, 5, 6};
    const auto problems = [&](const std::function<void(StepPlan&, StepPlan&)>& damage) {
      test::FakeExecutor executor(2, 8, 4, 4);
      for (const std::uint64_t id : {1, 2}) executor.expect(RequestId{id}, prompt, {});
      const auto slice = [](std::uint64_t id, int slot, int first, int count, int offset, bool samples) {
        SequenceSlice out;
        out.request = RequestId{id};
        out.slot = SlotId{slot};
        out.first_position = first;
        out.count = count;
        out.token_offset = offset;
        out.samples = samples;
        return out;
      };
      // Request 1 computes its prompt; request 2 takes its first block, and one position of the second by
      // copy.
      StepPlan first, second;
      first.joins = {{SlotId{0}, RequestId{1}, {}}};
      first.appends = {{SlotId{0}, 0, BlockId{0}}, {SlotId{0}, 1, BlockId{1}}};
      first.tokens = prompt;
      first.slices = {slice(1, 0, 0, 6, 0, true)};
      second.swaps_out = {{BlockId{0}, HostBlockId{3}}};
      second.swaps_in = {{BlockId{5}, HostBlockId{3}}};
      second.copies = {{BlockId{1}, BlockId{2}, 1}};
      second.joins = {{SlotId{1}, RequestId{2}, {}}};
      second.appends = {{SlotId{1}, 0, BlockId{5}}, {SlotId{1}, 1, BlockId{2}}};
      second.tokens = {kPreviousToken, 6};
      second.slices = {slice(1, 0, 6, 1, 0, true), slice(2, 1, 5, 1, 1, true)};
      damage(first, second);
      executor.run(first);
      executor.run(second);
      return executor.problems().size();
    };
    QCOMPARE(problems([](StepPlan&, StepPlan&) {}), std::size_t{0});
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.appends[0].block = BlockId{1}; }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.appends.pop_back(); }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.copies.clear(); }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.swaps_in[0].host = HostBlockId{2}; }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.swaps_out.clear(); }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.tokens[1] = 5; }) > 0);
    QVERIFY(problems([](StepPlan&, StepPlan& p) { p.slices[1].slot = SlotId{0}; }) > 0);
    QVERIFY(problems([](StepPlan& p, StepPlan&) { p.slices[0].count = 3; }) > 0);
  }

  void prompt_logits_stay_within_the_rows_there_are() {
    SchedulerConfig c = config(2, 64);
    c.max_logit_rows = 16;
    Rig rig(c, 64);
    Request r = test::make_request(1, 50, 1);
    r.sampling.prompt_logits = true;
    PW_VERIFY(rig.add(std::move(r)));
    rig.run();
    int rows = 0;
    for (const StepPlan& plan : rig.plans) {
      QVERIFY(plan.slices[0].all_logits && plan.slices[0].count <= 16);
      rows += plan.slices[0].count;
    }
    QCOMPARE(rows, 50);
  }
};

QTEST_APPLESS_MAIN(ScheduleTest)
#include "schedule_test.moc"
