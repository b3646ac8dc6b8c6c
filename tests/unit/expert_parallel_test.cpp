// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas that share the experts, and experts dealt out to GPUs: the same deployment on each engine, in its
// words, and its bytes.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_defaults.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/roofline.h"
#include "engine/plan/weight_format.h"
#include "tests/support/engine_readings.h"

using namespace pitwall;

namespace {

DeploymentPlan planned(const EngineReading& reading, const std::string& model) {
  const auto outline = read_outline(model);
  auto plan = plan_settings(reading.settings, *reading.engine, *outline, find_gpu("H200").value(), 8);
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return std::move(*plan);
}

/// On eight H200s.
WrittenFlags told(const std::string& text, const char* to, const std::string& model = "deepseek-v3") {
  const EngineReading reading = test::read_pasted(text);
  const DeploymentPlan plan = planned(reading, model);
  const EngineProfile& engine = **find_engine(to);
  return translate(reading, engine, memory_terms_of(plan), memory_terms_on(engine, plan));
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// In one line.
std::string line(const WrittenFlags& written) {
  std::string text;
  for (const std::string& word : command_words(written)) text += word + " ";
  return text;
}

const std::string kSglang =
    "python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 8 --dp 8 --enable-dp-attention "
    "--ep-size 8";
const std::string kVllm =
    "vllm serve deepseek-ai/DeepSeek-V3 --data-parallel-size 8 --enable-expert-parallel";
const std::string kTrt = "trtllm-serve deepseek-ai/DeepSeek-V3 --tp_size 8 --ep_size 8 --enable_attention_dp";

Deployment eight_replicas(bool shared) {
  Deployment deployment;
  deployment.model = "deepseek-v3";
  deployment.gpus = 8;
  deployment.engine = "vllm";
  deployment.block_size = 16;
  deployment.max_model_len = 8192;
  deployment.expert_parallel = shared;
  return deployment;
}

}  // namespace

class ExpertParallelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void one_deployment_in_three_languages_data();
  void one_deployment_in_three_languages();
  void there_and_back_data() { one_deployment_in_three_languages_data(); }
  void there_and_back();
  void bytes_come_back();
  void numbers_are_of_one_replica();
  void defaults_are_of_one_replica();
  void experts_over_one_replica();
  void what_an_engine_cannot_share_is_said();
  void replicas_of_dense_models_stay_apart();
  void bytes_of_a_gpu();
  void kv_of_a_replica_is_its_own();
  void steps_read_what_a_gpu_holds();
  void stored_and_told();
  void experts_that_ranks_do_not_divide();
};

void ExpertParallelTest::one_deployment_in_three_languages_data() {
  QTest::addColumn<std::string>("text");
  QTest::newRow("sglang") << kSglang;
  QTest::newRow("vllm") << kVllm;
  QTest::newRow("tensorrt-llm") << kTrt;
}

void ExpertParallelTest::one_deployment_in_three_languages() {
  QFETCH(std::string, text);
  const EngineReading reading = test::read_pasted(text);
  QCOMPARE(reading.settings.ranks(), 1);
  QCOMPARE(reading.settings.replicas(), 8);
  QCOMPARE(*reading.settings.find("expert-parallel-size"), std::string("8"));
  QVERIFY(replicas_share_experts(reading.settings, *reading.engine));
  const Deployment deployment = deployment_of(reading.settings, *reading.engine, std::nullopt);
  QCOMPARE(deployment.gpus, 8);
  QCOMPARE(expert_ranks(deployment), 8);

  const std::string vllm = line(told(text, "vllm"));
  QVERIFY2(has(vllm, "--data-parallel-size 8") && has(vllm, "--enable-expert-parallel") &&
               !has(vllm, "--tensor-parallel-size"),
           vllm.c_str());
  const std::string sglang = line(told(text, "sglang"));
  for (const char* part : {"--tp-size 8", "--dp-size 8", "--enable-dp-attention", "--ep-size 8"})
    QVERIFY2(has(sglang, part), sglang.c_str());
  const std::string trt = line(told(text, "tensorrt-llm"));
  for (const char* part : {"--tp_size 8", "--ep_size 8", "--enable_attention_dp"})
    QVERIFY2(has(trt, part), trt.c_str());
}

