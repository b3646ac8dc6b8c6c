// SPDX-License-Identifier: GPL-3.0-or-later
// GPU profiles and the roofline step-time model, against hand-computed values and measurements of vLLM.
#include <QTest>
#include <cmath>

#include "engine/base/file.h"
#include "engine/bench/random.h"
#include "engine/library/model_profile.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_memory.h"
#include "engine/plan/roofline.h"
#include "engine/schedule/measured_step_time.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

RooflineStepTime llama3_on_h200() {
  const ModelSpec spec = find_model_spec("llama-3-8b").value();
  return RooflineStepTime(spec, find_gpu("H200").value(), kv_layout_of(spec, KvDtype::bfloat16, 32));
}

/// One layer, hidden 8, 2 heads and 1 KV head of 4, feed-forward 16, vocabulary 10:
/// linear parameters 8·(8 + 8) + 8·8 + 3·8·16 = 576, output 80, KV 2·4·2 = 16 bytes a position.
ModelSpec small_spec() {
  ModelSpec spec;
  spec.hidden = 8;
  spec.vocabulary = 10;
  spec.context_length = 64;
  LayerSpec layer;
  layer.attention.heads = 2;
  layer.attention.kv_heads = 1;
  layer.attention.head_dim = 4;
  layer.mlp.intermediate = 16;
  spec.layers = {layer};
  return spec;
}

/// Round numbers: 1,000 bytes/s of weights, 500 of KV, 10,000 FLOP/s of matrices, 4,000 of attention, 100
/// bytes/s over the link, 2 ms a step.
GpuProfile small_gpu() {
  GpuProfile gpu;
  gpu.memory = 1 << 20;
  gpu.memory_bandwidth = 2000;
  gpu.matrix_rate = 20000;
  gpu.link_bandwidth = 200;
  gpu.weight_read_efficiency = 0.5;
  gpu.kv_read_efficiency = 0.25;
  gpu.matrix_efficiency = 0.5;
  gpu.attention_efficiency = 0.2;
  gpu.link_efficiency = 0.5;
  gpu.step_overhead = 2 * kNanosPerMs;
  return gpu;
}

bool close(double value, double expected) {
  return std::abs(value - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
}

std::string text_of(const fs::path& file) {
  return read_file(file).value();
}

const fs::path kProfiles = fs::path(PITWALL_SOURCE_DIR) / "profiles/gpus";

}  // namespace

class RooflineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parameters_of_llama_3_8b();
  void parts_match_hand_computed_values();
  void windows_bound_attention();
  void decode_is_within_15_percent_of_vllm_data();
  void decode_is_within_15_percent_of_vllm();
  void prefill_is_within_15_percent_of_vllm();
  void measured_step_times_learn_a_roofline();
  void kv_left_beside_the_weights();
  void embedded_profiles_are_sound();
  void bad_profiles_are_refused_data();
  void bad_profiles_are_refused();
  void unknown_gpu_lists_what_exists();
};

void RooflineTest::parameters_of_llama_3_8b() {
  const ParameterCount count = count_parameters(find_model_spec("llama-3-8b").value());
  // 8,030,261,248 as the Hugging Face page of meta-llama/Meta-Llama-3-8B counts its safetensors.
  QCOMPARE(count.total(), std::int64_t{8030261248});
  QCOMPARE(count.output, std::int64_t{525336576});
  ModelSpec tied = small_spec();
  tied.tied_embeddings = true;
  QCOMPARE(count_parameters(tied).total(), std::int64_t{576 + 80 + 3 * 8});
}

