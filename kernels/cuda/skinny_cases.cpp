// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cuda/matrix_case_lists.h"
#include "kernels/cuda/matrix_fixture.h"
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

namespace {

struct SkinnyShape {
  std::vector<WeightShape> weights;
  int tokens = 1;
  int shift = 0;      ///< of x from an aligned place
  bool half = false;  ///< x and 16-bit outputs are float16, as they are with plain weights of it
  bool is_half() const { return half || weights[0].type == TensorType::f16; }
};

KernelCase make_case(const char* name, const SkinnyShape& shape, bool timed) {
  KernelCase one;
  one.name = name;
  for (const WeightShape& weight : shape.weights) {
    if (!one.shape.empty()) one.shape += " + ";
    one.shape += describe(weight);
    const double numbers = static_cast<double>(weight.rows) * weight.columns;
    const double bits = is_plain_type(weight.type) ? 16 : stored_format(weight.type).bits;
    one.bytes += numbers * bits / 8;
    one.flops += 2 * numbers * shape.tokens;
  }
  one.shape += ", " + std::to_string(shape.tokens) + " tokens";
  if (shape.shift > 0) one.shape += " at an odd place";
  if (shape.half) one.shape += " of float16";
  if (shape.is_half()) one.tolerance = 5e-4;
  one.timed = timed;
  return one;
}

/// What every output of a launch may have: the first a bias, the second a residual and a scale, in float32.
KernelCase linear_case(const SkinnyShape& shape, bool timed) {
  KernelCase one = make_case("skinny_linear", shape, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const bool half = shape.is_half();
    const CaseRows x = make_rows(memory, shape.tokens, shape.weights[0].columns, 21, shape.shift, half);
    std::vector<CaseWeight> weights;
    std::vector<SkinnyOutput> outputs;
    for (std::size_t i = 0; i < shape.weights.size(); ++i) {
      const WeightShape& of = shape.weights[i];
      weights.push_back(make_weight(memory, of, 30 + i, case_copies(timed)));
      std::vector<double> numbers = product(x, weights.back());
      const bool wide = i % 2 == 1 || of.rows == 1;  // one bf16 number may be off by more than the tolerance
      made.outputs.emplace_back(memory, shape.tokens, of.rows, wide, half);
      SkinnyOutput& output = outputs.emplace_back();
      output.out16 = made.outputs.back().out16();
      output.out32 = made.outputs.back().out32();
      const auto count = static_cast<std::size_t>(of.rows);
      if (i == 0) {
        const std::vector<float> bias = random_numbers(40, count);
        output.bias = memory.upload(bias);
        for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] += static_cast<double>(bias[n % count]);
      }
      if (i == 1) {
        output.scale = 0.75f;
        const std::vector<float> residual = random_numbers(41, numbers.size());
        output.residual = {memory.upload(residual), of.rows, of.rows};
        for (std::size_t n = 0; n < numbers.size(); ++n)
          numbers[n] = 0.75 * numbers[n] + static_cast<double>(residual[n]);
      }
      made.expected.insert(made.expected.end(), numbers.begin(), numbers.end());
    }
    const int multiprocessors = case_multiprocessors();
    made.run = [=](int turn, cudaStream_t stream) {
      std::vector<SkinnyOutput> now = outputs;
      for (std::size_t i = 0; i < now.size(); ++i) now[i].weight = weights[i].turn(turn);
      const int count = static_cast<int>(now.size());
      if (shape.tokens > skinny_rows(shape.weights[0].type)) {
        for (const SkinnyOutput& output : now)
          skinny_in_parts(x.device, output, shape.tokens, multiprocessors, stream);
      } else {
        skinny_linear(x.device, now.data(), count, shape.tokens, {}, multiprocessors, stream);
      }
    };
  });
  return one;
}

