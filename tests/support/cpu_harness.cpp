// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cpu_harness.h"

#include <QTest>

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "engine/model/quantized_linear.h"

namespace pitwall::test {

namespace {

template <class T>
void put(std::vector<std::byte>& bytes, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

/// Random bytes, with d (and m) in the size that gives weights of about 0.5.
void put_random_block(std::vector<std::byte>& bytes, TensorType type, std::mt19937& random) {
  const std::size_t start = bytes.size();
  for (int i = 0; i < tensor_type_info(type).block_bytes; ++i)
    bytes.push_back(static_cast<std::byte>(random()));
  std::uniform_real_distribution<float> size(0.5f, 1);
  const auto put_half = [&](std::size_t at, float value) {
    const std::uint16_t half = float_to_half(value * size(random));
    std::memcpy(bytes.data() + start + at, &half, sizeof half);
  };
  switch (type) {
    case TensorType::q4_0:
    case TensorType::q5_0:
      return put_half(0, 0.1f);
    case TensorType::q4_1:
    case TensorType::q5_1:
      return put_half(0, 0.1f), put_half(2, -0.75f);
    case TensorType::q8_0:
    case TensorType::iq4_nl:
      return put_half(0, 0.01f);
    case TensorType::q2_k:
      return put_half(80, 0.05f), put_half(82, 0.05f);
    case TensorType::q3_k:
      return put_half(108, 0.01f);
    case TensorType::q4_k:
    case TensorType::q5_k:
      return put_half(0, 0.002f), put_half(2, 0.015f);
    case TensorType::q6_k:
      return put_half(208, 0.0003f);
    case TensorType::iq4_xs:
      return put_half(0, 0.0005f);
    default:  // MXFP4: a power of two
      bytes[start] = static_cast<std::byte>(120 + random() % 5);
  }
}

}  // namespace

std::vector<float> OwnedTensor::values() const {
  std::vector<float> floats(static_cast<std::size_t>(view.rows * view.columns));
  dequantize_rows(view, 0, view.rows, floats.data());
  return floats;
}

OwnedTensor random_tensor(TensorType type, int rows, int columns, std::mt19937& random) {
  OwnedTensor tensor;
  std::normal_distribution<float> normal(0, 0.5f);
  const std::int64_t blocks = std::int64_t{rows} * columns / tensor_type_info(type).block_elements;
  for (std::int64_t i = 0; i < blocks; ++i) {
    switch (type) {
      case TensorType::f32:
        put(tensor.bytes, normal(random));
        break;
      case TensorType::f16:
        put(tensor.bytes, float_to_half(normal(random)));
        break;
      case TensorType::bf16:
        put(tensor.bytes, float_to_bfloat(normal(random)));
        break;
      case TensorType::f8_e4m3:
        put(tensor.bytes, static_cast<std::uint8_t>(random() % 0x50 + (random() % 2) * 0x80));
        break;
      default:
        put_random_block(tensor.bytes, type, random);
    }
  }
  tensor.view = {"random", type, rows, columns, tensor.bytes.data(), std::ssize(tensor.bytes)};
  return tensor;
}

OwnedTensor float_tensor(const std::vector<float>& values, int rows, int columns) {
  OwnedTensor tensor;
  for (float value : values) put(tensor.bytes, value);
  tensor.view = {"given", TensorType::f32, rows, columns, tensor.bytes.data(), std::ssize(tensor.bytes)};
  return tensor;
}

void take(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().text());
}

void add_isa_rows() {
  QTest::addColumn<int>("isa");
  for (Isa isa : usable_isas()) QTest::newRow(std::string(isa_name(isa)).c_str()) << static_cast<int>(isa);
}

CpuBackendOptions isa_options(bool quantized_activations) {
  QFETCH_GLOBAL(int, isa);
  CpuBackendOptions options;
  options.isa = static_cast<Isa>(isa);
  options.quantized_activations = quantized_activations;
  options.threads = 2;
  return options;
}

void seed_anew(std::mt19937& random) {
  const unsigned seed = std::random_device()();
  qInfo("seed %u", seed);
  random.seed(seed);
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  for (Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (isa <= best_isa()) isas.push_back(isa);
  }
  return isas;
}

CpuHarness::CpuHarness(const CpuBackendOptions& options, const Limits& limits, const KvLayout& layout,
                       int blocks)
    : backend_(std::make_unique<CpuBackend>(options)) {
  take(backend_->prepare_steps(
      {limits.rows, limits.rows, limits.sequences, limits.blocks_per_sequence, limits.vocabulary}));
  if (blocks > 0) take(backend_->allocate_kv(layout, blocks));
}

StepResult CpuHarness::run(StepPlan plan, const std::function<void()>& forward) {
  plan.number = ++steps_;
  backend_->record(0, forward);
  backend_->move_blocks(plan);
  backend_->stage(plan);
  backend_->replay(0);
  backend_->publish(plan.number);
  return backend_->wait(plan.number);
}

std::vector<float> CpuHarness::run_rows(int rows, Tensor output, int columns,
                                        const std::function<void()>& forward) {
  const Tensor result = take(backend_->allocate(Category::logits, RowSet::logits, columns));
  StepPlan plan;
  std::vector<TokenId> tokens(static_cast<std::size_t>(rows));
  std::iota(tokens.begin(), tokens.end(), 0);
  add_slice(plan, 0, 0, tokens);
  const StepResult step = run(plan, [&] {
    forward();
    backend_->gather_logit_rows(output, result);
    backend_->sample(result);
  });
  if (step.error) throw std::runtime_error(step.error->text());
  return step.logits.at(0).values;
}

void add_slice(StepPlan& plan, int slot, int first_position, const std::vector<TokenId>& tokens) {
  SequenceSlice slice;
  slice.request = RequestId{static_cast<std::uint64_t>(slot) + 1};
  slice.slot = SlotId{slot};
  slice.first_position = first_position;
  slice.count = static_cast<std::int32_t>(tokens.size());
  slice.token_offset = static_cast<std::int32_t>(plan.tokens.size());
  slice.all_logits = true;
  plan.slices.push_back(slice);
  plan.tokens.insert(plan.tokens.end(), tokens.begin(), tokens.end());
}

}  // namespace pitwall::test
