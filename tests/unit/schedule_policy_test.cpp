// SPDX-License-Identifier: GPL-3.0-or-later
// Who goes first under each policy, and that nobody waits for ever under any.
#include <QTest>

#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::make_request;

namespace {

SchedulerConfig config(SchedulingPolicy policy, int seqs = 1) {
  SchedulerConfig out{.max_num_seqs = seqs, .max_num_batched_tokens = 64, .max_model_len = 512};
  out.policy = policy;
  return out;
}

struct Rig : test::ScheduleRig {
  explicit Rig(const SchedulerConfig& c, int blocks = 256)
      : ScheduleRig(c, {.cache = {.blocks = blocks, .block_size = 8, .prefix_caching = false}}) {
    step_time = kNanosPerMs;
  }
  /// Requests in the order in which they got their first slot.
  std::vector<std::uint64_t> order() const {
    std::vector<std::uint64_t> out;
    for (const StepPlan& plan : plans) {
      for (const SlotJoin& join : plan.joins) {
        if (std::find(out.begin(), out.end(), join.request.value) == out.end())
          out.push_back(join.request.value);
      }
    }
    return out;
  }
};

Request from(std::uint64_t id, int prompt, int tokens, const std::string& tenant, int priority,
             Nanos arrival) {
  Request request = make_request(id, prompt, tokens);
  request.tenant = tenant;
  request.priority = priority;
  request.arrival = arrival;
  return request;
}

/// Twenty more requests, of another tenant: of the next ten that start, half are his.
void tenants_alternate_from_now_on(Rig& rig) {
  for (std::uint64_t id = 101; id <= 120; ++id) PW_VERIFY(rig.add(from(id, 16, 16, "b", 0, rig.now)));
  const std::size_t before = rig.order().size();
  rig.run();
  const auto order = rig.order();
  int b = 0;
  for (std::size_t i = before; i < before + 10; ++i) b += order[i] > 100 ? 1 : 0;
  QVERIFY2(b >= 4 && b <= 6, std::to_string(b).c_str());
}

}  // namespace

class SchedulePolicyTest : public QObject {
  Q_OBJECT

 private slots:
  void fcfs_goes_by_arrival() {
    Rig rig(config(SchedulingPolicy::fcfs));
    for (const std::uint64_t id : {3, 1, 2})
      PW_VERIFY(rig.add(from(id, 10, 3, "", static_cast<int>(id), static_cast<Nanos>(10 - id))));
    rig.run();
    QVERIFY(rig.order() == (std::vector<std::uint64_t>{3, 2, 1}));
  }

  void priority_goes_by_number_then_arrival() {
    Rig rig(config(SchedulingPolicy::priority));
    const int priorities[] = {5, 1, 5, -2, 1};
    for (std::uint64_t id = 1; id <= 5; ++id)
      PW_VERIFY(rig.add(from(id, 10, 3, "", priorities[id - 1], static_cast<Nanos>(id))));
    rig.run();
    QVERIFY(rig.order() == (std::vector<std::uint64_t>{4, 2, 5, 1, 3}));
    QCOMPARE(rig.problem(), std::string());
  }

  void fair_gives_equal_shares_however_many_ask() {
    // One tenant floods, another sends one request at a time: both get half of the computed tokens.
    Rig rig(config(SchedulingPolicy::fair, 2));
    std::uint64_t id = 1;
    for (; id <= 200; ++id) PW_VERIFY(rig.add(from(id, 16, 16, "flood", 0, 0)));
    std::map<std::string, int> tokens;
    std::uint64_t polite = 0;
    for (int step = 0; step < 1000; ++step) {
      if (polite == 0 || rig.client(polite).end) {
        polite = id++;
        PW_VERIFY(rig.add(from(polite, 16, 16, "polite", 0, rig.now)));
      }
      QVERIFY(rig.launch());
      for (const SequenceSlice& slice : rig.plans.back().slices)
        tokens[rig.client(slice.request.value).request.tenant] += slice.count;
      rig.commit();
    }
    const double share = static_cast<double>(tokens["polite"]) / (tokens["polite"] + tokens["flood"]);
    QVERIFY2(share > 0.47 && share < 0.53, std::to_string(share).c_str());
    QCOMPARE(rig.problem(), std::string());
  }