void ExpertParallelTest::there_and_back() {
  QFETCH(std::string, text);
  const EngineReading first = test::read_pasted(text);
  const Bytes weights = planned(first, "deepseek-v3").worst_rank().of(Category::weights);
  for (const char* other : {"vllm", "sglang", "tensorrt-llm"}) {
    const WrittenFlags there = told(text, other);
    const EngineReading reading = test::read_pasted(command_text(there));
    for (const char* name : {"tensor-parallel-size", "data-parallel-size", "expert-parallel-size"})
      QCOMPARE(reading.settings.integer(name).value_or(1), first.settings.integer(name).value_or(1));
    QCOMPARE(planned(reading, "deepseek-v3").worst_rank().of(Category::weights), weights);
    QVERIFY2(!has(test::joined(there.notes), ": it does not start"), test::joined(there.notes).c_str());
  }
}

/// The pool too, to the byte.
void ExpertParallelTest::bytes_come_back() {
  for (const std::string& text :
       {kVllm + " --max-num-seqs 64 --max-num-batched-tokens 4096 --max-model-len 16384 --enforce-eager",
        kSglang + " --max-running-requests 512 --chunked-prefill-size 32768 --page-size 64 "
                  "--mem-fraction-static 0.85 "
                  "--context-length 16384 --disable-cuda-graph"}) {
    const EngineReading first = test::read_pasted(text);
    const char* other = first.engine->name == "vllm" ? "sglang" : "vllm";
    const EngineReading there = test::read_pasted(command_text(told(text, other)));
    const EngineReading home =
        test::read_pasted(command_text(told(command_text(told(text, other)), first.engine->name.c_str())));
    const RankPlan before = planned(first, "deepseek-v3").worst_rank(),
                   between = planned(there, "deepseek-v3").worst_rank(),
                   after = planned(home, "deepseek-v3").worst_rank();
    QCOMPARE(between.bytes, before.bytes);
    QCOMPARE(after.bytes, before.bytes);
  }
}

/// SGLang counts requests and tokens of all replicas, vLLM those of each.
void ExpertParallelTest::numbers_are_of_one_replica() {
  const std::string vllm =
      line(told(kSglang + " --max-running-requests 512 --chunked-prefill-size 32768", "vllm"));
  QVERIFY2(has(vllm, "--max-num-seqs 64") && has(vllm, "--max-num-batched-tokens 4096"), vllm.c_str());
  const std::string sglang = line(told(kVllm + " --max-num-seqs 64 --max-num-batched-tokens 4096", "sglang"));
  QVERIFY2(has(sglang, "--max-running-requests 512") && has(sglang, "--chunked-prefill-size 32768"),
           sglang.c_str());
}

/// What `plan` takes unasked is what `flags` reads of the plain command.
void ExpertParallelTest::defaults_are_of_one_replica() {
  Deployment asked = eight_replicas(true);
  asked.engine = "sglang";
  const StepDefaults unasked = step_defaults(asked, find_gpu("H200").value().memory);
  const Deployment plain = planned(test::read_pasted(kSglang), "deepseek-v3").asked;
  QCOMPARE(unasked.max_num_batched_tokens, 1024);
  QCOMPARE(unasked.max_num_batched_tokens, plain.max_num_batched_tokens);
  QCOMPARE(unasked.max_num_seqs, plain.max_num_seqs);
}

