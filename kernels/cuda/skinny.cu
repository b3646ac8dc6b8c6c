// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "kernels/cuda/skinny_plain.cuh"

namespace pitwall::cuda {

int config_of[4] = {};  // qkv, o, gated, down
namespace {

constexpr int kPlainRows = 8, kQuantisedRows = 16;

void multiply_one_type(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  const TensorType type = outputs[0].weight.type;
  if (type == TensorType::bf16) {
    const int config = count == 3                        ? config_of[0]
                       : outputs[0].weight.stride > 4096 ? config_of[3]
                                                         : config_of[1];
    const auto go = [&]<class Frame>(Frame) {
      launch_skinny<PlainWeights<1, Frame>>(in, outputs, count, plain_source, stream);
    };
    if (config == 0) go(SmallFrame{});
    if (config == 1) go(LargeFrame{});
    if (config == 2) go(KeptFrame{});
    if (config == 3) go(KeptFrame4{});
    if (config == 5) go(WideFrame{});
  } else if (is_block_type(type)) {
    skinny_blocks(in, outputs, count, stream);
  } else {
    skinny_grouped(in, outputs, count, stream);
  }
}

}  // namespace

int skinny_rows(TensorType type) {
  return type == TensorType::bf16 ? kPlainRows : kQuantisedRows;
}

int skinny_parts(int columns) {
  return (columns + kTileRows - 1) / kTileRows;
}

void skinny_linear(Rows16 x, const SkinnyOutput* outputs, int count, int rows, const NormBehind& norm,
                   int multiprocessors, cudaStream_t stream) {
  const SkinnyInput in = skinny_input(x, rows, norm, multiprocessors);
  const bool one_type = std::all_of(outputs, outputs + count, [&](const SkinnyOutput& output) {
    return output.weight.type == outputs[0].weight.type;
  });
  if (one_type) return multiply_one_type(in, outputs, count, stream);
  for (int i = 0; i < count; ++i) multiply_one_type(in, outputs + i, 1, stream);
}

void skinny_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                  Rows16 out, int rows, const NormBehind& norm, int multiprocessors, cudaStream_t stream) {
  const SkinnyInput in = skinny_input(x, rows, norm, multiprocessors);
  const GatedMlp mlp{gate, up, activation, out};
  if (gate.is_plain()) {
    const int config = config_of[2];
    const auto go = [&]<class Frame>(Frame) {
      launch_gated<PlainWeights<1, Frame, true>>(in, mlp, plain_source, stream);
    };
    if (config == 0) go(SmallFrame{});
    if (config == 1) go(LargeFrame{});
    if (config == 2) go(KeptFrame{});
    if (config == 3) go(KeptFrame4{});
  } else if (is_block_type(gate.type)) {
    gated_blocks(in, mlp, stream);
  } else {
    gated_grouped(in, mlp, stream);
  }
}

}  // namespace pitwall::cuda
