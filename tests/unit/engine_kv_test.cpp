// SPDX-License-Identifier: GPL-3.0-or-later
// What engines allocate where that is not what a model needs: pools of windows, full lengths, and lengths
// that give way to the pool.
#include <QTest>
#include <cmath>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/kv_demand.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

DeploymentPlan planned(const char* model, const char* engine, const char* gpu,
                       std::optional<std::int64_t> length = {}, int gpus = 1) {
  Deployment asked;
  asked.model = model;
  asked.engine = engine;
  asked.gpu = gpu;
  asked.gpus = asked.tensor_parallel = gpus;
  asked.max_model_len = length;
  asked.block_size = std::string_view(engine) == "sglang" ? 1 : std::string_view(engine) == "vllm" ? 16 : 32;
  const auto plan = plan_deployment(asked, test::model_of(model), *find_gpu(gpu));
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return *plan;
}

/// SGLang's set_num_token_hybrid: tokens of all layers, shared out so that windows have `ratio` of them.
std::int64_t sglang_tokens(const DeploymentPlan& plan, int full_layers, int windowed, double ratio) {
  const int layers = full_layers + windowed;
  const RankPlan& rank = plan.worst_rank();
  const std::int64_t of_each_layer = rank.of(Category::kv) / rank.kv_bytes_per_token;
  return static_cast<std::int64_t>(static_cast<double>(of_each_layer * layers) /
                                   (full_layers + ratio * windowed));
}

bool near(std::int64_t a, std::int64_t b) {
  return std::abs(static_cast<double>(a - b)) <= 2e-5 * static_cast<double>(b);
}

bool says(const DeploymentPlan& plan, std::string_view text) {
  for (const std::string& note : plan.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

const Fix* fix_to(const DeploymentPlan& plan, std::string_view setting, const std::string& to) {
  for (const Fix& fix : plan.fixes) {
    if (fix.setting == setting && fix.to == to) return &fix;
  }
  return nullptr;
}

}  // namespace

class EngineKvTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sglang_has_a_pool_of_windows_for_some_families() {
    const DeploymentPlan gpt = planned("gpt-oss-120b", "sglang", "H200");
    QVERIFY2(near(gpt.longest, sglang_tokens(gpt, 18, 18, 0.8)), std::to_string(gpt.longest).c_str());
    QCOMPARE(gpt.most_at_max, gpt.longest / 131'072);
    const DeploymentPlan scout = planned("llama-4-scout", "sglang", "H200", 131'072, 8);
    QVERIFY2(near(scout.longest, sglang_tokens(scout, 12, 36, 0.8)), std::to_string(scout.longest).c_str());
    QCOMPARE(scout.most_at_max, scout.longest / 131'072);
  }

  /// Sequences within a window take more of its smaller pool than of the other one.
  void short_sequences_fill_the_pool_of_windows() {
    const ModelOutline gpt = test::model_of("gpt-oss-120b");
    KvDemandOptions options{KvLaw::window_pool, find_kv_format("bfloat16").value(), 1, 1};
    options.window_share = 0.8;
    const KvDemand demand(gpt, options, 0, gpt.layers.size());
    QCOMPARE(demand.sequence(64), 80 * demand.unit());    // the whole sequence, of eight tenths
    QCOMPARE(demand.sequence(150), 160 * demand.unit());  // a window of 128
    QCOMPARE(demand.sequence(161), 161 * demand.unit());
  }

  void sglang_holds_other_windows_at_full_length() {
    const DeploymentPlan gemma = planned("gemma-3-27b", "sglang", "H200", 32'768);
    QCOMPARE(gemma.worst_rank().kv_bytes_per_token, Bytes{507'904});
    QCOMPARE(gemma.kv_tokens, gemma.worst_rank().of(Category::kv) / 507'904);
    QCOMPARE(gemma.most_at_max, gemma.kv_tokens / 32'768);
    QVERIFY(says(gemma, "SGLang allocates 15.50 GiB"));
  }

  /// max_attention_window is the user's to say.
  void tensorrt_llm_holds_windows_at_full_length() {
    const DeploymentPlan gpt = planned("gpt-oss-120b", "tensorrt-llm", "H200");
    QCOMPARE(gpt.kv_tokens, gpt.worst_rank().of(Category::kv) / (73'728 * 32) * 32);
  }

  void a_length_gives_way_to_the_pool_where_the_engine_lets_it() {
    for (const char* engine : {"sglang", "tensorrt-llm"}) {
      for (const std::optional<std::int64_t> asked : {std::optional<std::int64_t>{}, {100'000}}) {
        const DeploymentPlan plan = planned("llama-3.1-8b", engine, "L4", asked);
        QVERIFY2(plan.verdict == Verdict::fits_with_less, engine);
        QCOMPARE(plan.max_model_len, plan.worst_rank().of(Category::kv) / 131'072);
        QVERIFY2(says(plan, asked ? "of the 100,000 asked for" : "of the model's 131,072"), engine);
      }
    }
    const DeploymentPlan unasked = planned("llama-3.1-8b", "llama.cpp", "L4");
    QVERIFY(unasked.max_model_len < 131'072 / 32 || unasked.verdict != Verdict::fails);
    QVERIFY(planned("llama-3.1-8b", "llama.cpp", "L4", 131'072).verdict == Verdict::fails);
  }

  /// vLLM does not start, and is offered the length with which it does.
  void a_length_that_starts_is_offered() {
    const DeploymentPlan plan = planned("llama-3.1-8b", "vllm", "L4");
    QVERIFY(plan.verdict == Verdict::fails);
    const std::string longest = format_count(plan.longest - 16);  // but for the null block
    const Fix* fix = fix_to(plan, "max-model-len", longest);
    QVERIFY2(fix != nullptr, longest.c_str());
    QVERIFY(!fix->fits);
    const auto changed = with_fix(plan.asked, *fix);
    PW_VERIFY(changed);
    const auto after = plan_memory(*changed, plan.model, plan.gpu);
    PW_VERIFY(after);
    QVERIFY(after->verdict == Verdict::fits_with_less);
    QCOMPARE(after->most_at_max, std::int64_t{1});
  }
};

QTEST_GUILESS_MAIN(EngineKvTest)
#include "engine_kv_test.moc"