void RooflineTest::parts_match_hand_computed_values() {
  const ModelSpec spec = small_spec();
  const RooflineStepTime model(spec, small_gpu(), kv_layout_of(spec, KvDtype::bfloat16, 16));
  StepShape shape;
  shape.sequences = 3;
  shape.decode_tokens = 2;
  shape.decode_context = 30;
  shape.prefill_tokens = 5;
  shape.prefill_context = 9;
  shape.prefill_pairs = 35;
  shape.padding_tokens = 3;
  shape.logit_rows = 2;
  shape.swapped_blocks = 4;
  const StepTimeParts parts = model.parts(shape);
  QVERIFY(close(parts.overhead, 0.002));
  QVERIFY(close(parts.linear, std::max(576 * 2 / 1000.0, 2 * 576 * 10 / 10000.0)));
  QVERIFY(close(parts.output, std::max(80 * 2 / 1000.0, 2 * 80 * 2 / 10000.0)));
  QVERIFY(close(parts.decode_attention, 30 * 16 / 500.0));
  QVERIFY(close(parts.prefill_attention, std::max(9 * 16 / 500.0, 35 * 4 * 8 / 4000.0)));
  QVERIFY(close(parts.swaps, 4 * 16 * 16 / 100.0));
  QCOMPARE(model.predict(shape), static_cast<Nanos>(std::llround(parts.total() * 1e9)));
  QVERIFY(close(parts.total(), 0.002 + 1.152 + 0.16 + 0.96 + 0.288 + 10.24));

  shape.prefill_tokens = 500;  // enough rows that multiplying takes longer than reading
  QVERIFY(close(model.parts(shape).linear, 2.0 * 576 * 505 / 10000));
  QCOMPARE(model.predict(StepShape{}), Nanos{2 * kNanosPerMs});
}

void RooflineTest::windows_bound_attention() {
  ModelSpec spec = small_spec();
  spec.layers.push_back(spec.layers.front());
  spec.layers.back().attention.window = 10;
  const RooflineStepTime model(spec, small_gpu(), kv_layout_of(spec, KvDtype::bfloat16, 16));
  StepShape shape;
  shape.decode_tokens = 2;
  shape.decode_context = 60;
  QVERIFY(close(model.parts(shape).decode_attention, (60 + 2 * 10) * 16 / 500.0));
}

void RooflineTest::decode_is_within_15_percent_of_vllm_data() {
  QTest::addColumn<int>("batch");
  QTest::addColumn<double>("tokens_per_s");
  // vLLM 0.26, one H200, Llama-3-8B shape, BF16 weights and KV, prompt 1024, output 256: mean length 1152.
  QTest::newRow("1") << 1 << 200.5;
  QTest::newRow("8") << 8 << 1485.0;
  QTest::newRow("32") << 32 << 4934.0;
  QTest::newRow("64") << 64 << 8210.0;
  QTest::newRow("128") << 128 << 11590.0;
  QTest::newRow("256") << 256 << 13766.0;
}

void RooflineTest::decode_is_within_15_percent_of_vllm() {
  QFETCH(int, batch);
  QFETCH(double, tokens_per_s);
  StepShape shape;
  shape.sequences = shape.decode_tokens = shape.logit_rows = batch;
  shape.decode_context = std::int64_t{1152} * batch;
  const double predicted = batch * 1e9 / static_cast<double>(llama3_on_h200().predict(shape));
  qInfo("batch %d: %.0f tokens/s, vLLM %.0f (%+.1f %%)", batch, predicted, tokens_per_s,
        100 * (predicted / tokens_per_s - 1));
  QVERIFY(std::abs(predicted / tokens_per_s - 1) < 0.15);
}

void RooflineTest::prefill_is_within_15_percent_of_vllm() {
  StepShape shape;  // eight prompts of 1024 in one step
  shape.sequences = shape.logit_rows = 8;
  shape.prefill_tokens = 8 * 1024;
  shape.prefill_context = 8 * 1024;
  shape.prefill_pairs = std::int64_t{8} * 1024 * 1025 / 2;
  const double predicted = 8192 * 1e9 / static_cast<double>(llama3_on_h200().predict(shape));
  qInfo("prefill: %.0f tokens/s, vLLM 43400 (%+.1f %%)", predicted, 100 * (predicted / 43400 - 1));
  QVERIFY(std::abs(predicted / 43400 - 1) < 0.15);
}

