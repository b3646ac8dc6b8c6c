// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "kernels/cuda/matrix_case_lists.h"
#include "kernels/cuda/matrix_fixture.h"
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

namespace {

double bytes_of(const WeightShape& weight) {
  const double bits = is_plain_type(weight.type) ? 16 : stored_format(weight.type).bits;
  return bits / 8 * weight.rows * weight.columns;
}

/// Cases are over float16 rows where `half`, or where plain weights are.
KernelCase tiled_case(const WeightShape& weight, int tokens, bool wide, bool timed, int shift = 0,
                      bool half = false) {
  KernelCase one{
      .name = "tiled_linear",
      .shape = describe(weight) + ", " + std::to_string(tokens) + " tokens" + (half ? " of float16" : ""),
      .bytes = bytes_of(weight) + 2.0 * tokens * (weight.rows + weight.columns),
      .flops = 2.0 * tokens * weight.rows * weight.columns,
      .tolerance = 3e-3,
      .timed = timed,
      .prepare = {}};
  half = half || weight.type == TensorType::f16;
  if (half) one.tolerance = 6e-4;  // weights are rounded, too
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x = make_rows(memory, tokens, weight.columns, 61, shift, half);
    const CaseWeight of = make_weight(memory, weight, 62, case_copies(timed));
    made.expected = product(x, of);
    made.outputs.emplace_back(memory, tokens, weight.rows, wide, half);
    SkinnyOutput output;
    output.out16 = made.outputs[0].out16();
    output.out32 = made.outputs[0].out32();
    if (wide) {
      const std::vector<float> residual = random_numbers(63, made.expected.size());
      output.scale = 0.5f;
      output.residual = {memory.upload(residual), weight.rows, weight.rows};
      for (std::size_t i = 0; i < residual.size(); ++i)
        made.expected[i] = 0.5 * made.expected[i] + static_cast<double>(residual[i]);
    }
    made.run = [=](int turn, cudaStream_t stream) {
      SkinnyOutput now = output;
      now.weight = of.turn(turn);
      tiled_linear(x.device, now, tokens, stream);
    };
  });
  return one;
}

struct ExpertShape {
  WeightShape weight;
  int experts = 0, rows = 0, top_k = 0;
  bool by_visit = false;
  bool uneven = false;  ///< every row visits the first experts
  bool half = false;    ///< rows are float16
};

/// Experts of a row's choices, rotated by `turn` so that turns read other experts.
std::vector<int> choices(const ExpertShape& shape, int row, int turn) {
  std::vector<int> result;
  for (int i = 0; i < shape.top_k; ++i) {
    const int expert = shape.uneven ? i : row * shape.top_k + i + row / 3;
    result.push_back((expert + turn * shape.rows * shape.top_k) % shape.experts);
  }
  return result;
}

struct HostVisits {
  std::vector<std::int32_t> first, rows, experts;
};
HostVisits visits_of(const ExpertShape& shape, int turn) {
  HostVisits visits;
  for (int expert = 0; expert < shape.experts; ++expert) {
    visits.first.push_back(static_cast<std::int32_t>(visits.rows.size()));
    for (int row = 0; row < shape.rows; ++row) {
      const std::vector<int> of_row = choices(shape, row, turn);
      if (std::find(of_row.begin(), of_row.end(), expert) == of_row.end()) continue;
      visits.rows.push_back(row);
      visits.experts.push_back(expert);
    }
  }
  visits.first.push_back(static_cast<std::int32_t>(visits.rows.size()));
  return visits;
}