void ExpertParallelTest::experts_over_one_replica() {
  const std::string sglang = line(told("vllm serve deepseek-ai/DeepSeek-V3 -tp 8 -ep", "sglang"));
  QVERIFY2(has(sglang, "--tp-size 8 --ep-size 8") && !has(sglang, "dp-"), sglang.c_str());
  const std::string vllm = line(
      told("python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 8 --ep-size 8", "vllm"));
  QVERIFY2(has(vllm, "--tensor-parallel-size 8 --enable-expert-parallel"), vllm.c_str());
  QVERIFY2(!has(vllm, "data-parallel"), vllm.c_str());
  const WrittenFlags groups =
      told("python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 8 --ep-size 4", "vllm");
  QVERIFY(has(test::joined(groups.notes),
              "expert-parallel-size 4 is not carried over: with --enable-expert-parallel "
              "it is 8 in vLLM"));
}

void ExpertParallelTest::what_an_engine_cannot_share_is_said() {
  const WrittenFlags apart =
      told("python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 4 --dp 2", "vllm");
  QVERIFY2(has(test::joined(apart.notes), "vLLM has no flag that turns off replicas that share the experts"),
           test::joined(apart.notes).c_str());
  const WrittenFlags pairs =
      told("vllm serve deepseek-ai/DeepSeek-V3 -tp 2 -dp 4 --enable-expert-parallel", "tensorrt-llm");
  QVERIFY2(has(test::joined(pairs.notes), "in TensorRT-LLM each GPU is a replica, not 2 of them"),
           test::joined(pairs.notes).c_str());
  QVERIFY2(has(line(pairs), "--tp_size 2 --ep_size 2"), line(pairs).c_str());
  const WrittenFlags none = told(kVllm, "tgi");
  QVERIFY2(has(test::joined(none.notes), "TGI has no counterpart of expert-parallel-size 8"),
           test::joined(none.notes).c_str());
}

void ExpertParallelTest::replicas_of_dense_models_stay_apart() {
  const std::string sglang =
      line(told("vllm serve meta-llama/Llama-3.1-8B-Instruct -dp 8", "sglang", "llama-3.1-8b"));
  QVERIFY2(has(sglang, "--dp-size 8") && !has(sglang, "dp-attention") && !has(sglang, "--tp-size"),
           sglang.c_str());
  // Without the flag too, those of a model with experts share them in vLLM.
  const WrittenFlags shared = told("vllm serve deepseek-ai/DeepSeek-V3 -dp 8", "sglang");
  QVERIFY2(
      has(line(shared), "--tp-size 8 --dp-size 8 --enable-dp-attention") && !has(line(shared), "--ep-size"),
      line(shared).c_str());
}

void ExpertParallelTest::bytes_of_a_gpu() {
  const auto model = read_outline("deepseek-v3");
  const GpuProfile gpu = find_gpu("H200").value();
  Bytes experts = 0;
  for (std::size_t i = 0; i < model->layers.size(); ++i) {
    if (!model->layers[i].draft) experts += model->layer_bytes[i].experts;
  }
  const auto apart = plan_memory(eight_replicas(false), *model, gpu),
             shared = plan_memory(eight_replicas(true), *model, gpu);
  QVERIFY(apart.ok() && shared.ok());
  const Bytes all = apart->worst_rank().of(Category::weights),
              part = shared->worst_rank().of(Category::weights);
  QCOMPARE(all, model->weight_bytes());
  const auto layers = static_cast<Bytes>(model->layers.size());
  QVERIFY(std::abs(part - (all - experts + experts / 8)) <= layers);
  QVERIFY(part > 90 * kGiB && part < 100 * kGiB);  // vLLM's recipe for one host
  QCOMPARE(apart->verdict, Verdict::fails);
  QVERIFY(shared->verdict != Verdict::fails);
  QVERIFY(shared->worst_rank().of(Category::communicator) > apart->worst_rank().of(Category::communicator));
  QVERIFY(has(test::joined(shared->notes), "8 replicas share the experts, which lie on 8 GPUs"));
  Deployment stages = eight_replicas(true);
  stages.pipeline_parallel = 2;
  QCOMPARE(expert_ranks(stages), 4);
}

