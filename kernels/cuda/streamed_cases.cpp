// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cuda/matrix_case_lists.h"
#include "kernels/cuda/matrix_fixture.h"
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

namespace {

constexpr float kEpsilon = 1e-3f;

struct StreamedShape {
  int outputs = 0, columns = 0, rows = 0;
};

WeightShape weight_of(int outputs, int columns) {
  return {.type = TensorType::bf16, .rows = outputs, .columns = columns};
}

KernelCase make_case(const char* name, const std::string& what, const StreamedShape& shape, int weights,
                     bool timed) {
  KernelCase one;
  one.name = name;
  one.shape = describe(weight_of(shape.outputs, shape.columns)) + ", " + std::to_string(shape.rows) +
              " tokens" + what;
  const double numbers = static_cast<double>(weights) * shape.outputs * shape.columns;
  one.bytes = 2 * numbers;
  one.flops = 2 * numbers * shape.rows;
  one.timed = timed;
  return one;
}

/// The parts of Σ v² of a row that never was, and what they make of a row's sums.
struct CaseNorm {
  static constexpr int kParts = 23;
  NormBehind behind;
  std::vector<double> factors;
};
CaseNorm make_norm(CaseMemory& memory, const StreamedShape& shape) {
  std::vector<float> parts = random_numbers(91, static_cast<std::size_t>(shape.rows) * CaseNorm::kParts,
                                            static_cast<float>(shape.columns));
  CaseNorm norm;
  for (int row = 0; row < shape.rows; ++row) {
    double sum = 0;
    for (int i = 0; i < CaseNorm::kParts; ++i) {
      float& part = parts[static_cast<std::size_t>(row * CaseNorm::kParts + i)];
      part = std::fabs(part);
      sum += static_cast<double>(part);
    }
    norm.factors.push_back(1 / std::sqrt(sum / shape.columns + static_cast<double>(kEpsilon)));
  }
  norm.behind = {{memory.upload(parts), CaseNorm::kParts, CaseNorm::kParts}, shape.columns, kEpsilon};
  return norm;
}

/// bf16, behind a norm.
KernelCase narrow_case(const StreamedShape& shape, bool timed) {
  KernelCase one = make_case("streamed_linear", "", shape, 1, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 81);
    const CaseWeight weight =
        make_weight(memory, weight_of(shape.outputs, shape.columns), 82, case_copies(timed));
    const CaseNorm norm = make_norm(memory, shape);
    made.expected = product(x, weight);
    for (std::size_t i = 0; i < made.expected.size(); ++i)
      made.expected[i] *= 0.75 * norm.factors[i / static_cast<std::size_t>(shape.outputs)];
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, false);
    SkinnyOutput output;
    output.out16 = made.outputs[0].out16();
    output.scale = 0.75f;
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput now = output;
      now.weight = weight.turn(turn);
      streamed_linear(x.device, now, shape.rows, norm.behind, stream);
    };
  });
  return one;
}

