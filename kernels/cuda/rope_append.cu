// SPDX-License-Identifier: GPL-3.0-or-later
// A block works on heads of one row. A lane holds eight neighbours of a head, for several heads, so that the
// position's cosines and sines are read once.
#include <cuda_fp8.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/rope_append.h"
#include "kernels/cuda/row_vector.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256, kWarp = 32;
constexpr float kLargestFp8 = 448;
constexpr unsigned kAll = 0xFFFFFFFFu;
constexpr int kFewRows = 64;  ///< up to here a block for every few heads

/// Whether eight numbers at a multiple of eight of any head lie at a multiple of 16 bytes.
struct Wide {
  bool q, k, v, q_weight, k_weight;
};

/// Over the kLanes lanes of a head.
template <int kLanes>
__device__ float head_sum(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAll, value, distance);
  return value;
}

/// All lanes of a warp call this; `applies` may differ from head to head.
template <int kLanes>
__device__ void apply_norm(Eight& x, const HeadNorm& norm, int head, int dim, bool wide, bool applies) {
  const int e = static_cast<int>(threadIdx.x) % kLanes * kEight;
  float mean = 0, squares = 0;
  if (norm.kind == NormSpec::Kind::layer) {
#pragma unroll
    for (int i = 0; i < kEight; ++i) mean += x.at[i];
    mean = head_sum<kLanes>(mean) / static_cast<float>(dim);
  }
  Eight centred{};
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    if (e + i < dim) centred.at[i] = x.at[i] - mean;
    squares += centred.at[i] * centred.at[i];
  }
  const float factor = 1.0f / sqrtf(head_sum<kLanes>(squares) / static_cast<float>(dim) + norm.epsilon);
  if (!applies) return;
  const Eight weight = load_eight_constant(norm.weight + (norm.per_head ? head * dim : 0) + e, dim - e, wide);
#pragma unroll
  for (int i = 0; i < kEight; ++i) x.at[i] = centred.at[i] * factor * weight.at[i];
}

/// y = x·cosine + partner·sine of a lane's eight numbers.
template <int kLanes>
class Rotation {
 public:
  /// `table`: the position's cosines, then its sines; null: nothing is rotated.
  __device__ Rotation(const RopeView& rope, const float* table)
      : rotary_dim_(table == nullptr ? 0 : rope.rotary_dim),
        half_(rope.rotary_dim / 2),
        neighbours_(rope.pairing == RopeSpec::Pairing::neighbours),
        first_(static_cast<int>(threadIdx.x) % kLanes * kEight) {
    if (!neighbours_ && half_ % kEight == 0) {
      cosine_ = Eight{{1, 1, 1, 1, 1, 1, 1, 1}};
      sine_ = Eight{};
      if (first_ >= rotary_dim_) return;
      const int pair = first_ < half_ ? first_ : first_ - half_;
      cosine_ = load_eight_constant(table + pair, kEight, true);
      sine_ = load_eight_constant(table + half_ + pair, kEight, true);
    } else {
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        const int e = first_ + i;
        const bool turns = e < rotary_dim_;
        const int pair = neighbours_ ? e / 2 : e < half_ ? e : e - half_;
        cosine_.at[i] = turns ? __ldg(table + pair) : 1.0f;
        sine_.at[i] = turns ? __ldg(table + half_ + pair) : 0.0f;
      }
    }
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const bool is_low = neighbours_ ? i % 2 == 0 : first_ + i < half_;
      if (is_low) sine_.at[i] = -sine_.at[i];
    }
  }

  /// All lanes of a warp call this. `room`: the warp's, eight numbers a lane.
  __device__ Eight turned(const Eight& x, float* room) const {
    Eight y;
    const Eight partner =
        neighbours_ ? Eight{{x.at[1], x.at[0], x.at[3], x.at[2], x.at[5], x.at[4], x.at[7], x.at[6]}}
        : half_ % kEight == 0 ? of_other_lane(x)
                              : of_room(x, room);
#pragma unroll
    for (int i = 0; i < kEight; ++i) y.at[i] = x.at[i] * cosine_.at[i] + partner.at[i] * sine_.at[i];
    return y;
  }

 private:
  __device__ Eight of_other_lane(const Eight& x) const {
    const int away = half_ / kEight;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int other = first_ >= rotary_dim_ ? lane : first_ < half_ ? lane + away : lane - away;
    Eight partner;
#pragma unroll
    for (int i = 0; i < kEight; ++i) partner.at[i] = __shfl_sync(kAll, x.at[i], other);
    return partner;
  }

  __device__ Eight of_room(const Eight& x, float* room) const {
    float* head = room + (static_cast<int>(threadIdx.x) % kWarp) / kLanes * kLanes * kEight;
    __syncwarp();
    Eight partner{};
#pragma unroll
    for (int i = 0; i < kEight; ++i) head[first_ + i] = x.at[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const int e = first_ + i;
      if (e < rotary_dim_) partner.at[i] = head[e < half_ ? e + half_ : e - half_];
    }
    return partner;
  }

  int rotary_dim_, half_;
  bool neighbours_;
  int first_;
  Eight cosine_, sine_;
};

