// SPDX-License-Identifier: GPL-3.0-or-later
// What 0.9 means: the same card and model under each engine's meaning.
#include <QTest>

#include "engine/plan/deployment.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

// vllm-project/vllm#5158, NVIDIA/TensorRT-LLM#486: a card of 80 GiB, 30 GiB of weights and activations.
const MemoryTerms kCard{
    .total = 80 * kGiB, .weights = 25 * kGiB, .working = 5 * kGiB, .kv_per_token = 131072};

double in_gib(std::optional<Bytes> bytes) {
  return static_cast<double>(bytes.value_or(0)) / static_cast<double>(kGiB);
}

}  // namespace

class EngineMemoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void meanings_data();
  void meanings();
  void the_smaller_of_cap_and_share_wins();
  void what_is_not_known_is_not_guessed();
  void values_come_back_data();
  void values_come_back();
  void impossible_values();
  void meaning_in_words();
  void budget_of_a_deployment();
  void share_becomes_another_share();
  void everything_needs_no_weights();
  void blocks_have_their_engine_s_size();
  void one_flag_says_one_thing();
  void terms_of_a_plan();
  void defaults_data();
  void defaults();
  void defaults_by_gpu();
};

void EngineMemoryTest::meanings_data() {
  QTest::addColumn<std::string>("setting");
  QTest::addColumn<std::string>("value");
  QTest::addColumn<double>("gib");
  const auto row = [](const char* setting, const char* value, double gib) {
    QTest::newRow(setting) << std::string(setting) << std::string(value) << gib;
  };
  row("memory-share-of-total", "0.9", 42);         // vLLM
  row("memory-share-of-free", "0.9", 45);          // TensorRT-LLM
  row("memory-share-static", "0.9", 47);           // SGLang: activations are not in it
  row("memory-share-after-weights", "0.9", 49.5);  // LMDeploy
  row("memory-margin", "1073741824", 49);          // llama.cpp: 1 GiB left free
  row("memory-limit", "77309411328", 42);          // 72 GiB
  row("kv-cache-memory-bytes", "1073741824", 1);
  row("kv-tokens", "131072", 16);  // Llama-3-8B: 128 KiB a token
  row("kv-blocks", "8192", 16);
}

void EngineMemoryTest::meanings() {
  QFETCH(std::string, setting);
  QFETCH(std::string, value);
  QFETCH(double, gib);
  QCOMPARE(in_gib(kv_bytes_of(setting, value, kCard, 16)), gib);
}

void EngineMemoryTest::the_smaller_of_cap_and_share_wins() {
  EngineSettings settings;
  settings.values = {{"memory-share-of-free", "0.9"}, {"kv-tokens", "81920"}};
  QCOMPARE(in_gib(kv_bytes_of(settings, kCard, 32)), 10.0);
  settings.values["kv-tokens"] = "8192000";
  QCOMPARE(in_gib(kv_bytes_of(settings, kCard, 32)), 45.0);
  settings.values = {{"memory-share-of-total", "0.5"}, {"kv-cache-memory-bytes", "42949672960"}};
  QCOMPARE(in_gib(kv_bytes_of(settings, kCard, 32)), 40.0);  // vLLM: bytes replace the share
}

void EngineMemoryTest::what_is_not_known_is_not_guessed() {
  MemoryTerms terms = kCard;
  terms.kv_per_token = 0;
  QVERIFY(!kv_bytes_of("kv-tokens", "1000", terms, 16));
  QVERIFY(!kv_bytes_of(EngineSettings{}, kCard, 16));
  QVERIFY(*kv_bytes_of("kv-tokens", "4503599627370496", kCard, 16) > 0);  // no overflow
}

void EngineMemoryTest::values_come_back_data() {
  QTest::addColumn<std::string>("setting");
  for (const std::string_view name : memory_settings())
    QTest::newRow(std::string(name).c_str()) << std::string(name);
}

// Bytes → value → bytes: never more, and less by one unit of the value at most.
void EngineMemoryTest::values_come_back() {
  QFETCH(std::string, setting);
  const Bytes unit = setting.starts_with("memory-share") ? kCard.total / 10000 + 1
                     : setting == "kv-tokens"            ? kCard.kv_per_token
                     : setting == "kv-blocks"            ? 16 * kCard.kv_per_token
                                                         : 1;
  for (Bytes kv = 3 * kGiB; kv < 44 * kGiB; kv += 987'654'321) {
    const auto value = memory_value_for(setting, kv, kCard, 16);
    QVERIFY(value);
    const auto back = kv_bytes_of(setting, *value, kCard, 16);
    QVERIFY(back && *back <= kv);
    QVERIFY2(kv - *back < unit, qPrintable(QString::number(kv - *back)));
  }
}

void EngineMemoryTest::impossible_values() {
  QVERIFY(!memory_value_for("memory-share-of-free", 60 * kGiB, kCard, 16));  // above what is free
  QVERIFY(!memory_value_for("memory-share-of-total", 0, kCard, 16));
  QVERIFY(!memory_value_for("memory-margin", 50 * kGiB, kCard, 16));  // nothing left to be a margin
  QVERIFY(!memory_value_for("kv-tokens", kGiB, {.total = kGiB}, 16));
}