void RooflineTest::measured_step_times_learn_a_roofline() {
  const RooflineStepTime truth = llama3_on_h200();
  MeasuredStepTime learnt(nullptr);
  constexpr std::uint64_t kSeed = 20;
  qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
  Random random(kSeed);
  const auto shape_of = [&](int decodes, int chunk) {
    StepShape shape;
    shape.decode_tokens = decodes;
    shape.decode_context = std::int64_t{400} * decodes;
    shape.prefill_tokens = chunk;
    shape.prefill_context = chunk;
    shape.prefill_pairs = std::int64_t{chunk} * (chunk + 1) / 2;
    shape.logit_rows = decodes + (chunk > 0 ? 1 : 0);
    return shape;
  };
  for (int step = 0; step < 2000; ++step) {
    const int decodes = 1 + static_cast<int>(random.next() % 80);
    const int chunk = random.next() % 4 == 0 ? static_cast<int>(random.next() % 1000) : 0;
    const StepShape shape = shape_of(decodes, chunk);
    learnt.observe(shape, truth.predict(shape), 0);
  }
  for (const int decodes : {1, 16, 64}) {
    for (const int chunk : {0, 32, 64, 128, 256, 512, 1000}) {
      const StepShape shape = shape_of(decodes, chunk);
      const double ratio =
          static_cast<double>(learnt.predict(shape)) / static_cast<double>(truth.predict(shape));
      QVERIFY2(
          std::abs(ratio - 1) < 0.08,
          qPrintable(QString("%1 decodes, chunk of %2: %3 of the truth").arg(decodes).arg(chunk).arg(ratio)));
    }
  }
}

void RooflineTest::kv_left_beside_the_weights() {
  const GpuProfile gpu = find_gpu("H200").value();
  const ModelSpec spec = find_model_spec("llama-3-8b").value();
  const Bytes left = gpu.memory - gpu.reserve() - 2 * count_parameters(spec).total();
  // 935 k tokens fit beside the weights in 92 % of an H200's memory.
  QCOMPARE(left / spec.kv_bytes_per_token(2) / 1000, Bytes{935});
}

void RooflineTest::embedded_profiles_are_sound() {
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(kProfiles)) {
    const auto gpu = parse_gpu_profile(text_of(file.path()));
    PW_VERIFY(gpu);
    QCOMPARE(gpu->name + ".json", file.path().filename().string());
    PW_VERIFY(find_gpu(gpu->name));
    ++files;
  }
  QCOMPARE(gpu_profiles().size(), files);
}

void RooflineTest::bad_profiles_are_refused_data() {
  QTest::addColumn<std::string>("from");
  QTest::addColumn<std::string>("to");
  QTest::addColumn<std::string>("said");
  QTest::newRow("not JSON") << std::string("{") << std::string("[") << std::string("parse error");
  QTest::newRow("missing") << std::string("\"matrix_rate\"") << std::string("\"rate\"")
                           << std::string("matrix_rate");
  QTest::newRow("share above 1") << std::string("0.64") << std::string("1.64")
                                 << std::string("matrix_efficiency is 1.64");
  QTest::newRow("zero") << std::string("4.8e12") << std::string("0") << std::string("memory_bandwidth is 0");
  QTest::newRow("no source") << std::string("Bytes/s. NVIDIA H200 datasheet: 4.8 TB/s") << std::string()
                             << std::string("memory_bandwidth names no source");
}

void RooflineTest::bad_profiles_are_refused() {
  QFETCH(std::string, from);
  QFETCH(std::string, to);
  QFETCH(std::string, said);
  std::string text = text_of(kProfiles / "H200.json");
  QVERIFY(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
  const auto gpu = parse_gpu_profile(text);
  QVERIFY(!gpu.ok());
  QVERIFY2(gpu.error().text().find(said) != std::string::npos, gpu.error().text().c_str());
}

void RooflineTest::unknown_gpu_lists_what_exists() {
  const auto gpu = find_gpu("H300");
  QVERIFY(!gpu.ok());
  QVERIFY2(gpu.error().text().find("H300") != std::string::npos, gpu.error().text().c_str());
  QVERIFY2(gpu.error().text().find("H200") != std::string::npos, gpu.error().text().c_str());
}

QTEST_APPLESS_MAIN(RooflineTest)
#include "roofline_test.moc"
