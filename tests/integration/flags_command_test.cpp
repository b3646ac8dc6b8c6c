// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl flags` as a user and a script see it.
#include <QProcess>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/test_support.h"

using namespace pitwall::test;
using Json = nlohmann::json;

namespace {

struct Answer {
  int exit_code = -1;
  std::string out, err;
  Json json() const { return Json::parse(out, nullptr, false); }
};

Answer run(const QStringList& arguments) {
  QProcess process;
  process.start(qEnvironmentVariable("PITWALL_CTL"), QStringList{"flags"} + arguments);
  process.waitForFinished(60000);
  return {process.exitCode(), process.readAllStandardOutput().toStdString(),
          process.readAllStandardError().toStdString()};
}

bool notes_say(const Json& document, std::string_view part) {
  return std::any_of(document["notes"].begin(), document["notes"].end(), [&](const Json& note) {
    return note.get<std::string>().find(part) != std::string::npos;
  });
}

}  // namespace

class FlagsCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void flags_to_flags();
  void fraction_in_bytes();
  void weights_are_those_of_the_format();
  void weights_that_the_other_loads();
  void pods_and_nodes();
  void whole_command_in_quotes();
  void configuration_file();
  void configuration_file_and_its_command();
  void switches_of_configuration_files();
  void the_model_stays_the_commands();
  void text_can_be_pasted();
  void manifests();
  void gpus_are_counted();
  void experts_on_one_host();
  void lengths_beyond_the_models();
  void what_is_wrong_is_said_data();
  void what_is_wrong_is_said();
};

void FlagsCommandTest::flags_to_flags() {
  const Json document = run({"--from",
                             "vllm",
                             "--to",
                             "sglang",
                             "--json",
                             "--",
                             "--max-model-len",
                             "8192",
                             "-tp",
                             "4",
                             "--max-num-seqs",
                             "64",
                             "--max-num-batched-tokens",
                             "4096",
                             "--kv-cache-dtype",
                             "fp8",
                             "--no-enable-prefix-caching",
                             "--trust-remote-code",
                             "--frobnicate",
                             "3"})
                            .json();
  const Json expected = {"--context-length",
                         "8192",
                         "--max-running-requests",
                         "64",
                         "--chunked-prefill-size",
                         "4096",
                         "--kv-cache-dtype",
                         "fp8_e4m3",
                         "--page-size",
                         "16",
                         "--disable-radix-cache",
                         "--tp-size",
                         "4",
                         "--trust-remote-code"};
  QVERIFY2(document["flags"] == expected, document["flags"].dump().c_str());
  QVERIFY(document["from"] == "vllm" && document["to"] == "sglang");
  QVERIFY(document["settings"]["max-model-len"] == "8192");
  QVERIFY(notes_say(document, "--frobnicate 3 is not known of vLLM"));
}

// Case 018: 80 GiB, 30 GiB of weights and activations, 0.9.
void FlagsCommandTest::fraction_in_bytes() {
  const QStringList card = {"--gpu-memory", "80GiB", "--weights-memory", "25GiB", "--working-memory",
                            "5GiB",         "--json"};
  const Json vllm =
      run(card + QStringList{"--from", "vllm", "--to", "trtllm", "--", "--gpu-memory-utilization", "0.9"})
          .json();
  QVERIFY(notes_say(vllm, "0.9 × 80.00 GiB = 72.00 GiB; less 30.00 GiB leaves 42.00 GiB for KV"));
  QVERIFY(notes_say(
      vllm,
      "In TensorRT-LLM the same number stands for a share of what is free after loading, for KV alone: "
      "0.9 × 50.00 GiB = 45.00 GiB"));
  const Json flags = vllm["flags"];
  const auto at = std::find(flags.begin(), flags.end(), "--free_gpu_memory_fraction");
  QVERIFY(at != flags.end() && *(at + 1) == "0.84");
  const Json trt =
      run(card + QStringList{"--from", "trtllm", "--to", "vllm", "--", "--free_gpu_memory_fraction", "0.9"})
          .json();
  QVERIFY(notes_say(trt, "45.00 GiB"));
  const Json back = trt["flags"];
  const auto bytes = std::find(back.begin(), back.end(), "--kv-cache-memory-bytes");
  QVERIFY(bytes != back.end() && *(bytes + 1) == "48318382080");  // 45 GiB
}

/// hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4: 5.73 GB of files.
void FlagsCommandTest::weights_are_those_of_the_format() {
  const Json document = run({"--to", "vllm", "--model", "llama-3.1-8b", "--json", "--",
                             "text-generation-launcher --model-id someone/Llama-AWQ --quantize awq"})
                            .json();
  QVERIFY(notes_say(document, "5.33 GiB of weights a GPU"));
  // One in 16 bits is no such checkpoint.
  const Json plain = run({"--to", "vllm", "--json", "--",
                          "text-generation-launcher --model-id meta-llama/Llama-3.1-8B --quantize awq"})
                         .json();
  QVERIFY(notes_say(plain, "14.96 GiB of weights a GPU"));
  QVERIFY(notes_say(plain, "meta-llama/Llama-3.1-8B has no such weights"));
  // A checkpoint in INT4 stays what it is, whatever name of its method the engine is told.
  const Json packed =
      run({"--to", "vllm", "--model", "qwen2.5-72b-awq", "--json", "--",
           "text-generation-launcher --model-id Qwen/Qwen2.5-72B-Instruct-AWQ --quantize gptq"})
          .json();
  QVERIFY(notes_say(packed, "38.74 GiB of weights a GPU"));
}

/// What the other engine has no word for is not in its bytes; what nobody knows is said.
void FlagsCommandTest::weights_that_the_other_loads() {
  const char* const model = "meta-llama/Llama-3.1-8B-Instruct";
  const Json there = run({"--to", "tgi", "--gpu", "H200", "--json", "--", "vllm", "serve", model,
                          "--quantization", "modelopt_fp4", "--gpu-memory-utilization", "0.8"})
                         .json();
  QVERIFY(notes_say(there, "TGI loads the weights in BF16: 14.96 GiB"));
  QVERIFY(notes_say(there, "less 17.07 GiB leaves 103.88 GiB for KV"));
  const Json unknown = run({"--to", "vllm", "--gpu", "H200", "--json", "--", "text-generation-launcher",
                            "--model-id", model, "--quantize", "exl2"})
                           .json();
  QVERIFY(notes_say(unknown, "What exl2 makes of the weights is not known here"));
}

void FlagsCommandTest::pods_and_nodes() {
  const Json nodes = run({"--to", "vllm", "--format", "kubernetes", "--gpu", "H200x16", "--json", "--",
                          "vllm", "serve", "meta-llama/Llama-3.1-405B-Instruct", "-tp", "8", "-pp", "2"})
                         .json();
  QVERIFY(notes_say(nodes, "16 GPUs in one pod are more than a node has"));
  const Json replicas = run({"--to", "tgi", "--format", "kubernetes", "--gpu", "H200x4", "--json", "--",
                             "vllm", "serve", "meta-llama/Llama-3.1-8B-Instruct", "-dp", "4"})
                            .json();
  QVERIFY(notes_say(replicas, "Kubernetes runs the replicas: 4 pods"));
}

void FlagsCommandTest::whole_command_in_quotes() {
  const Json document =
      run({"--to", "pitwall", "--gpu", "H200", "--json", "--",
           "CUDA_VISIBLE_DEVICES=0 llama-server -m x.gguf -c 32768 -np 8 -ctk f16 -ctv f16 # as always"})
          .json();
  QVERIFY(document["from"] == "llama.cpp");
  QVERIFY(document["command"].get<std::string>().starts_with(
      "pitwallctl serve --model x.gguf --max-model-len 4096"));
}

void FlagsCommandTest::configuration_file() {
  TemporaryFolder folder;
  const std::string file = folder.path() / "engine.yaml";
  std::ofstream(file) << "max_batch_size: 16\nkv_cache_config:\n  enable_block_reuse: false\n";
  const Json document = run({"--config", QString::fromStdString(file), "--to", "vllm", "--json"}).json();
  QVERIFY(document["from"] == "tensorrt-llm");
  const Json flags = document["flags"];
  QVERIFY(std::find(flags.begin(), flags.end(), "--no-enable-prefix-caching") != flags.end());
  const Json back =
      run({"--from", "vllm", "--to", "trtllm", "--json", "--", "--no-enable-prefix-caching"}).json();
  QVERIFY(back["config"]["text"].get<std::string>().find("enable_block_reuse: false") != std::string::npos);
}

/// The command that reads the file, as trtllm-serve is started, may stand beside it.
void FlagsCommandTest::configuration_file_and_its_command() {
  const TemporaryFolder folder;
  const auto file = folder.path() / "serve.yaml";
  std::ofstream(file) << "max_batch_size: 16\n";
  for (const QStringList& command :
       {QStringList{"trtllm-serve", "Qwen/Qwen2.5-7B-Instruct", "--tp_size", "2"},
        QStringList{"trtllm-serve Qwen/Qwen2.5-7B-Instruct --tp_size 2"}}) {
    const Json document =
        run(QStringList{"--config", QString::fromStdString(file), "--to", "vllm", "--json", "--"} + command)
            .json();
    const auto line = document["command"].get<std::string>();
    QVERIFY2(line.starts_with("vllm serve Qwen/Qwen2.5-7B-Instruct "), line.c_str());
    QVERIFY2(line.find("--tensor-parallel-size 2") != std::string::npos, line.c_str());
    QVERIFY2(line.find("--max-num-seqs 16") != std::string::npos, line.c_str());
  }
}

