// SPDX-License-Identifier: GPL-3.0-or-later
// Random arrivals, lengths, cancels, failures and tiny pools under the strict checker: every text is whole
// and in order.
#include <QTest>
#include <deque>
#include <map>
#include <random>

#include "engine/schedule/scheduler.h"
#include "tests/support/fake_executor.h"
#include "tests/support/test_support.h"

using namespace pitwall;

class ScheduleFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void random_storms() {
    const std::uint64_t base = std::random_device{}();
    for (std::uint64_t seed = base; seed < base + 40; ++seed) {
      qInfo("seed %llu", static_cast<unsigned long long>(seed));
      storm(seed);
      if (QTest::currentTestFailed()) return;
    }
  }

 private:
  struct Client {
    int prompt = 0, limit = 0;
    std::vector<TokenId> tokens;
    bool ended = false, cut = false;  // cut: cancelled or failed
  };

  void storm(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const int block_size = 1 << pick(1, 4), blocks = pick(4, 24), seqs = pick(1, 8);
    const int model_len = std::min(blocks * block_size, pick(8, 128));
    BlockPool pool(blocks, block_size);
    Scheduler scheduler(
        {.max_num_seqs = seqs, .max_num_batched_tokens = seqs + pick(0, 40), .max_model_len = model_len},
        pool);
    test::FakeExecutor executor(seqs, blocks, block_size);
    std::deque<StepResult> in_flight;
    std::map<std::uint64_t, Client> clients;
    std::uint64_t next = 1;
    int idle_turns = 0;

    const auto take = [&](const std::vector<TokenEvent>& tokens, const std::vector<FinishEvent>& finished) {
      for (const TokenEvent& event : tokens) clients[event.request.value].tokens.push_back(event.token);
      for (const FinishEvent& event : finished) {
        QVERIFY(!clients[event.request.value].ended);
        clients[event.request.value].ended = true;
        clients[event.request.value].cut |= event.reason == FinishReason::error;
      }
    };
    for (int turn = 0; turn < 100'000; ++turn) {
      const bool arriving = turn < 1500;
      if (arriving && pick(0, 3) == 0) {
        Request request;
        request.id = RequestId{next++};
        const int prompt = pick(1, model_len), limit = pick(1, 40);
        for (int i = 0; i < prompt; ++i) request.prompt.push_back(test::token_after(request.id, i - 1));
        request.sampling.max_tokens = limit;
        const std::uint64_t id = request.id.value;
        if (scheduler.add(std::move(request)))
          clients[id] = {prompt, std::min(limit, model_len - prompt), {}, false, false};
      }
      if (pick(0, 30) == 0 && next > 1) {
        const RequestId id{static_cast<std::uint64_t>(pick(1, static_cast<int>(next) - 1))};
        if (auto found = clients.find(id.value); found != clients.end() && !found->second.ended) {
          found->second.cut = true;
          scheduler.finish(id, FinishReason::cancelled);
        }
      }
      if (in_flight.size() < 2) {
        if (auto plan = scheduler.plan(0)) {
          if (pick(0, 9) == 0) {
            scheduler.discard();
          } else {
            scheduler.launched();
            QVERIFY(static_cast<int>(plan->slices.size()) <= seqs);
            in_flight.push_back(executor.run(*plan));
          }
        }
      }
      if (!in_flight.empty() && (in_flight.size() == 2 || pick(0, 1) == 0)) {
        StepResult result = std::move(in_flight.front());
        in_flight.pop_front();
        if (pick(0, 60) == 0)
          result.error = Error{
              .kind = Error::Kind::internal, .what = "Injected", .cause = {}, .action = {}, .param = {}};
        const Committed committed = scheduler.commit(result, 0);
        take(committed.tokens, committed.finished);
        PW_VERIFY(scheduler.check());
        idle_turns = 0;
      } else if (in_flight.empty() && !scheduler.idle()) {
        take({}, scheduler.take_finished());
        QVERIFY2(++idle_turns < 100, "something waits and nothing runs");
      }
      if (!executor.problems().empty()) QFAIL(executor.problems()[0].c_str());
      if (!arriving && scheduler.idle()) break;
    }
    QVERIFY(scheduler.idle());
    QCOMPARE(pool.free_count(), blocks);
    for (const auto& [id, client] : clients) {
      QVERIFY(client.ended);
      if (!client.cut) QCOMPARE(static_cast<int>(client.tokens.size()), client.limit);
      for (std::size_t i = 0; i < client.tokens.size(); ++i) {
        QCOMPARE(client.tokens[i], test::token_after(RequestId{id}, client.prompt - 1 + static_cast<int>(i)));
      }
    }
  }
};

QTEST_APPLESS_MAIN(ScheduleFuzzTest)
#include "schedule_fuzz_test.moc"
