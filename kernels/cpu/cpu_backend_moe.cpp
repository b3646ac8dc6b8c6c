// SPDX-License-Identifier: GPL-3.0-or-later
// A mixture of experts on the CPU: route, gather each expert's rows, two products, weighted sum. What a row
// gets depends on that row alone.
#include <algorithm>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_weight.h"

namespace pitwall {

namespace {

constexpr int kVisitGrain = 4;

std::int64_t blocks_of(int columns) {
  return columns / kQuantBlock;
}

}  // namespace

Result<Experts> CpuBackend::group_experts(Weight router, std::span<const ExpertWeights> experts,
                                          const MoeSpec& spec, Activation activation) {
  ExpertGroup group{at(router).matrix, {}, {}, {}, spec, activation};
  for (const ExpertWeights& expert : experts) {
    group.gate.push_back(at(expert.gate).matrix);
    group.up.push_back(at(expert.up).matrix);
    group.down.push_back(at(expert.down).matrix);
  }
  expert_groups_.push_back(std::move(group));
  if (auto ok = fit_moe_workspace(); !ok) {
    expert_groups_.pop_back();
    return std::move(ok).error();
  }
  return Experts{static_cast<std::int32_t>(expert_groups_.size()) - 1};
}

bool CpuBackend::any_uses(const std::vector<PackedMatrix>& matrices, bool quantized) const {
  return std::any_of(matrices.begin(), matrices.end(),
                     [&](const PackedMatrix& matrix) { return uses_quantized(matrix) == quantized; });
}

Result<void> CpuBackend::fit_moe_workspace() {
  const Bytes rows = std::min(state_.bounds.limits.max_tokens, kMoeRows);
  Bytes logits = 0, choices = 0, experts = 0, inputs = 0, input_blocks = 0, gated = 0, gated_blocks = 0,
        results = 0;
  for (const ExpertGroup& group : expert_groups_) {
    const Bytes visits = rows * group.spec.top_k;
    const int hidden = group.router.columns, width = group.spec.intermediate;
    logits = std::max(logits, rows * group.spec.experts * Bytes{sizeof(float)});
    choices = std::max(choices, visits);
    experts = std::max<Bytes>(experts, group.spec.experts);
    inputs = std::max(inputs, visits * hidden * Bytes{sizeof(float)});
    input_blocks = std::max(input_blocks, visits * blocks_of(hidden) * Bytes{sizeof(ActivationBlock)});
    gated = std::max(gated, visits * width * Bytes{sizeof(float)});
    gated_blocks = std::max(gated_blocks, visits * blocks_of(width) * Bytes{sizeof(ActivationBlock)});
    results = std::max(results, visits * hidden * Bytes{sizeof(float)});
  }
  const std::pair<BookedMemory*, Bytes> wanted[] = {
      {&moe_.router_logits, logits},      {&moe_.inputs, inputs},
      {&moe_.input_blocks, input_blocks}, {&moe_.gated, gated},
      {&moe_.gated_blocks, gated_blocks}, {&moe_.results, results}};
  for (const auto& [memory, bytes] : wanted) {
    if (auto ok = fit(*memory, Category::activations, bytes, "rows at experts"); !ok) return ok;
  }
  moe_.choices.resize(static_cast<std::size_t>(choices));
  moe_.visit_rows.resize(static_cast<std::size_t>(choices));
  moe_.first_visit.resize(static_cast<std::size_t>(experts) + 1);
  moe_.visited.reserve(static_cast<std::size_t>(experts));
  return {};
}

/// body(expert, tile) for every tile of the matrices of the experts that have visits.
template <class Body>
void CpuBackend::over_expert_tiles(const std::vector<PackedMatrix>& matrices, const Body& body) {
  const int tiles = matrices.front().tiles();
  team_.run(static_cast<int>(moe_.visited.size()) * tiles, 1, [&](int begin, int end, int) {
    for (int item = begin; item < end; ++item)
      body(moe_.visited[static_cast<std::size_t>(item / tiles)], item % tiles);
  });
}

/// body(first visit, visits) over the visits of an expert, as many rows as a tile takes at once.
template <class Body>
void CpuBackend::over_visits(int expert, const Body& body) const {
  const auto e = static_cast<std::size_t>(expert);
  for (int first = moe_.first_visit[e]; first < moe_.first_visit[e + 1]; first += kRowBlock)
    body(first, std::min(kRowBlock, moe_.first_visit[e + 1] - first));
}

void CpuBackend::moe(Tensor in, const NormPrologue& norm, Experts experts, float scale, Tensor residual,
                     Tensor out) {
  const ExpertGroup& group = expert_groups_[static_cast<std::size_t>(experts.id)];
  const bool router_quantized = uses_quantized(group.router);
  const bool inputs_quantized = any_uses(group.gate, true) || any_uses(group.up, true);
  const bool inputs_float = any_uses(group.gate, false) || any_uses(group.up, false);
  const Input input = prepare_input(in, norm, group.router.columns, inputs_float || !router_quantized,
                                    inputs_quantized || router_quantized);
  for (int first = 0; first < input.rows; first += kMoeRows) {
    const int rows = std::min(kMoeRows, input.rows - first);
    route_rows(group, input, first, rows);
    gather_visits(group, input, first, inputs_float, inputs_quantized);
    visit_experts(group);
    team_.run(rows, kVisitGrain, [&](int begin, int end, int) {
      for (int row = begin; row < end; ++row) add_results(group, row, first, scale, residual, out);
    });
  }
}

void CpuBackend::route_rows(const ExpertGroup& group, const Input& input, int first, int rows) {
  team_.run(group.router.tiles(), 1, [&](int begin, int end, int) {
    for (int tile = begin; tile < end; ++tile) {
      for (int row = 0; row < rows; row += kRowBlock) {
        const int count = std::min(kRowBlock, rows - row);
        alignas(64) TileResults results;
        multiply(group.router, input, tile, first + row, count, results);
        store_tile(results, tile, row, count, group.spec.experts, group.spec.experts,
                   moe_.router_logits.as<float>());
      }
    }
  });
  moe_.route(group.spec, rows);
}

void CpuBackend::gather_visits(const ExpertGroup& group, const Input& input, int first, bool as_float,
                               bool as_quantized) {
  const int columns = group.router.columns;
  const std::int64_t blocks = blocks_of(columns);
  const auto visits = moe_.first_visit[static_cast<std::size_t>(group.spec.experts)];
  team_.run(visits, kVisitGrain, [&](int begin, int end, int) {
    for (std::int64_t visit = begin; visit < end; ++visit) {
      const std::int64_t row = first + moe_.visit_rows[static_cast<std::size_t>(visit)];
      if (as_float)
        std::copy_n(input.floats + row * input.stride, columns, moe_.inputs.as<float>() + visit * columns);
      if (as_quantized)
        std::copy_n(input.blocks + row * blocks, blocks,
                    moe_.input_blocks.as<ActivationBlock>() + visit * blocks);
    }
  });
}

void CpuBackend::visit_experts(const ExpertGroup& group) {
  const int hidden = group.router.columns, width = group.spec.intermediate;
  const auto visits = moe_.first_visit[static_cast<std::size_t>(group.spec.experts)];
  const Input inputs{moe_.inputs.as<float>(), hidden, moe_.input_blocks.as<ActivationBlock>(), visits};
  over_expert_tiles(group.gate, [&](int expert, int tile) {
    const PackedMatrix& gate = group.gate[static_cast<std::size_t>(expert)];
    const PackedMatrix& up = group.up[static_cast<std::size_t>(expert)];
    over_visits(expert, [&](int first, int count) {
      alignas(64) TileResults gates, ups;
      multiply(gate, inputs, tile, first, count, gates);
      multiply(up, inputs, tile, first, count, ups);
      kernels_.gate(group.activation, gates, ups, count * kTileRows, gates);
      store_tile(gates, tile, first, count, width, width, moe_.gated.as<float>());
    });
  });

  if (any_uses(group.down, true)) {
    team_.run(visits, kVisitGrain, [&](int begin, int end, int) {
      for (std::int64_t visit = begin; visit < end; ++visit) {
        kernels_.quantize(moe_.gated.as<float>() + visit * width, width,
                          moe_.gated_blocks.as<ActivationBlock>() + visit * blocks_of(width));
      }
    });
  }
  const Input gated{moe_.gated.as<float>(), width, moe_.gated_blocks.as<ActivationBlock>(), visits};
  over_expert_tiles(group.down, [&](int expert, int tile) {
    const PackedMatrix& down = group.down[static_cast<std::size_t>(expert)];
    over_visits(expert, [&](int first, int count) {
      alignas(64) TileResults results;
      multiply(down, gated, tile, first, count, results);
      store_tile(results, tile, first, count, hidden, hidden, moe_.results.as<float>());
    });
  });
}

/// The sum over a row's experts, in the order of their weights.
void CpuBackend::add_results(const ExpertGroup& group, int row, int first, float scale, Tensor residual,
                             Tensor out) const {
  const int hidden = group.router.columns;
  const MoeWorkspace::Choice* choices = moe_.choices.data() + std::ptrdiff_t{row} * group.spec.top_k;
  const float* before = residual.valid() ? at(residual).row(first + row) : nullptr;
  float* target = at(out).row(first + row);
  for (int i = 0; i < hidden; ++i) {
    float sum = 0;
    for (int k = 0; k < group.spec.top_k; ++k)
      sum += choices[k].weight * moe_.results.as<float>()[std::int64_t{choices[k].visit} * hidden + i];
    target[i] = scale * sum + (before != nullptr ? before[i] : 0.0f);
  }
}

}  // namespace pitwall
