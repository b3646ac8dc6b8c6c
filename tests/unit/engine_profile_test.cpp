// SPDX-License-Identifier: GPL-3.0-or-later
// profiles/engines against the published flag map and our own table of settings.
#include <QTest>
#include <algorithm>

#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/engine_words.h"
#include "engine/settings/setting_value.h"
#include "engine/settings/settings.h"

using namespace pitwall;

namespace {

const EngineProfile& engine(std::string_view name) {
  return **find_engine(name);
}

/// Whether a flag, a configuration path or a variable says the setting.
bool says(const EngineProfile& of, const std::string& setting, const std::string& flag) {
  const EngineSetting* found = of.find(setting);
  return found != nullptr &&
         std::any_of(found->flags.begin(), found->flags.end(), [&](const EngineFlag& way) {
           const auto holds = [&](const auto& list) {
             return std::find(list.begin(), list.end(), flag) != list.end();
           };
           return holds(way.names) || holds(way.on) || holds(way.off) || way.config == flag ||
                  way.environment == flag;
         });
}

const std::string kMinimal =
    R"({"name": "x", "title": "X", "version": "1", "source": "s", "programs": [["x"]], "command": ["x"],
        "kv_law": "needed", "settings": )";

}  // namespace

class EngineProfileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void flag_map_data();
  void flag_map();
  void defaults_of_the_map_data();
  void defaults_of_the_map();
  void ours_are_our_settings();
  void engines_are_found_by_any_name();
  void faults_are_named_data();
  void faults_are_named();
};

