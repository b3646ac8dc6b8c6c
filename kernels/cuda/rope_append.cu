// SPDX-License-Identifier: GPL-3.0-or-later
// One warp a head of q, k or v. A lane holds neighbours: numbers 2·lane and 2·lane + 1 of each 64.
#include <cuda_fp8.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/rope_append.h"

namespace pitwall::cuda {

namespace {

constexpr int kWarps = 4, kLanes = 32;
constexpr int kMostDim = 256;
constexpr float kLargestFp8 = 448;

/// Numbers e and e + 1 of a head; beyond its end, zeros.
__device__ float2 load_pair(const bf16* head, int e, int dim) {
  const bf16* from = head + e;
  if (e + 1 < dim && reinterpret_cast<std::uintptr_t>(from) % 4 == 0)
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(from));
  return {e < dim ? __bfloat162float(from[0]) : 0.0f, e + 1 < dim ? __bfloat162float(from[1]) : 0.0f};
}

__device__ void store_pair(bf16* head, int e, int dim, float2 x) {
  bf16* to = head + e;
  if (e + 1 < dim && reinterpret_cast<std::uintptr_t>(to) % 4 == 0) {
    *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(x.x, x.y);
    return;
  }
  if (e < dim) to[0] = __float2bfloat16_rn(x.x);
  if (e + 1 < dim) to[1] = __float2bfloat16_rn(x.y);
}

/// The numbers of a head that one lane holds.
template <int kPairs>
struct HeadPart {
  float2 x[kPairs];
  int lane, dim;
  __device__ int element(int pair) const { return 2 * (lane + kLanes * pair); }
};

template <int kPairs>
__device__ void apply_norm(HeadPart<kPairs>& part, const HeadNorm& norm, int head) {
  const auto dim = static_cast<float>(part.dim);
  float mean = 0, squares = 0;
  if (norm.kind == NormSpec::Kind::layer) {
    for (int pair = 0; pair < kPairs; ++pair) mean += part.x[pair].x + part.x[pair].y;
    mean = warp_sum(mean) / dim;
  }
  for (int pair = 0; pair < kPairs; ++pair) {
    const int e = part.element(pair);
    if (e < part.dim) part.x[pair].x -= mean;
    if (e + 1 < part.dim) part.x[pair].y -= mean;
    squares += part.x[pair].x * part.x[pair].x + part.x[pair].y * part.x[pair].y;
  }
  const float factor = 1.0f / sqrtf(warp_sum(squares) / dim + norm.epsilon);
  const float* weight = norm.weight + (norm.per_head ? head * part.dim : 0);
  for (int pair = 0; pair < kPairs; ++pair) {
    const int e = part.element(pair);
    if (e < part.dim) part.x[pair].x *= factor * weight[e];
    if (e + 1 < part.dim) part.x[pair].y *= factor * weight[e + 1];
  }
}

/// `table`: the position's cosines, then its sines. `room`: a head's numbers in shared memory, this warp's.
template <int kPairs>
__device__ void rotate(HeadPart<kPairs>& part, const RopeView& rope, const float* table, float* room) {
  const int half = rope.rotary_dim / 2;
  if (rope.pairing == RopeSpec::Pairing::neighbours) {
    for (int pair = 0; pair < kPairs; ++pair) {
      const int e = part.element(pair);
      if (e >= rope.rotary_dim) continue;
      const float cosine = table[e / 2], sine = table[half + e / 2];
      const float2 old = part.x[pair];
      part.x[pair] = {old.x * cosine - old.y * sine, old.x * sine + old.y * cosine};
    }
    return;
  }
  for (int pair = 0; pair < kPairs; ++pair) {
    room[part.element(pair)] = part.x[pair].x;
    room[part.element(pair) + 1] = part.x[pair].y;
  }
  __syncwarp();
  const auto turned = [&](float x, int e) {
    if (e >= rope.rotary_dim) return x;
    const bool low = e < half;
    const int i = low ? e : e - half;
    const float partner = room[low ? e + half : i];
    return x * table[i] + (low ? -partner : partner) * table[half + i];
  };
  for (int pair = 0; pair < kPairs; ++pair) {
    const int e = part.element(pair);
    part.x[pair] = {turned(part.x[pair].x, e), turned(part.x[pair].y, e + 1)};
  }
}

/// Writes one token's keys or values of one kv head, padding too; says how many numbers this lane cut.
template <KvDtype kDtype, int kPairs>
__device__ int append(const HeadPart<kPairs>& part, const KvView& kv, std::int64_t line, float fixed_scale) {
  std::byte* to =
      kv.numbers + line * kv.padded_dim * (kDtype == KvDtype::bfloat16 || kDtype == KvDtype::float16 ? 2 : 1);
  float scale = fixed_scale;
  if constexpr (kDtype == KvDtype::int8) {
    float largest = 0;
    for (int pair = 0; pair < kPairs; ++pair)
      largest = fmaxf(largest, fmaxf(fabsf(part.x[pair].x), fabsf(part.x[pair].y)));
    scale = warp_max(largest) / 127.0f;
    if (part.lane == 0) kv.token_scales[line] = scale;
  }
  int cut = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const int e = part.element(pair);
    if (e >= kv.padded_dim) continue;
    const float2 x = part.x[pair];
    if constexpr (kDtype == KvDtype::bfloat16) {
      reinterpret_cast<std::uint32_t*>(to)[e / 2] = pack_bf16(x.x, x.y);
    } else if constexpr (kDtype == KvDtype::float16) {
      reinterpret_cast<std::uint32_t*>(to)[e / 2] = pack_f16(x.x, x.y);
    } else if constexpr (kDtype == KvDtype::fp8_e4m3) {
      const float2 scaled{x.x / scale, x.y / scale};
      cut += (fabsf(scaled.x) > kLargestFp8) + (fabsf(scaled.y) > kLargestFp8);
      reinterpret_cast<std::uint16_t*>(to)[e / 2] =
          __nv_cvt_float2_to_fp8x2(scaled, __NV_SATFINITE, __NV_E4M3);
    } else {
      const float2 scaled = scale > 0 ? float2{x.x / scale, x.y / scale} : float2{0, 0};
      reinterpret_cast<char2*>(to)[e / 2] = {static_cast<signed char>(__float2int_rn(scaled.x)),
                                             static_cast<signed char>(__float2int_rn(scaled.y))};
    }
  }
  return cut;
}

