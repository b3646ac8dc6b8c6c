// SPDX-License-Identifier: GPL-3.0-or-later
// What changes a request's logits: bounds of its numbers, counts and their order against a recount of the
// whole text, min_tokens and guides, and when the scheduler waits for a token.
#include <QTest>
#include <cmath>
#include <map>
#include <random>

#include "engine/execute/logit_change.h"
#include "engine/schedule/logit_changes.h"
#include "tests/support/rule_guide.h"
#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Tokens = std::vector<TokenId>;

LogitChange next(LogitChanges& changes, int outputs) {
  return changes.next(outputs).value_or(LogitChange{});
}

std::map<TokenId, float> added(const LogitChange& change) {
  std::map<TokenId, float> result;
  for (const LogitChange::Token& token : change.tokens) result[token.token] = token.add;
  return result;
}

/// The rules word by word: repetition, frequency and presence, bias, each over a recounted text.
std::vector<double> reference(std::vector<double> logits, const SamplingParams& sampling,
                              const Tokens& prompt, const Tokens& reply) {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto token = static_cast<TokenId>(i);
    const auto in_prompt = std::count(prompt.begin(), prompt.end(), token);
    const auto in_reply = std::count(reply.begin(), reply.end(), token);
    const auto r = static_cast<double>(sampling.repetition_penalty);
    double& logit = logits[i];
    if (in_prompt + in_reply > 0) logit = logit > 0 ? logit / r : logit * r;
    logit -= static_cast<double>(sampling.frequency_penalty) * static_cast<double>(in_reply);
    if (in_reply > 0) logit -= static_cast<double>(sampling.presence_penalty);
    for (const auto& [biased, bias] : sampling.logit_bias)
      logit += biased == token ? static_cast<double>(bias) : 0;
  }
  return logits;
}

Request request_with(std::uint64_t id, const SamplingParams& sampling, int prompt = 8) {
  Request request = test::make_request(id, prompt, 12);
  const int max_tokens = request.sampling.max_tokens;
  request.sampling = sampling;
  request.sampling.max_tokens = max_tokens;
  return request;
}

SamplingParams penalised() {
  SamplingParams sampling;
  sampling.repetition_penalty = 1.5f;
  sampling.frequency_penalty = 0.5f;
  return sampling;
}

test::ScheduleRig rig_of(int seqs, int logit_rows = 0) {
  SchedulerConfig config;
  config.max_num_seqs = seqs;
  config.max_num_batched_tokens = 64;
  config.max_model_len = 256;
  config.max_logit_rows = logit_rows;
  return {config, {.cache = {.blocks = 64, .block_size = 16}}};
}

}  // namespace

class LogitChangesTest : public QObject {
  Q_OBJECT

 private slots:
  void bounds_are_named_as_clients_know_them() {
    const auto param = [](const auto& change) {
      SamplingParams sampling;
      change(sampling);
      const auto ok = sampling.check();
      return ok ? std::string() : ok.error().param;
    };
    using S = SamplingParams;
    for (const float bad : {0.0f, -1.0f, 2.01f, NAN})
      QCOMPARE(param([&](S& s) { s.repetition_penalty = bad; }), std::string("repetition_penalty"));
    for (const float bad : {-2.01f, 2.01f, NAN, INFINITY}) {
      QCOMPARE(param([&](S& s) { s.frequency_penalty = bad; }), std::string("frequency_penalty"));
      QCOMPARE(param([&](S& s) { s.presence_penalty = bad; }), std::string("presence_penalty"));
    }
    for (const float bad : {-100.5f, 101.0f, NAN})
      QCOMPARE(param([&](S& s) { s.logit_bias = {{3, 1.0f}, {4, bad}}; }), std::string("logit_bias"));
    for (const int bad : {-1, 21}) {
      QCOMPARE(param([&](S& s) { s.logprobs = bad; }), std::string("logprobs"));
      QCOMPARE(param([&](S& s) { s.prompt_logprobs = bad; }), std::string("prompt_logprobs"));
    }
    QCOMPARE(param([](S& s) { s.min_tokens = -1; }), std::string("min_tokens"));
    QCOMPARE(param([](S& s) { s.min_tokens = 5, s.max_tokens = 4; }), std::string("min_tokens"));
    QCOMPARE(param([](S& s) {
               s.min_tokens = 5, s.repetition_penalty = 2, s.frequency_penalty = -2, s.presence_penalty = 2;
               s.logprobs = 0, s.prompt_logprobs = 20, s.logit_bias = {{1, -100.0f}, {2, 100.0f}};
             }),
             std::string());
  }

