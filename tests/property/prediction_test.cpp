// SPDX-License-Identifier: GPL-3.0-or-later
// What predict() says of a closed loop, against the same loop played through the real scheduler with the same
// step times; and what must hold of step times whatever the model.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "engine/bench/random.h"
#include "engine/bench/simulation.h"
#include "engine/library/model_profile.h"
#include "engine/plan/deployment.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/prediction.h"
#include "engine/plan/roofline.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

constexpr double kExact = 1 - 1e-9;

struct Loop {
  std::string gpu = "H200";
  int ranks = 1;
  int requests = 1;
  int prompt = 1024, shared = 0, output = 256, step_tokens = 2048;
};

struct Measured {
  double ttft_ms = 0, tpot_ms = 0, tokens_per_s = 0;
};

ModelOutline model_outline() {
  return outline_of(find_model_spec("llama-3.1-8b").value());
}

Deployment deployment_of(const Loop& loop) {
  Deployment deployment;
  deployment.gpus = deployment.tensor_parallel = loop.ranks;
  deployment.max_num_seqs = deployment.requests = loop.requests;
  deployment.max_num_batched_tokens = loop.step_tokens;
  deployment.prompt_tokens = loop.prompt;
  deployment.output_tokens = loop.output;
  deployment.shared_prefix = loop.shared;
  return deployment;
}

template <class Value>
Value one_of(Random& random, std::initializer_list<Value> values) {
  return values.begin()[random.next() % values.size()];
}

/// Clients that send their next request when the last one ended; the first and the last rounds, which find or
/// leave the machine empty, are left out. Throughput by Little's law.
Measured play(const Loop& loop) {
  constexpr int kRounds = 8;
  Trace trace;
  for (int i = 0; i < kRounds * loop.requests; ++i) {
    TraceRequest request{0, loop.prompt, loop.output, {}};
    for (int block = 0; block < loop.shared / kTraceBlockTokens; ++block) request.blocks.push_back(block);
    trace.requests.push_back(request);
  }
  SimulationConfig config;
  config.scheduler.max_num_seqs = loop.requests;
  config.scheduler.max_num_batched_tokens = loop.step_tokens;
  config.scheduler.max_model_len = loop.prompt + loop.output;
  config.cache.block_size = 32;
  config.cache.blocks = loop.requests * ((loop.prompt + loop.output) / 32 + 2) + 256;
  config.max_concurrency = loop.requests;
  StepLayout layout;
  layout.tensor_parallel = loop.ranks;
  const RooflineStepTime model(model_outline(), find_gpu(loop.gpu).value(), layout);
  const auto simulation = simulate(trace, config, model);
  if (!simulation) qFatal("%s", simulation.error().text().c_str());
  Measured sum;
  double count = 0, e2e_s = 0;
  for (int i = 2 * loop.requests; i < (kRounds - 2) * loop.requests; ++i) {
    const RequestRecord& record = simulation->requests[static_cast<std::size_t>(i)];
    sum.ttft_ms += record.ttft_ms();
    sum.tpot_ms += record.tpot_ms();
    e2e_s += record.e2e_ms() / 1000;
    ++count;
  }
  return {sum.ttft_ms / count, sum.tpot_ms / count, loop.requests * loop.output / (e2e_s / count)};
}

}  // namespace

class PredictionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void closed_loops_are_as_predicted();
  void more_in_a_step_never_makes_it_shorter();
  void more_requests_never_lower_throughput();
  void more_never_lowers_throughput_nor_first_tokens_data();
  void more_never_lowers_throughput_nor_first_tokens();
  void limits_name_the_largest_count();
  void replicas_multiply();
  void stages_wait_for_requests();
  void sliders_move();
};