KernelCase gated_case(const WeightShape& weight, int tokens, Activation activation, bool timed,
                      bool of_half = false) {
  const bool half = of_half || weight.type == TensorType::f16;
  KernelCase one = make_case("skinny_gated", {{weight, weight}, tokens, 0, of_half}, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, tokens, weight.columns, 22, 0, half);
    const CaseWeight gate = make_weight(memory, weight, 50, case_copies(timed)),
                     up = make_weight(memory, weight, 51, case_copies(timed));
    const std::vector<double> gates = product(x, gate), ups = product(x, up);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      const double z = gates[i];
      const double act = activation == Activation::silu
                             ? z / (1 + std::exp(-z))
                             : 0.5 * z * (1 + std::tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)));
      made.expected.push_back(act * ups[i]);
    }
    made.outputs.emplace_back(memory, tokens, weight.rows, false, half);
    const Rows16 out = made.outputs[0].out16();
    const int multiprocessors = case_multiprocessors();
    made.run = [=](int turn, cudaStream_t stream) {
      skinny_gated(x.device, gate.turn(turn), up.turn(turn), activation, out, tokens, {}, multiprocessors,
                   stream);
    };
  });
  return one;
}

/// A product that makes the residual row with what a norm needs, and those that read it under the norm: one
/// launch of one or more outputs, or a gated one.
struct NormedShape {
  WeightShape makes;
  std::vector<WeightShape> reads;
  bool gated = false;
  int tokens = 1;
  bool half = false;  ///< rows are float16
};

KernelCase normed_case(const NormedShape& shape, bool timed) {
  std::vector<WeightShape> all = {shape.makes};
  all.insert(all.end(), shape.reads.begin(), shape.reads.end());
  KernelCase one =
      make_case(shape.gated ? "normed_gated" : "normed_linear", {all, shape.tokens, 0, shape.half}, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const int tokens = shape.tokens, columns = shape.makes.rows;
    const auto wide = static_cast<std::size_t>(columns);
    const bool half = shape.half || shape.makes.type == TensorType::f16;
    const CaseRows x = make_rows(memory, tokens, shape.makes.columns, 60, 0, half);
    const CaseWeight makes = make_weight(memory, shape.makes, 61, case_copies(timed));
    const std::vector<float> gain = random_numbers(62, wide);
    const std::vector<float> residual = random_numbers(63, static_cast<std::size_t>(tokens) * wide, 3);
    constexpr float kEpsilon = 1e-2f;  // large enough to be seen

    CaseRows rows;  // v ⊙ gain, the norm's factor apart
    rows.rows = tokens;
    rows.columns = columns;
    std::vector<double> numbers = product(x, makes), factors;
    for (int token = 0; token < tokens; ++token) {
      double squares = 0;
      for (int c = 0; c < columns; ++c) {
        const std::size_t at = static_cast<std::size_t>(token) * wide + static_cast<std::size_t>(c);
        double& v = numbers[at];
        v = 0.5 * v + static_cast<double>(residual[at]);
        squares += v * v;
        rows.numbers.push_back(static_cast<float>(v) * gain[static_cast<std::size_t>(c)]);
      }
      factors.push_back(1 / std::sqrt(squares / columns + static_cast<double>(kEpsilon)));
    }
    const float shrink = half ? kFoldedShrink : 1;
    for (float& number : rows.numbers) number /= shrink;
    rows.numbers = to_float(to_16(rows.numbers, half), half);
    for (float& number : rows.numbers) number *= shrink;
    made.expected = numbers;
    made.outputs.emplace_back(memory, tokens, columns, true);
    const Rows32 v = made.outputs[0].out32();
    const int stride = (columns + 7) / 8 * 8, parts = skinny_parts(columns);
    const Rows16 twin{static_cast<bf16*>(memory.take(static_cast<std::size_t>(tokens * stride) * 2)), stride,
                      columns, half ? memory.cut() : nullptr};
    const RowSquares squares{
        static_cast<float*>(memory.take(static_cast<std::size_t>(tokens * (parts + 3)) * 4)), parts + 3,
        parts};
    SkinnyOutput making;
    making.out32 = v;
    making.scale = 0.5f;
    making.residual = {memory.upload(residual), columns, columns};
    making.norm = {memory.upload(gain), twin, squares};

    std::vector<CaseWeight> reads;
    std::vector<SkinnyOutput> outputs;
    std::vector<std::vector<double>> results;
    for (const WeightShape& of : shape.reads) {
      reads.push_back(make_weight(memory, of, 70 + reads.size(), case_copies(timed)));
      std::vector<double>& result = results.emplace_back(product(rows, reads.back()));
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] *= factors[i / static_cast<std::size_t>(of.rows)];
      if (shape.gated) continue;
      made.outputs.emplace_back(memory, tokens, of.rows, of.rows == 1, half);
      SkinnyOutput& output = outputs.emplace_back();
      output.out16 = made.outputs.back().out16();
      output.out32 = made.outputs.back().out32();
      made.expected.insert(made.expected.end(), result.begin(), result.end());
    }
    if (shape.gated) {
      made.outputs.emplace_back(memory, tokens, shape.reads[0].rows, false, half);
      for (std::size_t i = 0; i < results[0].size(); ++i)
        made.expected.push_back(results[0][i] / (1 + std::exp(-results[0][i])) * results[1][i]);
    }
    const Rows16 gated = made.outputs.back().out16();
    const int multiprocessors = case_multiprocessors();
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput first = making;
      first.weight = makes.turn(turn);
      skinny_linear(x.device, &first, 1, tokens, {}, multiprocessors, stream);
      const NormBehind behind{squares, columns, kEpsilon};
      if (shape.gated)
        return skinny_gated(twin, reads[0].turn(turn), reads[1].turn(turn), Activation::silu, gated, tokens,
                            behind, multiprocessors, stream);
      std::vector<SkinnyOutput> now = outputs;
      for (std::size_t i = 0; i < now.size(); ++i) now[i].weight = reads[i].turn(turn);
      skinny_linear(twin, now.data(), static_cast<int>(now.size()), tokens, behind, multiprocessors, stream);
    };
  });
  return one;
}

