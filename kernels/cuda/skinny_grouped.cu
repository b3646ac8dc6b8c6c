// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "kernels/cuda/skinny_cells.cuh"

namespace pitwall::cuda {

namespace {

bool wide_groups(const DeviceMatrix& matrix) {
  return matrix.group_columns >= kWideGroup;
}

}  // namespace

void skinny_grouped(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  const bool wide = std::all_of(outputs, outputs + count,
                                [](const SkinnyOutput& output) { return wide_groups(output.weight); });
  with_grouped_type(outputs[0].weight.type, [&]<TensorType kType>() {
    if (wide) return launch_cells<kType, kWideGroup>(in, outputs, count, stream);
    launch_cells<kType, 32>(in, outputs, count, stream);
  });
}

void gated_grouped(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  with_grouped_type(mlp.gate.type, [&]<TensorType kType>() {
    if (wide_groups(mlp.gate) && wide_groups(mlp.up))
      return launch_gated_cells<kType, kWideGroup>(in, mlp, stream);
    launch_gated_cells<kType, 32>(in, mlp, stream);
  });
}

}  // namespace pitwall::cuda
