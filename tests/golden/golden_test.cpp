// SPDX-License-Identifier: GPL-3.0-or-later
// The engine against transformers' logits and greedy tokens. Folders: tests/data/README.md.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/model/safetensors_reader.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

json read_json(const std::filesystem::path& path) {
  return json::parse(std::ifstream(path));
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
    QTest::addColumn<bool>("prefix_cache");
    std::vector<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(test::data("golden"))) {
      if (std::filesystem::exists(entry.path() / "expected.safetensors"))
        folders.push_back(entry.path().filename().string());
    }
    std::sort(folders.begin(), folders.end());
    QVERIFY(!folders.empty());
    for (const std::string& folder : folders) {
      for (int block_size : {16, 32}) {
        for (bool prefix_cache : {true, false}) {
          QTest::addRow("%s, blocks of %d, prefix cache %s", folder.c_str(), block_size,
                        prefix_cache ? "on" : "off")
              << QString::fromStdString(folder) << block_size << prefix_cache;
        }
      }
    }
    QTest::newRow("llama-gqa, blocks of 64") << QStringLiteral("llama-gqa") << 64 << true;
  }

  void checkpoints() {
    QFETCH(QString, folder);
    QFETCH(int, block_size);
    QFETCH(bool, prefix_cache);
    const auto path = test::data("golden/" + folder.toStdString());
    const json expected = read_json(path / "expected.json");
    const auto prompts = expected["tokens"].get<std::vector<std::vector<TokenId>>>();
    test::SettingList settings = kFloat32;
    settings.emplace_back("block-size", std::to_string(block_size));
    settings.emplace_back("enable-prefix-caching", prefix_cache ? "true" : "false");

    auto file = SafetensorsFile::open(path / "expected.safetensors");
    PW_VERIFY(file);
    auto engine = test::start_engine(path, settings, true);
    std::vector<GenerationRequest> requests;
    for (const auto& prompt : prompts) requests.push_back(logits_request(prompt));
    auto replies = test::run_requests(*engine, std::move(requests));
    double worst = 0;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const TensorView* reference = file->find("logits." + std::to_string(i));
      QVERIFY(reference != nullptr);
      const std::vector<float> got = test::joined_logits(replies[i].last);
      QCOMPARE(static_cast<std::int64_t>(got.size()), reference->rows * reference->columns);
      std::vector<float> values(got.size());
      dequantize(reference->type, reference->data, values.data(), static_cast<std::int64_t>(values.size()));
      const double error = test::relative_l2(got, values);
      worst = std::max(worst, error);
      QVERIFY2(error <= 1e-3, qPrintable(QString::number(error)));
    }
    qInfo("largest relative L2: %.2e", worst);

    requests.clear();
    for (const auto& prompt : prompts) requests.push_back(test::greedy_request(prompt, 24));
    replies = test::run_requests(*engine, std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      QCOMPARE(replies[i].tokens, expected["greedy"][i].get<std::vector<TokenId>>());
    }
  }

  void real_models_in_float32_data() { real_models(); }

  void real_models_in_float32() {
    QFETCH(QString, name);
    QFETCH(QString, folder);
    const auto model = real_model(name);
    if (!model) QSKIP(qPrintable("the model is not there: pitwallctl fetch " + name));
    auto engine = test::start_engine(*model, kFloat32, true);
    const json expected = read_json(test::data(folder.toStdString()));
    for (const json& test_case : expected["cases"]) {
      const auto prompt = test_case["token_ids"].get<std::vector<TokenId>>();
      auto replies = test::run_requests(*engine, {logits_request(prompt), test::greedy_request(prompt, 48)});
      const std::vector<float> all = test::joined_logits(replies[0].last);
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

  void real_models_in_the_default_mode_are_right_where_the_margin_is_clear_data() { real_models(); }

  void real_models_in_the_default_mode_are_right_where_the_margin_is_clear() {
    QFETCH(QString, name);
    QFETCH(QString, folder);
    QFETCH(int, clear_steps);
    const auto model = real_model(name);
    if (!model) QSKIP(qPrintable("the model is not there: pitwallctl fetch " + name));
    auto engine = test::start_engine(*model, {}, true);
    const auto vocabulary = static_cast<std::size_t>(engine->model().spec().vocabulary);
    int steps = 0, equal = 0;
    const json expected = read_json(test::data(folder.toStdString()));
    for (const json& test_case : expected["cases"]) {
      const auto prompt = test_case["token_ids"].get<std::vector<TokenId>>();
      const auto greedy = test_case["greedy"].get<std::vector<TokenId>>();
      std::vector<TokenId> forced = prompt;
      forced.insert(forced.end(), greedy.begin(), greedy.end() - 1);
      const std::vector<float> logits =
          test::joined_logits(test::run_requests(*engine, {logits_request(forced)})[0].last);
      for (std::size_t i = 0; i < greedy.size(); ++i) {
        if (test_case["greedy_margin"][i].get<double>() < 0.3) continue;
        const auto row = logits.begin() + static_cast<std::ptrdiff_t>((prompt.size() - 1 + i) * vocabulary);
        const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(vocabulary)) - row;
        ++steps;
        equal += best == greedy[i];
      }
    }
    qInfo("argmax equal at %d of %d steps with a margin of at least 0.3", equal, steps);
    QCOMPARE(steps, clear_steps);
    QVERIFY(equal >= 0.99 * steps);
  }

 private:
  static void real_models() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("clear_steps");  // with a margin of at least 0.3
    QTest::newRow("smollm2") << QStringLiteral("smollm2")
                             << QStringLiteral("golden/smollm2-q4_1/expected.json") << 321;
    QTest::newRow("qwen2.5-coder-0.5b")
        << QStringLiteral("qwen2.5-coder-0.5b")
        << QStringLiteral("golden/qwen2.5-coder-0.5b-q4_k_m/expected.json") << 353;
  }
  static std::optional<std::filesystem::path> real_model(const QString& name) {
    return name == QLatin1String("smollm2") ? test::starter_model() : test::fetched_model(name.toStdString());
  }
};

QTEST_GUILESS_MAIN(GoldenTest)
#include "golden_test.moc"
