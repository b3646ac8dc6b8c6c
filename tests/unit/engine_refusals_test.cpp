// SPDX-License-Identifier: GPL-3.0-or-later
// What engines cannot be told or would not start with, and the changes that are offered then.
#include <QTest>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/gpu_profile.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

Deployment asked(const char* model, const char* engine) {
  Deployment out;
  out.model = model;
  out.engine = engine;
  out.block_size = std::string_view(engine) == "vllm" ? 16 : std::string_view(engine) == "sglang" ? 1 : 32;
  return out;
}

Result<DeploymentPlan> planned(const Deployment& deployment) {
  return plan_deployment(deployment, test::model_of(deployment.model.c_str()), *find_gpu("H200"));
}

const Fix* fix_of(const DeploymentPlan& plan, std::string_view setting) {
  for (const Fix& fix : plan.fixes) {
    if (fix.setting == setting) return &fix;
  }
  return nullptr;
}

/// What the change promises is what its plan has.
void holds_its_word(const DeploymentPlan& plan, const Fix& fix) {
  const auto changed = with_fix(plan.asked, fix);
  PW_VERIFY(changed);
  const auto after = plan_memory(*changed, plan.model, plan.gpu);
  PW_VERIFY(after);
  QVERIFY(!after->refusal);
  QCOMPARE(after->verdict == Verdict::fits, fix.fits);
  QVERIFY(after->verdict != Verdict::fails);
}

}  // namespace

class EngineRefusalsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stages_and_shared_experts_need_an_engine_that_has_them() {
    for (const char* engine : {"tgi", "lmdeploy", "vllm", "sglang", "tensorrt-llm", "llama.cpp"}) {
      Deployment stages = asked("llama-3.1-8b", engine);
      stages.gpus = stages.pipeline_parallel = 2;
      stages.block_size = std::string_view(engine) == "lmdeploy" ? 64 : stages.block_size;
      const auto plan = planned(stages);
      const bool none = std::string_view(engine) == "tgi" || std::string_view(engine) == "lmdeploy";
      QVERIFY2(plan.ok() != none, engine);
      if (none) QCOMPARE(plan.error().param, std::string("pipeline-parallel-size"));
    }
    for (const char* engine : {"tgi", "llama.cpp"}) {
      Deployment experts = asked("mixtral-8x7b", engine);
      experts.gpus = experts.tensor_parallel = 2;
      experts.expert_parallel = true;
      const auto plan = planned(experts);
      QVERIFY2(!plan && plan.error().param == "expert-parallel-size", engine);
    }
  }

  void weights_that_an_engine_does_not_load() {
    for (const auto& [engine, format] : {std::pair{"tensorrt-llm", "q4_k"}, {"tgi", "nvfp4"}}) {
      Deployment deployment = asked("llama-3.1-8b", engine);
      deployment.quantization = format;
      const auto plan = planned(deployment);
      QVERIFY2(!plan && plan.error().param == "quantization", engine);
    }
  }

  /// vllm/config/scheduler.py: max_num_batched_tokens (64) must be greater than or equal to max_num_seqs.
  void limits_are_kept() {
    Deployment deployment = asked("llama-3.1-8b", "vllm");
    deployment.max_num_seqs = 128, deployment.max_num_batched_tokens = 64, deployment.max_model_len = 8192;
    const auto plan = planned(deployment);
    PW_VERIFY(plan);
    QVERIFY(plan->verdict == Verdict::fails && plan->refusal);
    QCOMPARE(plan->hindrance,
             std::string("vLLM does not start with max-num-seqs 128 and max-num-batched-tokens 64"));
    QCOMPARE(plan->fixes.size(), std::size_t{1});
    QCOMPARE(plan->fixes[0].to, std::string("64"));
    holds_its_word(*plan, plan->fixes[0]);
  }

  void no_change_breaks_a_limit() {
    Deployment deployment = asked("llama-3.1-8b", "vllm");
    deployment.max_num_seqs = 1024, deployment.max_num_batched_tokens = 8192;
    const auto plan = planned(deployment);
    PW_VERIFY(plan);
    for (const Fix& fix : plan->fixes) {
      const auto changed = with_fix(plan->asked, fix);
      PW_VERIFY(changed);
      QVERIFY2(!plan_memory(*changed, plan->model, plan->gpu)->refusal, fix.setting.c_str());
    }
  }

  void lengths_beyond_the_model() {
    for (const char* engine : {"vllm", "sglang"}) {
      Deployment deployment = asked("qwen2.5-7b", engine);
      deployment.max_model_len = 131'072;
      const auto plan = planned(deployment);
      PW_VERIFY(plan);
      QVERIFY2(plan->hindrance.ends_with(
                   "does not start with max-model-len 131,072: the model was made for 32,768 tokens"),
               plan->hindrance.c_str());
      QCOMPARE(plan->fixes.front().to, std::string("32,768"));
      QCOMPARE(plan->predicted.asked.tokens_per_s, 0.0);
      holds_its_word(*plan, plan->fixes.front());
    }
    Deployment deployment = asked("qwen2.5-7b", "tensorrt-llm");
    deployment.max_model_len = 131'072;
    QVERIFY(planned(deployment)->verdict != Verdict::fails);
  }

  /// vLLM: "Number of experts in the model must be greater than 0 when expert parallelism is enabled".
  void a_dense_model_has_no_experts_to_share() {
    Deployment deployment = asked("llama-3.1-8b", "vllm");
    deployment.expert_parallel = true, deployment.max_model_len = 8192, deployment.requests = 4;
    const auto plan = planned(deployment);
    PW_VERIFY(plan);
    QVERIFY(plan->verdict == Verdict::fails && plan->fixes.size() == 1);
    QCOMPARE(plan->fixes[0].setting, std::string("expert-parallel"));
    holds_its_word(*plan, plan->fixes[0]);
    deployment.engine = "sglang", deployment.block_size = 1;
    QVERIFY(planned(deployment)->verdict != Verdict::fails);
  }

  void weights_that_a_gpu_does_not_multiply_are_said() {
    const auto says = [](const char* format, const char* gpu, const char* text) {
      Deployment deployment = asked("llama-3.1-8b", "vllm");
      deployment.quantization = format;
      const auto plan = plan_memory(deployment, test::model_of("llama-3.1-8b"), *find_gpu(gpu));
      return std::any_of(plan->notes.begin(), plan->notes.end(),
                         [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    QVERIFY(says("nvfp4", "H100", "H100 has no FP4 arithmetic"));
    QVERIFY(!says("nvfp4", "B200", "arithmetic"));
    QVERIFY(says("fp8", "A100-80G", "A100-80G has no FP8 arithmetic"));
    QVERIFY(!says("fp8", "H100", "arithmetic"));
    QVERIFY(says("mxfp4", "B200", "MXFP4 changes no weights of this model"));
  }

  /// DeepSeek-V3 over eight GPUs at tensor-parallel 1: a copy of all experts each, unless they share them.
  void replicas_can_share_their_experts() {
    Deployment deployment = asked("deepseek-v3", "vllm");
    deployment.gpus = 8, deployment.max_model_len = 8192;
    const auto plan = planned(deployment);
    PW_VERIFY(plan);
    const Fix* fix = fix_of(*plan, "expert-parallel");
    QVERIFY(fix != nullptr && fix->fits);
    holds_its_word(*plan, *fix);
    QVERIFY(fix_of(*planned(asked("llama-3.1-8b", "vllm")), "expert-parallel") == nullptr);
  }

  /// To the engine's own where that is enough, else to the least that is; and until it starts where none is.
  void a_budget_that_is_too_small_is_raised() {
    struct Case {
      const char *engine, *setting;
      MemoryBudget budget;
      std::int64_t requests;
      const char* to;
      bool fits;
    };
    const Case cases[] = {
        {"vllm",
         "gpu-memory-utilization",
         {.meaning = MemoryBudget::Meaning::share_of_total, .share = 0.12},
         4,
         "0.92",
         true},
        {"sglang",
         "memory-share-static",
         {.meaning = MemoryBudget::Meaning::share_static, .share = 0.12},
         4,
         "0.907",
         true},
        {"vllm", "memory-limit", {.meaning = MemoryBudget::Meaning::bytes, .bytes = 10 * kGiB}, 1, "", true},
        {"llama.cpp",
         "memory-margin",
         {.meaning = MemoryBudget::Meaning::margin, .bytes = 139 * kGiB},
         4,
         "1 GiB",
         true},
        {"vllm",
         "gpu-memory-utilization",
         {.meaning = MemoryBudget::Meaning::share_of_total, .share = 0.12},
         32,
         "",
         false}};
    for (const Case& each : cases) {
      Deployment deployment = asked("llama-3.1-8b", each.engine);
      deployment.budget = each.budget;
      deployment.max_num_batched_tokens = 8192;
      deployment.requests = static_cast<int>(each.requests);
      deployment.max_model_len = std::string_view(each.engine) == "llama.cpp" ? 8192 : 131'072;
      const auto plan = planned(deployment);
      PW_VERIFY(plan);
      const Fix* fix = fix_of(*plan, each.setting);
      QVERIFY2(fix != nullptr, each.engine);
      QCOMPARE(fix->fits, each.fits);
      if (*each.to != 0) QCOMPARE(fix->to, std::string(each.to));
      holds_its_word(*plan, *fix);
    }
  }
};

QTEST_GUILESS_MAIN(EngineRefusalsTest)
#include "engine_refusals_test.moc"