// Every flag of the map at its versions: vLLM 017e9f4448, SGLang 9fec359a6, TensorRT-LLM 00209af and 008b2b8,
// LMDeploy v0.16.0, TGI db931fc, llama.cpp b10573, mini-sglang 20fcd7f, nano-vllm bb823b3.
void EngineProfileTest::flag_map_data() {
  QTest::addColumn<std::string>("engine_name");
  QTest::addColumn<std::string>("flags");  // parted by spaces
  QTest::addColumn<std::string>("setting");
  const auto row = [](const char* engine_name, const char* flags, const char* setting) {
    QTest::addRow("%s %s", engine_name, setting)
        << std::string(engine_name) << std::string(flags) << std::string(setting);
  };
  row("vllm", "--max-model-len", "max-model-len");
  row("sglang", "--context-length", "max-model-len");
  row("tensorrt-llm", "--max_seq_len", "max-model-len");
  row("lmdeploy", "--session-len", "max-model-len");
  row("tgi", "--max-total-tokens", "max-model-len");
  row("tgi", "--max-input-tokens", "max-input-len");
  row("llama.cpp", "-c --ctx-size", "max-model-len");
  row("mini-sglang", "--max-seq-len-override", "max-model-len");
  row("nano-vllm", "max_model_len", "max-model-len");
  row("vllm", "--max-num-seqs", "max-num-seqs");
  row("sglang", "--max-running-requests", "max-num-seqs");
  row("tensorrt-llm", "--max_batch_size", "max-num-seqs");
  row("lmdeploy", "--max-batch-size", "max-num-seqs");
  row("tgi", "--max-batch-size", "max-num-seqs");
  row("tgi", "--max-concurrent-requests", "max-waiting");
  row("llama.cpp", "-np --parallel", "max-num-seqs");
  row("mini-sglang", "--max-running-requests", "max-num-seqs");
  row("nano-vllm", "max_num_seqs", "max-num-seqs");
  row("vllm", "--max-num-batched-tokens", "max-num-batched-tokens");
  row("sglang", "--chunked-prefill-size", "max-num-batched-tokens");
  row("sglang", "--max-prefill-tokens", "max-prefill-tokens");
  row("tensorrt-llm", "--max_num_tokens", "max-num-batched-tokens");
  row("lmdeploy", "--max-prefill-token-num", "max-num-batched-tokens");
  row("lmdeploy", "--num-tokens-per-iter", "micro-batch-tokens");
  row("tgi", "--max-batch-prefill-tokens", "max-num-batched-tokens");
  row("tgi", "--max-batch-total-tokens", "kv-tokens");
  row("llama.cpp", "-b", "max-num-batched-tokens");
  row("llama.cpp", "-ub", "micro-batch-tokens");
  row("mini-sglang", "--max-prefill-length", "max-num-batched-tokens");
  row("nano-vllm", "max_num_batched_tokens", "max-num-batched-tokens");
  row("vllm", "--gpu-memory-utilization", "memory-share-of-total");
  row("vllm", "--kv-cache-memory-bytes", "kv-cache-memory-bytes");
  row("vllm", "--num-gpu-blocks-override", "kv-blocks");
  row("sglang", "--mem-fraction-static", "memory-share-static");
  row("sglang", "--max-total-tokens", "kv-tokens");
  row("tensorrt-llm", "--free_gpu_memory_fraction", "memory-share-of-free");
  row("tensorrt-llm", "kv_cache_config.max_tokens", "kv-tokens");
  row("lmdeploy", "--cache-max-entry-count", "memory-share-after-weights");
  row("tgi", "--cuda-memory-fraction", "memory-share-of-total");
  row("llama.cpp", "--fit-target", "memory-margin");
  row("mini-sglang", "--memory-ratio", "memory-share-static");
  row("nano-vllm", "gpu_memory_utilization", "memory-share-of-total");
  row("vllm", "--kv-cache-dtype", "kv-cache-dtype");
  row("sglang", "--kv-cache-dtype", "kv-cache-dtype");
  row("tensorrt-llm", "kv_cache_config.dtype --kv_cache_dtype", "kv-cache-dtype");
  row("lmdeploy", "--quant-policy", "kv-cache-dtype");
  row("tgi", "--kv-cache-dtype", "kv-cache-dtype");
  row("llama.cpp", "-ctk", "kv-cache-dtype");
  row("llama.cpp", "-ctv", "kv-cache-dtype-v");
  row("vllm", "--block-size", "block-size");
  row("sglang", "--page-size", "block-size");
  row("tensorrt-llm", "kv_cache_config.tokens_per_block", "block-size");
  row("lmdeploy", "--cache-block-seq-len", "block-size");
  row("mini-sglang", "--page-size", "block-size");
  row("nano-vllm", "kvcache_block_size", "block-size");
  row("vllm", "--enable-prefix-caching --no-enable-prefix-caching", "enable-prefix-caching");
  row("sglang", "--disable-radix-cache", "enable-prefix-caching");
  row("tensorrt-llm", "kv_cache_config.enable_block_reuse", "enable-prefix-caching");
  row("lmdeploy", "--enable-prefix-caching", "enable-prefix-caching");
  row("tgi", "PREFIX_CACHING", "enable-prefix-caching");
  row("llama.cpp", "--cache-prompt", "enable-prefix-caching");
  row("mini-sglang", "--cache-type", "enable-prefix-caching");
  row("vllm", "-tp --tensor-parallel-size", "tensor-parallel-size");
  row("sglang", "--tp-size", "tensor-parallel-size");
  row("tensorrt-llm", "--tp_size", "tensor-parallel-size");
  row("lmdeploy", "--tp", "tensor-parallel-size");
  row("tgi", "--num-shard", "tensor-parallel-size");
  row("llama.cpp", "-ts", "tensor-parallel-size");
  row("mini-sglang", "--tp-size", "tensor-parallel-size");
  row("vllm", "-q --quantization", "quantization");
  row("sglang", "--quantization", "quantization");
  row("lmdeploy", "--model-format", "quantization");
  row("tgi", "--quantize", "quantization");
  row("vllm", "-sc --speculative-config --spec-method", "speculative-method");
  row("vllm", "--spec-model", "speculative-model");
  row("vllm", "--spec-tokens", "speculative-tokens");
  row("sglang", "--speculative-algorithm", "speculative-method");
  row("sglang", "--speculative-draft-model-path", "speculative-model");
  row("tensorrt-llm", "speculative_config.decoding_type --speculative_decoding_mode", "speculative-method");
  row("tensorrt-llm", "--max_draft_len", "speculative-tokens");
  row("lmdeploy", "--speculative-algorithm", "speculative-method");
  row("tgi", "--speculate", "speculative-tokens");
  row("llama.cpp", "--spec-type", "speculative-method");
  row("llama.cpp", "-md", "speculative-model");
  row("vllm", "--enable-chunked-prefill --no-enable-chunked-prefill", "enable-chunked-prefill");
  row("vllm", "--long-prefill-token-threshold", "long-prefill-token-threshold");
  row("sglang", "--enable-mixed-chunk", "mixed-chunk");
  row("tensorrt-llm", "--enable_chunked_prefill --use_paged_context_fmha", "enable-chunked-prefill");
  row("tgi", "PREFILL_CHUNKING", "enable-chunked-prefill");
  row("vllm", "--kv-offloading-size", "swap-space");
  row("vllm", "--cpu-offload-gb", "weights-offload");
  row("sglang", "--hicache-size", "swap-space");
  row("sglang", "--hicache-ratio", "host-cache-ratio");
  row("sglang", "--cpu-offload-gb", "weights-offload");
  row("tensorrt-llm", "kv_cache_config.host_cache_size", "swap-space");
  row("llama.cpp", "--cache-ram", "swap-space");
  row("llama.cpp", "-nkvo", "kv-on-host");
  row("llama.cpp", "-ngl", "gpu-layers");
  row("llama.cpp", "-ncmoe", "cpu-experts");
  row("vllm", "--scheduling-policy", "scheduling-policy");
  row("vllm", "--watermark", "kv-watermark");
  row("sglang", "--schedule-policy", "scheduling-policy");
  row("sglang", "--schedule-conservativeness", "schedule-conservativeness");
  row("sglang", "--radix-eviction-policy", "eviction-policy");
  row("tensorrt-llm", "scheduler_config.capacity_scheduler_policy", "admission-policy");
  row("tgi", "--waiting-served-ratio", "waiting-served-ratio");
  row("tgi", "--max-waiting-tokens", "max-waiting-tokens");
  row("vllm", "--enforce-eager", "graphs");
  row("vllm", "--performance-mode", "performance-mode");
  row("sglang", "--cuda-graph-max-bs-decode", "graph-max-batch");
  row("sglang", "--disable-overlap-schedule", "overlap-schedule");
  row("tgi", "--cuda-graphs", "graph-sizes");
  row("mini-sglang", "--cuda-graph-max-bs", "graph-max-batch");
  row("vllm", "--enable-sleep-mode", "sleep-mode");
  row("llama.cpp", "--sleep-idle-seconds", "sleep-idle-seconds");
}