/// true is the switch alone, false is nothing.
void FlagsCommandTest::switches_of_configuration_files() {
  const TemporaryFolder folder;
  const auto file = folder.path() / "c.yaml";
  std::ofstream(file) << "model: a/b\ntrust-remote-code: false\nenable-lora: true\n";
  const Json off = run({"--to", "vllm", "--json", "--config", QString::fromStdString(file.string())}).json();
  const Json& flags = off["flags"];
  QVERIFY(std::find(flags.begin(), flags.end(), "--enable-lora") != flags.end());
  for (const char* word : {"true", "false", "--trust-remote-code"})
    QVERIFY2(std::find(flags.begin(), flags.end(), word) == flags.end(), flags.dump().c_str());
  std::ofstream(file) << "cuda_graph_config: null\n";
  const Json eager =
      run({"--from", "trtllm", "--to", "vllm", "--json", "--config", QString::fromStdString(file.string())})
          .json();
  QVERIFY(std::find(eager["flags"].begin(), eager["flags"].end(), "--enforce-eager") != eager["flags"].end());
}

/// --model tells the bytes of what the command names otherwise.
void FlagsCommandTest::the_model_stays_the_commands() {
  const Json named = run({"--to", "sglang", "--gpu", "A100-80G", "--model", "qwen2.5-7b", "--json", "--",
                          "vllm serve Qwen/Qwen2.5-7B-Instruct-1M"})
                         .json();
  QVERIFY(named["command"].get<std::string>().find("--model-path Qwen/Qwen2.5-7B-Instruct-1M") !=
          std::string::npos);
  QVERIFY(notes_say(named, "qwen2.5-7b: 14.19 GiB of weights"));
}

void FlagsCommandTest::text_can_be_pasted() {
  const Answer answer = run({"--from", "vllm", "--to", "sglang", "--", "serve", "--max-model-len", "8192"});
  QCOMPARE(answer.exit_code, 0);
  QVERIFY(answer.out.starts_with("python3 -m sglang.launch_server --model-path "));
  const Answer named = run({"--from", "vllm", "--to", "sglang", "--", "serve", "org/model", "--seed", "1"});
  QVERIFY2(named.out.starts_with("python3 -m sglang.launch_server --model-path org/model"),
           named.out.c_str());
  std::string line;
  std::istringstream lines(answer.out);
  bool notes = false;
  while (std::getline(lines, line)) {
    notes |= line.starts_with("# ");
    if (notes) QVERIFY2(line.empty() || line.starts_with("# "), line.c_str());
  }
  QVERIFY(notes);
}

void FlagsCommandTest::manifests() {
  for (const char* name : {"a\nevil: true", "\u2028evil: true", "- x"}) {  // notes are comments to their end
    const Answer odd =
        run({"--to", "vllm", "--format", "compose", "--", "vllm", "serve", QString::fromUtf8(name)});
    QCOMPARE(odd.exit_code, 0);
    std::istringstream lines(odd.out);
    for (std::string line; std::getline(lines, line);)
      QVERIFY2(!line.starts_with("evil") && line.find("# \u2028") == std::string::npos, line.c_str());
    QVERIFY(odd.out.find("MODEL") == std::string::npos);
  }
  for (const char* format : {"compose", "kubernetes"}) {
    const Answer answer =
        run({"--from", "sglang", "--to", "vllm", "--format", format, "--name", "chat", "--", "--model-path",
             "meta-llama/Llama-3.1-8B", "--tp", "2", "--api-key", "sk-secret"});
    QCOMPARE(answer.exit_code, 0);
    QVERIFY(answer.out.find("vllm/vllm-openai:v") != std::string::npos);
    QVERIFY(answer.out.find("sk-secret") == std::string::npos);
    QVERIFY(answer.out.find("chat") != std::string::npos);
  }
}

