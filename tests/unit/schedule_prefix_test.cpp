// SPDX-License-Identifier: GPL-3.0-or-later
// The prefix cache through the scheduler: what is found, what is waited for, and why something was not there.
#include <QTest>

#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::make_request;

namespace {

struct Rig : test::ScheduleRig {
  explicit Rig(int blocks = 256, int batched = 64, int seqs = 8)
      : ScheduleRig({.max_num_seqs = seqs, .max_num_batched_tokens = batched, .max_model_len = 1024},
                    {.cache = {.blocks = blocks, .block_size = 8, .hash_seed = 1}}) {}

  /// Runs it alone; what it found at first.
  AdmissionEvent served(Request request) {
    const std::uint64_t id = request.id.value;
    if (auto ok = add(std::move(request)); !ok) qFatal("%s", ok.error().text().c_str());
    run();
    return client(id).admissions.front();
  }
};

Request follow_up(std::uint64_t id, const test::Client& before, int more, int max_tokens) {
  Request request = make_request(id, 0, max_tokens);
  request.prompt = before.request.prompt;
  request.prompt.insert(request.prompt.end(), before.tokens.begin(), before.tokens.end());
  const Request tail = make_request(id, more, 1);
  request.prompt.insert(request.prompt.end(), tail.prompt.begin(), tail.prompt.end());
  return request;
}

}  // namespace

class SchedulePrefixTest : public QObject {
  Q_OBJECT

 private slots:
  // Property 11 and case 041.
  void the_same_prompt_again_computes_one_token() {
    Rig rig;
    QCOMPARE(rig.served(make_request(1, 40, 3)).cached_tokens, 0);
    Request again = make_request(1, 40, 3);
    again.id = RequestId{2};
    const AdmissionEvent found = rig.served(again);
    QCOMPARE(found.cached_tokens, 39);
    QCOMPARE(found.miss, MissReason::none);
    QCOMPARE(found.miss_token, -1);
    QCOMPARE(rig.client(2).computed, 1);
    QVERIFY(rig.tokens(2) == rig.tokens(1) && rig.tokens(2) == rig.expected(2, 3));
    QCOMPARE(rig.cache.counts().copied, std::int64_t{1});
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 12: what others hold is copied before it is written. The rig checks every block that is written.
  void a_shared_tail_is_copied_before_it_is_written() {
    Rig rig;
    PW_VERIFY(rig.add(make_request(1, 21, 30, 21)));
    while (rig.tokens_of(1) < 5) {
      QVERIFY(rig.launch());
      rig.commit();
    }
    // 16 tokens in whole blocks of a request that still runs; its own 26 have filled a third one by now.
    PW_VERIFY(rig.add(make_request(2, 30, 5, 21)));
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans.back().copies.size(), std::size_t{1});
    QCOMPARE(rig.plans.back().copies[0].tokens, 5);
    QCOMPARE(rig.client(2).admissions.front().cached_tokens, 21);
    rig.commit();
    rig.run();
    QVERIFY(rig.tokens(1) == rig.expected(1, 30) && rig.tokens(2) == rig.expected(2, 5));
    QCOMPARE(rig.problem(), std::string());
  }

  // Case 045, second half: all of the history is reused, generated tokens too.
  void a_chat_reuses_its_history_to_the_token() {
    Rig rig;
    rig.served(make_request(1, 100, 20));
    for (std::uint64_t turn = 2; turn <= 6; ++turn) {
      const auto history = static_cast<int>(rig.client(turn - 1).request.prompt.size()) + 20;
      const AdmissionEvent found = rig.served(follow_up(turn, rig.client(turn - 1), 13, 20));
      QCOMPARE(found.cached_tokens, history - 1);  // the KV of the last token was never computed
      QVERIFY(rig.tokens(turn) == rig.expected(turn, 20));
    }
    QCOMPARE(rig.problem(), std::string());
  }

