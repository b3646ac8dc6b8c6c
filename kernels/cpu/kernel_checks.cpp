// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/kernel_checks.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/execute/reference_ops.h"
#include "engine/model/random_tensor.h"
#include "kernels/cpu/floors.h"

namespace pitwall {

namespace {

using Row = reference::Row;
using Rows = std::vector<Row>;

constexpr Bytes kRotated = Bytes{256} << 20;  ///< weights in turn take this: more than caches hold
constexpr int kMostTurns = 24, kRounds = 8;
constexpr int kBlockSize = 32;

/// One operation on rows that it reads from a table, again and again in turn over equal weights or layers.
struct Operation {
  std::function<void()> prepare;  ///< in the step, before the first run
  std::function<void(int turn)> run;
  Tensor output;
  int columns = 0;
  std::function<Rows()> expected;
  double bytes = 0, multiply_adds = 0;  ///< that a run must read and do
  int turns = 1;
};

/// A back end of its own for each case; the first failure is kept, later calls do nothing of use.
class CaseBackend {
 public:
  CaseBackend(const CpuBackendOptions& options, int rows, int sequences, int context, int vocabulary)
      : backend_(std::make_unique<CpuBackend>(options)), context_(context) {
    keep(backend_->prepare_steps(
        {rows, rows, sequences, (context + kBlockSize - 1) / kBlockSize, vocabulary}));
  }

  CpuBackend& backend() { return *backend_; }
  const Result<void>& state() const { return state_; }
  void keep(Result<void> result) {
    if (state_.ok() && !result.ok()) state_ = std::move(result);
  }
  template <class T>
  T take(Result<T> result) {
    if (result.ok()) return *std::move(result);
    keep(std::move(result).error());
    return {};
  }
  void allocate_kv(const KvLayout& layout, int sequences) {
    blocks_ = context_ / layout.block_size;
    keep(backend_->allocate_kv(layout, sequences * blocks_));
  }
  Weight upload(const OwnedTensor& tensor) { return take(backend_->upload(tensor.view)); }
  Tensor tensor(int columns) {
    return take(backend_->allocate(Category::activations, RowSet::tokens, columns));
  }

  /// `sequences` in slots 0 …, each with rows / sequences rows that end at the context's last position.
  StepPlan plan(int rows, int sequences) const {
    StepPlan plan;
    const int each = rows / sequences;
    for (int s = 0; s < sequences; ++s) {
      const RequestId request{static_cast<std::uint64_t>(s) + 1};
      plan.joins.push_back({SlotId{s}, request, {}});
      for (int b = 0; b < blocks_; ++b) plan.appends.push_back({SlotId{s}, b, BlockId{s * blocks_ + b}});
      SequenceSlice slice;
      slice.request = request;
      slice.slot = SlotId{s};
      slice.first_position = context_ - each;
      slice.count = each;
      slice.token_offset = s * each;
      slice.all_logits = true;
      plan.slices.push_back(slice);
    }
    plan.tokens.resize(static_cast<std::size_t>(rows));
    std::iota(plan.tokens.begin(), plan.tokens.end(), 0);
    return plan;
  }

  /// Rows of `output` after `forward`.
  std::vector<float> run(StepPlan plan, Tensor output, int columns, const std::function<void()>& forward) {
    const Tensor result = take(backend_->allocate(Category::logits, RowSet::logits, columns));
    if (!state_.ok()) return {};
    plan.number = ++steps_;
    backend_->record(0, [&] {
      forward();
      backend_->gather_logit_rows(output, result);
      backend_->sample(result);
    });
    backend_->move_blocks(plan);
    backend_->stage(plan);
    backend_->replay(0);
    backend_->publish(plan.number);
    StepResult step = backend_->wait(plan.number);
    if (step.error) keep(*std::move(step.error));
    std::vector<float> values;
    for (const SliceLogits& slice : step.logits)
      values.insert(values.end(), slice.values.begin(), slice.values.end());
    return values;
  }