/// A latent is whole on every rank, heads are divided by the ranks of one replica alone.
void ExpertParallelTest::kv_of_a_replica_is_its_own() {
  QCOMPARE(planned(test::read_pasted(kSglang), "deepseek-v3").worst_rank().kv_bytes_per_token, Bytes{70'272});
  const DeploymentPlan pairs = planned(
      test::read_pasted(
          "python3 -m sglang.launch_server --model Qwen/Qwen3-235B-A22B --tp 8 --dp 4 --enable-dp-attention"),
      "qwen3-235b-a22b");
  QCOMPARE(pairs.asked.tensor_parallel, 2);
  QCOMPARE(pairs.replicas, 4);
  QCOMPARE(pairs.worst_rank().kv_bytes_per_token, Bytes{2 * 94 * 2 * 128 * 2});
}

void ExpertParallelTest::steps_read_what_a_gpu_holds() {
  const auto model = read_outline("deepseek-v3");
  const GpuProfile gpu = find_gpu("H200").value();
  StepLayout one, shared;
  shared.expert_parallel = 8;
  MeanStep step;
  step.sequences = step.decode_tokens = 512;  // every expert is visited
  const double alone = RooflineStepTime(*model, gpu, one).work(step).weight_bytes,
               eighth = RooflineStepTime(*model, gpu, shared).work(step).weight_bytes;
  QVERIFY(eighth < alone / 5);
  QCOMPARE(RooflineStepTime(*model, gpu, shared).work(step).weight_flops,
           RooflineStepTime(*model, gpu, one).work(step).weight_flops);
  QVERIFY(RooflineStepTime(*model, gpu, shared).parts(step).communication > 0);
}

void ExpertParallelTest::stored_and_told() {
  const Deployment asked = eight_replicas(true);
  const auto back = parse_deployment(deployment_json(asked));
  QVERIFY(back.ok() && back->expert_parallel);
  const auto model = read_outline("deepseek-v3");
  const auto plan = plan_memory(asked, *model, find_gpu("H200").value());
  const std::string sglang = line(write_flags(**find_engine("sglang"), *plan));
  for (const char* part : {"--tp-size 8", "--dp-size 8", "--enable-dp-attention", "--ep-size 8"})
    QVERIFY2(has(sglang, part), sglang.c_str());
}

/// openai/gpt-oss is served on 1, 2, 4 and 8 GPUs, whose parts of 2,880 are filled up to groups of 32; FP8
/// blocks of 128 are not, but whole experts are not cut.
void ExpertParallelTest::experts_that_ranks_do_not_divide() {
  const ModelOutline oss = *read_outline("gpt-oss-120b");
  QCOMPARE(legal_tensor_parallel(oss, false), (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
  Bytes experts = 0;
  for (const LayerWeightCounts& layer : oss.layer_bytes) experts += layer.experts;
  Deployment asked;
  const auto weights = [&](const ModelOutline& model, int ranks, bool whole) {
    asked.gpus = asked.tensor_parallel = ranks;
    asked.expert_parallel = whole;
    return plan_memory(asked, model, find_gpu("B200").value()).value().worst_rank().of(Category::weights);
  };
  const auto filled = static_cast<double>(weights(oss, 8, false) - weights(oss, 8, true));
  QVERIFY(std::abs(filled - static_cast<double>(experts) * (384.0 - 360.0) / 2880.0) < 1e4);
  const ModelOutline blocks =
      with_weight_format(*read_outline("qwen3-235b-a22b"), find_weight_format("fp8-block").value());
  QCOMPARE(legal_tensor_parallel(blocks, false), (std::vector<int>{1, 2, 4}));
  QCOMPARE(legal_tensor_parallel(blocks, true), (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
  const ModelOutline mixtral = *read_outline("mixtral-8x7b");  // 8 experts: some of 16 ranks have none
  const Bytes one = mixtral.layer_bytes[0].experts / 8 * static_cast<Bytes>(mixtral.layers.size());
  QVERIFY(weights(mixtral, 16, true) > one);
}

QTEST_APPLESS_MAIN(ExpertParallelTest)
#include "expert_parallel_test.moc"
