// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cpu_harness.h"

#include <cstring>
#include <numeric>
#include <stdexcept>

namespace pitwall::test {

namespace {

template <class T>
void put(std::vector<std::byte>& bytes, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

template <class Block>
Block random_block(std::mt19937& random, float scale) {
  Block block;
  std::uniform_real_distribution<float> size(0.5f * scale, scale);
  block.d = float_to_half(size(random));
  if constexpr (requires { block.m; }) block.m = float_to_half(-7.5f * size(random));
  for (auto& q : block.q) q = static_cast<std::remove_reference_t<decltype(q)>>(random());
  return block;
}

}  // namespace

std::vector<float> OwnedTensor::values() const {
  std::vector<float> floats(static_cast<std::size_t>(view.rows * view.columns));
  dequantize(view.type, view.data, floats.data(), view.rows * view.columns);
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
      case TensorType::q4_0:
        put(tensor.bytes, random_block<BlockQ4_0>(random, 0.1f));
        break;
      case TensorType::q4_1:
        put(tensor.bytes, random_block<BlockQ4_1>(random, 0.1f));
        break;
      case TensorType::q8_0:
        put(tensor.bytes, random_block<BlockQ8_0>(random, 0.01f));
        break;
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