WeightShape f16_weight(int rows, int columns) {
  return {.type = TensorType::f16, .rows = rows, .columns = columns};
}
WeightShape bf16_weight(int rows, int columns) {
  return {.type = TensorType::bf16, .rows = rows, .columns = columns};
}

void add_plain(CaseScale scale, std::vector<KernelCase>& cases) {
  cases.push_back(linear_case({{bf16_weight(40, 72)}, 3}, false));
  cases.push_back(gated_case(bf16_weight(24, 72), 2, Activation::silu, false));
  cases.push_back(linear_case({{f16_weight(40, 72)}, 3}, false));
  cases.push_back(gated_case(f16_weight(24, 72), 2, Activation::silu, false));
  if (scale == CaseScale::small) return;
  for (const int tokens : {1, 2, 3, 5, 8}) {
    cases.push_back(linear_case({{bf16_weight(1, 8)}, tokens}, false));
    cases.push_back(linear_case({{bf16_weight(17, 129)}, tokens}, false));
    cases.push_back(
        linear_case({{bf16_weight(576, 576), bf16_weight(192, 576), bf16_weight(192, 576)}, tokens}, false));
    cases.push_back(linear_case({{bf16_weight(300, 1111), bf16_weight(77, 1111)}, tokens, 3}, false));
    cases.push_back(gated_case(bf16_weight(333, 576), tokens, Activation::gelu_tanh, false));
    cases.push_back(gated_case(bf16_weight(200, 777), tokens, Activation::silu, false));
    cases.push_back(linear_case({{f16_weight(576, 576), f16_weight(192, 576)}, tokens}, false));
    cases.push_back(linear_case({{f16_weight(300, 1111)}, tokens, 3}, false));
    cases.push_back(gated_case(f16_weight(333, 576), tokens, Activation::gelu_tanh, false));
  }
  for (const int tokens : {1, 2, 4, 8}) {
    cases.push_back(linear_case({{bf16_weight(4096, 4096)}, tokens}, true));
    cases.push_back(linear_case({{bf16_weight(4096, 14336)}, tokens}, true));
    cases.push_back(linear_case(
        {{bf16_weight(4096, 4096), bf16_weight(1024, 4096), bf16_weight(1024, 4096)}, tokens}, true));
    cases.push_back(gated_case(bf16_weight(14336, 4096), tokens, Activation::silu, true));
    cases.push_back(linear_case({{f16_weight(4096, 14336)}, tokens}, true));
    cases.push_back(gated_case(f16_weight(14336, 4096), tokens, Activation::silu, true));
  }
  cases.push_back(linear_case({{bf16_weight(128256, 4096)}, 1}, true));
  for (const int tokens : {1, 2, 4, 8})
    cases.push_back(linear_case({{bf16_weight(128, 2048)}, tokens}, true));
}

