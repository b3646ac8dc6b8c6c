// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines and configuration files as people paste them.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

using Values = std::map<std::string, std::string, std::less<>>;

EngineReading read(std::string_view text, const char* from = nullptr) {
  auto command = read_command(text, from == nullptr ? nullptr : *find_engine(from));
  if (!command.ok()) qFatal("%s", command.error().text().c_str());
  auto reading = read_engine_settings(*command);
  if (!reading.ok()) qFatal("%s", reading.error().text().c_str());
  return std::move(*reading);
}

EngineReading read_file_text(std::string_view text, const char* from = nullptr) {
  auto command = read_config(text, from == nullptr ? nullptr : *find_engine(from));
  if (!command.ok()) qFatal("%s", command.error().text().c_str());
  auto reading = read_engine_settings(*command);
  if (!reading.ok()) qFatal("%s", reading.error().text().c_str());
  return std::move(*reading);
}

std::string error_of(std::string_view text, const char* from) {
  const auto command = read_command(text, from == nullptr ? nullptr : *find_engine(from));
  if (!command.ok()) return command.error().text();
  const auto reading = read_engine_settings(*command);
  return reading.ok() ? "" : reading.error().text();
}

bool says(const std::vector<std::string>& notes, std::string_view part) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

class FlagReaderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void command_lines_data();
  void command_lines();
  void configuration_files_data();
  void configuration_files();
  void nothing_is_dropped();
  void flags_of_another_engine();
  void slots_share_the_context();
  void keys_are_never_shown();
  void later_wins();
  void gpus_that_are_granted();
  void deployment();
  void spellings_of_the_engine_alone();
  void what_is_not_planned_is_said();
  void tokens_of_mtp_in_words_of_its_own();
  void nonsense_data();
  void nonsense();
  void broken_files_data();
  void broken_files();
};