  void counts_and_their_order_are_those_of_a_recount() {
    const unsigned seed = std::random_device()();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    constexpr int kVocabulary = 23;
    const auto number = [&](float low, float high) {
      return std::uniform_real_distribution<float>(low, high)(random);
    };
    const auto token = [&] { return static_cast<TokenId>(random() % kVocabulary); };
    for (int round = 0; round < 40; ++round) {
      SamplingParams sampling;
      if (round % 2 == 0) sampling.repetition_penalty = number(0.1f, 2);
      if (round % 3 != 0) sampling.frequency_penalty = number(-2, 2);
      if (round % 5 != 0) sampling.presence_penalty = number(-2, 2);
      for (int i = round % 4; i > 0; --i) sampling.logit_bias.emplace_back(token(), number(-100, 100));
      Tokens prompt(1 + random() % 30), reply;
      for (TokenId& one : prompt) one = token();
      LogitChanges changes(sampling, prompt);
      for (int outputs = 0; outputs < 40; ++outputs) {
        std::vector<float> logits(kVocabulary);
        for (float& logit : logits) logit = number(-8, 8);
        const auto expected = reference({logits.begin(), logits.end()}, sampling, prompt, reply);
        const LogitChange change = next(changes, outputs);
        QCOMPARE(added(change).size(), change.tokens.size());  // each id once
        change_logits(change, logits);
        for (std::size_t i = 0; i < logits.size(); ++i)
          QVERIFY(std::abs(static_cast<double>(logits[i]) - expected[i]) < 1e-4);
        reply.push_back(token());
        PW_VERIFY(changes.take(reply.back()));
      }
    }
  }

  void a_mask_forbids_what_it_lacks() {
    LogitChange change;
    change.tokens = {{.token = 1, .add = 100}};
    change.mask = std::make_shared<TokenMask>(TokenMask{{0b101}});
    std::vector<float> logits(40, 1.0f);
    change_logits(change, logits);
    for (std::size_t i = 0; i < logits.size(); ++i) QCOMPARE(std::isfinite(logits[i]), i == 0 || i == 2);
  }

  void ends_are_forbidden_until_min_tokens() {
    SamplingParams sampling;
    sampling.min_tokens = 3;
    sampling.end_tokens = {7, 2, 7};
    sampling.logit_bias = {{2, 100.0f}};
    LogitChanges changes(sampling, Tokens{1});
    QVERIFY(!changes.needs_tokens());
    for (int outputs = 0; outputs < 3; ++outputs) {
      QCOMPARE(added(next(changes, outputs)), (std::map<TokenId, float>{{2, -INFINITY}, {7, -INFINITY}}));
      PW_VERIFY(changes.take(5));
    }
    QCOMPARE(added(next(changes, 3)), (std::map<TokenId, float>{{2, 100.0f}}));
  }

  void a_guide_that_leaves_only_ends_comes_before_min_tokens() {
    SamplingParams sampling;
    sampling.min_tokens = 9;
    sampling.end_tokens = {2, 7};
    sampling.guide = test::rule_guide(
        20, [](const Tokens& reply, TokenId token) { return reply.empty() ? token > 5 : token == 2; });
    LogitChanges changes(sampling, Tokens{1});
    QCOMPARE(added(next(changes, 0)), (std::map<TokenId, float>{{2, -INFINITY}, {7, -INFINITY}}));
    PW_VERIFY(changes.take(9));
    const LogitChange last = next(changes, 1);
    QVERIFY(last.tokens.empty());
    QVERIFY(last.mask->allows(2) && !last.mask->allows(7));
  }

  void a_guide_is_asked_once_for_each_token() {
    int asked = 0;
    SamplingParams sampling;
    sampling.guide = test::rule_guide(4, [&](const Tokens&, TokenId token) {
      asked += token == 0 ? 1 : 0;
      return token % 2 == 0;
    });
    LogitChanges changes(sampling, Tokens{1});
    QVERIFY(changes.needs_tokens());
    QCOMPARE(asked, 0);
    const auto first = next(changes, 0).mask;
    QCOMPARE(next(changes, 0).mask, first);  // a plan that was dropped
    QCOMPARE(asked, 1);
    QVERIFY(!changes.take(1).ok());
    PW_VERIFY(changes.take(2));
    QVERIFY(next(changes, 1).mask != first);
  }

  void a_request_whose_guide_fails_ends_alone() {
    for (const bool refuses : {false, true}) {
      auto rig = rig_of(4);
      const test::TokenRule all = [](const Tokens&, TokenId) { return true; };
      const test::TokenRule three = [](const Tokens& reply, TokenId) { return reply.size() < 3; };
      SamplingParams sampling;
      sampling.guide = test::rule_guide(997, refuses ? all : three, three);
      PW_VERIFY(rig.add(request_with(1, {})));
      PW_VERIFY(rig.add(request_with(2, sampling)));
      PW_VERIFY(rig.add(request_with(3, penalised())));
      rig.run();
      QCOMPARE(rig.problem(), std::string());
      QCOMPARE(rig.client(2).end->reason, FinishReason::error);
      QVERIFY(rig.client(2).end->error.find("grammar") != std::string::npos);
      QCOMPARE(rig.tokens(2), rig.expected(2, 12));
      QCOMPARE(rig.tokens_of(2), 3);
      for (const std::uint64_t other : {1, 3}) {
        QCOMPARE(rig.client(other).end->reason, FinishReason::length);
        QCOMPARE(rig.tokens(other), rig.expected(other, 12));
      }
    }
  }

