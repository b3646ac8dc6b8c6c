// SPDX-License-Identifier: GPL-3.0-or-later
// Start-up logs of other engines, in their own words.
#include <QTest>

#include "engine/plan/engine_log.h"

using namespace pitwall;

namespace {

Bytes gib(double value) {
  return static_cast<Bytes>(std::llround(value * static_cast<double>(kGiB)));
}

EngineLog read(std::string_view text) {
  auto log = read_engine_log(text);
  if (!log.ok()) qFatal("%s", log.error().text().c_str());
  return std::move(*log);
}

}  // namespace

class EngineLogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void vllm_v1_on_one_line();
  void vllm_v1_on_two_lines();
  void vllm_v0();
  void vllm_ranks();
  void vllm_refuses();
  void sglang();
  void sglang_hybrid();
  void tensorrt();
  void llama_pools_add_up();
  void llama_breakdown();
  void llama_breakdown_underflow();
  void damaged_lines();
  void silence_is_an_error();
};

void EngineLogTest::vllm_v1_on_one_line() {
  const EngineLog log = read(
      "Model loading took 14.26 GiB memory and 17.888750 seconds\n"
      "Available KV cache memory: 7.08 GiB\n"
      "GPU KV cache size: 222,822 tokens, Maximum concurrency for 131,072 tokens per request: 1.70x\n"
      "Graph capturing finished in 12 secs, took 0.71 GiB\n"
      "Free memory on device (23.05/23.56 GiB) on startup. Desired GPU memory utilization is (0.972, 22.9 "
      "GiB). "
      "Actual usage is 14.73 GiB for consumed memory (weights + non-torch), 1.09 GiB for peak activation, "
      "and "
      "0.71 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with "
      "`--kv-cache-memory=8820325233` "
      "(8.21 GiB) to fit into requested memory. Current kv cache memory in use is 7.08 GiB.\n");
  QCOMPARE(log.engine, std::string("vllm"));
  QCOMPARE(log.devices.size(), std::size_t{1});
  const DeviceMemoryLog& rank = log.devices.front();
  QCOMPARE(*rank.total, gib(23.56));
  QCOMPARE(*rank.free_at_start, gib(23.05));
  QCOMPARE(*rank.limit, gib(22.9));
  QCOMPARE(*rank.weights, gib(14.26));
  QCOMPARE(*rank.runtime, gib(14.73) - gib(14.26));
  QCOMPARE(*rank.activations, gib(1.09));
  QCOMPARE(*rank.graphs, gib(0.71));
  QCOMPARE(*rank.kv, gib(7.08));
  QCOMPARE(*log.kv_tokens, std::int64_t{222822});
  QCOMPARE(*log.max_model_len, std::int64_t{131072});
  QCOMPARE(*log.concurrency, 1.70);
}

void EngineLogTest::vllm_v1_on_two_lines() {
  const EngineLog log = read(
      "(EngineCore pid=558) INFO 08-21 18:21:55 [kv_cache_utils.py:2235] GPU KV cache size: 621,392 tokens\n"
      "(EngineCore pid=558) INFO 08-21 18:21:55 [kv_cache_utils.py:2236] Maximum concurrency for 32,768 "
      "tokens "
      "per request: 18.96x\n");
  QCOMPARE(*log.kv_tokens, std::int64_t{621392});
  QCOMPARE(*log.max_model_len, std::int64_t{32768});
  QCOMPARE(*log.concurrency, 18.96);
}

void EngineLogTest::vllm_v0() {
  const EngineLog log = read(
      "INFO 02-01 [worker.py:241] the current vLLM instance can use total_gpu_memory (15.77GiB) x "
      "gpu_memory_utilization (0.90) = 14.19GiB\n"
      "INFO 02-01 [worker.py:241] model weights take 7.51GiB; non_torch_memory takes 0.39GiB; PyTorch "
      "activation "
      "peak memory takes 2.53GiB; the rest of the memory reserved for KV Cache is 3.76GiB.\n"
      "INFO 02-01 [gpu_executor.py:76] # GPU blocks: 3852, # CPU blocks: 4096\n"
      "INFO 02-01 [gpu_executor.py:80] Maximum concurrency for 40000 tokens per request: 1.54x\n");
  const DeviceMemoryLog& rank = log.devices.front();
  QCOMPARE(*rank.total, gib(15.77));
  QCOMPARE(*rank.limit, gib(14.19));
  QCOMPARE(*rank.weights, gib(7.51));
  QCOMPARE(*rank.runtime, gib(0.39));
  QCOMPARE(*rank.activations, gib(2.53));
  QCOMPARE(*rank.kv, gib(3.76));
  QCOMPARE(*log.gpu_blocks, std::int64_t{3852});
  QCOMPARE(*log.cpu_blocks, std::int64_t{4096});
  QCOMPARE(*log.concurrency, 1.54);
}