void FlagReaderTest::command_lines_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("engine");
  QTest::addColumn<Values>("values");
  const auto row = [](const char* name, const char* text, const char* engine, Values values) {
    QTest::newRow(name) << std::string(text) << std::string(engine) << std::move(values);
  };
  row("vllm serve", "vllm serve meta-llama/Llama-3.1-8B --max-model-len 8192 -tp 4", "vllm",
      {{"model", "meta-llama/Llama-3.1-8B"}, {"max-model-len", "8192"}, {"tensor-parallel-size", "4"}});
  row("lines joined, spaces behind the backslash",
      "vllm serve M \\\n  --max-num-seqs 8 \\  \n  --kv-cache-dtype fp8\n", "vllm",
      {{"model", "M"}, {"max-num-seqs", "8"}, {"kv-cache-dtype", "fp8_e4m3"}});
  row("joined by =, underscores", "vllm serve M --max_model_len=16k --gpu-memory-utilization=.9", "vllm",
      {{"model", "M"}, {"max-model-len", "16000"}, {"memory-share-of-total", "0.9"}});
  row("binary thousands", "vllm serve M --max-model-len 32K --kv-cache-memory-bytes 20G", "vllm",
      {{"model", "M"}, {"max-model-len", "32768"}, {"kv-cache-memory-bytes", "21474836480"}});
  row("auto-fit", "vllm serve M --max-model-len -1", "vllm", {{"model", "M"}, {"max-model-len", "auto"}});
  row("switches", "vllm serve M --no-enable-prefix-caching --enable-chunked-prefill --enforce-eager", "vllm",
      {{"model", "M"},
       {"enable-prefix-caching", "false"},
       {"enable-chunked-prefill", "true"},
       {"graphs", "false"}});
  row("JSON for speculation",
      R"(vllm serve M --speculative-config '{"method": "ngram", "num_speculative_tokens": 4}')", "vllm",
      {{"model", "M"}, {"speculative-method", "ngram"}, {"speculative-tokens", "4"}});
  row("dotted JSON",
      "vllm serve M --speculative-config.method eagle3 --speculative-config.num-speculative-tokens 3", "vllm",
      {{"model", "M"}, {"speculative-method", "eagle3"}, {"speculative-tokens", "3"}});
  row("graph sizes", R"(vllm serve M --compilation-config '{"cudagraph_capture_sizes": [1, 2, 4]}')", "vllm",
      {{"model", "M"}, {"graph-sizes", "1,2,4"}});
  row("module", "$ python3 -m vllm.entrypoints.openai.api_server --model M --port 8001", "vllm",
      {{"model", "M"}, {"port", "8001"}});
  row("docker",
      "docker run --runtime nvidia --gpus all -v ~/.cache/huggingface:/root/.cache/huggingface "
      "--env \"HF_TOKEN=x\" -p 8000:8000 --ipc=host vllm/vllm-openai:latest --model M -q awq",
      "vllm", {{"model", "M"}, {"quantization", "awq"}});
  row("a shell as docker's entry",
      "docker run --gpus all --entrypoint /bin/bash vllm/vllm-openai:v0.9.1 -lc "
      "\"cd /srv && exec vllm serve M --max-model-len 4096 | tee log\"",
      "vllm", {{"model", "M"}, {"max-model-len", "4096"}});
  row("an entry point of docker", "docker run --entrypoint vllm vllm/vllm-openai:v0.9.1 serve M -tp 2",
      "vllm", {{"model", "M"}, {"tensor-parallel-size", "2"}});
  row("llama.cpp by variables",
      "LLAMA_ARG_CACHE_TYPE_K=q8_0 LLAMA_ARG_CACHE_TYPE_V=q8_0 LLAMA_ARG_N_GPU_LAYERS=99 llama-server -m M",
      "llama.cpp", {{"model", "M"}, {"kv-cache-dtype", "q8_0"}, {"gpu-layers", "99"}});
  row("a shell behind srun", "srun --gpus 2 bash -c 'HF_HOME=/x vllm serve M --max-num-seqs 12'", "vllm",
      {{"model", "M"}, {"max-num-seqs", "12"}});
  row("sudo, assignments, redirection",
      "CUDA_VISIBLE_DEVICES=0,1 sudo -E vllm serve M -pp 2 > log.txt 2>&1 &", "vllm",
      {{"model", "M"}, {"pipeline-parallel-size", "2"}});
  row("behind cd", "cd /srv && export A=1; vllm serve M --block-size 32 | tee log", "vllm",
      {{"model", "M"}, {"block-size", "32"}});
  row("dashes of print", "vllm serve M —max-num-seqs 8", "vllm", {{"model", "M"}, {"max-num-seqs", "8"}});
  row("sglang",
      "python -m sglang.launch_server --model-path M --tp 2 --mem-fraction-static 0.85 "
      "--chunked-prefill-size 4096 --disable-radix-cache --kv-cache-dtype fp8_e5m2",
      "sglang",
      {{"model", "M"},
       {"tensor-parallel-size", "2"},
       {"memory-share-static", "0.85"},
       {"max-num-batched-tokens", "4096"},
       {"enable-prefix-caching", "false"},
       {"kv-cache-dtype", "fp8_e5m2"}});
  row("sglang without chunks", "python -m sglang.launch_server --model-path M --chunked-prefill-size -1",
      "sglang", {{"model", "M"}, {"enable-chunked-prefill", "false"}});
  row("sglang host cache, of each rank",
      "python -m sglang.launch_server --model-path M --tp 2 --enable-hierarchical-cache --hicache-size 30",
      "sglang", {{"model", "M"}, {"tensor-parallel-size", "2"}, {"swap-space", "60000000000"}});
  row("sglang graph sizes", "python -m sglang.launch_server --cuda-graph-bs 1 2 4 --model-path M", "sglang",
      {{"model", "M"}, {"graph-sizes", "1,2,4"}});
  row("trtllm-serve",
      "trtllm-serve M --max_batch_size 64 --kv_cache_free_gpu_memory_fraction 0.8 --tp_size 2",
      "tensorrt-llm",
      {{"model", "M"},
       {"max-num-seqs", "64"},
       {"memory-share-of-free", "0.8"},
       {"tensor-parallel-size", "2"}});
  row("trtllm-build", "trtllm-build --checkpoint_dir c --max_seq_len 4096 --use_paged_context_fmha enable",
      "tensorrt-llm", {{"model", "c"}, {"max-model-len", "4096"}, {"enable-chunked-prefill", "true"}});
  row("lmdeploy",
      "lmdeploy serve api_server M --session-len 8192 --quant-policy 8 --cache-max-entry-count 0.5",
      "lmdeploy",
      {{"model", "M"},
       {"max-model-len", "8192"},
       {"kv-cache-dtype", "int8"},
       {"memory-share-after-weights", "0.5"}});
  row("tgi", "text-generation-launcher --model-id M --max-total-tokens 4096 --num-shard 2 --cuda-graphs 0",
      "tgi", {{"model", "M"}, {"max-model-len", "4096"}, {"tensor-parallel-size", "2"}, {"graphs", "false"}});
  row("tgi keeps another part free", "TGI_WIGGLE_ROOM=0.85 text-generation-launcher --model-id M", "tgi",
      {{"model", "M"}, {"memory-share-of-total", "0.85"}});
  row("tgi keeps a part of a share free",
      "docker run -e TGI_WIGGLE_ROOM=0.8 ghcr.io/huggingface/text-generation-inference:3.3.5 --model-id M "
      "--cuda-memory-fraction 0.5",
      "tgi", {{"model", "M"}, {"memory-share-of-total", "0.4"}});
  row("tgi by variables",
      "docker run -e MODEL_ID=M -e MAX_TOTAL_TOKENS=4096 -e PREFIX_CACHING=0 "
      "ghcr.io/huggingface/text-generation-inference:3.3.5",
      "tgi", {{"model", "M"}, {"max-model-len", "4096"}, {"enable-prefix-caching", "false"}});
  row("llama-server",
      "./build/bin/llama-server -m x.gguf -c 32768 -np 8 -ctk q8_0 -ctv q8_0 --fit-target 2048", "llama.cpp",
      {{"model", "x.gguf"},
       {"max-model-len", "4096"},
       {"max-num-seqs", "8"},
       {"kv-cache-dtype", "q8_0"},
       {"memory-margin", "2147483648"}});
  row("llama-server, one pool", "llama-server -m x.gguf -c 32768 -np 8 -kvu -ts 1,1", "llama.cpp",
      {{"model", "x.gguf"},
       {"max-model-len", "32768"},
       {"max-num-seqs", "8"},
       {"kv-unified", "true"},
       {"tensor-parallel-size", "2"}});
  row("V in another format", "llama-server -m x.gguf -ctk q8_0 -ctv q4_0", "llama.cpp",
      {{"model", "x.gguf"}, {"kv-cache-dtype", "q8_0"}, {"kv-cache-dtype-v", "q4_0"}});
  row("mini-sglang", "python -m minisgl --model M --tp 2 --memory-ratio 0.8 --cache-type naive",
      "mini-sglang", {{"model", "M"}, {"memory-share-static", "0.8"}, {"enable-prefix-caching", "false"}});
  row("ours", "pitwallctl serve --model M --memory-limit 4GiB --scheduling-policy fair", "pitwall",
      {{"model", "M"}, {"memory-limit", "4294967296"}, {"scheduling-policy", "fair"}});
}