void EngineProfileTest::flag_map() {
  QFETCH(std::string, engine_name);
  QFETCH(std::string, flags);
  QFETCH(std::string, setting);
  for (const QString& flag : QString::fromStdString(flags).split(' '))
    QVERIFY(says(engine(engine_name), setting, flag.toStdString()));
}

void EngineProfileTest::defaults_of_the_map_data() {
  QTest::addColumn<std::string>("engine_name");
  QTest::addColumn<std::string>("setting");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* engine_name, const char* setting, const char* value) {
    QTest::addRow("%s %s", engine_name, setting)
        << std::string(engine_name) << std::string(setting) << std::string(value);
  };
  row("vllm", "memory-share-of-total", "0.92");
  row("sglang", "max-prefill-tokens", "16384");
  row("tensorrt-llm", "max-num-seqs", "2048");
  row("tensorrt-llm", "max-num-batched-tokens", "8192");
  row("tensorrt-llm", "memory-share-of-free", "0.9");
  row("lmdeploy", "max-num-batched-tokens", "8192");
  row("lmdeploy", "memory-share-after-weights", "0.8");
  row("lmdeploy", "enable-prefix-caching", "false");
  row("tgi", "memory-share-of-total", "0.9");  // --cuda-memory-fraction 1, less TGI_WIGGLE_ROOM
  row("llama.cpp", "max-num-batched-tokens", "2048");
  row("llama.cpp", "micro-batch-tokens", "512");
  row("llama.cpp", "memory-margin", "1073741824");
  row("nano-vllm", "max-model-len", "4096");
  row("nano-vllm", "max-num-seqs", "512");
  row("nano-vllm", "max-num-batched-tokens", "16384");
  row("nano-vllm", "memory-share-of-total", "0.9");
  row("nano-vllm", "block-size", "256");
  for (const char* name : {"vllm", "sglang", "tensorrt-llm", "llama.cpp"})
    row(name, "enable-prefix-caching", "true");
}

