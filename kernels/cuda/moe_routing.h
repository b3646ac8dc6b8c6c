// SPDX-License-Identifier: GPL-3.0-or-later
// Rows to experts and back. A visit is one row at one expert; visits lie sorted by expert, those of one
// expert by row, so that an expert's rows are neighbours.
#pragma once
#include <cstddef>

#include "engine/model/model_spec.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

inline constexpr int kMostExperts = 512;

/// Device arrays for up to `rows` rows of a step.
struct VisitList {
  std::int32_t* first_visit = nullptr;  ///< [experts + 1]
  std::int32_t* visit_rows = nullptr;   ///< [rows·top_k]
  std::int32_t* row_experts =
      nullptr;  ///< [rows][top_k]: expert of the row's i-th choice; −1 on padding rows
  std::int32_t* row_visits = nullptr;  ///< [rows][top_k]: visit of the row's i-th choice; −1 on padding rows
  float* row_weights = nullptr;        ///< [rows][top_k]
};
std::size_t visit_list_bytes(int rows, int experts, int top_k);
VisitList visit_list_at(void* memory, int rows, int experts, int top_k);

/// A router's logits where its input and its weights were each split in a 16-bit number and a rest: the
/// logits are sums of their products, in this order. 0: there are no such rests.
struct RouterLogits {
  Rows32 products;
  int rest_row = 0;     ///< rows on to those of the input's rests
  int rest_column = 0;  ///< columns on to those of the weights' rests
  __device__ float at(int row, int expert) const {
    const float* place = products.data + std::int64_t{row} * products.stride + expert;
    const float* rest = place + std::int64_t{rest_row} * products.stride;
    float sum = *place;
    if (rest_column > 0) sum += place[rest_column];
    if (rest_row > 0) sum += *rest;
    return sum;
  }
};

/// softmax over the router's logits in float32, the top_k largest (lowest id on a tie), renormalised if the
/// spec says so; then the visits sorted. Padding rows visit nobody. Experts ≤ kMostExperts, top_k ≤ experts.
void route_rows(const StepView& step, const RouterLogits& router_logits, const MoeSpec& spec,
                const VisitList& visits, int rows, cudaStream_t stream);

/// out[r] = scale·Σ_i weight_i·results[visit_i] + residual[r], in the order of the choices. `out` may be
/// residual; residual.data may be null.
void combine_visits(const StepView& step, Rows16 results, const VisitList& visits, int top_k, float scale,
                    Rows32 residual, Rows32 out, int rows, cudaStream_t stream);
void combine_visits(const StepView& step, Rows16 results, const VisitList& visits, int top_k, float scale,
                    Rows32 residual, Rows16 out, int rows, cudaStream_t stream);

}  // namespace pitwall::cuda