KernelCase expert_case(const ExpertShape& shape, bool timed) {
  const int most = shape.rows * shape.top_k;
  const double read = std::min(most, shape.experts) * bytes_of(shape.weight);
  KernelCase one{.name = "expert_linear",
                 .shape = std::to_string(shape.experts) + " experts of " + describe(shape.weight) + ", " +
                          std::to_string(shape.rows) + " rows to " + std::to_string(shape.top_k) +
                          (shape.by_visit ? " by visit" : "") + (shape.uneven ? ", the same ones" : "") +
                          (shape.half ? ", float16" : ""),
                 .bytes = shape.uneven ? shape.top_k * bytes_of(shape.weight) : read,
                 .flops = 2.0 * most * shape.weight.rows * shape.weight.columns,
                 .tolerance = shape.half ? 8e-4 : 5e-3,
                 .timed = timed,
                 .prepare = {}};
  one.prepare = prepare_with([=](OutputCase& made) {
    CaseMemory& memory = made.memory;
    const CaseRows x =
        make_rows(memory, shape.by_visit ? most : shape.rows, shape.weight.columns, 71, 0, shape.half);
    ExpertMatrices experts;
    experts.experts = shape.experts;
    std::vector<DeviceMatrix> matrices;
    const int distinct = std::min(shape.experts, 8);
    std::vector<CaseWeight> weights;
    for (int e = 0; e < distinct; ++e) {
      const int copies = (shape.experts + distinct - 1 - e) / distinct;
      weights.push_back(make_weight(memory, shape.weight, 80 + static_cast<std::uint64_t>(e), copies));
    }
    for (int e = 0; e < shape.experts; ++e)
      matrices.push_back(weights[static_cast<std::size_t>(e % distinct)].turn(e / distinct));
    experts.shape = matrices[0];
    experts.matrices = memory.upload(matrices);
    made.outputs.emplace_back(memory, most, shape.weight.rows, false, shape.half);
    std::vector<VisitList> lists;
    for (int turn = 0; turn < (timed ? 16 : 1); ++turn) {
      const HostVisits visits = visits_of(shape, turn);
      VisitList& list = lists.emplace_back();
      list.first_visit = memory.upload(visits.first);
      list.visit_rows = memory.upload(visits.rows);
      if (turn > 0) continue;
      for (std::size_t v = 0; v < static_cast<std::size_t>(made.outputs[0].read_rows()); ++v) {
        CaseRows row = x;
        const auto from =
            static_cast<std::ptrdiff_t>(shape.by_visit ? static_cast<int>(v) : visits.rows[v]) * x.columns;
        row.numbers.assign(x.numbers.begin() + from, x.numbers.begin() + from + x.columns);
        row.rows = 1;
        const std::vector<double> numbers =
            product(row, weights[static_cast<std::size_t>(visits.experts[v] % distinct)]);
        made.expected.insert(made.expected.end(), numbers.begin(), numbers.end());
      }
    }
    const Rows16 out = made.outputs[0].out16();
    made.run = [=](int turn, cudaStream_t stream) {
      expert_linear(x.device, shape.by_visit, experts, lists[static_cast<std::size_t>(turn) % lists.size()],
                    out, most, stream);
    };
  });
  return one;
}

WeightShape weight_of(TensorType type, int rows, int columns) {
  return {.type = type, .rows = rows, .columns = columns, .group = 64};
}

void add_tiled(CaseScale scale, std::vector<KernelCase>& cases) {
  const bool small = scale == CaseScale::small;
  cases.push_back(tiled_case(weight_of(TensorType::bf16, 40, 72), 5, false, false));
  cases.push_back(tiled_case(weight_of(TensorType::f16, 40, 72), 5, false, false));
  for (const TensorType type : case_types()) {
    const int unit = is_block_type(type) ? tensor_type_info(type).block_elements : 72;
    if (small) {
      cases.push_back(tiled_case(weight_of(type, 20, unit), 3, true, false));
      cases.push_back(tiled_case(weight_of(type, 20, unit), 3, true, false, 0, true));
      continue;
    }
    cases.push_back(tiled_case(weight_of(type, 150, 3 * unit), 37, false, false, 0, true));
    cases.push_back(tiled_case(weight_of(type, 150, 3 * unit), 37, true, false));
    cases.push_back(tiled_case(weight_of(type, 129, 2 * unit), 130, false, false));
    cases.push_back(tiled_case(weight_of(type, 4096, 4096), 32, false, true));
  }
  WeightShape any_order = weight_of(TensorType::i4, 136, 320);
  any_order.act_order = true;
  cases.push_back(tiled_case(any_order, small ? 3 : 70, false, false));
  if (small) return;
  cases.push_back(tiled_case(weight_of(TensorType::bf16, 1, 8), 1, false, false));
  cases.push_back(tiled_case(weight_of(TensorType::bf16, 257, 1000), 200, true, false));
  cases.push_back(tiled_case(weight_of(TensorType::bf16, 257, 777), 65, true, false, 3));
  cases.push_back(tiled_case(weight_of(TensorType::f16, 257, 777), 65, true, false, 3));
  for (const int tokens : {64, 512}) {
    cases.push_back(tiled_case(weight_of(TensorType::bf16, 4096, 4096), tokens, false, true));
    cases.push_back(tiled_case(weight_of(TensorType::i4, 4096, 4096), tokens, false, true));
  }
}