void EngineProfileTest::defaults_of_the_map() {
  QFETCH(std::string, engine_name);
  QFETCH(std::string, setting);
  QFETCH(std::string, value);
  QCOMPARE(engine(engine_name).find(setting)->flags.front().default_value, value);
}

void EngineProfileTest::ours_are_our_settings() {
  for (const EngineSetting& setting : engine("pitwall").settings) {
    const SettingInfo* info = find_setting(setting.name);
    QVERIFY2(info != nullptr, setting.name.c_str());
    const EngineFlag& flag = setting.flags.front();
    if (flag.default_value.empty()) continue;
    QCOMPARE(flag.default_value, std::string(info->default_text));
    for (const auto& [ours, theirs] : flag.values) QVERIFY(parse_setting(*info, theirs.front()).ok());
  }
}

void EngineProfileTest::engines_are_found_by_any_name() {
  QCOMPARE(engine("vLLM").name, std::string("vllm"));
  QCOMPARE(engine("trtllm").name, std::string("tensorrt-llm"));
  QCOMPARE(engine("llama-server").name, std::string("llama.cpp"));
  QCOMPARE(engine("Text-Generation-Inference").name, std::string("tgi"));
  const auto none = find_engine("ollama");
  QVERIFY(!none.ok());
  QVERIFY(none.error().text().find("sglang") != std::string::npos);
}

void EngineProfileTest::faults_are_named_data() {
  QTest::addColumn<std::string>("settings");
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* name, const char* settings, const char* said) {
    QTest::newRow(name) << std::string(settings) << std::string(said);
  };
  row("no source", R"({"port": {"flag": "--port"}})", "x: port:");
  row("empty source", R"({"port": {"flag": "--port", "source": ""}})", "names no source");
  row("no way to say it", R"({"port": {"source": "1"}})", "neither flag");
  row("unknown setting", R"({"ports": {"flag": "--port", "source": "1"}})", "engine_settings.cpp");
  row("unknown key", R"({"port": {"flag": "--port", "source": "1", "help": ""}})", "key help");
  row("default of another type", R"({"port": {"flag": "--port", "source": "1", "default": "many"}})", "many");
  row("default in another spelling",
      R"({"memory-share-static": {"flag": "-m", "source": "1", "default": "1.0"}})",
      "write the default 1.0 as 1");
  row("not JSON", "{", "cannot be read");
}

void EngineProfileTest::faults_are_named() {
  QFETCH(std::string, settings);
  QFETCH(std::string, said);
  const auto parsed = parse_engine_profile(kMinimal + settings + "}");
  QVERIFY(!parsed.ok());
  QVERIFY2(parsed.error().text().find(said) != std::string::npos, parsed.error().text().c_str());
}

QTEST_APPLESS_MAIN(EngineProfileTest)
#include "engine_profile_test.moc"