void FlagReaderTest::command_lines() {
  QFETCH(std::string, text);
  QFETCH(std::string, engine);
  QFETCH(Values, values);
  const EngineReading reading = read(text);
  QCOMPARE(reading.engine->name, engine);
  for (const auto& [name, value] : reading.settings.values)
    QCOMPARE(name + " " + value, name + " " + values[name]);
  QCOMPARE(reading.settings.values.size(), values.size());
}

void FlagReaderTest::configuration_files_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("engine");
  QTest::addColumn<Values>("values");
  const auto row = [](const char* name, const char* text, const char* engine, Values values) {
    QTest::newRow(name) << std::string(text) << std::string(engine) << std::move(values);
  };
  row("vllm",
      "model: M\nmax-model-len: 8192\nenable-prefix-caching: false\nspeculative-config:\n  method: ngram\n",
      "vllm",
      {{"model", "M"},
       {"max-model-len", "8192"},
       {"enable-prefix-caching", "false"},
       {"speculative-method", "ngram"}});
  row("vllm as JSON", R"({"max_num_seqs": 64, "gpu_memory_utilization": 0.85})", "vllm",
      {{"max-num-seqs", "64"}, {"memory-share-of-total", "0.85"}});
  row("trtllm",
      "kv_cache_config:\n  free_gpu_memory_fraction: 0.85\n  enable_block_reuse: false\n  dtype: fp8\n"
      "max_batch_size: 32\nenable_chunked_prefill: true\ncuda_graph_config:\n  batch_sizes: [1, 2, 4]\n",
      "tensorrt-llm",
      {{"memory-share-of-free", "0.85"},
       {"enable-prefix-caching", "false"},
       {"kv-cache-dtype", "fp8_e4m3"},
       {"max-num-seqs", "32"},
       {"enable-chunked-prefill", "true"},
       {"graph-sizes", "1,2,4"}});
  row("compose, a list",
      "services:\n  db:\n    image: postgres\n  llm:\n    image: vllm/vllm-openai:v0.26.0\n    command: "
      "[\"--model\", "
      "\"M\", \"--max-num-seqs\", \"8\"]\n",
      "vllm", {{"model", "M"}, {"max-num-seqs", "8"}});
  row("compose, one text",
      "services:\n  llm:\n    image: lmsysorg/sglang:v0.5.17\n    command: >\n      python3 -m "
      "sglang.launch_server "
      "--model-path M\n      --tp 2\n",
      "sglang", {{"model", "M"}, {"tensor-parallel-size", "2"}});
  row("compose, variables",
      "services:\n  llm:\n    image: ghcr.io/huggingface/text-generation-inference:3.3.5\n    environment:\n "
      "     - "
      "MODEL_ID=M\n      - MAX_TOTAL_TOKENS=2048\n",
      "tgi", {{"model", "M"}, {"max-model-len", "2048"}});
  row("kubernetes",
      "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: []}\n---\napiVersion: "
      "apps/v1\nkind: "
      "Deployment\nspec:\n  template:\n    spec:\n      containers:\n        - image: "
      "vllm/vllm-openai:v0.26.0\n       "
      "   command: [\"/bin/sh\", \"-c\", \"vllm serve M --max-model-len 4096\"]\n",
      "vllm", {{"model", "M"}, {"max-model-len", "4096"}});
}

