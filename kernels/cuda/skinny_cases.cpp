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
  int shift = 0;  ///< of x from an aligned place
};

KernelCase make_case(const char* name, const SkinnyShape& shape, bool timed) {
  KernelCase one;
  one.name = name;
  for (const WeightShape& weight : shape.weights) {
    if (!one.shape.empty()) one.shape += " + ";
    one.shape += describe(weight);
    const double numbers = static_cast<double>(weight.rows) * weight.columns;
    const double bits = weight.type == TensorType::bf16 ? 16 : stored_format(weight.type).bits;
    one.bytes += numbers * bits / 8;
    one.flops += 2 * numbers * shape.tokens;
  }
  one.shape += ", " + std::to_string(shape.tokens) + " tokens";
  if (shape.shift > 0) one.shape += " at an odd place";
  one.timed = timed;
  return one;
}

/// What every output of a launch may have: the first a bias, the second a residual and a scale, in float32.
KernelCase linear_case(const SkinnyShape& shape, bool timed) {
  KernelCase one = make_case("skinny_linear", shape, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.tokens, shape.weights[0].columns, 21, shape.shift);
    std::vector<CaseWeight> weights;
    std::vector<SkinnyOutput> outputs;
    for (std::size_t i = 0; i < shape.weights.size(); ++i) {
      const WeightShape& of = shape.weights[i];
      weights.push_back(make_weight(memory, of, 30 + i, case_copies(timed)));
      std::vector<double> numbers = product(x, weights.back());
      const bool wide = i % 2 == 1 || of.rows == 1;  // one bf16 number may be off by more than the tolerance
      made.outputs.emplace_back(memory, shape.tokens, of.rows, wide);
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
      skinny_linear(x.device, now.data(), static_cast<int>(now.size()), shape.tokens, multiprocessors,
                    stream);
    };
  });
  return one;
}

KernelCase gated_case(const WeightShape& weight, int tokens, Activation activation, bool timed) {
  KernelCase one = make_case("skinny_gated", {{weight, weight}, tokens}, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, tokens, weight.columns, 22);
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
    made.outputs.emplace_back(memory, tokens, weight.rows, false);
    const Rows16 out = made.outputs[0].out16();
    const int multiprocessors = case_multiprocessors();
    made.run = [=](int turn, cudaStream_t stream) {
      skinny_gated(x.device, gate.turn(turn), up.turn(turn), activation, out, tokens, multiprocessors,
                   stream);
    };
  });
  return one;
}

WeightShape bf16_weight(int rows, int columns) {
  return {.type = TensorType::bf16, .rows = rows, .columns = columns};
}

void add_plain(CaseScale scale, std::vector<KernelCase>& cases) {
  cases.push_back(linear_case({{bf16_weight(40, 72)}, 3}, false));
  cases.push_back(gated_case(bf16_weight(24, 72), 2, Activation::silu, false));
  if (scale == CaseScale::small) return;
  for (const int tokens : {1, 2, 3, 5, 8}) {
    cases.push_back(linear_case({{bf16_weight(1, 8)}, tokens}, false));
    cases.push_back(linear_case({{bf16_weight(17, 129)}, tokens}, false));
    cases.push_back(
        linear_case({{bf16_weight(576, 576), bf16_weight(192, 576), bf16_weight(192, 576)}, tokens}, false));
    cases.push_back(linear_case({{bf16_weight(300, 1111), bf16_weight(77, 1111)}, tokens, 3}, false));
    cases.push_back(gated_case(bf16_weight(333, 576), tokens, Activation::gelu_tanh, false));
    cases.push_back(gated_case(bf16_weight(200, 777), tokens, Activation::silu, false));
  }
  for (const int tokens : {1, 2, 4, 8}) {
    cases.push_back(linear_case({{bf16_weight(4096, 4096)}, tokens}, true));
    cases.push_back(linear_case({{bf16_weight(4096, 14336)}, tokens}, true));
    cases.push_back(linear_case(
        {{bf16_weight(4096, 4096), bf16_weight(1024, 4096), bf16_weight(1024, 4096)}, tokens}, true));
    cases.push_back(gated_case(bf16_weight(14336, 4096), tokens, Activation::silu, true));
  }
  cases.push_back(linear_case({{bf16_weight(128256, 4096)}, 1}, true));
}

WeightShape weight_of(TensorType type, int rows, int columns) {
  return {.type = type, .rows = rows, .columns = columns};
}

void add_quantised(CaseScale scale, std::vector<KernelCase>& cases) {
  for (const TensorType type : case_types()) {
    const int unit = is_block_type(type) ? tensor_type_info(type).block_elements : 40;
    const int columns = unit == 256 ? 512 : 3 * unit;
    cases.push_back(linear_case({{weight_of(type, 40, columns)}, 3}, false));
    if (scale == CaseScale::small) continue;
    for (const int tokens : {1, 8, 9, 16}) {
      cases.push_back(linear_case({{weight_of(type, 1, unit)}, tokens}, false));
      cases.push_back(linear_case(
          {{weight_of(type, 100, 4 * columns), weight_of(type, 16, 4 * columns)}, tokens, tokens % 2},
          false));
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
}

void add_timed_quantised(std::vector<KernelCase>& cases) {
  for (const TensorType type : {TensorType::i4, TensorType::q4_0, TensorType::q4_1, TensorType::q4_k,
                                TensorType::q8_0, TensorType::i8, TensorType::f8_e4m3}) {
    for (const int tokens : {1, 4, 8, 16}) {
      cases.push_back(linear_case({{weight_of(type, 4096, 14336)}, tokens}, true));
      cases.push_back(gated_case(weight_of(type, 14336, 4096), tokens, Activation::silu, true));
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

}  // namespace

void add_skinny_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  add_plain(scale, cases);
  add_quantised(scale, cases);
  if (scale == CaseScale::full) add_timed_quantised(cases);
}

}  // namespace pitwall::cuda