void PredictionTest::closed_loops_are_as_predicted() {
  constexpr std::uint64_t kSeed = 31;
  constexpr int kPoints = 60;
  qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
  Random random(kSeed);
  std::vector<double> ttft_errors;
  for (int i = 0; i < kPoints; ++i) {
    Loop loop;
    loop.gpu = one_of(random, {"H200", "A100-80G", "L40S", "B200"});
    loop.ranks = one_of(random, {1, 1, 2, 8});
    loop.requests = one_of(random, {1, 2, 3, 6, 12, 24, 32, 64, 128, 256});
    loop.prompt = one_of(random, {64, 300, 1024, 2112, 4096});
    loop.output = one_of(random, {16, 64, 256, 600});
    loop.step_tokens = one_of(random, {512, 2048, 8192});
    if (loop.prompt == 2112) loop.shared = 2048;
    const Measured measured = play(loop);
    const OperatingPoint predicted =
        predict(deployment_of(loop), model_outline(), find_gpu(loop.gpu).value(), loop.requests).asked;
    const double throughput = predicted.tokens_per_s / measured.tokens_per_s - 1;
    const double tpot = predicted.tpot_ms / measured.tpot_ms - 1;
    ttft_errors.push_back(std::abs(predicted.ttft_ms / measured.ttft_ms - 1));
    const QString what =
        QString("%1 x%2, %3 requests of %4 (%5 shared) + %6, %7 a step: throughput %8, TPOT %9, TTFT %10")
            .arg(loop.gpu.c_str())
            .arg(loop.ranks)
            .arg(loop.requests)
            .arg(loop.prompt)
            .arg(loop.shared)
            .arg(loop.output)
            .arg(loop.step_tokens)
            .arg(throughput)
            .arg(tpot)
            .arg(ttft_errors.back());
    QVERIFY2(std::abs(throughput) < 0.03, qPrintable(what));
    // Of 16 tokens, one step more or less with prompts is much.
    QVERIFY2(std::abs(tpot) < (loop.output < 64 ? 0.25 : 0.03), qPrintable(what));
  }
  std::sort(ttft_errors.begin(), ttft_errors.end());
  qInfo("TTFT: half within %.1f %%, nine tenths within %.1f %%, all within %.1f %%",
        100 * ttft_errors[kPoints / 2], 100 * ttft_errors[kPoints * 9 / 10], 100 * ttft_errors.back());
  QVERIFY(ttft_errors[kPoints / 2] < 0.02);
  QVERIFY(ttft_errors[kPoints * 9 / 10] < 0.15);
}

/// A model of any kind: layers of every state, experts, packed weights.
ModelOutline random_outline(Random& random) {
  using Kind = LayerState::Kind;
  ModelOutline model;
  model.hidden = 64 * (1 + static_cast<int>(random.next() % 64));
  model.heads = 8;
  model.vocabulary = 32000;
  model.experts = random.next() % 2 == 0 ? 0 : 64;
  model.top_k = model.experts > 0 ? 4 : 0;
  model.weight_format = one_of(random, {"BF16", "AWQ 4-bit g128", "FP8"});
  const std::int64_t quarter_bytes = one_of(random, {8, 2, 4});  // of four numbers
  const int layers = 1 + static_cast<int>(random.next() % 12);
  for (int i = 0; i < layers; ++i) {
    LayerState state;
    state.kind = static_cast<Kind>(random.next() % 7);
    state.kv_heads = one_of(random, {1, 2, 4, 8});
    state.key_dim = state.value_dim = one_of(random, {64, 128});
    state.window = 512;
    if (state.kind == Kind::latent) state.latent_dim = 512;
    if (state.kind == Kind::latent) state.latent_rope_dim = 64;
    if (state.kind == Kind::recurrent) state.recurrent_numbers = 1 << 20;
    model.layers.push_back(state);
    const auto count = [&] { return static_cast<std::int64_t>(random.next() % (1 << 22)); };
    const LayerWeightCounts parameters{count(), count(), count(), model.experts > 0 ? 8 * count() : 0, 4096};
    model.layer_parameters.push_back(parameters);
    const auto bytes = [&](std::int64_t numbers) { return numbers * quarter_bytes / 4; };
    model.layer_bytes.push_back({bytes(parameters.attention), bytes(parameters.kv), bytes(parameters.mlp),
                                 bytes(parameters.experts), bytes(parameters.replicated)});
  }
  model.embedding_parameters = std::int64_t{model.hidden} * model.vocabulary;
  model.embedding_bytes = 2 * model.embedding_parameters;
  return model;
}