void FlagReaderTest::configuration_files() {
  QFETCH(std::string, text);
  QFETCH(std::string, engine);
  QFETCH(Values, values);
  const EngineReading reading = read_file_text(text);
  QCOMPARE(reading.engine->name, engine);
  for (const auto& [name, value] : reading.settings.values)
    QCOMPARE(name + " " + value, name + " " + values[name]);
  QCOMPARE(reading.settings.values.size(), values.size());
}

void FlagReaderTest::nothing_is_dropped() {
  const EngineReading reading = read(
      "VLLM_NO_SUCH=1 vllm serve M --trust-remote-code --gpu-memory-utilisation 0.8 --seed 3 extra "
      "--speculative-config '{\"method\": \"ngram\", \"prompt_lookup_max\": 3}'");
  std::vector<std::string> seen;
  for (const UnmatchedFlag& flag : reading.unmatched)
    seen.push_back(flag.words.front() + (flag.known ? " known" : " unknown"));
  std::sort(seen.begin(), seen.end());
  QCOMPARE(seen, (std::vector<std::string>{"--gpu-memory-utilisation unknown", "--seed known",
                                           "--speculative-config.prompt_lookup_max known",
                                           "--trust-remote-code known", "VLLM_NO_SUCH=1 unknown",
                                           "extra unknown"}));
  const auto misspelt =
      std::find_if(reading.unmatched.begin(), reading.unmatched.end(),
                   [](const auto& flag) { return flag.words.front() == "--gpu-memory-utilisation"; });
  QCOMPARE(misspelt->nearest, std::string("--gpu-memory-utilization"));
  QCOMPARE(misspelt->words.back(), std::string("0.8"));
}

void FlagReaderTest::flags_of_another_engine() {
  const EngineReading reading = read("python -m sglang.launch_server --model-path M --max-num-seqs 8");
  QCOMPARE(reading.unmatched.front().nearest, std::string("--max-running-requests"));
  QVERIFY(says(reading.notes, "--max-num-seqs is a flag of"));
}

void FlagReaderTest::slots_share_the_context() {
  const EngineReading reading = read("llama-server -m x.gguf -c 32768 -np 8");
  QVERIFY(says(reading.notes, "-c 32768 is for all slots together: 8 slots of 4096 tokens each"));
}