void EngineLogTest::vllm_ranks() {
  const EngineLog log = read(
      "(Worker_TP1 pid=771) INFO Available KV cache memory: 27.85 GiB\n"
      "(Worker_TP0 pid=770) INFO Available KV cache memory: 27.60 GiB\n");
  QCOMPARE(log.devices.size(), std::size_t{2});
  QCOMPARE(log.devices[0].device, std::string("rank 1"));
  QCOMPARE(*log.devices[0].kv, gib(27.85));
  QCOMPARE(*log.devices[1].kv, gib(27.60));
}

// The text of both generations; the figures of the newer are Qwen3-8B's (5.62 GiB needed, 4.50 there).
void EngineLogTest::vllm_refuses() {
  const EngineLog log = read(
      "ValueError: To serve at least one request with the model's max seq len (40960), (5.62 GiB KV cache is "
      "needed, which is larger than the available KV cache memory (4.50 GiB). Based on the available memory, "
      "the "
      "estimated maximum model length is 32768. Try increasing `gpu_memory_utilization`\n");
  QVERIFY(log.shortage);
  QCOMPARE(log.shortage->needed, gib(5.62));
  QCOMPARE(log.shortage->available, gib(4.5));
  QCOMPARE(log.shortage->max_model_len, std::int64_t{40960});
  QCOMPARE(log.shortage->longest_that_fits, std::int64_t{32768});
  const EngineLog older = read(
      "To serve at least one request with the models's max seq len (10485760), (240.00 GiB KV cache is "
      "needed, "
      "which is larger than the available KV cache memory (88.38 GiB). Based on the available memory, the "
      "estimated maximum model length is 3861424.");
  QCOMPARE(older.shortage->needed, gib(240));
  QCOMPARE(older.shortage->longest_that_fits, std::int64_t{3861424});
  QVERIFY(read("ValueError: No available memory for the cache blocks. Try increasing").shortage);
}

void EngineLogTest::sglang() {
  const EngineLog log = read(
      "[2025-03-08 12:29:21 TP1] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, avail "
      "mem=6.09 GB, "
      "mem usage=15.54 GB.\n"
      "[2025-03-08 12:29:21 TP1] KV Cache is allocated. #tokens: 46611, K size: 1.42 GB, V size: 1.42 GB\n"
      "[2025-03-08 12:30:01 TP0] max_total_num_tokens=46611, chunked_prefill_size=2048, "
      "max_prefill_tokens=16384, "
      "max_running_requests=2049, context_len=131072, available_gpu_mem=2.60 GB\n");
  QCOMPARE(log.engine, std::string("sglang"));
  QCOMPARE(log.devices.front().device, std::string("rank 1"));
  QCOMPARE(*log.devices.front().weights, gib(15.54));
  QCOMPARE(*log.devices.front().kv, 2 * gib(1.42));
  QCOMPARE(*log.kv_tokens, std::int64_t{46611});
  QCOMPARE(*log.max_num_batched_tokens, std::int64_t{2048});
  QCOMPARE(*log.max_num_seqs, std::int64_t{2049});
  QCOMPARE(*log.max_model_len, std::int64_t{131072});
}

void EngineLogTest::sglang_hybrid() {
  const EngineLog log = read(
      "[2026-09-09 11:57:18] Mamba Cache is allocated. max_mamba_cache_size: 48, conv_state size: 0.09GB, "
      "ssm_state size: 6.46GB \n"
      "[2026-09-09 11:57:18] KV Cache is allocated. #tokens: 2618868, K size: 19.98 GB, V size: 19.98 GB\n");
  QCOMPARE(*log.devices.front().kv, 2 * gib(19.98) + gib(0.09) + gib(6.46));
}

