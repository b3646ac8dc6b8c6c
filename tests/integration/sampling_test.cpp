// SPDX-License-Identifier: GPL-3.0-or-later
// Penalties, biases, min_tokens, guides and logprobs through the whole engine, against the logits that the
// same model gives for the same text.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/engine_runner.h"
#include "tests/support/rule_guide.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

using Tokens = std::vector<TokenId>;
using Row = std::vector<double>;
constexpr auto kVocabulary = static_cast<std::size_t>(test::kTinyVocabulary);

const test::SettingList kFloat32 = {{"dtype", "float32"}, {"kv-cache-memory-bytes", "8MiB"}};

GenerationRequest request(const std::string& prompt, int max_tokens) {
  return test::greedy_request(test::tiny_tokens(prompt), max_tokens);
}

/// The logits behind each token of a text.
std::vector<Row> logits_of(Engine& engine, const Tokens& text) {
  GenerationRequest asked = test::greedy_request(text, 1);
  asked.sampling.prompt_logits = true;
  const std::vector<float> all = test::joined_logits(test::run_request(engine, std::move(asked)).last);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < all.size(); i += kVocabulary)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                      all.begin() + static_cast<std::ptrdiff_t>(i + kVocabulary));
  return rows;
}

Tokens joined(Tokens prompt, const Tokens& reply) {
  prompt.insert(prompt.end(), reply.begin(), reply.end());
  return prompt;
}

Row log_softmax(const Row& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  Row result;
  for (const double logit : logits) result.push_back(logit - largest - std::log(sum));
  return result;
}

/// "" or what is wrong with the logprobs of `token` at a position with these logits.
QString fault(const PositionLogprobs& given, const Row& logits, TokenId token, int top) {
  const Row logprobs = log_softmax(logits);
  std::vector<TokenId> order(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<TokenId>(i);
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  const auto is_near = [&](const TokenLogprob& one) {
    return std::abs(static_cast<double>(one.logprob) - logprobs[static_cast<std::size_t>(one.token)]) < 1e-4;
  };
  const auto rank = std::find(order.begin(), order.end(), token) - order.begin() + 1;
  if (given.chosen.token != token || !is_near(given.chosen)) return "the chosen token's logprob";
  if (given.chosen.rank != rank) return QString("rank %1 for %2").arg(given.chosen.rank).arg(rank);
  if (static_cast<int>(given.top.size()) != top) return "the count of the likeliest";
  for (std::size_t i = 0; i < given.top.size(); ++i) {
    if (given.top[i].token != order[i] || given.top[i].rank != static_cast<int>(i) + 1 ||
        !is_near(given.top[i]))
      return QString("likeliest token %1").arg(i);
  }
  return {};
}

bool same(const PositionLogprobs& a, const PositionLogprobs& b) {
  const auto equal = [](const TokenLogprob& one, const TokenLogprob& other) {
    return one.token == other.token && one.logprob == other.logprob && one.rank == other.rank;
  };
  return equal(a.chosen, b.chosen) &&
         std::equal(a.top.begin(), a.top.end(), b.top.begin(), b.top.end(), equal);
}

bool same(const std::vector<PositionLogprobs>& a, const std::vector<PositionLogprobs>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const PositionLogprobs& one, const PositionLogprobs& other) { return same(one, other); });
}

/// Eight ways, among them two that ask for nothing.
std::vector<GenerationRequest> mixed_requests(int max_tokens) {
  std::vector<GenerationRequest> requests;
  for (int i = 0; i < 8; ++i) {
    requests.push_back(request("story number " + std::to_string(i) + " goes like this:", max_tokens));
    SamplingParams& sampling = requests.back().sampling;
    if (i % 3 == 1)
      sampling.choice = {.temperature = 0.8f, .top_p = 0.95f, .seed = 5 + static_cast<std::uint64_t>(i)};
    if (i == 1) sampling.repetition_penalty = 1.3f;
    if (i == 2) sampling.frequency_penalty = 0.7f, sampling.presence_penalty = -0.4f;
    if (i == 3)
      sampling.logit_bias = {{test::tiny_tokens("e")[0], -100.0f}, {test::tiny_tokens("x")[0], 2.0f}};
    if (i == 4) {
      sampling.guide = test::rule_guide(test::kTinyVocabulary, [](const Tokens& reply, TokenId token) {
        return token % 3 == static_cast<TokenId>(reply.size() % 3);
      });
    }
    if (i == 5) sampling.min_tokens = 9, sampling.end_tokens = test::tiny_tokens(" etaoinshrdlu");
    if (i != 0 && i != 6) sampling.logprobs = i % 4;
    if (i == 2 || i == 7) sampling.prompt_logprobs = 3;
  }
  return requests;
}

}  // namespace

class SamplingTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    tiny_ = test::write_tiny_model(folder_.path());
    engine_ = test::start_engine(tiny_, kFloat32, true);
  }
  void cleanupTestCase() { engine_.reset(); }

  void a_bias_of_100_decides() {
    const auto free = test::run_request(*engine_, request("once upon a time", 30));
    GenerationRequest banned = request("once upon a time", 30);
    banned.sampling.logit_bias = {{free.tokens[0], -100.0f}, {free.tokens[5], -100.0f}};
    for (const TokenId token : test::run_request(*engine_, banned).tokens)
      QVERIFY(token != free.tokens[0] && token != free.tokens[5]);
    GenerationRequest forced = request("once upon a time", 30);
    forced.sampling.logit_bias = {{test::tiny_tokens("Z")[0], 100.0f}};
    QCOMPARE(test::run_request(*engine_, forced).text, std::string(30, 'Z'));
    forced.sampling.logit_bias = {{test::kTinyVocabulary, 1.0f}};
    const auto refused = engine_->submit(forced, [](OutputEvent&&) {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().param, std::string("logit_bias"));
    QVERIFY(refused.error().what.find("259") != std::string::npos);
  }

  void penalties_choose_what_a_recount_chooses() {
    const std::tuple<float, float, float> penalties[] = {{1.8f, 0, 0},  {0.6f, 0, 0}, {1, 1.5f, 0},
                                                         {1, -0.5f, 0}, {1, 0, 2},    {1.2f, 0.3f, 0.4f}};
    for (const auto& [repetition, frequency, presence] : penalties) {
      GenerationRequest asked = request("the cat sat on the mat and the cat", 40);
      asked.sampling.repetition_penalty = repetition;
      asked.sampling.frequency_penalty = frequency;
      asked.sampling.presence_penalty = presence;
      const Tokens prompt = asked.prompt;
      const Tokens reply = test::run_request(*engine_, asked).tokens;
      QCOMPARE(reply.size(), std::size_t{40});
      const auto rows = logits_of(*engine_, joined(prompt, reply));
      for (std::size_t i = 0; i < reply.size(); ++i) {
        Row row = rows[prompt.size() - 1 + i];
        const auto so_far = reply.begin() + static_cast<std::ptrdiff_t>(i);
        for (std::size_t t = 0; t < row.size(); ++t) {
          const auto token = static_cast<TokenId>(t);
          const auto times = std::count(reply.begin(), so_far, token);
          const auto r = static_cast<double>(repetition);
          if (times + std::count(prompt.begin(), prompt.end(), token) > 0)
            row[t] = row[t] > 0 ? row[t] / r : row[t] * r;
          row[t] -= static_cast<double>(frequency) * static_cast<double>(times);
          row[t] -= times > 0 ? static_cast<double>(presence) : 0;
        }
        const double best = *std::max_element(row.begin(), row.end());
        QVERIFY(row[static_cast<std::size_t>(reply[i])] > best - 1e-4);
      }
    }
    GenerationRequest asked = request("the cat sat on the mat and the cat", 40);
    const Tokens free = test::run_request(*engine_, asked).tokens;
    asked.sampling.presence_penalty = 2;
    QVERIFY(test::run_request(*engine_, asked).tokens != free);
  }

  void min_tokens_hold_the_end_back() {
    const auto free = test::run_request(*engine_, request("the end", 20));
    GenerationRequest ends = request("the end", 20);
    ends.sampling.end_tokens = {free.tokens[0], free.tokens[3], test::kTinyVocabulary};
    QCOMPARE(test::run_request(*engine_, ends).last.record.output_tokens, 1);
    ends.sampling.min_tokens = 12;
    const auto reply = test::run_request(*engine_, ends);
    QVERIFY(reply.tokens.size() >= 12);
    for (std::size_t i = 0; i < 12; ++i)
      QVERIFY(reply.tokens[i] != free.tokens[0] && reply.tokens[i] != free.tokens[3]);
    ends.sampling.min_tokens = 0;
    ends.sampling.logit_bias = {{free.tokens[3], 100.0f}};
    QCOMPARE(test::run_request(*engine_, ends).last.record.output_tokens, 1);
    ends.sampling.min_tokens = 7;
    QCOMPARE(test::run_request(*engine_, ends).last.record.output_tokens,
             8);  // the end comes as soon as it may
  }

  void guides_are_followed() {
    GenerationRequest even = request("say something", 40);
    even.sampling.guide =
        test::rule_guide(test::kTinyVocabulary, [](const Tokens&, TokenId token) { return token % 2 == 0; });
    for (const float temperature : {0.0f, 1.5f}) {
      even.sampling.choice.temperature = temperature;
      const auto reply = test::run_request(*engine_, even);
      QCOMPARE(reply.tokens.size(), std::size_t{40});
      for (const TokenId token : reply.tokens) QCOMPARE(token % 2, 0);
    }
    const Tokens words = test::tiny_tokens("{\"answer\": 42}");
    GenerationRequest fixed = request("say something", 40);
    fixed.ignore_eos = false;
    fixed.sampling.guide =
        test::rule_guide(test::kTinyVocabulary, [words](const Tokens& reply, TokenId token) {
          return token == (reply.size() < words.size() ? words[reply.size()] : test::kTinyEnd);
        });
    const auto reply = test::run_request(*engine_, fixed);
    QCOMPARE(reply.text, std::string("{\"answer\": 42}"));
    QCOMPARE(reply.last.reason, FinishReason::stop);
  }

  void a_guide_without_a_token_ends_its_request_alone() {
    std::vector<GenerationRequest> requests(3, request("go on and on", 30));
    requests[1].sampling.guide = test::rule_guide(
        test::kTinyVocabulary, [](const Tokens& reply, TokenId) { return reply.size() < 4; });
    const auto replies = test::run_requests(*engine_, requests);
    QCOMPARE(replies[1].last.reason, FinishReason::error);
    QVERIFY(replies[1].last.error.what.find("grammar allows no token") != std::string::npos);
    QCOMPARE(replies[1].tokens.size(), std::size_t{4});
    for (const std::size_t other : {0, 2}) QCOMPARE(replies[other].tokens.size(), std::size_t{30});
    QTRY_COMPARE(engine_->snapshot()->kv_blocks_used, 0);
  }

  void logprobs_are_of_the_models_own_logits() {
    for (const bool changed : {false, true}) {
      for (const int top : {0, 1, 20}) {
        GenerationRequest asked = request("tell me of logarithms", 25);
        asked.sampling.choice = {.temperature = 1.3f, .seed = 11};
        asked.sampling.logprobs = top;
        if (changed) {
          asked.sampling.frequency_penalty = 1.5f;
          asked.sampling.logit_bias = {{test::tiny_tokens("q")[0], 4.0f}};
          asked.sampling.guide = test::rule_guide(
              test::kTinyVocabulary, [](const Tokens&, TokenId token) { return token % 5 != 0; });
        }
        const auto reply = test::run_request(*engine_, asked);
        QCOMPARE(reply.logprobs.size(), std::size_t{25});
        const auto rows = logits_of(*engine_, joined(asked.prompt, reply.tokens));
        for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
          const QString wrong =
              fault(reply.logprobs[i], rows[asked.prompt.size() - 1 + i], reply.tokens[i], top);
          QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
      }
    }
    QVERIFY(test::run_request(*engine_, request("none", 5)).logprobs.empty());
  }

  void any_engine_gives_prompt_logprobs() {
    const auto engine = test::start_engine(
        tiny_, {{"dtype", "float32"}, {"kv-cache-memory-bytes", "8MiB"}, {"max-num-seqs", "3"}});
    GenerationRequest asked = request("a prompt of some length, read twice over", 6);
    const auto rows = logits_of(*engine_, asked.prompt);
    for (int turn = 0; turn < 2; ++turn) {  // the second could find all of it in the cache
      asked.sampling.prompt_logprobs = 4;
      const auto given = test::run_request(*engine, asked).last.prompt_logprobs;
      QCOMPARE(given.size(), asked.prompt.size() - 1);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const QString wrong = fault(given[i], rows[i], asked.prompt[i + 1], 4);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("token %1: %2").arg(i + 1).arg(wrong)));
      }
    }
    asked.prompt.resize(1);
    QVERIFY(test::run_request(*engine, asked).last.prompt_logprobs.empty());
    asked.sampling.prompt_logprobs.reset();
    QVERIFY(test::run_request(*engine, asked).last.prompt_logprobs.empty());
  }

  void company_chunks_and_preemption_change_nothing() {
    constexpr int kTokens = 400;
    std::vector<test::Reply> alone;
    for (const GenerationRequest& one : mixed_requests(kTokens))
      alone.push_back(test::run_request(*engine_, one));
    QCOMPARE(alone[7].last.prompt_logprobs.size(),
             test::tiny_tokens("story number 7 goes like this:").size() - 1);
    const test::SettingList ways[] = {kFloat32,
                                      {{"dtype", "float32"},
                                       {"kv-cache-memory-bytes", "8MiB"},
                                       {"max-num-batched-tokens", "11"},
                                       {"max-num-seqs", "8"}},
                                      {{"dtype", "float32"},
                                       {"kv-cache-memory-bytes", "1MiB"},
                                       {"max-model-len", "1024"},
                                       {"block-size", "16"}}};
    for (const test::SettingList& settings : ways) {
      const auto engine = test::start_engine(tiny_, settings);
      const auto together = test::run_requests(*engine, mixed_requests(kTokens));
      for (std::size_t i = 0; i < together.size(); ++i) {
        QCOMPARE(together[i].tokens, alone[i].tokens);
        QCOMPARE(together[i].last.reason, alone[i].last.reason);
        QVERIFY(same(together[i].logprobs, alone[i].logprobs));
        QVERIFY(same(together[i].last.prompt_logprobs, alone[i].last.prompt_logprobs));
      }
      const bool tight = &settings == &ways[2];
      QCOMPARE(engine->recorder().totals().preemptions > 0, tight);
    }
  }

 private:
  test::TemporaryFolder folder_;
  std::filesystem::path tiny_;
  std::unique_ptr<Engine> engine_;
};

QTEST_GUILESS_MAIN(SamplingTest)
#include "sampling_test.moc"