/// float32 with a residual and a norm ahead, and a product behind that norm.
KernelCase wide_case(const StreamedShape& shape, bool timed) {
  KernelCase one = make_case("streamed_linear", ", float32 and a norm", shape, 1, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 83);
    const CaseWeight weight =
        make_weight(memory, weight_of(shape.outputs, shape.columns), 84, case_copies(timed));
    const auto outputs = static_cast<std::size_t>(shape.outputs);
    std::vector<double> sums = product(x, weight);
    const std::vector<float> residual = random_numbers(85, sums.size()), gain = random_numbers(86, outputs);
    std::vector<float> normed;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = 0.5 * sums[i] + static_cast<double>(residual[i]);
      normed.push_back(static_cast<float>(sums[i] * static_cast<double>(gain[i % outputs])));
    }
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, true);
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, false);
    SkinnyOutput output;
    output.out32 = made.outputs[0].out32();
    output.residual = {memory.upload(residual), shape.outputs, shape.outputs};
    output.scale = 0.5f;
    output.weight = weight.turn(0);
    const int parts = streamed_parts(x.device, output, shape.rows);
    const std::size_t part_bytes = static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(parts) * 4;
    output.norm = {memory.upload(gain),
                   made.outputs[1].out16(),
                   {static_cast<float*>(memory.take(part_bytes)), parts, parts}};
    made.expected = sums;
    made.expected.insert(made.expected.end(), normed.begin(), normed.end());

    CaseRows rows{to_float(to_bf16(normed)), shape.rows, shape.outputs, output.norm.out};
    const StreamedShape next{128, shape.outputs, shape.rows};
    const CaseWeight behind = make_weight(memory, weight_of(next.outputs, next.columns), 87, 1);
    SkinnyOutput last;
    if (!timed) {
      made.outputs.emplace_back(memory, shape.rows, next.outputs, true);
      last.out32 = made.outputs[2].out32();
      last.weight = behind.turn(0);
      std::vector<double> numbers = product(rows, behind);
      for (std::size_t row = 0; row < static_cast<std::size_t>(shape.rows); ++row) {
        double squares = 0;
        for (std::size_t i = 0; i < outputs; ++i)
          squares += sums[row * outputs + i] * sums[row * outputs + i];
        for (std::size_t i = 0; i < static_cast<std::size_t>(next.outputs); ++i)
          made.expected.push_back(numbers[row * static_cast<std::size_t>(next.outputs) + i] /
                                  std::sqrt(squares / shape.outputs + static_cast<double>(kEpsilon)));
      }
    }
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput now = output;
      now.weight = weight.turn(turn);
      if (!timed) cudaMemsetAsync(output.norm.squares.parts, 0xFF, part_bytes, stream);
      streamed_linear(x.device, now, shape.rows, {}, stream);
      if (!timed)
        streamed_linear(output.norm.out, last, shape.rows, {output.norm.squares, shape.outputs, kEpsilon},
                        stream);
    };
  });
  return one;
}

KernelCase gated_case(const StreamedShape& shape, Activation activation, bool timed) {
  KernelCase one = make_case("streamed_gated", "", shape, 2, timed);
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, shape.rows, shape.columns, 88);
    const WeightShape of = weight_of(shape.outputs, shape.columns);
    const CaseWeight gate = make_weight(memory, of, 89, case_copies(timed)),
                     up = make_weight(memory, of, 90, case_copies(timed));
    const CaseNorm norm = make_norm(memory, shape);
    const std::vector<double> gates = product(x, gate), ups = product(x, up);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      const double factor = norm.factors[i / static_cast<std::size_t>(shape.outputs)];
      const double z = factor * gates[i];
      const double u = activation == Activation::silu ? z : 1.5957691216057308 * (z + 0.044715 * z * z * z);
      made.expected.push_back(z / (1 + std::exp(-u)) * factor * ups[i]);
    }
    made.outputs.emplace_back(memory, shape.rows, shape.outputs, false);
    const Rows16 out = made.outputs[0].out16();
    made.run = [=](int turn, cudaStream_t stream) {
      streamed_gated(x.device, gate.turn(turn), up.turn(turn), activation, out, shape.rows, norm.behind,
                     stream);
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
  if (scale == CaseScale::small) return;
  for (const int rows : {9, 16, 17, 33, 64, 65, 100, 128}) {
    cases.push_back(narrow_case({6144, 264, rows}, false));
    cases.push_back(narrow_case({1000, 1111, rows}, false));
    cases.push_back(wide_case({4096, 256, rows}, false));
    cases.push_back(wide_case({576, 1536, rows}, false));
    if (rows <= 64) cases.push_back(narrow_case({28672, 200, rows}, false));
  }
  for (const int rows : {9, 16, 33, 64, 65, 128, 129, 192, 200, 256}) {
    cases.push_back(gated_case({1536, 576, rows}, Activation::gelu_tanh, false));
    cases.push_back(gated_case({14336, 256, rows}, Activation::silu, false));
    cases.push_back(gated_case({72, 1111, rows}, Activation::silu, false));
  }
  for (const int rows : {16, 32, 64, 128, 256}) {
    cases.push_back(gated_case({14336, 4096, rows}, Activation::silu, true));
    if (rows > 128) continue;
    cases.push_back(narrow_case({6144, 4096, rows}, true));
    cases.push_back(wide_case({4096, 4096, rows}, true));
    cases.push_back(wide_case({4096, 14336, rows}, true));
    if (rows <= 64) cases.push_back(narrow_case({128256, 4096, rows}, true));
  }
}

}  // namespace pitwall::cuda
