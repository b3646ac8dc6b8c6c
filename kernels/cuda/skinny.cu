// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/skinny_plain.cuh"

namespace pitwall::cuda {

namespace {

SkinnyInput skinny_input(Rows16 x, int rows) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.stride % 8 == 0;
  return {x, rows, nullptr, aligned};
}

}  // namespace

int skinny_rows(TensorType type) {
  return type == TensorType::bf16 ? 8 : 0;
}

void skinny_linear(Rows16 x, const SkinnyOutput* outputs, int count, int rows, void* /*workspace*/,
                   int /*multiprocessors*/, cudaStream_t stream) {
  launch_skinny<PlainWeights, 4>(skinny_input(x, rows), outputs, count, plain_source, stream);
}

void skinny_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                  Rows16 out, int rows, void* /*workspace*/, int /*multiprocessors*/, cudaStream_t stream) {
  launch_gated<PlainWeights, 2>(skinny_input(x, rows), gate, up, activation, out, plain_source, stream);
}

std::size_t skinny_workspace_bytes(int /*multiprocessors*/) {
  return 16;
}

}  // namespace pitwall::cuda