  void only_those_whose_logits_need_tokens_wait() {
    SamplingParams biased;
    biased.logit_bias = {{5, 1.0f}};
    biased.min_tokens = 4;
    biased.end_tokens = {6};
    auto rig = rig_of(4);
    PW_VERIFY(rig.add(request_with(1, {})));
    PW_VERIFY(rig.add(request_with(2, penalised())));
    PW_VERIFY(rig.add(request_with(3, biased)));
    rig.run();
    QCOMPARE(rig.problem(), std::string());
    std::map<std::uint64_t, std::vector<std::uint64_t>> steps;
    for (const StepPlan& plan : rig.plans) {
      for (const SequenceSlice& slice : plan.slices) steps[slice.request.value].push_back(plan.number);
    }
    for (std::size_t i = 1; i < 12; ++i) {
      QCOMPARE(steps[1][i], steps[1][i - 1] + 1);
      QCOMPARE(steps[3][i], steps[3][i - 1] + 1);
    }
    for (std::size_t i = 1; i < 6; ++i) QCOMPARE(steps[2][i], steps[2][i - 1] + 2);
    for (const std::uint64_t id : {1, 2, 3}) QCOMPARE(rig.tokens(id), rig.expected(id, 12));
  }

  void those_that_wait_come_together() {
    auto rig = rig_of(4);
    PW_VERIFY(rig.add(request_with(1, penalised())));
    QVERIFY(rig.launch());
    PW_VERIFY(rig.add(request_with(2, penalised())));
    rig.run();
    QCOMPARE(rig.problem(), std::string());
    QCOMPARE(rig.plans.size(), std::size_t{13});  // two prompts, then both at once
    for (std::size_t i = 2; i < 12; ++i) QCOMPARE(rig.plans[i].slices.size(), std::size_t{2});
  }

  void prompt_logprobs_take_the_rows_that_are_left() {
    SamplingParams reading;
    reading.prompt_logprobs = 2;
    auto rig = rig_of(8);
    PW_VERIFY(rig.add(request_with(1, {})));
    PW_VERIFY(rig.add(request_with(2, reading, 60)));
    PW_VERIFY(rig.add(request_with(3, {}, 20)));
    rig.run();
    QCOMPARE(rig.problem(), std::string());
    QCOMPARE(rig.client(2).prompt_logprobs, 59);
    QVERIFY(rig.client(3).first_token_step < rig.client(2).first_token_step);  // it leaves rows to others
    PW_VERIFY(rig.add(request_with(4, reading, 60)));
    PW_VERIFY(rig.add(test::make_request(2004, 1, 1)));
    rig.run();
    QCOMPARE(rig.problem(), std::string());
    QCOMPARE(rig.client(4).prompt_logprobs, 59);
  }

  void prompt_logprobs_reuse_no_prefix_and_come_once_after_a_preemption() {
    SamplingParams reading;
    reading.prompt_logprobs = 0;
    SchedulerConfig config;
    config.max_num_seqs = 4;
    config.max_num_batched_tokens = 64;
    config.max_model_len = 120;
    config.preemption = Preemption::recompute;
    test::ScheduleRig rig(config, {.cache = {.blocks = 10, .block_size = 16}});
    for (std::uint64_t id = 1; id <= 4; ++id) {
      Request request = test::make_request(id, 30, 60, 20);
      request.sampling.prompt_logprobs = 0;
      PW_VERIFY(rig.add(std::move(request)));
    }
    rig.run();
    QCOMPARE(rig.problem(), std::string());
    QVERIFY(!rig.preemptions.empty());
    for (std::uint64_t id = 1; id <= 4; ++id) {
      QCOMPARE(rig.client(id).prompt_logprobs, 29);
      QCOMPARE(rig.client(id).admissions.front().cached_tokens, 0);
      QCOMPARE(rig.tokens(id), rig.expected(id, 60));
    }
  }

  void a_preempted_sequence_goes_on_where_its_guide_stands() {
    for (const Preemption preemption : {Preemption::recompute, Preemption::swap}) {
      SchedulerConfig config;
      config.max_num_seqs = 4;
      config.max_num_batched_tokens = 64;
      config.max_model_len = 120;
      config.preemption = preemption;
      test::ScheduleRig rig(config, {.cache = {.blocks = 10, .block_size = 16, .swap_blocks = 20}});
      for (std::uint64_t id = 1; id <= 4; ++id) {
        Request request = test::make_request(id, 30, 60);
        request.sampling.presence_penalty = 1;
        request.sampling.guide = test::rule_guide(997, [id](const Tokens& reply, TokenId token) {
          return static_cast<std::uint64_t>(token) % 7 == (reply.size() + id) % 7;
        });
        PW_VERIFY(rig.add(std::move(request)));
      }
      rig.run();
      QCOMPARE(rig.problem(), std::string());
      QVERIFY(!rig.preemptions.empty());
      for (std::uint64_t id = 1; id <= 4; ++id) QCOMPARE(rig.tokens(id), rig.expected(id, 60));
    }
  }
};

QTEST_APPLESS_MAIN(LogitChangesTest)
#include "logit_changes_test.moc"
