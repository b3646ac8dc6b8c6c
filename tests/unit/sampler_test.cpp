// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <map>
#include <random>

#include "engine/execute/logprobs.h"
#include "engine/execute/sampler.h"

using namespace pitwall;

class SamplerTest : public QObject {
  Q_OBJECT

  std::vector<std::pair<float, TokenId>> scratch_;

  std::map<TokenId, int> draw(const std::vector<float>& logits, SlotSampling sampling, int count) {
    std::map<TokenId, int> counts;
    for (int i = 0; i < count; ++i) ++counts[sample_token(logits, sampling, i, scratch_).token];
    return counts;
  }

 private slots:
  void greedy_takes_the_largest_and_the_lowest_id_on_a_tie() {
    const SlotSampling greedy{.temperature = 0};
    QCOMPARE(sample_token(std::vector<float>{1, 3, 2, 3}, greedy, 0, scratch_).token, 1);
  }

  void logprob_is_of_the_unscaled_softmax() {
    const SlotSampling greedy{.temperature = 0};
    // log(e^2 / (e^0 + e^1 + e^2)) = 2 − 2.407606 (computed by hand)
    QVERIFY(std::abs(sample_token(std::vector<float>{0, 1, 2}, greedy, 0, scratch_).logprob + 0.407606f) <
            1e-5f);
  }

  void logits_that_are_not_finite_give_no_token() {
    for (const float bad : {NAN, INFINITY, -NAN}) {
      for (std::size_t at = 0; at < 4; ++at) {
        for (const float temperature : {0.0f, 1.0f}) {
          std::vector<float> logits{1, 2, 3, 4};
          logits[at] = bad;
          const SlotSampling sampling{.temperature = temperature};
          QVERIFY(std::isnan(sample_token(logits, sampling, 0, scratch_).logprob));
        }
      }
    }
    // A masked token is minus infinity, which is a choice like any other.
    QCOMPARE(sample_token(std::vector<float>{-INFINITY, 1}, {.temperature = 0}, 0, scratch_).token, 1);
  }

  void frequencies_follow_the_distribution() {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)};
    const int n = 20'000;
    auto counts = draw(logits, {.seed = 42}, n);
    const double expected[] = {0.5, 0.3, 0.15, 0.05};
    double chi2 = 0;
    for (int i = 0; i < 4; ++i) chi2 += std::pow(counts[i] - n * expected[i], 2) / (n * expected[i]);
    QVERIFY2(chi2 < 16.27, qPrintable(QString::number(chi2)));  // 3 degrees of freedom, p = 0.001
  }

  void temperature_sharpens() {
    const std::vector<float> logits{std::log(0.6f), std::log(0.4f)};
    auto counts = draw(logits, {.temperature = 0.5f, .seed = 7}, 20'000);
    // p² renormalised: 0.36 / 0.52 = 0.6923
    QVERIFY(std::abs(counts[0] / 20'000.0 - 0.6923) < 0.01);
  }

  void cuts_leave_the_right_candidates() {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)};
    QCOMPARE(draw(logits, {.top_k = 2, .seed = 1}, 2000).size(), std::size_t{2});
    QCOMPARE(draw(logits, {.top_p = 0.79f, .seed = 1}, 2000).size(), std::size_t{2});
    QCOMPARE(draw(logits, {.top_p = 0.81f, .seed = 1}, 2000).size(), std::size_t{3});
    QCOMPARE(draw(logits, {.min_p = 0.25f, .seed = 1}, 4000).size(), std::size_t{3});  // 0.15 ≥ 0.125 > 0.05
    QCOMPARE(draw(logits, {.top_p = 1e-9f, .seed = 1}, 200).size(), std::size_t{1});
  }

  void logprobs_are_those_of_a_sorted_softmax() {
    const unsigned seed = std::random_device()();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 3);
    for (const std::size_t vocabulary : {1, 2, 19, 20, 1000}) {
      std::vector<float> logits(vocabulary);
      for (float& logit : logits) logit = std::round(normal(random) * 8) / 8;  // with ties
      if (vocabulary > 2) logits[1] = -INFINITY;
      std::vector<TokenId> order(vocabulary);
      for (std::size_t i = 0; i < vocabulary; ++i) order[i] = static_cast<TokenId>(i);
      const auto logit = [&](TokenId token) {
        return static_cast<double>(logits[static_cast<std::size_t>(token)]);
      };
      std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return logit(a) > logit(b); });
      double sum = 0;
      for (const TokenId token : order) sum += std::exp(logit(token));
      const auto is_entry = [&](const TokenLogprob& one, std::size_t place) {
        const double expected = logit(order[place]) - std::log(sum);
        return one.token == order[place] && one.rank == static_cast<int>(place) + 1 &&
               (std::isinf(expected) ? std::isinf(one.logprob)
                                     : std::abs(static_cast<double>(one.logprob) - expected) < 1e-5);
      };
      for (const int top : {0, 1, 5, 20}) {
        const auto place = random() % vocabulary;
        const PositionLogprobs given = position_logprobs(logits, order[place], top);
        QVERIFY(is_entry(given.chosen, place));
        QCOMPARE(given.top.size(), std::min(static_cast<std::size_t>(top), vocabulary));
        for (std::size_t i = 0; i < given.top.size(); ++i) QVERIFY(is_entry(given.top[i], i));
      }
    }
    for (const float bad : {NAN, INFINITY})
      QVERIFY(std::isnan(position_logprobs(std::vector<float>{1, bad, 2}, 0, 2).chosen.logprob));
  }

  void the_choice_depends_on_seed_and_position_alone() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> logits(1000);
    for (float& logit : logits) logit = normal(random);
    std::vector<std::pair<float, TokenId>> other(17, {1.f, 3});
    for (int position = 0; position < 50; ++position) {
      const SlotSampling sampling{.temperature = 0.9f, .top_p = 0.95f, .seed = 99};
      QCOMPARE(sample_token(logits, sampling, position, scratch_).token,
               sample_token(logits, sampling, position, other).token);
    }
    int different = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      different += sample_token(logits, {.seed = seed}, 3, scratch_).token !=
                   sample_token(logits, {.seed = 0}, 3, scratch_).token;
    }
    QVERIFY(different > 5);
  }
};

QTEST_APPLESS_MAIN(SamplerTest)
#include "sampler_test.moc"