 private:
  std::unique_ptr<CpuBackend> backend_;
  int context_;
  int blocks_ = 0;  // of each sequence; none without KV
  std::uint64_t steps_ = 0;
  Result<void> state_;
};

/// ‖found − expected‖ / ‖expected‖
double relative_l2(const std::vector<float>& found, const Rows& expected) {
  double error = 0, size = 0;
  std::size_t i = 0;
  for (const Row& row : expected) {
    for (const float value : row) {
      const double off = i < found.size() ? double{found[i]} - double{value} : std::nan("");
      error += off * off;
      size += double{value} * double{value};
      ++i;
    }
  }
  return std::sqrt(error / size);
}

/// Nanoseconds that the fastest quarter of the runs stays within.
double typical(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

class Checker {
 public:
  Checker(const CpuBackendOptions& options, const CpuKernelChecks& checks,
          const std::optional<CpuFloors>& floors, const std::function<void(const KernelReport&)>& on_case)
      : options_(options), checks_(checks), floors_(floors), on_case_(on_case) {}

  bool timed() const { return floors_.has_value(); }
  const CpuBackendOptions& options() const { return options_; }
  bool small() const { return checks_.small; }
  bool wants(const std::string& name, const std::string& shape) const {
    return (name + " " + shape).find(checks_.filter) != std::string::npos;
  }

  void check(const std::string& name, const std::string& shape, double tolerance, CaseBackend& cases,
             const StepPlan& plan, const Operation& operation) {
    KernelReport report;
    report.name = name;
    report.shape = shape;
    report.tolerance = tolerance;
    const auto once = [&] {
      return cases.run(plan, operation.output, operation.columns, [&] {
        operation.prepare();
        operation.run(0);
      });
    };
    const std::vector<float> first = once(), second = once();
    if (!cases.state().ok()) {
      report.problem = cases.state().error().text();
      return on_case_(report);
    }
    report.error = relative_l2(first, operation.expected());
    if (!(report.error <= tolerance)) report.problem = "the error is above " + std::to_string(tolerance);
    if (first != second) report.problem = "two runs differ";
    if (timed()) time(report, cases, plan, operation);
    on_case_(report);
  }

 private:
  void time(KernelReport& report, CaseBackend& cases, const StepPlan& plan,
            const Operation& operation) const {
    std::vector<double> times;
    cases.run(plan, operation.output, operation.columns, [&] {
      operation.prepare();
      for (int i = 0; i < kRounds * operation.turns; ++i) {
        const auto start = std::chrono::steady_clock::now();
        operation.run(i % operation.turns);
        const auto end = std::chrono::steady_clock::now();
        times.push_back(std::chrono::duration<double, std::nano>(end - start).count());
      }
    });
    const double ns = typical(std::move(times)), flops = 2 * operation.multiply_adds;
    report.us = ns / 1e3;
    report.gbps = operation.bytes / ns;
    report.tflops = flops / ns / 1e3;
    const double rate = std::max(floors_->float32_tflops, floors_->int8_tops) * 1e3;
    report.floor_percent = 100 * std::max(operation.bytes / floors_->read_gbps, flops / rate) / ns;
  }

  const CpuBackendOptions& options_;
  const CpuKernelChecks& checks_;
  const std::optional<CpuFloors>& floors_;
  const std::function<void(const KernelReport&)>& on_case_;
};

Rows rows_of(const std::vector<float>& values, int columns) {
  Rows rows;
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(columns))
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                      values.begin() + static_cast<std::ptrdiff_t>(at) + columns);
  return rows;
}

/// What quantising activations may cost, where it is on.
double linear_tolerance(const Checker& checker, TensorType type) {
  const bool packed = type != TensorType::f32 && type != TensorType::f16 && type != TensorType::bf16;
  return checker.options().quantized_activations && packed ? 1e-3 : 1e-5;
}

void check_linear(Checker& checker, TensorType type, int rows) {
  const int width = checker.small() ? 256 : 2048;
  const std::string shape = std::to_string(width) + "×" + std::to_string(width) + " " +
                            std::string(tensor_type_info(type).name) + ", " + std::to_string(rows) + " rows";
  if (!checker.wants("linear", shape)) return;
  CaseBackend cases(checker.options(), rows, 1, rows, width);
  std::mt19937 random(1);
  const OwnedTensor weight = random_tensor(type, width, width, random);
  const OwnedTensor table = random_tensor(TensorType::f32, rows, width, random);
  Operation operation;
  operation.turns =
      checker.timed() ? static_cast<int>(std::min<Bytes>(kRotated / weight.view.bytes + 1, kMostTurns)) : 1;
  std::vector<Weight> weights;
  for (int i = 0; i < operation.turns; ++i) weights.push_back(cases.upload(weight));
  const Weight x = cases.upload(table);
  const Tensor in = cases.tensor(width), out = cases.tensor(width);
  operation.prepare = [&] { cases.backend().embed(x, 1, in); };
  operation.run = [&](int turn) {
    const LinearOutput output{weights[static_cast<std::size_t>(turn)], out, {}, {}};
    cases.backend().linear(in, {}, {&output, 1});
  };
  operation.output = out;
  operation.columns = width;
  operation.expected = [&] {
    const std::vector<float> numbers = reference::dequantized(weight.view);
    Rows expected;
    for (const Row& row : rows_of(table.values(), width)) expected.push_back(reference::linear(numbers, row));
    return expected;
  };
  operation.bytes = static_cast<double>(weight.view.bytes);
  operation.multiply_adds = double{1} * width * width * rows;
  checker.check("linear", shape, linear_tolerance(checker, type), cases, cases.plan(rows, 1), operation);
}

/// Norm, gate and up in one, as a layer has it.
void check_gated(Checker& checker, TensorType type, int rows) {
  const int width = checker.small() ? 256 : 1024, intermediate = 3 * width;
  const std::string shape = std::to_string(intermediate) + "×" + std::to_string(width) + " " +
                            std::string(tensor_type_info(type).name) + " twice, silu, rms norm, " +
                            std::to_string(rows) + " rows";
  if (!checker.wants("gated_linear", shape)) return;
  CaseBackend cases(checker.options(), rows, 1, rows, intermediate);
  std::mt19937 random(2);
  const OwnedTensor gate = random_tensor(type, intermediate, width, random);
  const OwnedTensor up = random_tensor(type, intermediate, width, random);
  const OwnedTensor gain = random_tensor(TensorType::f32, 1, width, random);
  const OwnedTensor table = random_tensor(TensorType::f32, rows, width, random);
  constexpr float kEpsilon = 1e-5f;
  const Bytes bytes = gate.view.bytes + up.view.bytes;
  Operation operation;
  operation.turns = checker.timed() ? static_cast<int>(std::min<Bytes>(kRotated / bytes + 1, kMostTurns)) : 1;
  std::vector<GatedWeights> weights;
  for (int i = 0; i < operation.turns; ++i)
    weights.push_back({cases.upload(gate), cases.upload(up), {}, {}, Activation::silu});
  const Weight norm = cases.take(cases.backend().upload_vector(gain.view, 0)), x = cases.upload(table);
  const Tensor in = cases.tensor(width), out = cases.tensor(intermediate);
  operation.prepare = [&] { cases.backend().embed(x, 1, in); };
  operation.run = [&](int turn) {
    cases.backend().gated_linear(in, {norm, kEpsilon}, weights[static_cast<std::size_t>(turn)], out);
  };
  operation.output = out;
  operation.columns = intermediate;
  operation.expected = [&] {
    const std::vector<float> gates = reference::dequantized(gate.view), ups = reference::dequantized(up.view);
    Rows expected;
    for (const Row& row : rows_of(table.values(), width)) {
      const Row normed = reference::rms_norm(row, gain.values(), kEpsilon);
      expected.push_back(reference::gated(reference::linear(gates, normed), reference::linear(ups, normed),
                                          Activation::silu));
    }
    return expected;
  };
  operation.bytes = static_cast<double>(bytes);
  operation.multiply_adds = 2.0 * intermediate * width * rows;
  checker.check("gated_linear", shape, 2 * linear_tolerance(checker, type), cases, cases.plan(rows, 1),
                operation);
}

/// One row of each sequence at the end of its context: append, then attention over all of it.
void check_attention(Checker& checker, KvDtype dtype, int sequences) {
  const int heads = checker.small() ? 4 : 16, kv_heads = heads / 4, head_dim = 64;
  const int context = checker.small() ? 64 : 1024, q_columns = heads * head_dim,
            kv_columns = kv_heads * head_dim;
  const std::string shape = std::to_string(heads) + "/" + std::to_string(kv_heads) + " heads of " +
                            std::to_string(head_dim) + ", " + std::to_string(sequences) + " × " +
                            std::to_string(context) + " tokens, " + std::string(kv_dtype_name(dtype));
  if (!checker.wants("attention", shape)) return;
  KvLayout layout;
  layout.dtype = dtype;
  layout.block_size = kBlockSize;
  const int turns = checker.timed() ? 8 : 1;
  layout.layers.assign(static_cast<std::size_t>(turns), {kv_heads, head_dim});
  const int vocabulary = context;
  CaseBackend cases(checker.options(), std::max(context, sequences), sequences, context, vocabulary);
  cases.allocate_kv(layout, sequences);
  std::mt19937 random(3);
  const OwnedTensor queries = random_tensor(TensorType::f32, vocabulary, q_columns, random);
  const OwnedTensor keys = random_tensor(TensorType::f32, vocabulary, kv_columns, random);
  const OwnedTensor values = random_tensor(TensorType::f32, vocabulary, kv_columns, random);
  const Weight q_table = cases.upload(queries), k_table = cases.upload(keys), v_table = cases.upload(values);
  const Tensor q = cases.tensor(q_columns), k = cases.tensor(kv_columns), v = cases.tensor(kv_columns);
  const Tensor out = cases.tensor(q_columns);
  AttentionSpec spec;
  spec.heads = heads;
  spec.kv_heads = kv_heads;
  spec.head_dim = head_dim;
  const float scale = 0.125f;
  const auto append = [&] {
    cases.backend().embed(q_table, 1, q);
    cases.backend().embed(k_table, 1, k);
    cases.backend().embed(v_table, 1, v);
    for (int layer = 0; layer < turns; ++layer)
      cases.backend().rope_append({layer, {}, {}, {}}, spec, q, k, v);
  };
  // The whole context of one sequence after another, then a row of each at its end: the same keys again.
  for (int s = 0; s < sequences; ++s) {
    StepPlan whole = cases.plan(sequences * context, sequences);
    SequenceSlice slice = whole.slices[static_cast<std::size_t>(s)];
    slice.token_offset = 0;
    whole.slices = {slice};
    whole.tokens.resize(static_cast<std::size_t>(context));
    cases.run(std::move(whole), q, q_columns, append);
  }
  StepPlan plan = cases.plan(sequences, sequences);
  std::fill(plan.tokens.begin(), plan.tokens.end(), context - 1);
  plan.joins.clear();
  plan.appends.clear();
  Operation operation;
  operation.turns = turns;
  operation.prepare = append;
  operation.run = [&](int turn) {
    cases.backend().attention({turn, heads, kv_heads, head_dim, scale, 0}, q, out);
  };
  operation.output = out;
  operation.columns = q_columns;
  operation.expected = [&] {
    const auto stored = [&](const OwnedTensor& table) {
      std::vector<float> all;
      const std::vector<float> numbers = table.values();
      for (std::size_t at = 0; at < numbers.size(); at += static_cast<std::size_t>(head_dim)) {
        const Row head =
            reference::stored_kv({numbers.data() + at, static_cast<std::size_t>(head_dim)}, dtype, 1);
        all.insert(all.end(), head.begin(), head.end());
      }
      return all;
    };
    const std::vector<float> all_q = queries.values();
    const std::span<const float> last(all_q.data() + std::ptrdiff_t{context - 1} * q_columns,
                                      static_cast<std::size_t>(q_columns));
    const Row one = reference::attention(last, stored(keys), stored(values), context, heads, kv_heads,
                                         head_dim, scale, 0);
    return Rows(static_cast<std::size_t>(sequences), one);
  };
  operation.bytes = static_cast<double>(layout.bytes_per_token()) / turns * sequences * context;
  operation.multiply_adds = 2.0 * sequences * q_columns * context;
  checker.check("attention", shape, 1e-4, cases, plan, operation);
}

}  // namespace

Result<void> check_cpu_kernels(const CpuBackendOptions& options, const CpuKernelChecks& checks,
                               const std::function<void(const KernelReport&)>& on_case) {
  std::optional<CpuFloors> floors;
  if (checks.timed && !checks.small) {
    auto measured = measure_cpu_floors(options.isa, options.threads, options.memory_limit);
    if (!measured) return std::move(measured).error();
    floors = *measured;
  }
  Checker checker(options, checks, floors, on_case);
  for (int i = 0; i <= static_cast<int>(TensorType::f8_e4m3); ++i) {
    for (const int rows : {1, 8, 64}) check_linear(checker, static_cast<TensorType>(i), rows);
  }
  for (const TensorType type : {TensorType::bf16, TensorType::q4_0, TensorType::q4_k, TensorType::q8_0}) {
    for (const int rows : {1, 8, 64}) check_gated(checker, type, rows);
  }
  for (const KvDtype dtype :
       {KvDtype::float32, KvDtype::bfloat16, KvDtype::float16, KvDtype::fp8_e4m3, KvDtype::int8}) {
    for (const int sequences : {1, 8}) check_attention(checker, dtype, sequences);
  }
  return {};
}

}  // namespace pitwall