void FlagReaderTest::keys_are_never_shown() {
  const EngineReading reading =
      read("HF_TOKEN=hf_abc MY_SECRET=xyz vllm serve M --api-key sk-123 --hub-token t0k");
  std::string all;
  for (const auto& [name, value] : reading.settings.values) all += name + value;
  for (const UnderstoodFlag& flag : reading.understood) all += flag.written + flag.value;
  for (const UnmatchedFlag& flag : reading.unmatched) {
    for (const std::string& word : flag.words) all += word;
  }
  for (const std::string& note : reading.notes) all += note;
  for (const char* secret : {"hf_abc", "xyz", "sk-123", "t0k"})
    QVERIFY2(all.find(secret) == std::string::npos, all.c_str());
  QCOMPARE(*reading.settings.find("api-key"), std::string("(set)"));
}

void FlagReaderTest::later_wins() {
  const EngineReading reading = read("vllm serve M --max-num-seqs 8 --max-num-seqs 16");
  QCOMPARE(*reading.settings.find("max-num-seqs"), std::string("16"));
  QVERIFY(says(reading.notes, "more than once"));
}

void FlagReaderTest::gpus_that_are_granted() {
  QCOMPARE(read("CUDA_VISIBLE_DEVICES=0,2,3 vllm serve M").gpus, 3);
  QCOMPARE(read("docker run --gpus '\"device=0,1\"' vllm/vllm-openai --model M").gpus, 2);
  QCOMPARE(read("docker run --gpus 4 -it --rm vllm/vllm-openai --model M").gpus, 4);
  QCOMPARE(read("vllm serve M").gpus, 0);
}

void FlagReaderTest::deployment() {
  const EngineReading reading = read(
      "vllm serve M -tp 2 -dp 2 --max-num-seqs 64 --max-model-len 8192 --kv-cache-dtype fp8 --enforce-eager");
  const Deployment asked = deployment_of(reading.settings, *reading.engine, std::nullopt);
  QCOMPARE(asked.model, std::string("M"));
  QCOMPARE(asked.gpus, 4);
  QCOMPARE(asked.tensor_parallel, 2);
  QCOMPARE(asked.max_num_seqs, 64);
  QCOMPARE(*asked.max_model_len, std::int64_t{8192});
  QCOMPARE(asked.block_size, 16);  // vLLM's default
  QCOMPARE(asked.kv_cache_dtype, std::string("fp8_e4m3"));
  QVERIFY(!asked.graphs && asked.prefix_caching);
  QCOMPARE(asked.engine, std::string("vllm"));
}

void FlagReaderTest::spellings_of_the_engine_alone() {
  for (const char* text : {"vllm serve M -O3", "vllm serve M --override-generation-config.temperature 0.5",
                           "vllm serve M --decode-context-parallel-size 8", "vllm serve M -dcp 8"}) {
    const EngineReading reading = read(text);
    QCOMPARE(reading.unmatched.size(), std::size_t{1});
    QVERIFY2(reading.unmatched.front().known, text);
  }
  const auto file = read_config("model: M\noverride-generation-config:\n  temperature: 0.5\n  top_p: 0.9\n",
                                *find_engine("vllm"));
  QVERIFY(file.ok());
  const auto mapping = read_engine_settings(*file);
  QVERIFY(mapping.ok());
  QCOMPARE(mapping->unmatched.size(), std::size_t{2});
  for (const UnmatchedFlag& flag : mapping->unmatched) QVERIFY2(flag.known, flag.words.front().c_str());
}

/// Bytes are wrong with them: that is said.
void FlagReaderTest::what_is_not_planned_is_said() {
  QVERIFY(says(read("vllm serve M -tp 8 --decode-context-parallel-size 8").notes,
               "--decode-context-parallel-size 8 is not planned: ranks share out the KV tokens"));
  QVERIFY(read("vllm serve M -tp 8 --decode-context-parallel-size 1").notes.empty());
}

