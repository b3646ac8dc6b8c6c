// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cuda/matrix_case_lists.h"
#include "kernels/cuda/matrix_fixture.h"
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

namespace {

struct StreamedShape {
  int outputs = 0, columns = 0, rows = 0;
  bool half = false;  ///< float16 in place of bf16
};

WeightShape weight_of(const StreamedShape& shape) {
  return {.type = shape.half ? TensorType::f16 : TensorType::bf16,
          .rows = shape.outputs,
          .columns = shape.columns};
}

KernelCase make_case(const char* name, const std::string& what, const StreamedShape& shape, int weights,
                     bool timed) {
  KernelCase one;
  one.name = name;
  one.shape = describe(weight_of(shape)) + ", " + std::to_string(shape.rows) + " tokens" + what;
  const double numbers = static_cast<double>(weights) * shape.outputs * shape.columns;
  one.bytes = 2 * numbers;
  one.flops = 2 * numbers * shape.rows;
  if (shape.half) one.tolerance = 5e-4;
  one.timed = timed;
  return one;
}

KernelCase narrow_case(const StreamedShape& shape, bool timed) {
  KernelCase one = make_case("streamed_linear", "", shape, 1, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 81, 0, shape.half);
    const CaseWeight weight = make_weight(memory, weight_of(shape), 82, case_copies(timed));
    made.expected = product(x, weight);
    for (double& number : made.expected) number *= 0.75;
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, false, shape.half);
    SkinnyOutput output;
    output.out16 = made.outputs[0].out16();
    output.scale = 0.75f;
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput now = output;
      now.weight = weight.turn(turn);
      streamed_linear(x.device, now, shape.rows, stream);
    };
  });
  return one;
}

/// float32 with a residual.
KernelCase wide_case(const StreamedShape& shape, bool timed) {
  KernelCase one = make_case("streamed_linear", ", float32 and a residual", shape, 1, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 83, 0, shape.half);
    const CaseWeight weight = make_weight(memory, weight_of(shape), 84, case_copies(timed));
    made.expected = product(x, weight);
    const std::vector<float> residual = random_numbers(85, made.expected.size());
    for (std::size_t i = 0; i < residual.size(); ++i)
      made.expected[i] = 0.5 * made.expected[i] + static_cast<double>(residual[i]);
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, true);
    SkinnyOutput output;
    output.out32 = made.outputs[0].out32();
    output.residual = {memory.upload(residual), shape.outputs, shape.outputs};
    output.scale = 0.5f;
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput now = output;
      now.weight = weight.turn(turn);
      streamed_linear(x.device, now, shape.rows, stream);
    };
  });
  return one;
}

KernelCase gated_case(const StreamedShape& shape, Activation activation, bool timed) {
  KernelCase one = make_case("streamed_gated", "", shape, 2, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 88, 0, shape.half);
    const WeightShape of = weight_of(shape);
    const CaseWeight gate = make_weight(memory, of, 89, case_copies(timed)),
                     up = make_weight(memory, of, 90, case_copies(timed));
    const std::vector<double> gates = product(x, gate), ups = product(x, up);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      const double z = gates[i];
      const double u = activation == Activation::silu ? z : 1.5957691216057308 * (z + 0.044715 * z * z * z);
      made.expected.push_back(z / (1 + std::exp(-u)) * ups[i]);
    }
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, false, shape.half);
    const Rows16 out = made.outputs[0].out16();
    made.run = [=](int turn, cudaStream_t stream) {
      streamed_gated(x.device, gate.turn(turn), up.turn(turn), activation, out, shape.rows, stream);
    };
  });
  return one;
}

}  // namespace

void add_streamed_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  if (!has_streamed()) return;
  cases.push_back(narrow_case({136, 264, 17}, false));
  cases.push_back(wide_case({72, 520, 65}, false));
  cases.push_back(gated_case({40, 264, 9}, Activation::silu, false));
  cases.push_back(narrow_case({136, 264, 17, true}, false));
  cases.push_back(wide_case({72, 520, 65, true}, false));
  cases.push_back(gated_case({40, 264, 9, true}, Activation::silu, false));
  if (scale == CaseScale::small) return;
  for (const int rows : {9, 16, 17, 33, 64, 65, 100, 128}) {
    cases.push_back(narrow_case({6144, 264, rows}, false));
    cases.push_back(narrow_case({1000, 1111, rows}, false));
    cases.push_back(wide_case({4096, 256, rows}, false));
    cases.push_back(wide_case({576, 1536, rows}, false));
    if (rows <= 64) cases.push_back(narrow_case({28672, 200, rows}, false));
    cases.push_back(narrow_case({1000, 1111, rows, true}, false));
    cases.push_back(wide_case({576, 1536, rows, true}, false));
  }
  for (const int rows : {9, 16, 33, 64, 65, 128, 129, 192, 200, 256}) {
    cases.push_back(gated_case({1536, 576, rows}, Activation::gelu_tanh, false));
    cases.push_back(gated_case({14336, 256, rows}, Activation::silu, false));
    cases.push_back(gated_case({72, 1111, rows}, Activation::silu, false));
    cases.push_back(gated_case({1536, 576, rows, true}, Activation::gelu_tanh, false));
    cases.push_back(gated_case({72, 1111, rows, true}, Activation::silu, false));
  }
  for (const int rows : {16, 32, 64, 128, 256}) {
    cases.push_back(gated_case({14336, 4096, rows}, Activation::silu, true));
    cases.push_back(gated_case({14336, 4096, rows, true}, Activation::silu, true));
    if (rows > 128) continue;
    cases.push_back(narrow_case({6144, 4096, rows}, true));
    cases.push_back(wide_case({4096, 4096, rows}, true));
    cases.push_back(wide_case({4096, 14336, rows}, true));
    if (rows <= 64) cases.push_back(narrow_case({128256, 4096, rows}, true));
  }
  cases.push_back(narrow_case({128, 2048, 16}, true));
}

}  // namespace pitwall::cuda
