// SPDX-License-Identifier: GPL-3.0-or-later
// A mixture of experts on the CPU: route, gather each expert's rows, two products, weighted sum. What a row
// gets depends on that row alone.
#include <algorithm>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_weight.h"

namespace pitwall {

namespace {

constexpr int kVisitGrain = 4;

bool same_columns(const std::vector<PackedMatrix>& matrices, const PackedMatrix& as) {
  return std::all_of(matrices.begin(), matrices.end(),
                     [&](const PackedMatrix& matrix) { return matrix.columns == as.columns; });
}

/// Whether gathered rows serve gate and up, and rows of one length all experts.
bool is_uniform(const ExpertGroup& group) {
  for (std::size_t e = 0; e < group.gate.size(); ++e) {
    if (group.gate[e].order != group.up[e].order) return false;
  }
  return same_columns(group.gate, group.gate.front()) && same_columns(group.up, group.gate.front()) &&
         same_columns(group.down, group.down.front());
}

}  // namespace

Result<Experts> CpuBackend::group_experts(const TensorView& router, std::span<const ExpertWeights> experts,
                                          const MoeSpec& spec, Activation activation) {
  auto uploaded = upload(router);
  if (!uploaded) return std::move(uploaded).error();
  ExpertGroup group{at(*uploaded).matrix, {}, {}, {}, spec, activation};
  for (const ExpertWeights& expert : experts) {
    group.gate.push_back(at(expert.gate).matrix);
    group.up.push_back(at(expert.up).matrix);
    group.down.push_back(at(expert.down).matrix);
  }
  if (group.router.order != nullptr || !is_uniform(group)) {
    return Error{Error::Kind::unsupported,
                 "the experts' columns stand in orders that differ between gate and up or in their groups",
                 "the checkpoint was quantised with desc_act for each matrix by itself",
                 "choose a checkpoint without desc_act, or a GGUF file", "desc_act"};
  }
  expert_groups_.push_back(std::move(group));
  if (auto ok = fit_workspace(); !ok) {
    expert_groups_.pop_back();
    return std::move(ok).error();
  }
  return Experts{static_cast<std::int32_t>(expert_groups_.size()) - 1};
}

Result<void> CpuBackend::fit_moe_workspace() {
  const Bytes rows = std::min(state_.bounds.limits.max_tokens, kMoeRows);
  Bytes logits = 0, visits = 0, experts = 0, inputs = 0, blocks = 0, gated = 0, results = 0;
  for (const ExpertGroup& group : expert_groups_) {
    const Bytes of_group = rows * group.spec.top_k;
    const int columns = std::max(group.gate.front().columns, group.down.front().columns);
    logits = std::max(logits, rows * group.spec.experts * Bytes{sizeof(float)});
    visits = std::max(visits, of_group);
    experts = std::max<Bytes>(experts, group.spec.experts);
    inputs = std::max(inputs, of_group * columns * Bytes{sizeof(float)});
    blocks = std::max(blocks, of_group * (columns / kQuantBlock) * Bytes{sizeof(ActivationBlock)});
    gated = std::max(gated, of_group * group.spec.intermediate * Bytes{sizeof(float)});
    results = std::max(results, of_group * group.hidden() * Bytes{sizeof(float)});
  }
  const std::pair<BookedMemory*, Bytes> wanted[] = {{&moe_.router_logits, logits},
                                                    {&moe_.inputs, inputs},
                                                    {&moe_.input_blocks, blocks},
                                                    {&moe_.gated, gated},
                                                    {&moe_.results, results}};
  for (const auto& [memory, bytes] : wanted) {
    if (auto ok = fit(*memory, Category::activations, bytes, "rows at experts"); !ok) return ok;
  }
  moe_.choices.resize(static_cast<std::size_t>(visits));
  moe_.visit_rows.resize(static_cast<std::size_t>(visits));
  moe_.visit_experts.resize(static_cast<std::size_t>(visits));
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
  PackedMatrix floats;  // stands for what wants the normed row as it is
  floats.columns = floats.inputs = group.hidden();
  const PackedMatrix* forms[] = {&group.router, &floats};
  const Input input = prepare_input(in, norm, forms);
  for (int first = 0; first < input.rows; first += kMoeRows) {
    const int rows = std::min(kMoeRows, input.rows - first);
    route_rows(group, input, first, rows);
    visit_experts(group, input, first);
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
  if (!team_.abandoned()) moe_.route(group.spec, rows);  // it chooses by all logits
}

/// Each visit's row in its expert's order of columns, as floats and quantised, as its matrix wants them.
/// `partner`: matrices of the same input that may want the other form.
template <class Row>
CpuBackend::Input CpuBackend::gather_visits(const std::vector<PackedMatrix>& matrices,
                                            const std::vector<PackedMatrix>& partner, const Row& row) {
  const auto visits = moe_.first_visit[matrices.size()];
  const int columns = matrices.front().columns;
  const Input gathered{moe_.inputs.as<float>(), columns, moe_.input_blocks.as<ActivationBlock>(), visits};
  team_.run(visits, kVisitGrain, [&](int begin, int end, int) {
    for (std::int64_t visit = begin; visit < end; ++visit) {
      const auto expert = static_cast<std::size_t>(moe_.visit_experts[static_cast<std::size_t>(visit)]);
      const PackedMatrix& matrix = matrices[expert];
      const float* x = row(visit);
      float* target = moe_.inputs.as<float>() + visit * columns;
      for (int k = 0; k < columns; ++k) {
        const int from = matrix.order == nullptr ? k : matrix.order[k];
        target[k] = from < 0 ? 0.0f : x[from];
      }
      if (uses_quantized(matrix) || uses_quantized(partner[expert])) {
        kernels_.quantize(target, columns,
                          moe_.input_blocks.as<ActivationBlock>() + visit * (columns / kQuantBlock));
      }
    }
  });
  return gathered;
}

void CpuBackend::visit_experts(const ExpertGroup& group, const Input& rows, int first_row) {
  const int hidden = group.hidden(), width = group.spec.intermediate;
  const Input inputs = gather_visits(group.gate, group.up, [&](std::int64_t visit) {
    return rows.floats + (first_row + moe_.visit_rows[static_cast<std::size_t>(visit)]) * rows.stride;
  });
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

  const Input gated = gather_visits(
      group.down, group.down, [&](std::int64_t visit) { return moe_.gated.as<float>() + visit * width; });
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
  const int hidden = group.hidden();
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