/// Every thread of the block calls this; the values written are counted by the first block for all.
__device__ void count_saturation(const RopeAppendArgs& args, int rows, int cut) {
  __shared__ int cuts[kWarps];
  cut = __reduce_add_sync(0xFFFFFFFFu, cut);
  if (threadIdx.x % kLanes == 0) cuts[threadIdx.x / kLanes] = cut;
  __syncthreads();
  int block_cuts = 0;
  for (const int warp_cuts : cuts) block_cuts += warp_cuts;
  if (threadIdx.x == 0 && block_cuts > 0) atomicAdd(args.kv.saturation + 1, block_cuts);
  if (blockIdx.x > 0) return;
  unsigned long long written = 0;
  for (int first = 0; first < rows; first += kWarps * kLanes) {
    const int row = first + static_cast<int>(threadIdx.x);
    written += __syncthreads_count(row < rows && args.step.slots[row] >= 0);
  }
  if (threadIdx.x == 0) atomicAdd(args.kv.saturation, written * 2 * args.kv.kv_heads * args.kv.head_dim);
}

template <KvDtype kDtype, int kPairs>
__global__ void __launch_bounds__(kWarps* kLanes) rope_append_kernel(RopeAppendArgs args, int rows) {
  __shared__ float rooms[kWarps][kMostDim];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const KvView& kv = args.kv;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lines = args.heads + 2 * kv.kv_heads;  // heads of q, k and v of a row
  const std::int64_t task = std::int64_t{blockIdx.x} * kWarps + warp;
  const int row = static_cast<int>(task / lines);
  const int line = static_cast<int>(task % lines);
  const int slot = row < rows ? args.step.slots[row] : -1;
  int cut = 0;
  if (slot >= 0) {
    const bool is_q = line < args.heads, is_v = line >= args.heads + kv.kv_heads;
    const int head = is_q ? line : (line - args.heads) % kv.kv_heads;
    const Rows16& rows16 = is_q ? args.q : is_v ? args.v : args.k;
    bf16* numbers = rows16.data + std::int64_t{row} * rows16.stride + head * kv.head_dim;
    const int position = args.step.positions[row];
    HeadPart<kPairs> part;
    part.lane = static_cast<int>(threadIdx.x) % kLanes;
    part.dim = kv.head_dim;
    for (int pair = 0; pair < kPairs; ++pair) part.x[pair] = load_pair(numbers, part.element(pair), part.dim);
    if (!is_v) {
      const HeadNorm& norm = is_q ? args.q_norm : args.k_norm;
      if (norm.weight) apply_norm(part, norm, head);
      const bool is_long = args.rope.long_table && args.step.long_rope[slot];
      const float* table = is_long ? args.rope.long_table : args.rope.table;
      if (table) rotate(part, args.rope, table + std::int64_t{position} * args.rope.rotary_dim, rooms[warp]);
    }
    if (is_q) {
      for (int pair = 0; pair < kPairs; ++pair)
        store_pair(numbers, part.element(pair), part.dim, part.x[pair]);
    } else {
      const std::int64_t block =
          args.step.block_tables[std::int64_t{slot} * args.step.max_blocks + position / kv.block_size];
      const std::int64_t place =
          ((2 * block + is_v) * kv.kv_heads + head) * kv.block_size + position % kv.block_size;
      const float* scales = is_v ? kv.v_scales : kv.k_scales;
      const float scale = kDtype == KvDtype::fp8_e4m3 && scales ? scales[head] : 1.0f;
      cut = append<kDtype>(part, kv, place, scale);
    }
  }
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
    if (kv.saturation) count_saturation(args, rows, cut);
  }
}

template <KvDtype kDtype>
void launch_for_dim(const RopeAppendArgs& args, int rows, cudaStream_t stream) {
  const std::int64_t tasks = std::int64_t{rows} * (args.heads + 2 * args.kv.kv_heads);
  const dim3 grid(static_cast<unsigned>((tasks + kWarps - 1) / kWarps));
  const auto start = [&](auto kernel) { launch(kernel, grid, dim3(kWarps * kLanes), 0, stream, args, rows); };
  if (args.kv.padded_dim <= 64) return start(rope_append_kernel<kDtype, 1>);
  if (args.kv.padded_dim <= 128) return start(rope_append_kernel<kDtype, 2>);
  start(rope_append_kernel<kDtype, kMostDim / 64>);
}

}  // namespace

void rope_append(const RopeAppendArgs& args, int rows, cudaStream_t stream) {
  switch (args.kv.dtype) {
    case KvDtype::float32:
      return;  // no such pool on a device
    case KvDtype::bfloat16:
      return launch_for_dim<KvDtype::bfloat16>(args, rows, stream);
    case KvDtype::float16:
      return launch_for_dim<KvDtype::float16>(args, rows, stream);
    case KvDtype::fp8_e4m3:
      return launch_for_dim<KvDtype::fp8_e4m3>(args, rows, stream);
    case KvDtype::int8:
      return launch_for_dim<KvDtype::int8>(args, rows, stream);
  }
}

}  // namespace pitwall::cuda
