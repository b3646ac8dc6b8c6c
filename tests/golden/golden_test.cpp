// SPDX-License-Identifier: GPL-3.0-or-later
// The engine against transformers' logits and greedy tokens. Folders: tests/data/README.md.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/model/safetensors_reader.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

json read_json(const std::filesystem::path& path) {
  return json::parse(std::ifstream(path));
}

/// Logits of every position of the request, in order.
std::vector<float> joined_logits(const OutputEvent& event) {
  std::vector<SliceLogits> slices = event.logits;
  std::sort(slices.begin(), slices.end(),
            [](const SliceLogits& a, const SliceLogits& b) { return a.first_position < b.first_position; });
  std::vector<float> all;
  for (const SliceLogits& slice : slices) all.insert(all.end(), slice.values.begin(), slice.values.end());
  return all;
}

double relative_l2(const std::vector<float>& got, const float* expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += std::pow(static_cast<double>(got[i]) - expected[i], 2);
    norm += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(difference / norm);
}

GenerationRequest logits_request(std::vector<TokenId> prompt) {
  GenerationRequest request = test::greedy_request(std::move(prompt), 1);
  request.sampling.prompt_logits = true;
  return request;
}

const test::SettingList kFloat32 = {{"dtype", "float32"}, {"kv-cache-dtype", "float32"}};

}  // namespace

class GoldenTest : public QObject {
  Q_OBJECT

 private slots:
  void checkpoints_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("block_size");
    for (const char* folder : {"llama-gqa", "llama-mha-tied", "llama-awq-g64", "llama-gptq-g64"}) {
      for (int block_size : {16, 32, 64}) {
        QTest::newRow(qPrintable(QString("%1, blocks of %2").arg(folder).arg(block_size)))
            << QString(folder) << block_size;
      }
    }
  }

  void checkpoints() {
    QFETCH(QString, folder);
    QFETCH(int, block_size);
    const auto path = test::data("golden/" + folder.toStdString());
    const json expected = read_json(path / "expected.json");
    const auto prompts = expected["tokens"].get<std::vector<std::vector<TokenId>>>();
    test::SettingList settings = kFloat32;
    settings.emplace_back("block-size", std::to_string(block_size));

    auto file = SafetensorsFile::open(path / "expected.safetensors");
    PW_VERIFY(file);
    auto engine = test::start_engine(path, settings, true);
    std::vector<GenerationRequest> requests;
    for (const auto& prompt : prompts) requests.push_back(logits_request(prompt));
    auto replies = test::run_requests(*engine, std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const TensorView* reference = file->find("logits." + std::to_string(i));
      QVERIFY(reference != nullptr);
      const std::vector<float> got = joined_logits(replies[i].last);
      QCOMPARE(static_cast<std::int64_t>(got.size()), reference->rows * reference->columns);
      std::vector<float> values(got.size());
      dequantize(reference->type, reference->data, values.data(), static_cast<std::int64_t>(values.size()));
      const double error = relative_l2(got, values.data());
      qInfo("prompt %zu: %.2g", i, error);
      QVERIFY2(error <= 1e-3, qPrintable(QString::number(error)));
    }

    requests.clear();
    for (const auto& prompt : prompts) requests.push_back(test::greedy_request(prompt, 24));
    replies = test::run_requests(*engine, std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      QCOMPARE(replies[i].tokens, expected["greedy"][i].get<std::vector<TokenId>>());
    }
  }

  void starter_model_in_float32() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model is not there: pitwallctl fetch smollm2");
    auto engine = test::start_engine(*model, kFloat32, true);
    const json expected = read_json(test::data("golden/smollm2-q4_1/expected.json"));
    for (const json& test_case : expected["cases"]) {
      const auto prompt = test_case["token_ids"].get<std::vector<TokenId>>();
      auto replies = test::run_requests(*engine, {logits_request(prompt), test::greedy_request(prompt, 48)});
      const std::vector<float> all = joined_logits(replies[0].last);
      const std::vector<float> last(all.end() - engine->model().spec().vocabulary, all.end());
      const json& top = test_case["last_logits_top20"];
      for (std::size_t i = 0; i < top["ids"].size(); ++i) {
        const float got = last[top["ids"][i].get<std::size_t>()];
        QVERIFY2(std::abs(got - top["values"][i].get<float>()) <= 2e-3f, qPrintable(QString::number(got)));
      }
      double sum = 0;
      for (float logit : last) sum += std::exp(static_cast<double>(logit));
      QVERIFY(std::abs(std::log(sum) - test_case["last_logits_logsumexp"].get<double>()) <= 1e-3);

      const auto greedy = test_case["greedy"].get<std::vector<TokenId>>();
      for (std::size_t i = 0; i < greedy.size() && test_case["greedy_margin"][i].get<double>() >= 0.02; ++i) {
        QCOMPARE(replies[1].tokens[i], greedy[i]);
      }
    }
  }

  void starter_model_in_the_default_mode_is_right_where_the_margin_is_clear() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model is not there: pitwallctl fetch smollm2");
    auto engine = test::start_engine(*model, {}, true);
    const auto vocabulary = static_cast<std::size_t>(engine->model().spec().vocabulary);
    int steps = 0, equal = 0;
    const json expected = read_json(test::data("golden/smollm2-q4_1/expected.json"));
    for (const json& test_case : expected["cases"]) {
      const auto prompt = test_case["token_ids"].get<std::vector<TokenId>>();
      const auto greedy = test_case["greedy"].get<std::vector<TokenId>>();
      std::vector<TokenId> forced = prompt;
      forced.insert(forced.end(), greedy.begin(), greedy.end() - 1);
      const std::vector<float> logits =
          joined_logits(test::run_requests(*engine, {logits_request(forced)})[0].last);
      for (std::size_t i = 0; i < greedy.size(); ++i) {
        if (test_case["greedy_margin"][i].get<double>() < 0.3) continue;
        const auto row = logits.begin() + static_cast<std::ptrdiff_t>((prompt.size() - 1 + i) * vocabulary);
        const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(vocabulary)) - row;
        ++steps;
        equal += best == greedy[i];
      }
    }
    qInfo("argmax equal at %d of %d steps with a margin of at least 0.3", equal, steps);
    QCOMPARE(steps, 321);
    QVERIFY(equal >= 0.99 * steps);
  }
};

QTEST_GUILESS_MAIN(GoldenTest)
#include "golden_test.moc"
