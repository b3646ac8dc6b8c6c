// SPDX-License-Identifier: GPL-3.0-or-later
// Own products y = x·wᵀ beside cuBLASLt: few rows against any weight, and the rows of many experts at once.
// float32 accumulation in a fixed order. Numbers of a packed weight are dequantised as
// kernels/cuda/device_matrix.h says. x is bf16 or float16, and plain weights are what x is.
#pragma once
#include "kernels/cuda/device_matrix.h"
#include "kernels/cuda/moe_routing.h"

namespace pitwall::cuda {

/// An rms norm between two products, without a kernel of its own. The product that makes a row v leaves
/// v ⊙ gain in 16 bits and Σ v² in parts, each the sum over neighbouring outputs; the product that reads the
/// row multiplies its sums by 1/√(Σ v² / columns + ε). Parts are added in order. float16 rows get v ⊙ gain /
/// kFoldedShrink: before the norm's factor it is larger than behind it, by as much as the stream's size.
inline constexpr float kFoldedShrink = 16;
struct RowSquares {
  float* parts = nullptr;  ///< [row][part]
  int stride = 0;          ///< parts from row to row
  int count = 0;           ///< parts of a row
};
struct NormAhead {  ///< of the product that makes rows
  const float* gain = nullptr;
  Rows16 out;
  RowSquares squares;  ///< count: what the kernel writes
};
struct NormBehind {    ///< of the product that reads them
  RowSquares squares;  ///< parts null: no norm
  int columns = 0;
  float epsilon = 0;
};

/// Up to four weights over one input, as q, k, v are.
struct SkinnyOutput {
  DeviceMatrix weight;
  Rows16 out16;  ///< one of out16 and out32 is set
  Rows32 out32;
  const float* bias = nullptr;  ///< added to the sum
  Rows32 residual;              ///< added last; may be out32; data null = none
  float scale = 1;              ///< out = scale·(sum + bias) + residual
  NormAhead norm;               ///< of what out32 gets; gain null = none
};

/// Rows of x that skinny_linear() takes for a weight of this type: above, dequantise and multiply.
int skinny_rows(TensorType type);

/// Parts of Σ v² that skinny_linear() writes for a row of `columns` numbers.
int skinny_parts(int columns);

/// x [rows][columns], rows ≤ skinny_rows() of every output's type. One launch for all outputs where they are
/// of one type.
void skinny_linear(Rows16 x, const SkinnyOutput* outputs, int count, int rows, const NormBehind& norm,
                   int multiprocessors, cudaStream_t stream);

/// One output without a norm over any number of rows, skinny_rows() at a time: the weight is read for
/// each part.
void skinny_in_parts(Rows16 x, const SkinnyOutput& output, int rows, int multiprocessors,
                     cudaStream_t stream);

/// The same for a gated MLP: out = act(x·gateᵀ) ⊙ (x·upᵀ), in one launch.
void skinny_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                  Rows16 out, int rows, const NormBehind& norm, int multiprocessors, cudaStream_t stream);

/// Products of more rows with plain weights, on sm_90: weights stream through shared memory once.
bool has_streamed();
inline constexpr int kLeastStreamed = 9, kMostStreamed = 256;  ///< rows
/// Whether streamed_linear() takes the product: eights of outputs, no bias, no norm, everything at 16 bytes.
bool streams(Rows16 x, const SkinnyOutput& output, int rows);
void streamed_linear(Rows16 x, const SkinnyOutput& output, int rows, cudaStream_t stream);

/// The same for a gated MLP.
bool streams_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Rows16 out, int rows);
void streamed_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                    Rows16 out, int rows, cudaStream_t stream);

/// Experts of one layer: matrices of one shape and type, `experts` of them, as an array in device memory.
struct ExpertMatrices {
  const DeviceMatrix* matrices = nullptr;  ///< device memory
  DeviceMatrix shape;                      ///< the first one, for shapes and type on the host
  int experts = 0;
};

/// out[v] = x[row of v]·w[expert of v]ᵀ for every visit v; x rows by VisitList::visit_rows, or by visit where
/// `by_visit`. `most_visits`: the bound (rows·top_k). Grid from shapes alone.
void expert_linear(Rows16 x, bool by_visit, const ExpertMatrices& weight, const VisitList& visits, Rows16 out,
                   int most_visits, cudaStream_t stream);

/// A tiled product for any number of rows and any type, for machines without cuBLASLt and as a check on it.
void tiled_linear(Rows16 x, const SkinnyOutput& output, int rows, cudaStream_t stream);

}  // namespace pitwall::cuda