WeightShape weight_of(TensorType type, int rows, int columns) {
  return {.type = type, .rows = rows, .columns = columns};
}

void add_quantised(CaseScale scale, std::vector<KernelCase>& cases) {
  for (const TensorType type : case_types()) {
    const int unit = is_block_type(type) ? tensor_type_info(type).block_elements : 40;
    const int columns = unit == 256 ? 512 : 3 * unit;
    cases.push_back(linear_case({{weight_of(type, 40, columns)}, 3}, false));
    cases.push_back(linear_case({{weight_of(type, 40, columns)}, 3, 0, true}, false));
    if (scale == CaseScale::small) continue;
    for (const int tokens : {1, 2, 8, 13, 16, 45}) {
      cases.push_back(linear_case(
          {{weight_of(type, 100, 4 * columns), weight_of(type, 16, 4 * columns)}, tokens, tokens % 2, true},
          false));
      if (tokens > skinny_rows(type)) continue;
      cases.push_back(gated_case(weight_of(type, 72, 2 * columns), tokens, Activation::silu, false, true));
    }
    for (const int tokens : {1, 8, 9, 16, 17, 45}) {
      cases.push_back(linear_case({{weight_of(type, 1, unit)}, tokens}, false));
      cases.push_back(linear_case(
          {{weight_of(type, 100, 4 * columns), weight_of(type, 16, 4 * columns)}, tokens, tokens % 2},
          false));
      if (tokens > skinny_rows(type)) continue;
      cases.push_back(gated_case(weight_of(type, 72, 2 * columns), tokens, Activation::silu, false));
    }
    cases.push_back(linear_case({{weight_of(type, 200, 2560)}, 5}, false));
  }
  for (const TensorType type : {TensorType::i4, TensorType::i8, TensorType::f8_e4m3}) {
    for (const auto scale_type : {TensorType::f16, TensorType::bf16, TensorType::f32}) {
      for (const int group : {32, 64, 96, 40, 1024}) {
        if (scale == CaseScale::small && group != 64) continue;
        WeightShape weight = weight_of(type, 40, 480);
        weight.group = group;
        weight.scale_type = scale_type;
        cases.push_back(linear_case({{weight}, 2}, false));
        cases.push_back(gated_case(weight, 11, Activation::gelu_tanh, false));
        cases.push_back(linear_case({{weight}, 12, 0, true}, false));
        weight.act_order = type != TensorType::f8_e4m3;
        if (weight.act_order) cases.push_back(linear_case({{weight}, 10}, false));
        if (weight.act_order) cases.push_back(gated_case(weight, 3, Activation::silu, false));
      }
    }
  }
  cases.push_back(linear_case({{weight_of(TensorType::q4_k, 64, 512), weight_of(TensorType::q6_k, 40, 512),
                                weight_of(TensorType::bf16, 24, 512)},
                               6},
                              false));
  cases.push_back(linear_case({{weight_of(TensorType::q4_k, 64, 512), weight_of(TensorType::q6_k, 40, 512),
                                weight_of(TensorType::f16, 24, 512)},
                               6,
                               0,
                               true},
                              false));
}