void PredictionTest::more_in_a_step_never_makes_it_shorter() {
  constexpr std::uint64_t kSeed = 77;
  qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
  Random random(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const ModelOutline model = random_outline(random);
    const GpuProfile& gpu = gpu_profiles()[random.next() % gpu_profiles().size()];
    StepLayout layout;
    layout.tensor_parallel = one_of(random, {1, 2, 4, 8});
    layout.expert_parallel = layout.tensor_parallel * one_of(random, {1, 1, 8});
    layout.pipeline_parallel = one_of(random, {1, 2, 4});
    layout.kv = find_kv_format(one_of(random, {"bfloat16", "fp8_e4m3", "int8"})).value();
    const RooflineStepTime step(model, gpu, layout);
    const auto below = [&](int bound) { return static_cast<int>(random.next() % bound); };
    StepShape less;
    less.decode_tokens = below(300);
    less.prefill_tokens = below(3000);
    less.padding_tokens = below(20);
    less.sequences = less.decode_tokens + 1;
    less.logit_rows = less.decode_tokens;
    less.decode_context = std::int64_t{1 + below(4000)} * less.decode_tokens;
    less.prefill_context = less.prefill_tokens + below(4000);
    less.prefill_pairs = std::int64_t{less.prefill_tokens} * less.prefill_tokens / 2;
    less.swapped_blocks = below(3);
    StepShape more = less;
    more.decode_tokens += below(2);
    more.sequences += below(2) + more.decode_tokens - less.decode_tokens;
    more.prefill_tokens += below(2);
    more.padding_tokens += below(2);
    more.decode_context += below(1000);
    more.prefill_context += below(1000);
    more.prefill_pairs += below(100000);
    more.logit_rows += below(2);
    more.swapped_blocks += below(2);
    const Nanos before = step.predict(less), after = step.predict(more);
    QVERIFY2(after >= before && before > 0,
             qPrintable(QString("point %1: %2 and %3 ns").arg(i).arg(before).arg(after)));
  }
}

void PredictionTest::more_requests_never_lower_throughput() {
  Deployment deployment = deployment_of({});
  deployment.max_num_seqs = 512;
  const Prediction prediction = predict(deployment, model_outline(), find_gpu("H200").value(), 512);
  QCOMPARE(prediction.curve.front().requests, 1);
  QCOMPARE(prediction.curve.back().requests, 512);
  for (std::size_t i = 1; i < prediction.curve.size(); ++i) {
    QVERIFY(prediction.curve[i].requests > prediction.curve[i - 1].requests);
    QVERIFY(prediction.curve[i].tokens_per_s >= kExact * prediction.curve[i - 1].tokens_per_s);
  }
  QVERIFY(prediction.knee > 16 && prediction.knee < 512);
  for (const OperatingPoint& point : prediction.curve) {
    const double shares =
        point.memory_share + point.compute_share + point.communication_share + point.overhead_share;
    QVERIFY(std::abs(shares - 1) < 1e-9);
    QVERIFY(point.memory_share > 0 && point.communication_share == 0);
  }
  // Weights of 15.0 GB and one sequence of 1,152 tokens at 4.8 TB/s.
  QVERIFY(std::abs(prediction.decode_floor_ms - 3.16) < 0.02);
  // 2 · 6.98e9 · 1,024 FLOPs and attention at 989.5 TFLOP/s.
  QVERIFY(std::abs(prediction.prefill_floor_ms - 14.7) < 0.2);
  QVERIFY(!prediction.most_under_limits);
  QCOMPARE(predict(deployment, model_outline(), find_gpu("H200").value(), 0).curve.size(), std::size_t{0});
  QCOMPARE(predict(deployment, model_outline(), find_gpu("H200").value(), -5).asked.requests, 0);
  QCOMPARE(predict(deployment, model_outline(), find_gpu("H200").value(), 20).curve.back().requests, 20);
}

/// Any model on any GPU: one request more, or a few tokens of prompt more, whatever the others are.
void PredictionTest::more_never_lowers_throughput_nor_first_tokens_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 1; seed <= 12; ++seed) QTest::addRow("seed %d", seed) << seed;
}