  // Cases 045 to 047: a change in the middle is found to the token, by ids and not by text.
  void a_divergence_is_named_to_the_token() {
    Rig rig;
    rig.served(make_request(1, 200, 2));
    for (const int at : {0, 7, 8, 30, 199}) {
      Request changed = make_request(1, 200, 2);
      changed.id = RequestId{static_cast<std::uint64_t>(100 + at)};
      changed.prompt[static_cast<std::size_t>(at)] += 1;
      const std::uint64_t id = changed.id.value;
      const AdmissionEvent found = rig.served(std::move(changed));
      QCOMPARE(found.cached_tokens, at);
      QCOMPARE(found.miss_token, at == 199 ? -1 : at);
      // Where not even the first token is shared there is nothing to diverge from.
      QCOMPARE(found.miss, at == 199 ? MissReason::none : at == 0 ? MissReason::cold : MissReason::diverged);
      QVERIFY(rig.tokens(id) == rig.expected(id, 2));
    }
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 8, case 044.
  void another_salt_finds_nothing_and_says_so() {
    Rig rig;
    rig.served(make_request(1, 40, 2));
    for (const auto& [id, key] : {std::pair{2, CacheKey{"", "b"}}, std::pair{3, CacheKey{"lora", ""}}}) {
      Request other = make_request(1, 40, 2);
      other.id = RequestId{static_cast<std::uint64_t>(id)};
      other.cache_key = key;
      const AdmissionEvent found = rig.served(other);
      QCOMPARE(found.cached_tokens, 0);
      QCOMPARE(found.miss, MissReason::different_salt);
    }
    QCOMPARE(rig.problem(), std::string());
  }

  void reasons_beside_divergence() {
    Rig rig(16);
    QCOMPARE(rig.served(make_request(1, 5, 2)).miss, MissReason::below_one_block);
    QCOMPARE(rig.served(make_request(2, 40, 2, 8)).miss, MissReason::cold);  // not a token of request 1's
    rig.served(make_request(3, 120, 2));
    const AdmissionEvent evicted = rig.served(make_request(4, 60, 2, 8));
    QCOMPARE(evicted.miss, MissReason::evicted);
    QCOMPARE(evicted.miss_token, 0);
    Rig off(16);
    Request logits = make_request(1, 40, 2);
    off.served(make_request(2, 40, 2));
    logits.prompt = off.client(2).request.prompt;
    logits.sampling.prompt_logits = true;
    QCOMPARE(off.served(logits).miss, MissReason::disabled);  // it wants all of them computed
    QCOMPARE(off.client(1).computed, 40);
  }

  // Property 10.
  void a_request_waits_for_what_another_computes() {
    Rig rig(256, 64);
    PW_VERIFY(rig.add(make_request(1, 160, 4, 150)));
    PW_VERIFY(rig.add(make_request(2, 155, 4, 150)));
    PW_VERIFY(rig.add(make_request(3, 20, 4)));  // not blocked by the one that waits
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans[0].joins.size(), std::size_t{2});
    QCOMPARE(rig.plans[0].joins[1].request, RequestId{3});
    rig.commit();
    rig.run();
    const AdmissionEvent found = rig.client(2).admissions.front();
    QCOMPARE(found.cached_tokens, 150);
    QCOMPARE(rig.executor.computed_rows(), std::int64_t{160 + 5 + 20 + 3 * 3});
    for (const std::uint64_t id : {1, 2, 3}) QVERIFY(rig.tokens(id) == rig.expected(id, 4));
    QCOMPARE(rig.problem(), std::string());
  }

  void waiting_ends_when_the_producer_does() {
    Rig rig(256, 64);
    PW_VERIFY(rig.add(make_request(1, 500, 4, 490)));
    PW_VERIFY(rig.add(make_request(2, 495, 4, 490)));
    QVERIFY(rig.launch());
    QVERIFY(rig.launch());
    rig.commit();
    QVERIFY(rig.client(2).admissions.empty());
    rig.scheduler.finish(RequestId{1}, FinishReason::cancelled);
    rig.run();
    QVERIFY(rig.tokens(2) == rig.expected(2, 4));
    QCOMPARE(rig.client(2).admissions.front().cached_tokens, 64);  // one chunk was committed by then
    QCOMPARE(rig.problem(), std::string());
  }