void add_timed_quantised(std::vector<KernelCase>& cases) {
  for (const TensorType type : {TensorType::i4, TensorType::q4_0, TensorType::q4_1, TensorType::q4_k,
                                TensorType::q8_0, TensorType::i8, TensorType::f8_e4m3}) {
    for (const int tokens : {1, 4, 8, 16}) {
      if (type == TensorType::i4 || type == TensorType::q4_k)
        cases.push_back(linear_case({{weight_of(type, 4096, 14336)}, tokens, 0, true}, true));
      cases.push_back(linear_case({{weight_of(type, 4096, 14336)}, tokens}, true));
      cases.push_back(gated_case(weight_of(type, 14336, 4096), tokens, Activation::silu, true));
      if (type == TensorType::i4 || type == TensorType::q4_k)
        cases.push_back(gated_case(weight_of(type, 14336, 4096), tokens, Activation::silu, true, true));
    }
    cases.push_back(linear_case({{weight_of(type, 4096, 4096)}, 1}, true));
    cases.push_back(linear_case(
        {{weight_of(type, 4096, 4096), weight_of(type, 1024, 4096), weight_of(type, 1024, 4096)}, 1}, true));
  }
  for (const TensorType type : case_types())
    cases.push_back(linear_case({{weight_of(type, 14336, 4096)}, 1}, true));
  WeightShape any_order = weight_of(TensorType::i4, 4096, 14336);
  any_order.act_order = true;
  cases.push_back(linear_case({{any_order}, 1}, true));
}

void add_normed(CaseScale scale, std::vector<KernelCase>& cases) {
  cases.push_back(
      normed_case({bf16_weight(40, 72), {bf16_weight(24, 40), bf16_weight(8, 40)}, false, 3}, false));
  cases.push_back(
      normed_case({bf16_weight(40, 72), {bf16_weight(24, 40), bf16_weight(24, 40)}, true, 2}, false));
  cases.push_back(
      normed_case({f16_weight(40, 72), {f16_weight(24, 40), f16_weight(8, 40)}, false, 3, true}, false));
  if (scale == CaseScale::small) return;
  for (const int tokens : {1, 2, 5, 8}) {
    cases.push_back(normed_case({bf16_weight(1, 8), {bf16_weight(3, 1)}, false, tokens}, false));
    cases.push_back(normed_case(
        {bf16_weight(576, 576), {bf16_weight(576, 576), bf16_weight(192, 576)}, false, tokens}, false));
    cases.push_back(normed_case({bf16_weight(777, 333), {bf16_weight(17, 777)}, false, tokens}, false));
    cases.push_back(normed_case({bf16_weight(5000, 96), {bf16_weight(33, 5000)}, false, tokens}, false));
    cases.push_back(normed_case(
        {bf16_weight(600, 129), {bf16_weight(200, 600), bf16_weight(200, 600)}, true, tokens}, false));
    cases.push_back(normed_case({f16_weight(777, 333), {f16_weight(17, 777)}, false, tokens, true}, false));
    cases.push_back(normed_case(
        {f16_weight(600, 129), {f16_weight(200, 600), f16_weight(200, 600)}, true, tokens, true}, false));
  }
  for (const TensorType type : case_types()) {
    const int unit = is_block_type(type) ? tensor_type_info(type).block_elements : 40;
    const int columns = unit == 256 ? 512 : 3 * unit;
    for (const int tokens : {3, 16}) {
      const WeightShape reads = weight_of(type, 72, columns);
      cases.push_back(normed_case({weight_of(type, columns, 2 * columns), {reads}, false, tokens}, false));
      cases.push_back(normed_case({weight_of(type, columns, columns), {reads, reads}, true, tokens}, false));
      cases.push_back(
          normed_case({weight_of(type, columns, 2 * columns), {reads}, false, tokens, true}, false));
      cases.push_back(
          normed_case({weight_of(type, columns, columns), {reads, reads}, true, tokens, true}, false));
    }
  }
  for (const int tokens : {1, 8}) {
    cases.push_back(normed_case({bf16_weight(4096, 14336),
                                 {bf16_weight(4096, 4096), bf16_weight(1024, 4096), bf16_weight(1024, 4096)},
                                 false,
                                 tokens},
                                true));
    cases.push_back(normed_case(
        {bf16_weight(4096, 4096), {bf16_weight(14336, 4096), bf16_weight(14336, 4096)}, true, tokens}, true));
  }
}

}  // namespace

void add_skinny_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  add_plain(scale, cases);
  add_quantised(scale, cases);
  if (scale == CaseScale::full) add_timed_quantised(cases);
  add_normed(scale, cases);
}

}  // namespace pitwall::cuda