void PredictionTest::more_never_lowers_throughput_nor_first_tokens() {
  QFETCH(int, seed);
  Random random(static_cast<std::uint64_t>(seed));
  for (int i = 0; i < 600; ++i) {
    const ModelOutline model = random_outline(random);
    const GpuProfile& gpu = gpu_profiles()[random.next() % gpu_profiles().size()];
    const auto up_to = [&](int most) { return 1 + static_cast<int>(random.next() % most); };
    Loop loop;
    loop.ranks = one_of(random, {1, 1, 2, 8});
    loop.prompt = up_to(one_of(random, {4, 64, 1024, 8192, 40'000}));
    loop.shared = one_of(random, {0, 0, 0, up_to(4096) % loop.prompt});
    loop.output = up_to(one_of(random, {1, 4, 32, 400, 4000}));
    loop.step_tokens = up_to(one_of(random, {64, 512, 2048, 16'384}));
    Deployment deployment = deployment_of(loop);
    deployment.max_num_seqs = 4096;
    deployment.pipeline_parallel = one_of(random, {1, 1, 2, 3});
    const int replicas = one_of(random, {1, 1, 2, 4});
    deployment.gpus = replicas * loop.ranks * deployment.pipeline_parallel;
    deployment.expert_parallel = random.next() % 2 == 0;
    deployment.kv_cache_dtype = one_of(random, {"bfloat16", "fp8_e4m3"});
    deployment.engine = one_of(random, {"pitwall", "vllm"});
    const auto at = [&](int requests, int longer) {
      Deployment asked = deployment;
      asked.requests = requests;
      asked.prompt_tokens += longer;
      return predict(asked, model, gpu, 4096).asked;
    };
    const int first = one_of(random, {1, 1, up_to(64), up_to(4000)});
    OperatingPoint less = at(first, 0);
    for (int requests = first + 1; requests < first + 12; ++requests) {
      const OperatingPoint more = at(requests, 0), longer = at(requests, up_to(40));
      const QString what = QString(
                               "point %1: %2 + %3 (%4 shared), %5 a step, %6 ranks, %7 stages, %8 "
                               "replicas on %9: of %10 requests ")
                               .arg(i)
                               .arg(loop.prompt)
                               .arg(loop.output)
                               .arg(loop.shared)
                               .arg(loop.step_tokens)
                               .arg(loop.ranks)
                               .arg(deployment.pipeline_parallel)
                               .arg(replicas)
                               .arg(gpu.name.c_str())
                               .arg(requests);
      QVERIFY2(
          more.tokens_per_s >= kExact * less.tokens_per_s,
          qPrintable(what + QString("%1 tokens/s, %2 before").arg(more.tokens_per_s).arg(less.tokens_per_s)));
      QVERIFY2(more.ttft_ms >= kExact * less.ttft_ms,
               qPrintable(what + QString("TTFT %1, %2 before").arg(more.ttft_ms).arg(less.ttft_ms)));
      QVERIFY2(
          longer.ttft_ms >= kExact * more.ttft_ms,
          qPrintable(what + QString("TTFT %1, longer prompts %2").arg(more.ttft_ms).arg(longer.ttft_ms)));
      less = more;
    }
  }
}

void PredictionTest::limits_name_the_largest_count() {
  const GpuProfile gpu = find_gpu("H200").value();
  Deployment deployment = deployment_of({});
  deployment.max_num_seqs = 512;
  deployment.tpot_limit_ms = 12;
  const int most = predict(deployment, model_outline(), gpu, 512).most_under_limits.value();
  deployment.requests = most;
  QVERIFY(predict(deployment, model_outline(), gpu, 512).asked.tpot_ms <= 12);
  deployment.requests = most + 1;
  QVERIFY(predict(deployment, model_outline(), gpu, 512).asked.tpot_ms > 12);
  deployment.tpot_limit_ms = 1;
  QCOMPARE(predict(deployment, model_outline(), gpu, 512).most_under_limits, std::optional<int>(0));
  deployment.tpot_limit_ms = 0;
  deployment.ttft_limit_ms = 1e9;
  QCOMPARE(predict(deployment, model_outline(), gpu, 512).most_under_limits, std::optional<int>(512));
}

void PredictionTest::replicas_multiply() {
  const GpuProfile gpu = find_gpu("H200").value();
  Deployment one = deployment_of({.requests = 32});
  Deployment four = one;
  four.gpus = 4;
  four.requests = 128;
  const OperatingPoint single = predict(one, model_outline(), gpu, 32).asked;
  const OperatingPoint all = predict(four, model_outline(), gpu, 32).asked;
  QCOMPARE(all.requests, 128);
  QCOMPARE(all.tpot_ms, single.tpot_ms);
  QVERIFY(std::abs(all.tokens_per_s / single.tokens_per_s - 4) < 1e-9);
}

void PredictionTest::stages_wait_for_requests() {
  const GpuProfile gpu = find_gpu("H200").value();
  Deployment one = deployment_of({.requests = 64});
  Deployment staged = one;
  staged.gpus = staged.pipeline_parallel = 4;
  const auto ratio = [&](int requests) {
    one.requests = staged.requests = requests;
    return predict(staged, model_outline(), gpu, 64).asked.tokens_per_s /
           predict(one, model_outline(), gpu, 64).asked.tokens_per_s;
  };
  QVERIFY(ratio(1) <= 1);    // a lone request passes one stage after another
  QVERIFY(ratio(64) > 1.2);  // four batches are on their way at once
  QVERIFY(ratio(64) < 4);
}

void PredictionTest::sliders_move() {
  Deployment deployment = deployment_of({});
  deployment.max_num_seqs = 4096;
  deployment.tpot_limit_ms = 20;
  const ModelOutline model = model_outline();
  const GpuProfile gpu = find_gpu("H200").value();
  QBENCHMARK {
    (void)predict(deployment, model, gpu, 4096);
  }
}

QTEST_APPLESS_MAIN(PredictionTest)
#include "prediction_test.moc"
