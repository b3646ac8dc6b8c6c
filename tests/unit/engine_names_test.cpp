// SPDX-License-Identifier: GPL-3.0-or-later
// What models, GPUs and numbers are called here and by other engines, and what those can be told at all.
#include <QTest>

#include "engine/library/model_profile.h"
#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

DeploymentPlan plan_of(const Deployment& deployment) {
  const auto plan =
      plan_memory(deployment, *read_outline(deployment.model), find_gpu(deployment.gpu).value());
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return *plan;
}

Error refusal(const Deployment& deployment) {
  const auto plan =
      plan_memory(deployment, *read_outline(deployment.model), find_gpu(deployment.gpu).value());
  return plan ? Error{} : plan.error();
}

}  // namespace

class EngineNamesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Repositories whose config.json has the sizes of a profile; the others' differ in something that counts.
  void models_here_data() {
    QTest::addColumn<std::string>("repository");
    QTest::addColumn<std::string>("here");
    const auto row = [](const char* repository, const char* here) {
      QTest::newRow(repository) << std::string(repository) << std::string(here);
    };
    row("Qwen/Qwen2.5-72B-Instruct-AWQ", "qwen2.5-72b-awq");
    row("meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b");
    row("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b");
    row("meta-llama/Llama-3.3-70B-Instruct", "llama-3.1-70b");
    row("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b");
    row("mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b");
    row("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b");
    row("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3");
    row("google/gemma-3-27b-it", "gemma-3-27b");
    row("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4-scout");
    // A window of 4,096 tokens; 262,144 positions; other weights.
    row("mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-v0.1");
    row("Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Instruct-2507");
    row("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B-Instruct-AWQ");
  }
  void models_here() {
    QFETCH(std::string, repository);
    QFETCH(std::string, here);
    QCOMPARE(local_model_name(repository), here);
  }

  /// Each profile's repository leads back to it, or to one of the same repository.
  void models_elsewhere() {
    for (const ModelProfile& profile : model_profiles()) {
      if (profile.hub.empty()) continue;
      QCOMPARE(hub_model_name(profile.name), profile.hub);
      if (profile.fetchable()) continue;  // a file of a repository whose shape may be another profile
      QCOMPARE(local_model_name(profile.hub), profile.name);
    }
    QCOMPARE(hub_model_name("org/model"), std::string("org/model"));
  }

  /// A plan's command names what can be loaded: the repository, or what was pasted.
  void commands_name_the_repository() {
    Deployment asked;
    asked.model = "qwen2.5-72b-awq";
    asked.gpu = "A100-80G";
    asked.gpus = asked.tensor_parallel = 2;
    const auto first = [](const WrittenFlags& written) { return command_text(written); };
    const EngineProfile& vllm = **find_engine("vllm");
    QVERIFY(
        first(write_flags(vllm, plan_of(asked))).starts_with("vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ "));
    asked.told_model = "someone/Qwen2.5-72B-AWQ";
    QVERIFY(first(write_flags(vllm, plan_of(asked))).starts_with("vllm serve someone/Qwen2.5-72B-AWQ "));
    asked.model = "llama-3.1-8b";  // another was chosen since
    QVERIFY(first(write_flags(vllm, plan_of(asked))).starts_with("vllm serve meta-llama/Llama-3.1-8B "));
    asked.model = "article-example";  // nobody has it
    asked.told_model.clear();
    QVERIFY(first(write_flags(vllm, plan_of(asked))).starts_with("vllm serve article-example "));
    const auto stored = parse_deployment(deployment_json([&] {
      asked.told_model = "a/b";
      return asked;
    }()));
    QVERIFY(stored.ok());
    QCOMPARE(stored->told_model, std::string("a/b"));
  }

  /// llama.cpp loads the profile's file; Pitwall finds it by the profile's name.
  void files_and_own_names() {
    EngineSettings settings;
    settings.values = {{"model", "smollm2"}};
    QVERIFY(command_text(write_flags(**find_engine("llama.cpp"), settings, std::nullopt))
                .starts_with("llama-server -m SmolLM2-135M-Instruct.Q4_1.gguf"));
    QVERIFY(command_text(write_flags(**find_engine("pitwall"), settings, std::nullopt))
                .starts_with("pitwallctl serve --model smollm2"));
    QVERIFY(command_text(write_flags(**find_engine("sglang"), settings, std::nullopt))
                .find("--model-path HuggingFaceTB/SmolLM2-135M-Instruct") != std::string::npos);
  }

  void gpus_as_people_write_them() {
    for (const auto& [text, name, count] :
         {std::tuple{"h200", "H200", 1}, std::tuple{"RTX4090", "RTX-4090", 1},
          std::tuple{"rtx 4090x2", "RTX-4090", 2}, std::tuple{"H200X2", "H200", 2},
          std::tuple{"a100-80gx8", "A100-80G", 8}, std::tuple{"H200x4", "H200", 4}}) {
      const auto gpus = parse_gpu_count(text);
      QVERIFY2(gpus.ok(), text);
      QCOMPARE(gpus->name, std::string(name));
      QCOMPARE(gpus->count, count);
      QVERIFY(find_gpu(gpus->name).ok());
    }
    const auto vague = find_gpu("A100");
    QVERIFY(!vague.ok());
    QVERIFY(vague.error().text().find("These begin so: A100-40G, A100-80G") != std::string::npos);
    QVERIFY(!find_gpu("").ok() && !find_gpu("H9000").ok());
  }

  void numbers_as_vllm_reads_them() {
    QCOMPARE(*human_number("32k"), 32000.0);
    QCOMPARE(*human_number("32K"), 32768.0);
    QCOMPARE(*human_number("1e6"), 1e6);
    QCOMPARE(*human_number("25.6k"), 25600.0);
    QVERIFY(!human_number("auto") && !human_number("12x") && !human_number("k"));
  }

  /// A plan that an engine cannot be told is none of its plans.
  void formats_that_an_engine_lacks_data() {
    QTest::addColumn<std::string>("engine");
    QTest::addColumn<std::string>("format");
    QTest::addColumn<std::string>("said");
    const auto row = [](const char* engine, const char* format, const char* said) {
      QTest::addRow("%s, %s", engine, format)
          << std::string(engine) << std::string(format) << std::string(said);
    };
    row("vllm", "q4_0", "vLLM takes no kv-cache-dtype q4_0. It takes auto, bfloat16");
    row("llama.cpp", "fp8_e4m3", "llama.cpp takes no kv-cache-dtype fp8_e4m3");
    row("llama.cpp", "nvfp4", "It takes float32, bfloat16, float16, q8_0");
    row("lmdeploy", "fp8", "LMDeploy takes no kv-cache-dtype fp8_e4m3. It takes auto, int4, int8");
    row("pitwall", "q8_0", "Take float32, bfloat16, float16, fp8_e4m3 or int8");
    row("vllm", "fp8_ds_mla", "stores latent rows (MLA)");
    row("vllm", "fp8", "");
    row("llama.cpp", "q8_0", "");
    row("lmdeploy", "bfloat16", "");  // what it keeps unasked
    row("needed", "q4_0", "");        // a law alone has no words
    row("auto", "q4_0", "");
  }
  void formats_that_an_engine_lacks() {
    QFETCH(std::string, engine);
    QFETCH(std::string, format);
    QFETCH(std::string, said);
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.engine = engine;
    asked.kv_cache_dtype = format;
    const Error error = refusal(asked);
    QCOMPARE(error.what.empty(), said.empty());
    QVERIFY2(error.text().find(said) != std::string::npos, error.text().c_str());
    if (!said.empty()) QCOMPARE(error.param, std::string("kv-cache-dtype"));
  }

  /// Pitwall's blocks are those that `serve` takes.
  void block_sizes_that_an_engine_lacks() {
    Deployment asked;
    asked.model = "llama-3-8b";
    for (const char* engine : {"auto", "pitwall"}) {
      asked.engine = engine;
      for (const int size : {1, 8, 17, 48, 128}) {
        asked.block_size = size;
        const Error error = refusal(asked);
        QCOMPARE(error.param, std::string("block-size"));
        QVERIFY2(error.text().find("It takes 16, 32, 64") != std::string::npos, error.text().c_str());
      }
      for (const int size : {16, 32, 64}) {
        asked.block_size = size;
        QVERIFY(refusal(asked).what.empty());
      }
    }
    asked.engine = "vllm";
    asked.block_size = 8;
    QVERIFY(refusal(asked).text().find("It takes multiples of 16") != std::string::npos);
    asked.engine = "sglang";
    QVERIFY(refusal(asked).what.empty());
    for (const auto& [engine, wrong, right] :
         {std::tuple{"vllm", 17, 48}, std::tuple{"lmdeploy", 48, 96}, std::tuple{"nano-vllm", 32, 512},
          std::tuple{"tensorrt-llm", 48, 128}}) {
      asked.engine = engine;
      asked.block_size = wrong;
      QCOMPARE(refusal(asked).param, std::string("block-size"));
      asked.block_size = right;
      QVERIFY2(refusal(asked).what.empty(), engine);
    }
  }

  /// Engines load AWQ and GPTQ weights and make none: a checkpoint in 16 bits is not told to be one.
  void formats_that_a_checkpoint_lacks() {
    EngineSettings settings;
    settings.values = {{"model", "Qwen/Qwen2.5-72B-Instruct"}, {"quantization", "awq"}};
    for (const char* engine : {"vllm", "sglang", "tgi", "lmdeploy"}) {
      const WrittenFlags written = write_flags(**find_engine(engine), settings, std::nullopt);
      QVERIFY2(command_text(written).find("awq") == std::string::npos, engine);
      QVERIFY(std::any_of(written.notes.begin(), written.notes.end(), [](const std::string& note) {
        return note.ends_with("; Qwen/Qwen2.5-72B-Instruct-AWQ has");
      }));
    }
    settings.values["quantization"] = "gptq";
    QVERIFY(drop_missing_format(settings).ends_with("take a checkpoint that has"));
    for (const auto& [model, format] :
         {std::pair{"Qwen/Qwen2.5-72B-Instruct", "fp8"}, std::pair{"Qwen/Qwen2.5-72B-Instruct-AWQ", "awq"},
          std::pair{"someone/Own-AWQ", "awq"}}) {
      settings.values = {{"model", model}, {"quantization", format}};
      QVERIFY(drop_missing_format(settings).empty());
      QVERIFY(settings.find("quantization") != nullptr);
    }
    Deployment asked;
    asked.model = "qwen2.5-72b";
    asked.quantization = "awq";
    QVERIFY(command_text(write_flags(**find_engine("vllm"), plan_of(asked))).find("--quantization") ==
            std::string::npos);
  }

  /// Other engines' formats are told by one name, whichever was asked by.
  void formats_by_their_other_names() {
    Deployment asked;
    asked.model = "llama-3.1-8b";
    asked.engine = "vllm";
    asked.kv_cache_dtype = "fp8";
    const WrittenFlags sglang = write_flags(**find_engine("sglang"), plan_of(asked));
    QVERIFY(command_text(sglang).find("--kv-cache-dtype fp8_e4m3") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(EngineNamesTest)
#include "engine_names_test.moc"