void EngineLogTest::tensorrt() {
  const EngineLog log = read(
      "[TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: 15.00 "
      "GiB\n"
      "[TRT-LLM] [I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: 1.50 "
      "GiB\n"
      "[TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 20.00 GiB, available KV "
      "cache "
      "memory when calculating max tokens: 54.00 GiB, fraction is set 0.9, kv size is 131072. device total "
      "memory "
      "80.00 GiB\n");
  const DeviceMemoryLog& rank = log.devices.front();
  QCOMPARE(log.engine, std::string("tensorrt-llm"));
  QCOMPARE(*rank.total, gib(80));
  QCOMPARE(*rank.weights, gib(15));
  QCOMPARE(*rank.runtime, gib(1.5));
  QCOMPARE(*rank.activations, gib(3.5));  // 20 − 15 − 1.5
  QCOMPARE(*rank.kv, gib(54));            // 0.9 × (80 − 20)
  QCOMPARE(*log.kv_tokens, gib(54) / 131072);
}

// ollama/ollama#17037: a model with windows logs two pools of the same device.
void EngineLogTest::llama_pools_add_up() {
  const EngineLog log = read(
      "load_tensors:        CUDA0 model buffer size = 15339.44 MiB\n"
      "llama_kv_cache:      CUDA0 KV buffer size =  2560.00 MiB\n"
      "llama_kv_cache:      CUDA0 KV buffer size =   174.00 MiB\n"
      "llama_kv_cache:  CUDA_Host KV buffer size =   306.00 MiB\n"
      "llama_context:       CUDA0 compute buffer size =   304.75 MiB\n");
  QCOMPARE(log.engine, std::string("llama.cpp"));
  const DeviceMemoryLog& device = log.devices.front();
  QCOMPARE(device.device, std::string("CUDA0"));
  QCOMPARE(*device.kv, 2734 * kMiB);
  QCOMPARE(*device.activations, 319'553'536);  // 304.75 MiB
  QCOMPARE(log.devices[1].device, std::string("CUDA_Host"));
  QCOMPARE(*log.devices[1].kv, 306 * kMiB);
}

void EngineLogTest::llama_breakdown() {
  const EngineLog log = read(
      "llama_kv_cache: MTL0 KV buffer size = 2000.00 MiB\n"
      "llama_memory_breakdown_print: | memory breakdown [MiB] | total    free    self   model   context   "
      "compute    "
      "unaccounted |\n"
      "llama_memory_breakdown_print: |   - MTL0 (Apple M5)    | 18186 = 11633 + (5619 =  2368 +    2734 +    "
      " 517) + "
      "        933 |\n"
      "llama_memory_breakdown_print: |   - Host               |                   794 =   525 +       0 +    "
      " 269    "
      "            |\n");
  const DeviceMemoryLog& device = log.devices.front();
  QCOMPARE(*device.total, 18186 * kMiB);
  QCOMPARE(*device.weights, 2368 * kMiB);
  QCOMPARE(*device.kv, 2734 * kMiB);
  QCOMPARE(*device.activations, 517 * kMiB);
  QCOMPARE(*device.unaccounted, 934 * kMiB);  // of whole MiB: 18186 − 11633 − 5619
  QCOMPARE(*log.devices[1].weights, 525 * kMiB);
  QVERIFY(!log.devices[1].total);
}

// ggml-org/llama.cpp prints what is below zero as an unsigned number.
void EngineLogTest::llama_breakdown_underflow() {
  const EngineLog log = read(
      "llama_memory_breakdown_print: |   - SYCL0 (Intel(R) Arc(TM) A770 Graphics) | 15473 = 15473 + (14014 = "
      "13486 + "
      "    224 +     304) + 17592186030401 |\n");
  QCOMPARE(*log.devices.front().unaccounted, -14014 * kMiB);
  QCOMPARE(log.notes.size(), std::size_t{1});
}

void EngineLogTest::damaged_lines() {
  for (const char* line : {"Model loading took GiB", "Available KV cache memory: 99999999999999999999 GiB",
                           "GPU KV cache size: , tokens", "llama_memory_breakdown_print: |   - X | 1 = ",
                           "KV buffer size = 12", "max_total_num_tokens=", "Free memory on device ("}) {
    const auto log = read_engine_log(line);
    if (!log.ok()) continue;
    for (const DeviceMemoryLog& device : log->devices) QVERIFY2(!device.kv && !device.weights, line);
  }
}

void EngineLogTest::silence_is_an_error() {
  const auto log = read_engine_log("INFO: Uvicorn running\n\n");
  QVERIFY(!log.ok());
  QVERIFY(log.error().kind == Error::Kind::not_found);
}

QTEST_APPLESS_MAIN(EngineLogTest)
#include "engine_log_test.moc"