void EngineMemoryTest::meaning_in_words() {
  QCOMPARE(
      memory_meaning("memory-share-of-total", "0.9", kCard, 16),
      std::string(
          "a share of the GPU's total, for everything: 0.9 × 80.00 GiB = 72.00 GiB; less 30.00 GiB leaves "
          "42.00 GiB for KV"));
  QCOMPARE(memory_meaning("memory-share-of-free", "0.9", kCard, 16),
           std::string("a share of what is free after loading, for KV alone: 0.9 × 50.00 GiB = 45.00 GiB"));
  QCOMPARE(memory_meaning("memory-share-of-total", "0.9", std::nullopt, 16),
           std::string("a share of the GPU's total, for everything"));
  QVERIFY(memory_meaning("memory-share-of-total", "0.3", kCard, 16).ends_with("it does not start"));
}

void EngineMemoryTest::budget_of_a_deployment() {
  using Meaning = MemoryBudget::Meaning;
  EngineSettings settings;
  settings.values = {{"memory-share-static", "0.9"}};
  const EngineProfile& sglang = **find_engine("sglang");
  const MemoryBudget share = deployment_of(settings, sglang, std::nullopt).budget;
  QVERIFY(share.meaning == Meaning::share_static);
  QCOMPARE(share.share, 0.9);
  settings.values = {{"kv-tokens", "1000"}};
  QVERIFY(deployment_of(settings, sglang, std::nullopt).budget.meaning == Meaning::automatic);
  const MemoryBudget known = deployment_of(settings, sglang, kCard).budget;
  QVERIFY(known.meaning == Meaning::kv_bytes);
  QCOMPARE(known.bytes, 131'072'000);
  QVERIFY(deployment_of({}, **find_engine("vllm"), std::nullopt).budget.meaning == Meaning::automatic);
}

// Case 018 as a translation: 42 GiB are 0.84 of the 50 that TensorRT-LLM finds free.
void EngineMemoryTest::share_becomes_another_share() {
  EngineSettings settings;
  settings.values = {{"memory-share-of-total", "0.9"}};
  const WrittenFlags trt = write_flags(**find_engine("trtllm"), settings, kCard);
  QCOMPARE(trt.arguments, (Words{"--free_gpu_memory_fraction", "0.84"}));
  const WrittenFlags sglang = write_flags(**find_engine("sglang"), settings, kCard);
  QCOMPARE(sglang.arguments, (Words{"--mem-fraction-static", "0.8375"}));  // (25 + 42) / 80
  const WrittenFlags lmdeploy = write_flags(**find_engine("lmdeploy"), settings, kCard);
  QCOMPARE(lmdeploy.arguments, (Words{"--cache-max-entry-count", "0.7636"}));  // 42 / 55
  QVERIFY(lmdeploy.notes.back().starts_with("Rounded down"));
  const WrittenFlags llama = write_flags(**find_engine("llama.cpp"), settings, kCard);
  QCOMPARE(llama.arguments, (Words{"-fitt", "8192"}));  // MiB
  const WrittenFlags blind = write_flags(**find_engine("trtllm"), settings, std::nullopt);
  QVERIFY(blind.arguments.empty());
  QVERIFY(blind.notes.front().find("give the GPU and the model") != std::string::npos);
}

void EngineMemoryTest::everything_needs_no_weights() {
  EngineSettings settings;
  settings.values = {{"memory-share-of-total", "0.9"}};
  const WrittenFlags ours = write_flags(**find_engine("pitwall"), settings, MemoryTerms{.total = 80 * kGiB});
  QCOMPARE(ours.arguments, (Words{"--memory-limit", "77309411328"}));
  const WrittenFlags trt = write_flags(**find_engine("trtllm"), settings, MemoryTerms{.total = 80 * kGiB});
  QVERIFY(trt.arguments.empty());
  QVERIFY(trt.notes.front().find("without the model's weights") != std::string::npos);
}

// vllm-project/vllm#11251: 3,852 blocks of 16 tokens, not of SGLang's 1.
void EngineMemoryTest::blocks_have_their_engine_s_size() {
  EngineReading reading;
  reading.engine = *find_engine("vllm");
  reading.settings.values = {{"kv-blocks", "3852"}};
  const WrittenFlags sglang = translate(reading, **find_engine("sglang"), std::nullopt);
  QCOMPARE(sglang.arguments, (Words{"--max-total-tokens", "61632", "--page-size", "16"}));
}

