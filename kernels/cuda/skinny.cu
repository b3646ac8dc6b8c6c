// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "kernels/cuda/skinny_plain.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kPlainRows = 8, kQuantisedRows = 16;

/// Whether two blocks of LargeFrame or KeptFrame lie on a multiprocessor.
bool has_room() {
  return most_shared_bytes() >= 227 * 1024;
}

/// Plain weights with a frame that suits the device and the columns.
template <bool kIsHalf>
void multiply_plain(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  if (has_room())
    return launch_skinny<PlainWeights<kIsHalf, 1, LargeFrame>>(in, outputs, count, plain_source, stream);
  launch_skinny<PlainWeights<kIsHalf, 1, SmallFrame>>(in, outputs, count, plain_source, stream);
}
template <bool kIsHalf>
void gate_plain(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  using Kept = PlainWeights<kIsHalf, 1, KeptFrame, true>;
  if (has_room() && mlp.gate.stride <= Kept::kKept * Kept::kWarps * Kept::kColumns)
    return launch_gated<Kept>(in, mlp, plain_source, stream);
  launch_gated<PlainWeights<kIsHalf, 1, SmallFrame, true>>(in, mlp, plain_source, stream);
}

/// Calls `body` with the least tokens, of those that products in integers are made for, that `rows` fit.
template <class Body>
bool with_tokens(int rows, const Body& body) {
  if (rows <= 1) return body.template operator()<1>();
  if (rows <= 2) return body.template operator()<2>();
  if (rows <= 4) return body.template operator()<4>();
  return rows <= 8 && body.template operator()<8>();
}

void multiply_one_type(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  const TensorType type = outputs[0].weight.type;
  if (type == TensorType::bf16) {
    multiply_plain<false>(in, outputs, count, stream);
  } else if (type == TensorType::f16) {
    multiply_plain<true>(in, outputs, count, stream);
  } else if (with_tokens(in.rows,
                         [&]<int kTokens>() { return skinny_bytes<kTokens>(in, outputs, count, stream); })) {
    return;
  } else if (is_block_type(type)) {
    skinny_blocks(in, outputs, count, stream);
  } else {
    skinny_grouped(in, outputs, count, stream);
  }
}

template <class Rows>
Rows from_row(Rows rows, int row) {
  if (rows.data != nullptr) rows.data += std::int64_t{row} * rows.stride;
  return rows;
}
SkinnyOutput from_row(SkinnyOutput output, int row) {
  output.out16 = from_row(output.out16, row);
  output.out32 = from_row(output.out32, row);
  output.residual = from_row(output.residual, row);
  return output;
}

}  // namespace

int skinny_rows(TensorType type) {
  return is_plain_type(type) ? kPlainRows : kQuantisedRows;
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

void skinny_in_parts(Rows16 x, const SkinnyOutput& output, int rows, int multiprocessors,
                     cudaStream_t stream) {
  const int most = skinny_rows(output.weight.type);
  for (int first = 0; first < rows; first += most) {
    const SkinnyOutput part = from_row(output, first);
    skinny_linear(from_row(x, first), &part, 1, std::min(most, rows - first), {}, multiprocessors, stream);
  }
}

void skinny_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                  Rows16 out, int rows, const NormBehind& norm, int multiprocessors, cudaStream_t stream) {
  const SkinnyInput in = skinny_input(x, rows, norm, multiprocessors);
  const GatedMlp mlp{gate, up, activation, out};
  if (gate.type == TensorType::bf16) {
    gate_plain<false>(in, mlp, stream);
  } else if (gate.type == TensorType::f16) {
    gate_plain<true>(in, mlp, stream);
  } else if (with_tokens(rows, [&]<int kTokens>() { return gated_bytes<kTokens>(in, mlp, stream); })) {
    return;
  } else if (is_block_type(gate.type)) {
    gated_blocks(in, mlp, stream);
  } else {
    gated_grouped(in, mlp, stream);
  }
}

}  // namespace pitwall::cuda
