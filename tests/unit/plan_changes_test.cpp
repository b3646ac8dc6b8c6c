// SPDX-License-Identifier: GPL-3.0-or-later
// Changes that a plan names: each fits when it is made; and what the times of a plan stand for.
#include <QTest>

#include "engine/plan/deployment_plan.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Meaning = MemoryBudget::Meaning;

using test::model_of;

bool says(const DeploymentPlan& plan, std::string_view text) {
  return std::any_of(plan.notes.begin(), plan.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

class PlanChangesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A change that is enough starts from the setting as it is, and fits when it alone is made.
  void changes_start_from_their_setting() {
    for (const int sequences : {4, 8, 256}) {
      for (const int requests : {0, 5, 100}) {
        Deployment asked;
        asked.model = "llama-3.1-8b";
        asked.engine = "vllm";
        asked.max_model_len = 8192;
        asked.max_num_seqs = sequences;
        asked.requests = requests;
        const ModelOutline model = model_of("llama-3.1-8b");
        const GpuProfile gpu = find_gpu("RTX-4090").value();
        const auto plan = plan_deployment(asked, model, gpu);
        PW_VERIFY(plan);
        for (const Fix& fix : plan->fixes) {
          if (fix.setting == "max-num-seqs") QCOMPARE(fix.from, std::to_string(sequences));
          if (fix.setting == "requests") QCOMPARE(fix.from, std::to_string(requests));
          if (!fix.fits) continue;
          const auto changed = with_fix(asked, fix);
          PW_VERIFY(changed);
          QVERIFY2(plan_memory(*changed, model, gpu)->verdict == Verdict::fits, fix.setting.c_str());
        }
      }
    }
  }

  void kv_of_a_size_that_is_too_large() {
    Deployment asked;
    asked.model = "llama-3.1-8b";
    asked.max_model_len = 8192;
    asked.budget = {Meaning::kv_bytes, 0, 500 * kGiB};
    const ModelOutline model = model_of("llama-3.1-8b");
    const GpuProfile gpu = find_gpu("H200").value();
    for (const char* engine : {"auto", "vllm"}) {
      asked.engine = engine;
      const auto plan = plan_deployment(asked, model, gpu);
      PW_VERIFY(plan);
      QVERIFY(plan->verdict == Verdict::fails);
      QVERIFY(plan->hindrance.starts_with("kv-cache-memory-bytes is 500.00 GiB"));
      const Fix& fix = plan->fixes.front();
      QCOMPARE(fix.setting, "kv-cache-memory-bytes");
      QCOMPARE(fix.from, "500 GiB");
      QVERIFY(fix.fits);
      QVERIFY(plan_memory(with_fix(asked, fix).value(), model, gpu)->verdict == Verdict::fits);
      asked.budget.bytes = *parse_size(fix.to) + kGiB;  // no more was left
      QVERIFY(plan_memory(asked, model, gpu)->verdict == Verdict::fails);
      asked.budget.bytes = 500 * kGiB;
    }
  }

  /// Each way of failing has its words, which stand first among the notes, and no times.
  void plans_that_fail_say_why() {
    struct Failing {
      const char *model, *gpu, *engine;
      MemoryBudget budget;
      std::int64_t max_model_len;
      int max_num_seqs;
      const char* why;
    };
    const std::vector<Failing> all{
        {"llama-3.1-70b", "RTX-4090", "vllm", {}, 8192, 32, "The weights take 131."},
        {"llama-3-8b", "H200", "auto", {Meaning::bytes, 0, 15 * kGiB}, 8192, 32, "Weights, activations, "},
        {"llama-3.1-8b", "L4", "vllm", {}, 131'072, 4, "One sequence of 131,072 tokens needs 16.00 GiB"},
        {"llama-3.1-8b", "L4", "auto", {}, 131'072, 4, "One sequence of 131,072 tokens needs 16.00 GiB"},
        {"llama-3.1-8b", "L4", "llama.cpp", {}, 131'072, 4, "One sequence of 131,072 tokens needs 16.00 GiB"},
        {"llama-3-8b", "H200", "vllm", {Meaning::kv_bytes, 0, kGiB / 2}, 8192, 32, "One sequence of 8,192 "},
        {"llama-3-8b", "H200", "auto", {Meaning::kv_bytes, 0, kGiB / 2}, 8192, 32, "One sequence of 8,192 "},
        {"llama-3-8b",
         "H200",
         "vllm",
         {Meaning::kv_bytes, 0, 500 * kGiB},
         8192,
         32,
         "kv-cache-memory-bytes "},
        {"llama-3-8b",
         "H200",
         "vllm",
         {Meaning::share_of_total, 0.9, 0, 50 * kGiB},
         8192,
         32,
         "0.9 of 140.40"},
        {"llama-3-8b",
         "H200",
         "sglang",
         {Meaning::share_static, 1},
         8192,
         32,
         "Weights and KV of that share"},
        {"llama-3-8b",
         "H200",
         "sglang",
         {Meaning::share_static, 0.05},
         8192,
         32,
         "The weights take 14.96 GiB"},
        {"llama-3-8b",
         "H200",
         "lmdeploy",
         {Meaning::share_after_weights, 1},
         8192,
         32,
         "Weights and KV of "}};
    for (const Failing& one : all) {
      Deployment asked;
      asked.engine = one.engine;
      asked.block_size = 64;
      asked.budget = one.budget;
      asked.max_model_len = one.max_model_len;
      asked.max_num_seqs = one.max_num_seqs;
      const auto plan = plan_deployment(asked, model_of(one.model), find_gpu(one.gpu).value());
      PW_VERIFY(plan);
      QVERIFY2(plan->verdict == Verdict::fails, one.why);
      QVERIFY2(plan->hindrance.starts_with(one.why), plan->hindrance.c_str());
      QCOMPARE(plan->notes.front(), plan->hindrance);
      QCOMPARE(plan->predicted.asked.requests, 0);
      QVERIFY(plan->predicted.curve.empty());
      QVERIFY(!says(*plan, "Times are those of"));
    }
    Deployment fits;
    fits.max_model_len = 2048;
    QVERIFY(plan_memory(fits, model_of("llama-3-8b"), find_gpu("H200").value())->hindrance.empty());
  }

  /// Of slots and of memory, what lacks is told: memory would hold these eight.
  void short_of_slots_is_not_short_of_memory() {
    Deployment asked;
    asked.max_model_len = 8192;
    asked.max_num_seqs = 4;
    asked.requests = 8;
    asked.budget.other_processes = 20 * kGiB;
    const auto plan = plan_deployment(asked, model_of("llama-3.1-8b"), find_gpu("H200").value());
    PW_VERIFY(plan);
    QVERIFY(waits_for_slots(*plan));
    QCOMPARE(plan->fixes.size(), std::size_t{1});
    QCOMPARE(plan->fixes.front().setting, "max-num-seqs");
    QVERIFY(says(*plan, "8 requests are asked for and max-num-seqs is 4"));
    asked.gpus = 2;  // two replicas have eight slots
    QVERIFY(!says(*plan_memory(asked, model_of("llama-3.1-8b"), find_gpu("H200").value()), "are asked for"));
  }

  /// Sizes that divide the heads, and those of them that are taken.
  void ranks_that_are_offered_are_taken() {
    for (const char* name : {"qwen2.5-7b", "llama-3.1-8b", "qwen2.5-72b-awq"}) {
      const ModelOutline model = model_of(name);
      Deployment asked;
      asked.engine = "vllm";
      asked.tensor_parallel = asked.gpus = model.heads - 1;
      const auto refused = plan_memory(asked, model, find_gpu("H200").value());
      QVERIFY(!refused);
      for (const int size : legal_tensor_parallel(model, false)) {
        asked.tensor_parallel = asked.gpus = size;
        PW_VERIFY(plan_memory(asked, model, find_gpu("H200").value()));
      }
    }
    Deployment asked;
    asked.tensor_parallel = asked.gpus = 8;
    const auto refused = plan_memory(asked, model_of("qwen2.5-7b"), find_gpu("H200").value());
    QVERIFY(!refused);
    QVERIFY(refused.error().cause.find("1, 2, 4, 7, 14, 28 divide") != std::string::npos);
    QVERIFY(refused.error().action.starts_with("Take one of these: 1, 2, 4;"));
  }

  /// The length that the plan settled on bounds what nobody stated.
  void times_are_of_requests_that_are_served() {
    Deployment asked;
    asked.model = "llama-3.1-8b";
    const auto plan = plan_deployment(asked, model_of("llama-3.1-8b"), find_gpu("RTX-4090").value());
    PW_VERIFY(plan);
    QVERIFY(plan->max_model_len < plan->model.context_length);
    QCOMPARE(plan->predicted.prompt_tokens + plan->predicted.output_tokens, plan->max_model_len);
  }

  /// What neither the engine nor the GPU takes.
  void formats_that_are_not_taken() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.engine = "llama.cpp";
    const ModelOutline model = model_of("llama-3-8b");
    asked.quantization = "awq";
    const auto refused = plan_memory(asked, model, find_gpu("H200").value());
    QVERIFY(!refused);
    QCOMPARE(refused.error().param, "quantization");
    for (const char* legal : {"q4_k", "bfloat16", ""}) {
      asked.quantization = legal;
      PW_VERIFY(plan_memory(asked, model, find_gpu("H200").value()));
    }
    asked.engine = "vllm";
    asked.kv_cache_dtype = "fp8_e4m3";
    QVERIFY(says(*plan_memory(asked, model, find_gpu("A100-80G").value()), "has no FP8 arithmetic"));
    QVERIFY(!says(*plan_memory(asked, model, find_gpu("H200").value()), "has no FP8 arithmetic"));
    asked.kv_cache_dtype = "nvfp4";
    QVERIFY(says(*plan_memory(asked, model, find_gpu("H200").value()), "FP4 arithmetic"));
  }

  void a_prefix_beyond_the_prompt_is_said() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.max_model_len = 8192;
    const ModelOutline model = model_of("llama-3-8b");
    const GpuProfile gpu = find_gpu("H200").value();
    asked.shared_prefix = 99'999'999;
    QVERIFY(says(*plan_deployment(asked, model, gpu), "longer than the typical prompt: 6,144 of them count"));
    asked.shared_prefix = 6144;
    QVERIFY(!says(*plan_deployment(asked, model, gpu), "longer than the typical prompt"));
  }
};

QTEST_APPLESS_MAIN(PlanChangesTest)
#include "plan_changes_test.moc"
