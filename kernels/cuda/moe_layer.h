// SPDX-License-Identifier: GPL-3.0-or-later
// A layer's mixture of experts on the device: router, experts of one shape, and the memory between them.
#pragma once
#include <span>

#include "engine/execute/backend.h"
#include "kernels/cuda/matrix_kernels.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/row_ops.h"
#include "kernels/cuda/weight_upload.h"

namespace pitwall::cuda {

struct MoeLayer {
  DeviceMatrix router;  ///< WeightUpload::split_matrix
  ExpertMatrices gate, up, down;
  MoeSpec spec;
  Activation activation = Activation::silu;
};

/// Of one layer after another; sized for the largest.
struct MoeWorkspace {
  Rows32 router_products;  ///< of the input and its rests with the router and its rests
  VisitList visits;
  Rows16 gate, up, gated, results;  ///< by visit
};

/// Experts of one type and shape each; anything else is refused by name.
Result<MoeLayer> make_moe_layer(WeightUpload& uploads, const TensorView& router,
                                std::span<const DeviceMatrix> gate, std::span<const DeviceMatrix> up,
                                std::span<const DeviceMatrix> down, const MoeSpec& spec,
                                Activation activation);

Result<MoeWorkspace> take_moe_workspace(DeviceMemory& memory, std::span<const MoeLayer> layers, int rows);

/// out = scale·Σ p·expert(x) + residual; one of out16 and out32 is set. The `rows` rows behind x's have what
/// its rounding left out: routers, where a near tie that turns over changes a whole row, read both.
void run_moe(const MoeLayer& layer, const StepView& step, Rows16 x, float scale, Rows32 residual,
             Rows16 out16, Rows32 out32, int rows, Products& products, const MoeWorkspace& workspace,
             cudaStream_t stream);

}  // namespace pitwall::cuda
