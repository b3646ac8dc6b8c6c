// SPDX-License-Identifier: GPL-3.0-or-later
// The inner kernels of the CPU back end, one table per instruction set. Plain data and pointers only: the
// files behind the tables are compiled for their instruction set and must not share inline code with the rest
// of the program.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/cache/kv_layout.h"
#include "engine/model/model_spec.h"
#include "engine/model/packed_matrix.h"
#include "engine/model/tensor_type.h"
#include "kernels/cpu/cpu_features.h"

namespace pitwall {

inline constexpr int kKvTile = 32;  ///< positions per softmax step of attention, counted from position 0

/// 32 activations as 16-bit integers in two int8 digits: x ≈ scale·(256·high + low). One digit alone loses
/// what stands beside an outlier, and with it near ties between tokens. The sums fold a weight's zero point
/// or minimum in without touching the weights.
struct ActivationBlock {
  float scale;
  float scaled_sum;                                 ///< scale·Σ(256·high + low)
  std::int32_t sum;                                 ///< Σ(256·high + low)
  std::int32_t first_sum;                           ///< the same of the first 16
  std::int8_t high[kQuantBlock], low[kQuantBlock];  ///< in [−127, 127]
};

/// Causal attention of consecutive rows of one sequence over one kv head. Query (r, h) is at q + r·q_stride +
/// h·head_dim and stands at position first_position + r.
struct AttentionTask {
  const float* q = nullptr;
  float* out = nullptr;
  std::int64_t q_stride = 0, out_stride = 0;  ///< floats from row to row
  int rows = 0, heads = 0, head_dim = 0;
  int first_position = 0;
  float scale = 0;
  int window = 0;     ///< 0 = full
  float softcap = 0;  ///< 0 = none
  KvDtype dtype = KvDtype::bfloat16;
  int block_size = 0;
  const std::int32_t* block_table = nullptr;
  const std::byte* pool = nullptr;
  std::int64_t block_bytes = 0;
  std::int64_t key_offset = 0, value_offset = 0;  ///< of this layer and kv head inside a block
  float key_scale = 1, value_scale = 1;           ///< fp8_e4m3: of this layer and kv head
  float* scratch = nullptr;                       ///< attention_scratch_floats(rows·heads, head_dim)
};
std::int64_t attention_scratch_floats(int queries, int head_dim);

/// Rotates `heads` heads of one row in place. cosine and sine: rotary_dim/2 values of the row's position.
struct RopeTask {
  float* x = nullptr;
  int heads = 0, head_dim = 0, rotary_dim = 0;
  RopeSpec::Pairing pairing = RopeSpec::Pairing::halves;
  const float* cosine = nullptr;
  const float* sine = nullptr;
};

struct KernelTable {
  /// out[r·kTileRows + i] = dot(x row r, weight row tile·kTileRows + i) in float32, summed along the columns
  /// in order.
  void (*linear_float)(const PackedMatrix& weight, int tile, const float* x, std::int64_t stride, int rows,
                       float* out);
  /// The same on quantised activations (columns/32 blocks a row); quantised weights only.
  void (*linear_quantized)(const PackedMatrix& weight, int tile, const ActivationBlock* x, int rows,
                           float* out);
  void (*rms_norm)(const float* x, const float* weight, float epsilon, int columns, float* out);
  void (*layer_norm)(const float* x, const float* weight, float epsilon, int columns, float* out);
  void (*softcap)(float* x, int count, float cap);                      ///< cap·tanh(x/cap) in place
  void (*quantize)(const float* x, int columns, ActivationBlock* out);  ///< columns: a multiple of 32
  void (*gate)(Activation activation, const float* gate, const float* up, int count, float* out);
  void (*rope)(const RopeTask& task);
  void (*to_half)(const float* x, int count, std::uint16_t* out);
  void (*to_bfloat)(const float* x, int count, std::uint16_t* out);
  /// fp8_e4m3 codes of x/scale, to nearest even, beyond ±448 the code of ±448; returns how many lay there.
  int (*to_fp8)(const float* x, int count, float scale, std::uint8_t* out);
  /// x/scale to nearest even; returns the scale, largest |x| over 127. Numbers that are not finite make it
  /// NaN.
  float (*to_int8)(const float* x, int count, std::int8_t* out);
  void (*attention)(const AttentionTask& task);
  // For floors: work that nothing but the named resource can slow down. The results only keep the work alive.
  float (*read_memory)(const std::byte* data, std::int64_t bytes);  ///< bytes: a multiple of 1024
  float (*multiply_add_float)(int rounds);                          ///< kFloatProbeWork multiply-adds a round
  float (*multiply_add_int8)(int rounds);                           ///< kInt8ProbeWork multiply-adds a round
};
inline constexpr std::int64_t kFloatProbeWork = 768;
inline constexpr std::int64_t kInt8ProbeWork = 16 * 512;

/// The instruction set must be one that best_isa() covers.
const KernelTable& kernel_table(Isa isa);

extern const KernelTable kPortableKernels;
#if defined(__x86_64__)
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
#endif

}  // namespace pitwall
