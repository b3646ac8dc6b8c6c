// SPDX-License-Identifier: GPL-3.0-or-later
// Golden checkpoints converted to GGUF give the reference's numbers as the folders do.
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/model/safetensors_reader.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/engine_runner.h"
#include "tests/support/gguf_converter.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

class GgufRoundTripTest : public QObject {
  Q_OBJECT

 private slots:
  void checkpoints_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<bool>("packed");
    // Those whose every feature a GGUF file can state.
    for (const char* folder :
         {"llama-gqa", "llama-mha-tied", "llama3-rope", "llama-linear-mqa", "llama-yarn", "llama-biases",
          "mistral-window", "mixtral-moe", "qwen2-bias", "qwen3-qknorm", "qwen3-moe", "gemma1", "gemma3-text",
          "phi3-fused", "phi3-longrope", "granite-multipliers", "cohere-qk-norm", "cohere2-nope"}) {
      for (bool packed : {false, true}) {
        QTest::addRow("%s, %s", folder, packed ? "Q8_0" : "F32") << QString::fromLatin1(folder) << packed;
      }
    }
  }

  void checkpoints() {
    QFETCH(QString, folder);
    QFETCH(bool, packed);
    const auto path = test::data("golden/" + folder.toStdString());
    const auto model = Model::open(path);
    PW_VERIFY(model);
    const json expected = json::parse(std::ifstream(path / "expected.json"));
    auto reference = SafetensorsFile::open(path / "expected.safetensors");
    PW_VERIFY(reference);
    const auto prompts = expected["tokens"].get<std::vector<std::vector<TokenId>>>();
    const auto replies = run(**model, packed ? test::GgufNumbers::q8_0 : test::GgufNumbers::f32, prompts);
    const auto rounded = packed ? run(**model, test::GgufNumbers::rounded, prompts) : replies;
    double worst = 0, worst_rounded = 0;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const TensorView* logits = reference->find("logits." + std::to_string(i));
      QVERIFY(logits != nullptr);
      std::vector<float> values(static_cast<std::size_t>(logits->rows * logits->columns));
      dequantize(logits->type, logits->data, values.data(), logits->rows * logits->columns);
      const std::vector<float> got = test::joined_logits(replies[i].last);
      worst = std::max(worst, test::relative_l2(got, values));
      worst_rounded = std::max(worst_rounded, test::relative_l2(got, test::joined_logits(rounded[i].last)));
      if (!packed) QCOMPARE(replies[i].tokens, expected["greedy"][i].get<std::vector<TokenId>>());
    }
    qInfo("largest relative L2: %.2e, to the same numbers in F32 %.2e", worst, worst_rounded);
    QVERIFY2(worst_rounded <= 1e-5, qPrintable(QString::number(worst_rounded)));
    // Q8_0 moves each weight by up to 1/254 of its block's largest; where experts compete, a token may go to
    // another one.
    const bool experts = (*model)->spec().layers.front().mlp.moe.has_value();
    const double bound = !packed ? 1e-3 : experts ? 0.3 : 8e-2;
    QVERIFY2(worst <= bound, qPrintable(QString::number(worst)));
  }

 private:
  static std::vector<test::Reply> run(const Model& model, test::GgufNumbers numbers,
                                      const std::vector<std::vector<TokenId>>& prompts) {
    test::TemporaryFolder target;
    const auto file = test::to_gguf(model, numbers).save(target.path() / "model.gguf");
    auto engine =
        test::start_engine(file,
                           {{"dtype", "float32"},
                            {"kv-cache-dtype", "float32"},
                            {"rope-frequencies", model.spec().bfloat16_reference ? "bfloat16" : "exact"}},
                           true);
    std::vector<GenerationRequest> requests;
    for (const auto& prompt : prompts) {
      requests.push_back(test::greedy_request(prompt, 1));
      requests.back().sampling.prompt_logits = true;
    }
    for (const auto& prompt : prompts) requests.push_back(test::greedy_request(prompt, 24));
    auto all = test::run_requests(*engine, std::move(requests));
    std::vector<test::Reply> replies(all.begin(), all.begin() + std::ssize(prompts));
    for (std::size_t i = 0; i < replies.size(); ++i)
      replies[i].tokens = std::move(all[prompts.size() + i].tokens);
    return replies;
  }
};

QTEST_GUILESS_MAIN(GgufRoundTripTest)
#include "gguf_round_trip_test.moc"