void FlagReaderTest::tokens_of_mtp_in_words_of_its_own() {
  const EngineProfile& trt = **find_engine("trtllm");
  const auto file =
      read_config("speculative_config:\n  decoding_type: MTP\n  num_nextn_predict_layers: 3\n", &trt);
  QVERIFY(file.ok());
  const auto reading = read_engine_settings(*file);
  QVERIFY(reading.ok());
  QCOMPARE(*reading->settings.find("speculative-tokens"), std::string("3"));
  const std::string vllm = command_text(translate(*reading, **find_engine("vllm"), std::nullopt));
  QVERIFY2(vllm.find("\"num_speculative_tokens\":3") != std::string::npos, vllm.c_str());
  const std::string back = translate(*reading, trt, std::nullopt).config;
  QVERIFY2(back.find("num_nextn_predict_layers: 3") != std::string::npos, back.c_str());
  EngineSettings eagle;
  eagle.values = {
      {"speculative-method", "eagle3"}, {"speculative-model", "org/draft"}, {"speculative-tokens", "3"}};
  const std::string other = write_flags(trt, eagle, std::nullopt).config;
  QVERIFY2(other.find("max_draft_len: 3") != std::string::npos, other.c_str());
}

void FlagReaderTest::nonsense_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* text, const char* said) {
    QTest::newRow(text) << std::string(text) << std::string(said);
  };
  row("vllm serve M --max-num-seqs many", "--max-num-seqs is \"many\"");
  row("vllm serve M --max-num-seqs 0", "--max-num-seqs is \"0\"");
  row("vllm serve M --max-num-seqs -3", "--max-num-seqs is \"-3\"");
  row("vllm serve M --max-num-seqs 1e99", "--max-num-seqs");
  row("vllm serve M --max-model-len 99999999999999999999", "--max-model-len");
  row("vllm serve M --gpu-memory-utilization 90", "above 0 and at most 1");
  row("vllm serve M --gpu-memory-utilization nan", "--gpu-memory-utilization is \"nan\"");
  row("vllm serve M --kv-cache-dtype banana", "vLLM takes auto, bfloat16");
  row("vllm serve M --max-num-seqs", "--max-num-seqs lacks its value");
  row("vllm serve M --max-num-seqs --port 3", "--max-num-seqs lacks its value");
  row("vllm serve M --speculative-config ngram", "It takes a JSON object");
  row("vllm serve M --enforce-eager=maybe", "It is a switch");
  row("vllm serve M --kv-offloading-size -4", "--kv-offloading-size");
  row("lmdeploy serve api_server M --quant-policy 7", "LMDeploy takes 0, 4, 8");
  row("text-generation-launcher --cuda-graphs 1,x", "--cuda-graphs");
  row("vllm serve 'M", "never closes");
  row("python3 -m sglang.launch_server --model-path M --tp 8 --dp 3 --enable-dp-attention",
      "--tp is 8, which 3 replicas do not divide");
  row("ls -l", "which engine these flags are for");
}

void FlagReaderTest::nonsense() {
  QFETCH(std::string, text);
  QFETCH(std::string, said);
  const std::string error = error_of(text, nullptr);
  QVERIFY2(error.find(said) != std::string::npos, error.c_str());
}

void FlagReaderTest::broken_files_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* name, const char* text, const char* said) {
    QTest::newRow(name) << std::string(text) << std::string(said);
  };
  row("not YAML", "a: [1, 2", "Line 1");
  row("empty", "", "holds no keys");
  row("a number", "42", "holds no keys");
  row("a list", "- 1\n- 2\n", "holds no keys");
  row("nobody's keys", "colour: red\n", "which engine");
  row("compose of others", "services:\n  a:\n    image: postgres\n  b:\n    image: redis\n",
      "no service that runs");
  row("compose without image", "services:\n  a:\n    build: .\n", "no service that runs");
  row("nested too deep", std::string(100000, '[').c_str(), "cannot be read");
  row("holds itself", "a: &a [*a]", "cannot be read");
  row("nested beyond sense",
      "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1, {b: 1}]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
      "cannot be read");
  row("laughs",
      "a: &a [x, {b: c}]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d "
      "[*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e]\n",
      "cannot be read");
  row("command of lists", "services:\n  a:\n    image: vllm/vllm-openai:v1\n    command: [[a]]\n",
      "cannot be read");
}

void FlagReaderTest::broken_files() {
  QFETCH(std::string, text);
  QFETCH(std::string, said);
  const auto command = read_config(text, nullptr);
  QVERIFY(!command.ok());
  QVERIFY2(command.error().text().find(said) != std::string::npos, command.error().text().c_str());
}

QTEST_APPLESS_MAIN(FlagReaderTest)
#include "flag_reader_test.moc"
