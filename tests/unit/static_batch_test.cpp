// SPDX-License-Identifier: GPL-3.0-or-later
// Static batching: a batch starts and ends together, padded to its longest, KV reserved at max_model_len.
#include <QTest>

#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::make_request;

namespace {

SchedulerConfig config(Batching batching, int seqs = 3, int batched = 512) {
  SchedulerConfig out{.max_num_seqs = seqs, .max_num_batched_tokens = batched, .max_model_len = 64};
  out.batching = batching;
  return out;
}

struct Rig : test::ScheduleRig {
  explicit Rig(const SchedulerConfig& c, int blocks = 64)
      : ScheduleRig(c, {.cache = {.blocks = blocks, .block_size = 8, .hash_seed = 1}}) {}
  int padding() const {
    int rows = 0;
    for (const StepPlan& plan : plans) rows += plan.shape.padding_tokens;
    return rows;
  }
};

}  // namespace

class StaticBatchTest : public QObject {
  Q_OBJECT

 private slots:
  void a_batch_is_padded_starts_and_ends_together() {
    Rig rig(config(Batching::fixed));
    // Prompts 10, 20, 30; outputs 5, 12, 2. A fourth waits for the whole batch.
    PW_VERIFY(rig.add(make_request(1, 10, 5)));
    PW_VERIFY(rig.add(make_request(2, 20, 12)));
    PW_VERIFY(rig.add(make_request(3, 30, 2)));
    PW_VERIFY(rig.add(make_request(4, 10, 1)));
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans[0].joins.size(), std::size_t{3});
    QCOMPARE(rig.plans[0].shape.prefill_tokens, 60);
    QCOMPARE(rig.plans[0].shape.padding_tokens, 30);  // 20 + 10 + 0
    QCOMPARE(rig.cache.counts().used, 3 * 64 / 8);
    rig.commit();
    for (int step = 1; step < 12; ++step) {
      QVERIFY(rig.launch());
      const StepShape& shape = rig.plans.back().shape;
      QCOMPARE(shape.decode_tokens + shape.padding_tokens, 3);
      QCOMPARE(shape.padding_tokens, (step >= 5 ? 1 : 0) + (step >= 2 ? 1 : 0));
      if (step < 11) QCOMPARE(rig.cache.counts().used, 24);
      rig.commit();
    }
    // Finish events came when each ended, blocks only now.
    QVERIFY(rig.client(1).end && rig.client(2).end && rig.client(3).end);
    QCOMPARE(rig.cache.counts().free, 64);
    QVERIFY(rig.client(4).admissions.empty());
    rig.run();
    for (const auto& [id, count] : {std::pair{1, 5}, std::pair{2, 12}, std::pair{3, 2}, std::pair{4, 1}}) {
      const auto key = static_cast<std::uint64_t>(id);
      QVERIFY(rig.tokens(key) == rig.expected(key, count));
      QCOMPARE(rig.client(key).admissions[0].miss, MissReason::disabled);
    }
    QCOMPARE(rig.problem(), std::string());
  }

  void decode_waits_until_every_prompt_is_computed() {
    Rig rig(config(Batching::fixed, 3, 16));
    for (std::uint64_t id = 1; id <= 3; ++id) PW_VERIFY(rig.add(make_request(id, 24, 6)));
    rig.run();
    bool decoding = false;
    for (const StepPlan& plan : rig.plans) {
      if (plan.shape.decode_tokens > 0) decoding = true;
      if (decoding) QCOMPARE(plan.shape.prefill_tokens, 0);
    }
    for (std::uint64_t id = 1; id <= 3; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 6));
    QCOMPARE(rig.problem(), std::string());
  }

  void the_same_texts_as_continuous_batching() {
    Rig fixed(config(Batching::fixed, 4, 40)), continuous(config(Batching::continuous, 4, 40));
    for (test::ScheduleRig* rig :
         {static_cast<test::ScheduleRig*>(&fixed), static_cast<test::ScheduleRig*>(&continuous)}) {
      for (std::uint64_t id = 1; id <= 20; ++id)
        PW_VERIFY(rig->add(
            make_request(id, 5 + static_cast<int>(id * 7 % 40), 1 + static_cast<int>(id * 5 % 20), 5)));
      rig->run();
      QCOMPARE(rig->problem(), std::string());
    }
    for (std::uint64_t id = 1; id <= 20; ++id) QVERIFY(fixed.tokens(id) == continuous.tokens(id));
    QVERIFY(fixed.plans.size() > continuous.plans.size());
    QVERIFY(fixed.padding() > 0);
    QCOMPARE(continuous.padding(), 0);
  }

  void a_batch_is_as_large_as_its_reservation_allows() {
    Rig rig(config(Batching::fixed, 3), 20);  // two and a half reservations
    for (std::uint64_t id = 1; id <= 3; ++id) PW_VERIFY(rig.add(make_request(id, 8, 4)));
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans[0].joins.size(), std::size_t{2});
    rig.commit();
    rig.run();
    QCOMPARE(rig.scheduler.preemptions(), std::int64_t{0});
    QVERIFY(rig.tokens(3) == rig.expected(3, 4));
    Rig small(config(Batching::fixed), 7);
    const auto refused = small.add(make_request(1, 8, 4));
    QVERIFY(!refused && refused.error().what.find("8 KV blocks") != std::string::npos);
  }

  void a_cancelled_one_pads_until_the_batch_ends() {
    Rig rig(config(Batching::fixed));
    for (std::uint64_t id = 1; id <= 3; ++id) PW_VERIFY(rig.add(make_request(id, 20, 10)));
    QVERIFY(rig.launch());
    rig.scheduler.finish(RequestId{2}, FinishReason::cancelled);
    rig.commit();
    QCOMPARE(rig.client(2).end->reason, FinishReason::cancelled);
    QCOMPARE(rig.cache.counts().used, 24);
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans.back().shape.padding_tokens, 1);
    rig.commit();
    rig.run();
    QVERIFY(rig.client(2).tokens.empty());
    QVERIFY(rig.tokens(3) == rig.expected(3, 10));
    QCOMPARE(rig.cache.counts().free, 64);
    QCOMPARE(rig.problem(), std::string());
  }

  void the_mode_can_change_while_serving() {
    Rig rig(config(Batching::continuous, 3, 40));
    for (std::uint64_t id = 1; id <= 12; ++id)
      PW_VERIFY(rig.add(make_request(id, 20, 5 + static_cast<int>(id))));
    for (int turn = 0; !rig.scheduler.idle(); ++turn) {
      if (turn % 6 == 0)
        PW_VERIFY(rig.scheduler.reconfigure(
            config(turn % 12 == 0 ? Batching::fixed : Batching::continuous, 3, 40)));
      if (rig.scheduler.in_flight() < 2) rig.launch();
      if (turn % 2 == 1 || rig.scheduler.in_flight() == 2) rig.commit();
    }
    for (std::uint64_t id = 1; id <= 12; ++id)
      QVERIFY(rig.tokens(id) == rig.expected(id, 5 + static_cast<int>(id)));
    QCOMPARE(rig.problem(), std::string());
  }
};

QTEST_APPLESS_MAIN(StaticBatchTest)
#include "static_batch_test.moc"
