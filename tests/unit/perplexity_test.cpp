// SPDX-License-Identifier: GPL-3.0-or-later
// Perplexity and divergence against sums made here, on the logits of a golden checkpoint.
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/bench/perplexity.h"
#include "engine/model/safetensors_reader.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Floats = std::vector<float>;

long double softmax(const Floats& logits, std::size_t index) {
  long double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<long double>(logit));
  return std::exp(static_cast<long double>(logits[index])) / total;
}

}  // namespace

class PerplexityTest : public QObject {
  Q_OBJECT

 private slots:
  void the_second_half_of_whole_chunks_is_scored() {
    std::vector<TokenId> text(25);
    std::iota(text.begin(), text.end(), 100);
    const auto chunks = cut_text(text, 10, TokenId{1}, 0);
    PW_VERIFY(chunks);
    QCOMPARE(chunks->size(), 2u);
    QCOMPARE(chunks->at(1).tokens, (std::vector<TokenId>{1, 111, 112, 113, 114, 115, 116, 117, 118, 119}));
    QCOMPARE(chunks->at(1).first_scored, 5);
    QCOMPARE(chunks->at(1).scored(), 4);
    QCOMPARE(cut_text(text, 10, {}, 1)->size(), 1u);
    QCOMPARE(cut_text(text, 512, {}, 0)->at(0).tokens, text);  // shorter than a chunk
  }

  void a_text_too_short_says_so() {
    for (const int size : {0, 1, 3}) {
      const auto chunks = cut_text(std::vector<TokenId>(static_cast<std::size_t>(size)), 512, {}, 0);
      QVERIFY(!chunks.ok());
      QVERIFY(chunks.error().text().find(std::to_string(size) + " tokens") != std::string::npos);
    }
  }

  void means_are_those_of_the_logits() {
    auto file = SafetensorsFile::open(test::data("golden/llama-gqa/expected.safetensors"));
    PW_VERIFY(file);
    const TensorView* view = file->find("logits.3");
    QVERIFY(view != nullptr);
    Floats all(static_cast<std::size_t>(view->rows * view->columns));
    dequantize(view->type, view->data, all.data(), view->rows * view->columns);
    const auto columns = static_cast<std::size_t>(view->columns);

    PerplexityMeter meter, itself;
    long double nll = 0, kl = 0;
    int same = 0;
    const std::size_t rows = static_cast<std::size_t>(view->rows) - 1;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(row * columns);
      const Floats base(at, at + static_cast<std::ptrdiff_t>(columns));
      Floats other(base);
      for (std::size_t i = 0; i < columns; ++i)
        other[i] += 0.4f * static_cast<float>(std::sin(static_cast<double>(i * (row + 1))));
      const auto next = static_cast<TokenId>((row * 37) % columns);
      meter.add(log_probabilities(other), next, log_probabilities(base));
      itself.add(log_probabilities(base), next, log_probabilities(base));
      nll -= std::log(softmax(other, static_cast<std::size_t>(next)));
      for (std::size_t i = 0; i < columns; ++i)
        kl += softmax(base, i) * std::log(softmax(base, i) / softmax(other, i));
      same += std::max_element(base.begin(), base.end()) - base.begin() ==
              std::max_element(other.begin(), other.end()) - other.begin();
    }
    const Perplexity result = meter.result();
    const auto count = static_cast<double>(rows);
    QCOMPARE(result.tokens, static_cast<std::int64_t>(rows));
    QVERIFY(std::abs(result.mean_nll - static_cast<double>(nll) / count) < 1e-6);
    const double perplexity = std::exp(static_cast<double>(nll) / count);
    QVERIFY(std::abs(result.perplexity() / perplexity - 1) < 1e-6);
    QVERIFY(result.divergence.has_value());
    QVERIFY(std::abs(result.divergence->mean - static_cast<double>(kl) / count) < 1e-6);
    QCOMPARE(result.divergence->same_top, same / count);
    QVERIFY(result.divergence->p50 <= result.divergence->p99 &&
            result.divergence->p99 <= result.divergence->largest);
    QCOMPARE(itself.result().divergence->mean, 0.0);
    QCOMPARE(itself.result().divergence->same_top, 1.0);
  }
};

QTEST_GUILESS_MAIN(PerplexityTest)
#include "perplexity_test.moc"