  void fair_lets_nobody_save_up() {
    Rig rig(config(SchedulingPolicy::fair));
    for (std::uint64_t id = 1; id <= 20; ++id) PW_VERIFY(rig.add(from(id, 16, 16, "a", 0, 0)));
    for (int step = 0; step < 200; ++step) {
      QVERIFY(rig.launch());
      rig.commit();
    }
    // A tenant that was away does not get all that the other one had meanwhile: they alternate.
    tenants_alternate_from_now_on(rig);
  }

  void a_changed_threshold_is_no_second_arrival() {
    Rig rig(config(SchedulingPolicy::fair));
    PW_VERIFY(rig.add(from(1, 16, 16, "gone", 0, 0)));
    QVERIFY(rig.launch());
    rig.commit();
    SchedulerConfig changed = rig.scheduler.config();
    changed.long_prefill_token_threshold = 100;
    PW_VERIFY(rig.scheduler.reconfigure(changed));
    rig.run();
    // Whoever comes later starts level with those that are there, not with the one that has left.
    for (std::uint64_t id = 11; id <= 30; ++id) PW_VERIFY(rig.add(from(id, 16, 16, "a", 0, rig.now)));
    for (int step = 0; step < 200; ++step) {
      QVERIFY(rig.launch());
      rig.commit();
    }
    tenants_alternate_from_now_on(rig);
  }

