// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cpu_harness.h"

#include <QTest>

#include <numeric>
#include <stdexcept>

namespace pitwall::test {

OwnedTensor float_tensor(const std::vector<float>& values, int rows, int columns) {
  OwnedTensor tensor;
  const auto* from = reinterpret_cast<const std::byte*>(values.data());
  tensor.bytes.assign(from, from + values.size() * sizeof(float));
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