// SGLang says a step's tokens and that prompts are not cut by the same flag, and whole prompts by another.
void EngineMemoryTest::one_flag_says_one_thing() {
  EngineSettings settings;
  settings.values = {{"enable-chunked-prefill", "false"}, {"max-num-batched-tokens", "4096"}};
  const WrittenFlags sglang = write_flags(**find_engine("sglang"), settings, std::nullopt);
  QCOMPARE(sglang.arguments, (Words{"--chunked-prefill-size", "-1", "--max-prefill-tokens", "4096"}));
  settings.values["max-prefill-tokens"] = "8192";
  const WrittenFlags both = write_flags(**find_engine("sglang"), settings, std::nullopt);
  QCOMPARE(both.arguments, (Words{"--chunked-prefill-size", "-1", "--max-prefill-tokens", "8192"}));
  QVERIFY(both.notes.front().find("max-num-batched-tokens 4096 is not written") != std::string::npos);
}

void EngineMemoryTest::terms_of_a_plan() {
  DeploymentPlan plan;
  plan.ranks.resize(2);
  plan.worst = 1;
  RankPlan& rank = plan.ranks[1];
  const auto book = [&](Category category, Bytes bytes) {
    rank.bytes[static_cast<std::size_t>(category)] = bytes;
  };
  rank.device_total = 80 * kGiB;
  rank.kv_bytes_per_token = 131072;
  book(Category::weights, 25 * kGiB);
  book(Category::kv, 42 * kGiB);
  book(Category::activations, 4 * kGiB);
  book(Category::context, kGiB);
  const MemoryTerms terms = memory_terms_of(plan);
  QCOMPARE(terms.total, 80 * kGiB);
  QCOMPARE(terms.weights, 25 * kGiB);
  QCOMPARE(terms.working, 5 * kGiB);
  QCOMPARE(terms.kv_per_token, 131072);
}

// What each engine takes unasked, of what: profiles/engines.
void EngineMemoryTest::defaults_data() {
  QTest::addColumn<std::string>("engine");
  QTest::addColumn<std::string>("gpu");
  QTest::addColumn<std::string>("setting");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* engine, const char* gpu, const char* setting, const char* value) {
    QTest::addRow("%s %s", engine, gpu)
        << std::string(engine) << std::string(gpu) << std::string(setting) << std::string(value);
  };
  row("vllm", "H200", "memory-share-of-total", "0.92");
  row("sglang", "H200", "memory-share-static", "0.929");  // 10 GiB of 143,771 MiB
  row("sglang", "RTX-4090", "memory-share-static",
      "0.847");  // 512 + 2,048 × 1.5 + 128 + 24 × 2 of 24,564 MiB
  row("tensorrt-llm", "H200", "memory-share-of-free", "0.9");
  row("lmdeploy", "H200", "memory-share-after-weights", "0.8");
  row("tgi", "H200", "memory-share-of-total", "0.9");  // all of it, less TGI_WIGGLE_ROOM
  row("llama.cpp", "H200", "memory-margin", "1073741824");
}

void EngineMemoryTest::defaults() {
  QFETCH(std::string, engine);
  QFETCH(std::string, gpu);
  QFETCH(std::string, setting);
  QFETCH(std::string, value);
  Deployment asked;
  asked.engine = engine;
  asked.max_model_len = 4096;
  const GpuProfile card = find_gpu(gpu).value();
  const auto model = read_outline("qwen3-4b");
  const auto plan = plan_memory(asked, *model, card);
  QVERIFY(plan.ok());
  const auto memory = memory_setting_of(plan->budget);
  QVERIFY(memory.has_value());
  QCOMPARE(memory->first, setting);
  QCOMPARE(memory->second, value);
  // The pool is what the same number gives as a flag, in whole blocks, and a note says whose it is.
  const MemoryTerms terms = memory_terms_of(*plan);
  const Bytes kv = kv_bytes_of(setting, value, terms, asked.block_size).value();
  if (engine != "llama.cpp")  // takes the context of its slots, no more
    QVERIFY(terms.kv <= kv && kv - terms.kv <= plan->kv_block_bytes);
  QVERIFY(std::any_of(plan->notes.begin(), plan->notes.end(), [&](const std::string& note) {
    return note.starts_with("Memory by the default of " + (*find_engine(engine))->title);
  }));
}

void EngineMemoryTest::defaults_by_gpu() {
  const EngineProfile &vllm = **find_engine("vllm"), &sglang = **find_engine("sglang");
  QCOMPARE(vllm.default_of("max-num-seqs", {"H200", 140 * kGiB, 1}), std::string("1024"));
  QCOMPARE(vllm.default_of("max-num-seqs", {"A100-80G", 80 * kGiB, 1}), std::string("256"));
  QCOMPARE(vllm.default_of("max-num-batched-tokens", {"L40S", 45 * kGiB, 1}), std::string("2048"));
  QCOMPARE(vllm.default_of("max-num-seqs", {}), std::string());
  QCOMPARE(sglang.default_of("max-num-batched-tokens", {"B200", 178 * kGiB, 1}), std::string("16384"));
  QCOMPARE(sglang.default_of("graph-max-batch", {"H100", 80 * kGiB, 4}), std::string("512"));
  QCOMPARE(sglang.default_of("graph-max-batch", {"H100", 80 * kGiB, 1}), std::string("256"));
}

QTEST_APPLESS_MAIN(EngineMemoryTest)
#include "engine_memory_test.moc"