  void length_grouped_keeps_similar_prompts_together() {
    Rig rig(config(SchedulingPolicy::length_grouped));
    const int lengths[] = {10, 200, 12, 220, 9, 250};
    for (std::uint64_t id = 1; id <= 6; ++id)
      PW_VERIFY(rig.add(from(id, lengths[id - 1], 2, "", 0, static_cast<Nanos>(id))));
    rig.run();
    QVERIFY(rig.order() == (std::vector<std::uint64_t>{1, 3, 5, 2, 4, 6}));
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 22, case 027: one that every newcomer outranks still starts once it has waited for max_wait.
  void nobody_waits_for_ever_data() {
    QTest::addColumn<int>("policy");
    QTest::newRow("fcfs") << int(SchedulingPolicy::fcfs);
    QTest::newRow("priority") << int(SchedulingPolicy::priority);
    QTest::newRow("fair") << int(SchedulingPolicy::fair);
    QTest::newRow("length_grouped") << int(SchedulingPolicy::length_grouped);
  }
  void nobody_waits_for_ever() {
    QFETCH(int, policy);
    SchedulerConfig c = config(static_cast<SchedulingPolicy>(policy), 2);
    c.max_wait = 500 * kNanosPerMs;
    Rig rig(c);
    std::uint64_t id = 2;
    const auto better = [&] {
      // A new tenant each time, of the running length, of the best priority.
      Request request = from(id, 16, 8, "t" + std::to_string(id), 0, rig.now);
      ++id;
      return request;
    };
    for (int i = 0; i < 4; ++i) PW_VERIFY(rig.add(better()));
    rig.launch();
    rig.commit();
    PW_VERIFY(rig.add(from(1, 300, 8, "t1", 9, rig.now)));
    while (rig.client(1).admissions.empty()) {
      while (rig.scheduler.waiting() < 4) PW_VERIFY(rig.add(better()));
      QVERIFY2(rig.now < 2 * c.max_wait, "it waits for ever");
      rig.launch();
      rig.commit();
    }
    // First come, first served and fair shares get there by themselves.
    const auto outranked = static_cast<SchedulingPolicy>(policy);
    if (outranked == SchedulingPolicy::priority || outranked == SchedulingPolicy::length_grouped)
      QVERIFY(rig.now > c.max_wait);
    QVERIFY(rig.now < c.max_wait + 50 * kNanosPerMs);
    QCOMPARE(rig.problem(), std::string());
  }

  // An aged one that is too big for the moment is not overtaken: the pool empties until it fits.
  void the_aged_are_not_skipped() {
    SchedulerConfig c = config(SchedulingPolicy::priority, 8);
    c.max_wait = 100 * kNanosPerMs;
    Rig rig(c, 40);
    PW_VERIFY(rig.add(from(1, 300, 8, "", 9, 0)));  // 39 of 40 blocks
    std::uint64_t id = 2;
    while (rig.client(1).admissions.empty()) {
      while (rig.scheduler.waiting() < 4) {
        PW_VERIFY(rig.add(from(id, 16, 30, "", 0, rig.now)));
        ++id;
      }
      QVERIFY2(rig.now < 400 * kNanosPerMs, "small ones overtake it for ever");
      rig.launch();
      rig.commit();
    }
    QVERIFY(rig.now > c.max_wait);
  }

  // And it is no victim of anyone who has waited less.
  void the_aged_are_not_victims() {
    SchedulerConfig c = config(SchedulingPolicy::priority, 3);
    c.max_wait = 20 * kNanosPerMs;
    c.preemption = Preemption::recompute;
    Rig rig(c, 12);
    PW_VERIFY(rig.add(from(1, 16, 60, "", 0, 0)));
    PW_VERIFY(rig.add(from(2, 16, 20, "", 0, 0)));
    PW_VERIFY(rig.add(from(3, 16, 20, "", 0, 0)));
    PW_VERIFY(rig.add(from(4, 16, 60, "", 9, 0)));  // waits for a slot until it has aged
    for (int i = 0; i < 15; ++i) {
      rig.launch();
      rig.commit();
    }
    rig.now += 10 * kNanosPerMs;
    std::uint64_t id = 5;
    while (!rig.client(4).end) {
      if (rig.scheduler.waiting() < 2) {
        PW_VERIFY(rig.add(from(id, 16, 60, "", 0, rig.now)));
        ++id;
      }
      rig.launch();
      rig.commit();
    }
    QVERIFY(rig.scheduler.preemptions() > 0);
    QCOMPARE(rig.client(4).preemptions, 0);
    QVERIFY(rig.tokens(4) == rig.expected(4, 60));
  }

  // Waits add up: one that was preempted does not start anew.
  void waits_before_and_after_a_preemption_count_together() {
    SchedulerConfig c = config(SchedulingPolicy::priority, 3);
    c.max_wait = 100 * kNanosPerMs;
    c.preemption = Preemption::recompute;
    SchedulerConfig one = c;
    one.max_num_seqs = 1;
    Rig rig(c, 12);
    PW_VERIFY(rig.scheduler.reconfigure(one));
    PW_VERIFY(rig.add(from(2, 16, 70, "", 0, 0)));
    PW_VERIFY(rig.add(from(1, 16, 60, "", 9, 0)));
    const auto turn = [&] {
      rig.launch();
      rig.commit();
    };
    while (rig.client(1).admissions.empty()) turn();
    const Nanos first_wait = rig.now;
    QVERIFY(first_wait > 60 * kNanosPerMs && first_wait < 80 * kNanosPerMs);
    PW_VERIFY(rig.scheduler.reconfigure(c));
    std::uint64_t id = 3;
    const auto crowd = [&] {
      for (; rig.scheduler.waiting() < 3; ++id) PW_VERIFY(rig.add(from(id, 16, 40, "", 0, rig.now)));
    };
    while (rig.client(1).preemptions == 0) {
      crowd();
      turn();
    }
    const Nanos again = rig.now;
    while (rig.client(1).admissions.size() < 2) {
      crowd();
      turn();
    }
    const Nanos second_wait = rig.now - again;
    QVERIFY(first_wait + second_wait > c.max_wait);
    QVERIFY2(second_wait < 90 * kNanosPerMs, std::to_string(second_wait / kNanosPerMs).c_str());
    QCOMPARE(rig.problem(), std::string());
  }

  void the_policy_can_change_while_serving() {
    Rig rig(config(SchedulingPolicy::fcfs));
    for (std::uint64_t id = 1; id <= 6; ++id)
      PW_VERIFY(rig.add(from(id, 10, 3, "", static_cast<int>(10 - id), static_cast<Nanos>(id))));
    QVERIFY(rig.launch());
    rig.commit();
    PW_VERIFY(rig.scheduler.reconfigure(config(SchedulingPolicy::priority)));
    rig.run();
    QVERIFY(rig.order() == (std::vector<std::uint64_t>{1, 6, 5, 4, 3, 2}));
    QCOMPARE(rig.problem(), std::string());
  }
};

QTEST_APPLESS_MAIN(SchedulePolicyTest)
#include "schedule_policy_test.moc"
