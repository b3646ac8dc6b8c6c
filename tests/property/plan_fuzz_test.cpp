// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations and deployments at random: a plan or an error that says something; no byte is negative, and
// what grows with tokens never shrinks.
#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/file.h"
#include "engine/library/model_profile.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/kv_demand.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  bool once_in(int n) { return below(n) == 0; }

  json value() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return -below(100);
      case 2:
        return 0;
      case 3:
        return below(1 << 20);
      case 4:
        return std::int64_t{1} << below(63);
      case 5:
        return 1e30;
      case 6:
        return "full_attention";
      case 7:
        return json::array({1, 2, "sliding_attention"});
      case 8:
        return json::object({{"factor", 4.0}, {"type", "linear"}});
      case 9:
        return once_in(2);
      case 10:
        return 0.5;
      default:
        return below(300) + 1;
    }
  }

  /// A file as the hub has it, with any of its own keys changed.
  json family() {
    static const json rows = json::parse(*read_file(test::data("plan/families.json"), 1 << 20));
    json config = rows[static_cast<std::size_t>(below(std::ssize(rows)))]["config"];
    json& object = config.contains("text_config") && !once_in(4) ? config["text_config"] : config;
    for (std::int64_t i = below(4); i >= 0; --i) {
      auto at = object.begin();
      std::advance(at, below(std::ssize(object)));
      *at = value();
    }
    return config;
  }

  json config() {
    if (once_in(2)) return family();
    const auto& profiles = model_profiles();
    const ModelProfile* profile = nullptr;
    while (profile == nullptr || profile->config.empty())
      profile = &profiles[static_cast<std::size_t>(below(std::ssize(profiles)))];
    json config = json::parse(profile->config);
    static const char* const kKeys[] = {"num_hidden_layers",
                                        "hidden_size",
                                        "num_attention_heads",
                                        "num_key_value_heads",
                                        "head_dim",
                                        "vocab_size",
                                        "intermediate_size",
                                        "sliding_window",
                                        "layer_types",
                                        "kv_lora_rank",
                                        "index_head_dim",
                                        "full_attention_interval",
                                        "linear_num_value_heads",
                                        "num_kv_shared_layers",
                                        "attention_chunk_size",
                                        "num_experts",
                                        "n_routed_experts",
                                        "moe_intermediate_size",
                                        "max_position_embeddings",
                                        "rope_scaling",
                                        "quantization_config",
                                        "text_config",
                                        "architectures",
                                        "model_type",
                                        "num_nextn_predict_layers",
                                        "global_head_dim",
                                        "tie_word_embeddings",
                                        "mamba_d_state",
                                        "mamba_d_conv",
                                        "vision_config",
                                        "torch_dtype"};
    for (std::int64_t i = below(4); i >= 0; --i) config[kKeys[below(std::size(kKeys))]] = value();
    if (once_in(8)) {
      static const char* const kNames[] = {"JambaForCausalLM",
                                           "Mamba2ForCausalLM",
                                           "FalconH1ForCausalLM",
                                           "T5ForConditionalGeneration",
                                           "MllamaForConditionalGeneration",
                                           "BertModel",
                                           "NemotronHForCausalLM",
                                           "Zamba2ForCausalLM",
                                           "Lfm2ForCausalLM"};
      config["architectures"] = {kNames[below(std::size(kNames))]};
    }
    return config;
  }

  std::int64_t wild(std::int64_t usual) {
    switch (below(16)) {
      case 0:
        return 0;
      case 1:
        return -below(1000);
      case 2:
        return std::int64_t{1} << below(62);
      default:
        return below(usual) + 1;
    }
  }
  int narrow(std::int64_t usual) { return static_cast<int>(wild(usual)); }

  Deployment deployment() {
    Deployment asked;
    asked.gpus = narrow(8);
    asked.tensor_parallel = once_in(3) ? narrow(8) : 1;
    if (asked.tensor_parallel > 1) asked.gpus = asked.tensor_parallel;
    asked.pipeline_parallel = once_in(8) ? narrow(4) : 1;
    asked.max_num_seqs = narrow(300);
    asked.max_num_batched_tokens = narrow(8192);
    asked.block_size = once_in(4) ? narrow(128) : 16;
    if (once_in(2)) asked.max_model_len = wild(100'000);
    asked.kv_cache_dtype = kv_formats()[static_cast<std::size_t>(below(std::ssize(kv_formats())))].name;
    if (once_in(2)) asked.kv_cache_dtype = "auto";
    static constexpr const char* kEngines[] = {"auto",   "pitwall",      "needed",   "full", "vllm",
                                               "sglang", "tensorrt-llm", "lmdeploy", "tgi",  "llama.cpp"};
    asked.engine = kEngines[below(std::ssize(kEngines))];
    asked.requests = narrow(100);
    asked.lengths.p50 = once_in(2) ? wild(1000) : 0;
    asked.shared_prefix = once_in(3) ? wild(4000) : 0;
    asked.budget.meaning = static_cast<MemoryBudget::Meaning>(below(8));
    asked.budget.share = static_cast<double>(below(120)) / 100;
    asked.budget.bytes = wild(Bytes{100} << 30);
    asked.budget.other_processes = once_in(3) ? wild(Bytes{80} << 30) : 0;
    asked.threads = 2;
    asked.draft_layers = once_in(2);
    asked.graphs = once_in(2);
    asked.prompt_logprobs = once_in(4);
    return asked;
  }

 private:
  std::mt19937_64 random_;
};