/// One lane's part of a token's keys or values of one kv head, padding too; says how many numbers it cut.
template <KvDtype kDtype>
__device__ int append(const Eight& x, const KvView& kv, std::int64_t line, int e, float scale) {
  const std::int64_t place = line * kv.padded_dim + e;
  if constexpr (kDtype == KvDtype::bfloat16) {
    store_eight_wide(reinterpret_cast<bf16*>(kv.numbers) + place, x);
  } else if constexpr (kDtype == KvDtype::float16) {
    *reinterpret_cast<uint4*>(kv.numbers + place * 2) =
        make_uint4(pack_f16(x.at[0], x.at[1]), pack_f16(x.at[2], x.at[3]), pack_f16(x.at[4], x.at[5]),
                   pack_f16(x.at[6], x.at[7]));
  } else if constexpr (kDtype == KvDtype::fp8_e4m3) {
    std::uint32_t words[2] = {};
    int cut = 0;
#pragma unroll
    for (int i = 0; i < kEight; i += 2) {
      const float2 scaled{x.at[i] / scale, x.at[i + 1] / scale};
      cut += (fabsf(scaled.x) > kLargestFp8) + (fabsf(scaled.y) > kLargestFp8);
      words[i / 4] |= static_cast<std::uint32_t>(__nv_cvt_float2_to_fp8x2(scaled, __NV_SATFINITE, __NV_E4M3))
                      << (i % 4 * 8);
    }
    *reinterpret_cast<uint2*>(kv.numbers + place) = make_uint2(words[0], words[1]);
    return cut;
  } else {
    std::uint32_t words[2] = {};
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const int number = scale > 0 ? __float2int_rn(x.at[i] / scale) : 0;
      words[i / 4] |= static_cast<std::uint32_t>(number & 0xFF) << (i % 4 * 8);
    }
    *reinterpret_cast<uint2*>(kv.numbers + place) = make_uint2(words[0], words[1]);
  }
  return 0;
}

/// The scale of int8: all lanes of a warp call this.
template <int kLanes>
__device__ float scale_of(const Eight& x) {
  float largest = 0;
#pragma unroll
  for (int i = 0; i < kEight; ++i) largest = fmaxf(largest, fabsf(x.at[i]));
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAll, largest, distance));
  return largest / 127.0f;
}

__device__ int block_sum(int mine) {
  __shared__ int sums[kThreads / kWarp];
  mine = __reduce_add_sync(kAll, mine);
  __syncthreads();
  if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = mine;
  __syncthreads();
  int sum = 0;
  for (const int of_warp : sums) sum += of_warp;
  return sum;
}

/// Every thread of the block calls this; the values written are counted by the first block for all.
__device__ void count_saturation(const RopeAppendArgs& args, int rows, int cut) {
  cut = block_sum(cut);
  if (threadIdx.x == 0 && cut > 0) atomicAdd(args.kv.saturation + 1, static_cast<unsigned long long>(cut));
  if (blockIdx.x > 0 || blockIdx.y > 0) return;
  int written = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += kThreads)
    written += args.step.slots[row] >= 0;
  written = block_sum(written);
  if (threadIdx.x == 0)
    atomicAdd(args.kv.saturation,
              static_cast<unsigned long long>(written) * 2 * args.kv.kv_heads * args.kv.head_dim);
}

