// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/matrix_case_lists.h"
#include "kernels/cuda/matrix_fixture.h"

namespace pitwall::cuda {

namespace {

constexpr TensorType kTypes[] = {
    TensorType::q4_0,   TensorType::q4_1,  TensorType::q5_0, TensorType::q5_1,
    TensorType::q8_0,   TensorType::q2_k,  TensorType::q3_k, TensorType::q4_k,
    TensorType::q5_k,   TensorType::q6_k,  TensorType::i4,   TensorType::iq4_nl,
    TensorType::iq4_xs, TensorType::mxfp4, TensorType::i8,   TensorType::f8_e4m3,
};

std::vector<double> rounded(const std::vector<float>& numbers, bool half) {
  const std::vector<float> floats = to_float(to_16(numbers, half), half);
  return {floats.begin(), floats.end()};
}

KernelCase dequantize_case(const WeightShape& shape, int first, int count, bool timed, bool half = false) {
  KernelCase one{.name = "dequantize",
                 .shape = describe(shape) + ", " + std::to_string(count) + " rows from " +
                          std::to_string(first) + (half ? ", float16" : ""),
                 .bytes = 0,
                 .flops = 0,
                 .tolerance = 1e-3,
                 .timed = timed,
                 .prepare = {}};
  const double bits = stored_format(shape.type).bits;
  one.bytes = static_cast<double>(count) * shape.columns * (2 + bits / 8);
  one.prepare = prepare_with([=](OutputCase& made) {
    const CaseWeight weight = make_weight(made.memory, shape, 5, case_copies(timed));
    made.outputs.emplace_back(made.memory, count, shape.columns, false, half);
    std::vector<float> numbers;
    for (int r = first; r < first + made.outputs[0].read_rows(); ++r)
      numbers.insert(numbers.end(), weight.row(r), weight.row(r) + shape.columns);
    made.expected = rounded(numbers, half);
    const Rows16 out = made.outputs[0].out16();
    made.run = [=](int turn, cudaStream_t stream) {
      dequantize(weight.turn(turn), first, count, out, stream);
    };
  });
  return one;
}

KernelCase gather_case(const WeightShape& shape) {
  constexpr int kIds = 5;
  constexpr float kFactor = 1.5f;
  KernelCase one{.name = "gather_dequantized",
                 .shape = std::to_string(kIds) + " rows of " + describe(shape),
                 .tolerance = 1e-5,
                 .timed = false,
                 .prepare = {}};
  one.prepare = prepare_with([=](OutputCase& made) {
    const CaseWeight weight = make_weight(made.memory, shape, 6, 1);
    made.outputs.emplace_back(made.memory, kIds, shape.columns, true);
    const std::vector<std::int32_t> ids = {shape.rows - 1, 0, -1, shape.rows / 2, 0};
    for (const std::int32_t id : ids) {
      for (int k = 0; k < shape.columns; ++k)
        made.expected.push_back(id < 0 ? 0.0 : static_cast<double>(weight.row(id)[k]) * kFactor);
    }
    const std::int32_t* on_device = made.memory.upload(ids);
    const Rows32 out = made.outputs[0].out32();
    made.run = [=](int turn, cudaStream_t stream) {
      gather_dequantized(weight.turn(turn), on_device, kIds, kFactor, out, stream);
    };
  });
  return one;
}

}  // namespace

std::span<const TensorType> case_types() {
  return kTypes;
}

void add_dequantize_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  const auto add = [&](const WeightShape& shape) {
    cases.push_back(gather_case(shape));
    cases.push_back(dequantize_case(shape, 0, shape.rows, false, shape.type == TensorType::f16));
    if (!is_plain_type(shape.type)) cases.push_back(dequantize_case(shape, 0, shape.rows, false, true));
    if (shape.rows > 20)
      cases.push_back(dequantize_case(shape, 17, shape.rows - 19, false, shape.type == TensorType::f16));
  };
  for (const TensorType type : kTypes) {
    const int block = tensor_type_info(type).block_elements;
    const bool linear = !is_block_type(type);
    const int columns = linear ? 136 : block == 256 ? 256 : 96;
    add({.type = type, .rows = scale == CaseScale::small ? 40 : 91, .columns = columns, .group = 64});
    if (scale == CaseScale::small) continue;
    add({.type = type, .rows = 1, .columns = linear ? 24 : block, .group = 32});
    cases.push_back(dequantize_case({.type = type, .rows = 14336, .columns = 4096}, 0, 14336, true));
  }
  for (const auto type : {TensorType::bf16, TensorType::f16}) add({.type = type, .rows = 33, .columns = 75});
  for (const auto scale_type : {TensorType::f16, TensorType::bf16, TensorType::f32}) {
    for (const auto type : {TensorType::i4, TensorType::i8, TensorType::f8_e4m3}) {
      add({.type = type, .rows = 40, .columns = 120, .group = 40, .scale_type = scale_type});
      if (type != TensorType::f8_e4m3) {
        add({.type = type,
             .rows = 40,
             .columns = 192,
             .group = 64,
             .act_order = true,
             .scale_type = scale_type});
      }
    }
  }
}

std::vector<KernelCase> matrix_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  add_dequantize_cases(scale, cases);
  add_skinny_cases(scale, cases);
  add_streamed_cases(scale, cases);
  add_product_cases(scale, cases);
  return cases;
}

}  // namespace pitwall::cuda