void add_experts(CaseScale scale, std::vector<KernelCase>& cases) {
  const bool small = scale == CaseScale::small;
  for (const bool by_visit : {false, true}) {
    cases.push_back(expert_case({weight_of(TensorType::bf16, 40, 72), 5, 3, 2, by_visit}, false));
    const auto half_case = [&](WeightShape weight, int experts, int rows, int top_k) {
      cases.push_back(expert_case({weight, experts, rows, top_k, by_visit, false, true}, false));
    };
    half_case(weight_of(TensorType::f16, 40, 72), 5, 3, 2);
    if (small) continue;
    cases.push_back(expert_case({weight_of(TensorType::bf16, 33, 200), 40, 9, 4, by_visit}, false));
    cases.push_back(expert_case({weight_of(TensorType::bf16, 136, 129), 3, 40, 2, by_visit, true}, false));
    cases.push_back(expert_case({weight_of(TensorType::bf16, 200, 136), 4, 150, 2, by_visit}, false));
    half_case(weight_of(TensorType::f16, 33, 200), 40, 9, 4);
    half_case(weight_of(TensorType::f16, 200, 136), 4, 150, 2);
  }
  for (const TensorType type : case_types()) {
    const int unit = is_block_type(type) ? tensor_type_info(type).block_elements : 72;
    cases.push_back(expert_case({weight_of(type, 24, unit), 4, 3, 2, false}, false));
    cases.push_back(expert_case({weight_of(type, 24, unit), 4, 3, 2, false, false, true}, false));
    if (small) continue;
    cases.push_back(expert_case({weight_of(type, 72, 2 * unit), 6, 40, 2, true}, false));
    cases.push_back(expert_case({weight_of(type, 72, 2 * unit), 6, 40, 2, true, false, true}, false));
    cases.push_back(expert_case({weight_of(type, 72, 2 * unit), 3, 60, 2, false, true}, false));
  }
  WeightShape any_order = weight_of(TensorType::i4, 72, 320);
  any_order.act_order = true;
  cases.push_back(expert_case({any_order, 4, 3, 2, false}, false));
  cases.push_back(expert_case({any_order, 4, 3, 2, false, false, true}, false));
  if (small) return;
  cases.push_back(expert_case({any_order, 3, 60, 2, false}, false));
  for (const int rows : {1, 4, 8, 32}) {
    cases.push_back(expert_case({weight_of(TensorType::bf16, 768, 2048), 128, rows, 8, false}, true));
    cases.push_back(expert_case({weight_of(TensorType::bf16, 2048, 768), 128, rows, 8, true}, true));
  }
  cases.push_back(expert_case({weight_of(TensorType::bf16, 768, 2048), 128, 512, 8, false}, true));
  cases.push_back(expert_case({weight_of(TensorType::i4, 768, 2048), 128, 8, 8, false}, true));
  cases.push_back(expert_case({weight_of(TensorType::f16, 768, 2048), 128, 8, 8, false, false, true}, true));
  cases.push_back(expert_case({weight_of(TensorType::bf16, 14336, 4096), 8, 4, 2, false}, true));
}

}  // namespace

void add_product_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  add_tiled(scale, cases);
  add_experts(scale, cases);
}

}  // namespace pitwall::cuda