/// A block takes kHeads heads for each of its groups of kLanes lanes.
template <KvDtype kDtype, int kLanes, int kHeads>
__global__ void __launch_bounds__(kThreads) rope_append_kernel(RopeAppendArgs args, Wide wide, int rows) {
  constexpr int kGroups = kThreads / kLanes;
  __shared__ float rooms[kThreads * kEight];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const KvView& kv = args.kv;
  const int row = static_cast<int>(blockIdx.x), dim = kv.head_dim;
  const int e = static_cast<int>(threadIdx.x) % kLanes * kEight;
  const int lines = args.heads + 2 * kv.kv_heads;  // heads of q, k and v of a row
  const int first = static_cast<int>(blockIdx.y) * kGroups * kHeads + static_cast<int>(threadIdx.x) / kLanes;
  const int slot = __ldcg(args.step.slots + row), position = __ldcg(args.step.positions + row);
  struct Line {
    bf16* numbers;
    int head;
    bool exists, is_q, is_v;
  };
  const auto line_of = [&](int h) {
    const int line = first + h * kGroups;
    const bool is_q = line < args.heads, is_v = line >= args.heads + kv.kv_heads;
    const int head = is_q ? line : is_v ? line - args.heads - kv.kv_heads : line - args.heads;
    const Rows16& from = is_q ? args.q : is_v ? args.v : args.k;
    return Line{row_at(from, row, head * dim), head, line < lines, is_q, is_v};
  };
  Eight x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    const Line line = line_of(h);
    x[h] = Eight{};
    if (line.exists)
      x[h] = load_eight(line.numbers + e, dim - e, line.is_q ? wide.q : line.is_v ? wide.v : wide.k);
  }
  int cut = 0;
  if (slot >= 0) {
    const bool is_long = args.rope.long_table != nullptr && args.step.long_rope[slot] != 0;
    const float* table = is_long ? args.rope.long_table : args.rope.table;
    const std::int64_t block =
        __ldcg(args.step.block_tables + std::int64_t{slot} * args.step.max_blocks + position / kv.block_size);
    const Rotation<kLanes> rotation(
        args.rope, table == nullptr ? nullptr : table + std::int64_t{position} * args.rope.rotary_dim);
    float* room = rooms + static_cast<int>(threadIdx.x) / kWarp * kWarp * kEight;
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const Line line = line_of(h);
      if (args.q_norm.weight != nullptr)
        apply_norm<kLanes>(x[h], args.q_norm, line.head, dim, wide.q_weight, line.is_q);
      if (args.k_norm.weight != nullptr)
        apply_norm<kLanes>(x[h], args.k_norm, line.head, dim, wide.k_weight,
                           line.exists && !line.is_q && !line.is_v);
      if (table != nullptr) {
        const Eight turned = rotation.turned(x[h], room);
        if (!line.is_v) x[h] = turned;
      }
      [[maybe_unused]] float scale = 1;
      if constexpr (kDtype == KvDtype::int8) scale = scale_of<kLanes>(x[h]);
      if (!line.exists) continue;
      if (line.is_q) {
        store_eight(line.numbers + e, x[h], dim - e, wide.q);
        continue;
      }
      const std::int64_t place =
          ((2 * block + line.is_v) * kv.kv_heads + line.head) * kv.block_size + position % kv.block_size;
      if constexpr (kDtype == KvDtype::int8) {
        if (e == 0) kv.token_scales[place] = scale;
      }
      if constexpr (kDtype == KvDtype::fp8_e4m3) {
        const float* scales = line.is_v ? kv.v_scales : kv.k_scales;
        if (scales != nullptr) scale = scales[line.head];
      }
      if (e < kv.padded_dim) cut += append<kDtype>(x[h], kv, place, e, scale);
    }
  }
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
    if (kv.saturation != nullptr) count_saturation(args, rows, cut);
  }
}

template <KvDtype kDtype, int kLanes>
void launch_for_rows(const RopeAppendArgs& args, int rows, cudaStream_t stream) {
  constexpr int kGroups = kThreads / kLanes;
  const auto is_wide_head = [&](const Rows16& numbers) {
    return is_wide(numbers) && args.kv.head_dim % kEight == 0;
  };
  const auto is_wide_weight = [&](const HeadNorm& norm) {
    return is_wide(norm.weight) && (!norm.per_head || args.kv.head_dim % kEight == 0);
  };
  const Wide wide{is_wide_head(args.q), is_wide_head(args.k), is_wide_head(args.v),
                  is_wide_weight(args.q_norm), is_wide_weight(args.k_norm)};
  const int lines = args.heads + 2 * args.kv.kv_heads;
  const auto start = [&](auto kernel, int heads) {
    const int of_block = kGroups * heads;
    const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>((lines + of_block - 1) / of_block));
    launch(kernel, grid, dim3(kThreads), 0, stream, args, wide, rows);
  };
  if (rows <= kFewRows) return start(rope_append_kernel<kDtype, kLanes, 1>, 1);
  start(rope_append_kernel<kDtype, kLanes, 3>, 3);
}

template <KvDtype kDtype>
void launch_for_dim(const RopeAppendArgs& args, int rows, cudaStream_t stream) {
  if (args.kv.padded_dim <= 64) return launch_for_rows<kDtype, 8>(args, rows, stream);
  if (args.kv.padded_dim <= 128) return launch_for_rows<kDtype, 16>(args, rows, stream);
  launch_for_rows<kDtype, 32>(args, rows, stream);
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