void check_plan(const DeploymentPlan& plan) {
  for (const RankPlan& rank : plan.ranks) {
    for (const Bytes bytes : rank.bytes) QVERIFY(bytes >= 0);
    QVERIFY(rank.total() >= 0);
    QVERIFY(rank.limit >= 0);
    QVERIFY(rank.kv_needed >= 0);
    QVERIFY(rank.kv_bytes_per_token >= 0);
  }
  QVERIFY(plan.kv_bytes_per_token >= 0);
  QVERIFY(plan.kv_bytes_per_sequence >= 0);
  QVERIFY(plan.law_bytes_per_sequence >= 0);
  QVERIFY(plan.most_at_p50 >= plan.most_at_p95);
  QVERIFY(plan.most_at_p95 >= plan.most_at_max);
  QVERIFY(plan.most_at_max >= 0);
  QVERIFY(plan.longest >= 0);
  for (const Fix& fix : plan.fixes) QVERIFY(!fix.setting.empty());
  if (plan.verdict == Verdict::fits) QVERIFY(plan.fixes.empty());
}

}  // namespace

class PlanFuzzTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void plans_at_random() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Fuzz fuzz(seed);
    GpuProfile gpu;
    gpu.name = "card";
    int outlines = 0, plans = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto model = outline_of_config(fuzz.config().dump(), "fuzz");
      if (!model) {
        QVERIFY(!model.error().what.empty());
        continue;
      }
      ++outlines;
      QVERIFY(model->parameters() > 0);
      QVERIFY(model->weight_bytes() > 0);
      gpu.memory = fuzz.wild(Bytes{200} << 30);
      if (gpu.memory < 0) gpu.memory = 0;
      gpu.name = fuzz.once_in(4) ? "this-machine" : "card";
      const auto plan = plan_memory(fuzz.deployment(), *model, gpu);
      if (!plan) {
        QVERIFY(!plan.error().what.empty());
        continue;
      }
      ++plans;
      check_plan(*plan);
      if (QTest::currentTestFailed()) return;
    }
    qInfo("%d outlines, %d plans", outlines, plans);
    QVERIFY(outlines > 300);
    QVERIFY(plans > 30);
  }

  /// More tokens never take less, a rank of more never holds more, and laws allocate at least what is needed.
  void laws_are_ordered() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Fuzz fuzz(seed);
    for (const ModelProfile& profile : model_profiles()) {
      if (profile.config.empty()) continue;
      const ModelOutline model = outline_of_config(profile.config, profile.name).value();
      const KvFormat& format = kv_formats()[static_cast<std::size_t>(fuzz.below(std::ssize(kv_formats())))];
      KvDemandOptions options{KvLaw::needed, format, 1, 16, 512};
      const KvDemand needed(model, options, 0, model.layers.size());
      options.tensor_parallel = 2;
      const KvDemand halved(model, options, 0, model.layers.size());
      options.tensor_parallel = 1;
      options.law = KvLaw::vllm;
      const KvDemand vllm(model, options, 0, model.layers.size());
      Bytes before = 0;
      for (int i = 0; i < 40; ++i) {
        const std::int64_t tokens = 1 + i * (fuzz.below(2000) + 1);
        const Bytes bytes = needed.sequence(std::max<std::int64_t>(tokens, i * 2000));
        QVERIFY(bytes >= before);
        before = bytes;
        QVERIFY(needed.sequence(tokens) >= halved.sequence(tokens));
        QVERIFY2(vllm.sequence(tokens) >= needed.sequence(tokens), profile.name.c_str());
        const Bytes pool = bytes * 5;
        QVERIFY(needed.of_requests(needed.most(pool, tokens, 0), tokens, 0) <= pool);
        QVERIFY(needed.sequence(needed.longest(pool)) <= pool);
      }
    }
  }
};

QTEST_APPLESS_MAIN(PlanFuzzTest)
#include "plan_fuzz_test.moc"
