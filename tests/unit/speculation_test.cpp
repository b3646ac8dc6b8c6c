// SPDX-License-Identifier: GPL-3.0-or-later
// How tokens are guessed ahead, from one engine's words to another's: each command starts there.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

EngineReading read(const std::string& text, const EngineProfile* engine = nullptr) {
  const bool file = text.find(": ") != std::string::npos && text.find("--") == std::string::npos;
  const auto command = file ? read_config(text, engine) : read_command(text, engine);
  if (!command.ok()) qFatal("%s: %s", text.c_str(), command.error().text().c_str());
  auto reading = read_engine_settings(*command);
  if (!reading.ok()) qFatal("%s: %s", text.c_str(), reading.error().text().c_str());
  return std::move(*reading);
}

const std::string kSglang = "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 ";

}  // namespace

class SpeculationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void from_engine_to_engine_data() {
    QTest::addColumn<std::string>("from");
    QTest::addColumn<std::string>("to");
    QTest::addColumn<std::string>("told");  // a part of the command and its file
    QTest::addColumn<std::string>("noted");
    const auto row = [](const char* name, const std::string& from, const char* to, const char* told,
                        const char* noted = "") {
      QTest::addRow("%s to %s", name, to)
          << from << std::string(to) << std::string(told) << std::string(noted);
    };
    const std::string mtp =
        kSglang +
        "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens 4";
    row("SGLang's MTP", mtp, "vllm", R"('{"method":"mtp","num_speculative_tokens":3}')");
    row("SGLang's MTP", mtp, "tensorrt-llm", "decoding_type: \"MTP\"\n  num_nextn_predict_layers: 3");
    row("SGLang's MTP", mtp, "lmdeploy",
        "--speculative-algorithm deepseek_mtp --speculative-num-draft-tokens 3");
    row("SGLang's MTP", mtp, "llama.cpp", "--spec-type draft-mtp --spec-draft-n-max 3");
    row("SGLang's MTP", mtp, "sglang",
        "--speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens 4");
    row("SGLang's MTP", mtp, "tgi", "--num-shard 8", "TGI cannot guess tokens ahead by mtp");
    row("SGLang's MTP by its own number", kSglang + "--speculative-algorithm EAGLE", "vllm",
        R"('{"method":"mtp","num_speculative_tokens":3}')", "speculative-tokens 3 is the default of SGLang");
    row("the MTP layer as a model",
        kSglang +
            "--speculative-algorithm EAGLE --speculative-draft-model-path lmsys/DeepSeek-V3-NextN "
            "--speculative-num-steps 2 --speculative-eagle-topk 1 --speculative-num-draft-tokens 3",
        "vllm", R"('{"method":"mtp","num_speculative_tokens":2}')",
        "lmsys/DeepSeek-V3-NextN is not carried over");
    const std::string tree =
        "python3 -m sglang.launch_server --model-path M --speculative-algorithm EAGLE3 "
        "--speculative-draft-model-path D --speculative-num-steps 5 --speculative-eagle-topk 8 "
        "--speculative-num-draft-tokens 32";
    row("a tree", tree, "vllm", R"('{"method":"eagle3","model":"D","num_speculative_tokens":5}')",
        "the tree of 32 tokens, 8 behind each, is not carried over");
    row("a tree", tree, "sglang",
        "--speculative-num-steps 5 --speculative-eagle-topk 8 --speculative-num-draft-tokens 32",
        "The weights and KV of D, which guesses tokens ahead, are not counted");
    row("drafts without steps", kSglang + "--speculative-algorithm NEXTN --speculative-num-draft-tokens 4",
        "vllm", R"("num_speculative_tokens":3)",
        "SGLang refuses --speculative-num-draft-tokens without --speculative-num-steps");
    row("SGLang's n-grams",
        "python3 -m sglang.launch_server --model-path M --speculative-algorithm NGRAM "
        "--speculative-num-draft-tokens 8",
        "vllm", R"('{"method":"ngram","num_speculative_tokens":7}')");
    row("vLLM's EAGLE3",
        R"(vllm serve M --speculative-config '{"method":"eagle3","model":"D","num_speculative_tokens":3}')",
        "sglang",
        "--speculative-algorithm EAGLE3 --speculative-draft-model-path D --speculative-num-steps 3 "
        "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4");
    row("vLLM's older name",
        R"(vllm serve M --speculative-config '{"method":"deepseek_mtp","num_speculative_tokens":2}')",
        "sglang",
        "--speculative-algorithm NEXTN --speculative-num-steps 2 --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens 3");
    row("vLLM's n-grams",
        R"(vllm serve M --speculative-config '{"method":"ngram","num_speculative_tokens":4}')", "tgi",
        "--speculate 4");
    row("vLLM's n-grams",
        R"(vllm serve M --speculative-config '{"method":"ngram","num_speculative_tokens":4}')", "sglang",
        "--speculative-algorithm NGRAM --speculative-num-draft-tokens 5");
    row("vLLM's n-grams without a number", R"(vllm serve M --speculative-config '{"method":"ngram"}')",
        "vllm", R"("num_speculative_tokens":3)",
        "Nothing says how many tokens are guessed ahead: vLLM is told 3");
    row("vLLM's n-grams",
        R"(vllm serve M --speculative-config '{"method":"ngram","num_speculative_tokens":4}')", "lmdeploy",
        "lmdeploy serve api_server M", "LMDeploy cannot guess tokens ahead by ngram");
    row("a model alone",
        R"(vllm serve M --speculative-config '{"model":"org/small","num_speculative_tokens":5}')", "sglang",
        "--speculative-algorithm STANDALONE --speculative-draft-model-path org/small "
        "--speculative-num-steps 5 --speculative-eagle-topk 1 --speculative-num-draft-tokens 6");
    row("a number alone", R"(vllm serve M --speculative-config '{"num_speculative_tokens":5}')", "sglang",
        "--model-path M",
        "Nothing says how tokens are guessed ahead: speculative-tokens 5 is not carried over");
    row("EAGLE3 without its model",
        R"(vllm serve M --speculative-config '{"method":"eagle3","num_speculative_tokens":5}')", "sglang",
        "--model-path M", "Guessing by eagle3 takes the name of the model that guesses");
    row("TGI", "text-generation-launcher --model-id M --speculate 3", "vllm",
        R"('{"method":"ngram","num_speculative_tokens":3}')", "Without a method TGI guesses by ngram");
    row("TGI without", "text-generation-launcher --model-id M --speculate 0", "vllm", "vllm serve M");
    row("llama.cpp's draft", "llama-server -m x.gguf -md small.gguf --draft-max 8 --draft-min 1", "vllm",
        R"('{"method":"draft_model","model":"small.gguf","num_speculative_tokens":8}')",
        "--draft-min 1 has no counterpart");
    row("ours", R"(vllm serve M --speculative-config '{"method":"ngram","num_speculative_tokens":4}')",
        "pitwall", "", "guesses no tokens ahead: speculative-method ngram, speculative-tokens 4 is not");
  }

  void from_engine_to_engine() {
    QFETCH(std::string, from);
    QFETCH(std::string, to);
    QFETCH(std::string, told);
    QFETCH(std::string, noted);
    const EngineProfile& engine = **find_engine(to);
    const EngineReading reading = read(from);
    const WrittenFlags written = translate(reading, engine, std::nullopt);
    QString line = QString::fromStdString(command_text(written));
    line.replace(" \\\n  ", " ");
    const std::string all = line.toStdString() + "\n" + written.config;
    QVERIFY2(all.find(told) != std::string::npos, all.c_str());
    const bool speaks = told.find("pecul") != std::string::npos || told.find("spec") != std::string::npos ||
                        told.find("MTP") != std::string::npos;
    QVERIFY2(speaks || all.find("pecul") == std::string::npos, all.c_str());
    std::vector<std::string> notes = reading.notes;
    notes.insert(notes.end(), written.notes.begin(), written.notes.end());
    QVERIFY2(std::any_of(notes.begin(), notes.end(),
                         [&](const std::string& note) { return note.find(noted) != std::string::npos; }) ||
                 noted.empty(),
             noted.c_str());
  }

  /// Layers of the model itself are in its weights and KV, whatever they are called.
  void layers_of_the_model_are_planned() {
    for (const std::string& command :
         {kSglang + "--speculative-algorithm EAGLE",
          std::string(R"(vllm serve M --speculative-config '{"method":"deepseek_mtp"}')")}) {
      const EngineReading reading = read(command);
      QVERIFY2(deployment_of(reading.settings, *reading.engine, std::nullopt).draft_layers, command.c_str());
    }
    const EngineReading head = read(R"(vllm serve M --spec-method eagle3 --spec-model D --spec-tokens 3)");
    QVERIFY(!deployment_of(head.settings, *head.engine, std::nullopt).draft_layers);
  }
};

QTEST_APPLESS_MAIN(SpeculationTest)
#include "speculation_test.moc"