/// What a command takes of the GPUs that it is given, and what a manifest asks for.
void FlagsCommandTest::gpus_are_counted() {
  const Json more = run({"--to", "vllm", "--gpu", "A100-80Gx2", "--format", "kubernetes", "--json", "--",
                         "vllm serve Qwen/Qwen2.5-7B-Instruct -tp 4"})
                        .json();
  QVERIFY(notes_say(more, "GPUs that the flags take: 4; that are given: 2"));
  QVERIFY(more["text"].get<std::string>().find("nvidia.com/gpu: 4\n") != std::string::npos);
  const Json stages = run({"--to", "tgi", "--gpu", "A100-80G", "--format", "compose", "--json", "--",
                           "vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2 -pp 2"})
                          .json();
  QVERIFY(!notes_say(stages, "GPUs that the flags take"));
  QVERIFY(stages["text"].get<std::string>().find("count: 2\n") != std::string::npos);
}

void FlagsCommandTest::experts_on_one_host() {
  const Json document = run({"--to", "vllm", "--gpu", "H200x8", "--json", "--",
                             "python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 8 --dp 8 "
                             "--enable-dp-attention "
                             "--ep-size 8"})
                            .json();
  const std::string command = document["command"];
  QVERIFY(command.find("--data-parallel-size 8 --enable-expert-parallel") != std::string::npos);
  QVERIFY(notes_say(document, "94.78 GiB of weights"));
  QVERIFY(!notes_say(document, "it does not start"));
  // Without a GPU too the experts are shared out.
  const Json bare = run({"--to", "sglang", "--json", "--",
                         "vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel"})
                        .json();
  QVERIFY(notes_say(bare, "94.78 GiB of weights a GPU"));
  const std::string compose = run({"--to", "sglang", "--gpu", "H200x8", "--format", "compose", "--",
                                   "vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel"})
                                  .out;
  QVERIFY2(compose.find("count: 8") != std::string::npos, compose.c_str());
}

void FlagsCommandTest::lengths_beyond_the_models() {
  for (const char* to : {"vllm", "sglang"}) {
    const auto words = [&](const char* length) {
      return run({"--to", to, "--", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--max-model-len", length});
    };
    QVERIFY(words("131072").out.find("max-model-len is 131,072, and the model was made for 32,768 tokens") !=
            std::string::npos);
    QVERIFY(words("32768").out.find("was made for") == std::string::npos);
  }
}

void FlagsCommandTest::what_is_wrong_is_said_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<std::string>("said");
  QTest::addColumn<int>("code");
  QTest::newRow("engine") << QStringList{"--from", "ollama", "--to", "vllm", "--", "--x"}
                          << std::string("There is no engine") << 2;
  QTest::newRow("value") << QStringList{"--from", "vllm", "--to", "sglang", "--", "--max-num-seqs", "lots"}
                         << std::string("--max-num-seqs is \"lots\"") << 1;
  QTest::newRow("gpu") << QStringList{"--from", "vllm", "--to",   "sglang", "--gpu",
                                      "H9000",  "--",   "--port", "1"}
                       << std::string("There is no GPU profile") << 2;
  QTest::newRow("size") << QStringList{"--from", "vllm", "--to",   "sglang", "--gpu-memory",
                                       "80",     "--",   "--port", "1"}
                        << std::string("80") << 2;
  QTest::newRow("ports") << QStringList{"--to", "vllm", "--", "vllm serve M --port 70000"}
                         << std::string("--port is \"70000\". Give a whole number up to 65,535") << 1;
  QTest::newRow("bytes") << QStringList{"--to", "vllm", "--", "pitwallctl serve --model M --memory-limit 40"}
                         << std::string("Name the unit: 40MiB") << 1;
  QTest::newRow("a quote") << QStringList{"--to", "vllm", "--", "'unbalanced"}
                           << std::string("The quote that begins at \"'unbalanced\" never closes") << 1;
  QTest::newRow("file") << QStringList{"--config", "/none.yaml", "--to", "vllm"} << std::string("/none.yaml")
                        << 1;
  QTest::newRow("other engine") << QStringList{"--from", "sglang", "--to", "vllm", "--", "vllm", "serve", "M"}
                                << std::string("The command starts vLLM, not SGLang") << 1;
  QTest::newRow("manifest") << QStringList{"--from",  "vllm", "--to",   "llama.cpp", "--format",
                                           "compose", "--",   "--port", "1"}
                            << std::string("There is no manifest for llama.cpp") << 1;
}

void FlagsCommandTest::what_is_wrong_is_said() {
  QFETCH(QStringList, arguments);
  QFETCH(std::string, said);
  QFETCH(int, code);
  const Answer answer = run(arguments);
  QCOMPARE(answer.exit_code, code);
  QVERIFY(answer.out.empty());
  QVERIFY2(answer.err.starts_with("error: ") && answer.err.find(said) != std::string::npos,
           answer.err.c_str());
}

QTEST_GUILESS_MAIN(FlagsCommandTest)
#include "flags_command_test.moc"