  void nobody_waits_where_computing_is_faster() {
    SchedulerConfig config{.max_num_seqs = 8, .max_num_batched_tokens = 256, .max_model_len = 1024};
    config.long_prefill_token_threshold = 16;  // the producer creeps
    test::ScheduleRig rig(config, {.cache = {.blocks = 256, .block_size = 8, .hash_seed = 1}});
    PW_VERIFY(rig.add(make_request(1, 500, 2, 200)));
    PW_VERIFY(rig.add(make_request(2, 210, 2, 200)));
    QVERIFY(rig.launch());
    QCOMPARE(rig.plans[0].joins.size(), std::size_t{2});
    QCOMPARE(rig.client(2).admissions.front().miss, MissReason::not_yet_computed);
    rig.commit();
    rig.run();
    // Both computed the same blocks; the second to commit them took the first one's.
    QVERIFY(rig.cache.counts().merged > 0);
    QVERIFY(rig.tokens(1) == rig.expected(1, 2) && rig.tokens(2) == rig.expected(2, 2));
    QCOMPARE(rig.problem(), std::string());
  }

  // Case 048.
  void an_abort_in_the_middle_keeps_what_was_computed() {
    Rig rig(256, 64);
    PW_VERIFY(rig.add(make_request(1, 320, 4)));
    for (int i = 0; i < 3; ++i) {
      QVERIFY(rig.launch());
      rig.commit();
    }
    QVERIFY(rig.launch());  // a fourth chunk is in flight: it counts no more
    rig.scheduler.finish(RequestId{1}, FinishReason::cancelled);
    rig.commit();
    Request again = make_request(1, 320, 4);
    again.id = RequestId{2};
    const AdmissionEvent found = rig.served(again);
    QCOMPARE(found.cached_tokens, 3 * 64);
    QCOMPARE(rig.client(2).computed, 320 - 3 * 64);
    QVERIFY(rig.tokens(2) == rig.expected(2, 4));
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 33: looked up in every plan while it waits, counted once; hits never exceed what was asked.
  void a_lookup_is_counted_once() {
    Rig rig(256, 64, 1);
    rig.served(make_request(1, 40, 2, 32));
    PW_VERIFY(rig.add(make_request(2, 40, 30)));
    PW_VERIFY(rig.add(make_request(3, 40, 2, 32)));
    rig.run();
    QCOMPARE(rig.client(3).admissions.size(), std::size_t{1});
    QCOMPARE(rig.client(3).admissions[0].cached_tokens, 32);
    QCOMPARE(rig.client(3).computed, 8);
  }

  // Property 13: in a pool that is just large enough, hits are not counted as free for the rest.
  void hits_are_not_free_blocks_for_the_same_request() {
    Rig rig(6);
    rig.served(make_request(1, 40, 2, 40));
    const AdmissionEvent found = rig.served(make_request(2, 44, 5, 40));  // six blocks, the whole pool
    QVERIFY(found.cached_tokens >= 32);
    QVERIFY(rig.tokens(2) == rig.expected(2, 5));
    QCOMPARE(rig.problem(), std::string());
  }

  // Property 34.
  void prefixes_are_kept_while_a_request_holds_blocks() {
    Rig rig;
    PW_VERIFY(rig.add(make_request(1, 40, 20)));
    QVERIFY(rig.launch());
    QVERIFY(!rig.cache.reset_prefixes());
    rig.commit();
    rig.run();
    PW_VERIFY(rig.cache.reset_prefixes());
    Request again = make_request(1, 40, 3);
    again.id = RequestId{2};
    QCOMPARE(rig.served(again).cached_tokens, 0);
  }

  // Property 9 through the scheduler: all keys the same.
  void texts_are_right_where_every_key_collides() {
    test::ScheduleRig rig(
        {.max_num_seqs = 4, .max_num_batched_tokens = 64, .max_model_len = 256},
        {.cache = {.blocks = 64, .block_size = 8, .hash = [](std::uint64_t, std::span<const TokenId>) {
                     return std::uint64_t{1};
                   }}});
    for (std::uint64_t id = 1; id <= 12; ++id)
      PW_VERIFY(rig.add(make_request(id, 40, 20, static_cast<int>(id % 4) * 11, static_cast<int>(id % 2))));
    rig.run();
    for (std::uint64_t id = 1; id <= 12; ++id) QVERIFY(rig.tokens(id) == rig.expected(id, 20));
    QCOMPARE(rig.problem(), std::string());
  }
};

QTEST_APPLESS_MAIN(SchedulePrefixTest)
#include "schedule_prefix_test.moc"
