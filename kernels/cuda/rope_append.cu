// SPDX-License-Identifier: GPL-3.0-or-later
// A block works on heads of one row. A lane holds eight neighbours of a head, for several heads, so that the
// position's cosines and sines are read once: while the products ahead still run, as all that does not come
// from them.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/rotation.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256;
// A lane takes the more heads the more rows there are.
constexpr int kFewRows = 16, kSomeRows = 128;

/// What the launch works out for all blocks.
struct RopePlan {
  RopeAppendArgs args;
  int rows = 0;
  int block_log = 0;  ///< of the KV block's size
  bool has_norms = false, has_means = false;
};

/// A head of q, k or v of a row.
struct Line {
  bf16* numbers;
  int head;
  bool is_q, is_v;
};

/// Over the kLanes lanes of a head.
template <int kLanes>
__device__ float head_sum(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAll, value, distance);
  return value;
}

/// All lanes of a warp call this.
template <int kLanes, bool kWide>
__device__ void apply_norm(Eight& x, const RopePlan& plan, const Line& line, int e) {
  const HeadNorm& norm = line.is_q ? plan.args.q_norm : plan.args.k_norm;
  const int dim = plan.args.kv.head_dim;
  const bool applies = !line.is_v && norm.weight != nullptr;
  Eight weight{};
  if (applies)
    weight = load_eight_constant<kWide>(norm.weight + (norm.per_head ? line.head * dim : 0) + e, dim - e);
  float mean = 0, squares = 0;
  if (plan.has_means) {
#pragma unroll
    for (int i = 0; i < kEight; ++i) mean += x.at[i];
    mean = head_sum<kLanes>(mean) / static_cast<float>(dim);
    if (norm.kind != NormSpec::Kind::layer) mean = 0;
  }
  Eight centred{};
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    if (e + i < dim) centred.at[i] = x.at[i] - mean;
    squares += centred.at[i] * centred.at[i];
  }
  const float factor = 1.0f / sqrtf(head_sum<kLanes>(squares) / static_cast<float>(dim) + norm.epsilon);
#pragma unroll
  for (int i = 0; i < kEight; ++i) x.at[i] = applies ? centred.at[i] * factor * weight.at[i] : x.at[i];
}

/// By the warps of one block for all.
__device__ void count_written(const RopeAppendArgs& args, int rows) {
  int written = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += kThreads)
    written += __ldcg(args.step.slots + row) >= 0;
  written = __reduce_add_sync(kAll, written);
  if (threadIdx.x % kWarp == 0 && written > 0)
    atomicAdd(args.kv.saturation,
              static_cast<unsigned long long>(written) * 2 * args.kv.kv_heads * args.kv.head_dim);
}

/// A block takes kHeads heads for each of its groups of kLanes lanes. kWide: all accesses are of 16 bytes.
template <KvDtype kDtype, int kLanes, int kHeads, bool kWide>
__global__ void __launch_bounds__(kThreads, kHeads == 1 ? 4 : 3)
    rope_append_kernel(const __grid_constant__ RopePlan plan) {
  constexpr int kGroups = kThreads / kLanes;
  __shared__ float rooms[kWide ? 1 : kThreads * kEight];
  let_next_kernel_start();
  const RopeAppendArgs& args = plan.args;
  const KvView& kv = args.kv;
  const int row = static_cast<int>(blockIdx.x), dim = kv.head_dim;
  const int e = static_cast<int>(threadIdx.x) % kLanes * kEight;
  const int lines = args.heads + 2 * kv.kv_heads;  // heads of q, k and v of a row
  const int first = static_cast<int>(blockIdx.y) * kGroups * kHeads + static_cast<int>(threadIdx.x) / kLanes;
  const int slot = __ldcg(args.step.slots + row), position = __ldcg(args.step.positions + row);
  const auto line_of = [&](int h) {
    const int index = min(first + h * kGroups, lines - 1);
    const bool is_q = index < args.heads, is_v = index >= args.heads + kv.kv_heads;
    const int head = index - (is_q ? 0 : is_v ? args.heads + kv.kv_heads : args.heads);
    bf16* data = is_q ? args.q.data : is_v ? args.v.data : args.k.data;
    const int stride = is_q ? args.q.stride : is_v ? args.v.stride : args.k.stride;
    return Line{data + std::int64_t{row} * stride + head * dim, head, is_q, is_v};
  };
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
    if (kv.saturation != nullptr && blockIdx.x == 0 && blockIdx.y == 0) count_written(args, plan.rows);
  }
  if (slot < 0) {
    wait_for_kernel_ahead();
    return;
  }
  const bool is_long = args.rope.long_table != nullptr && args.step.long_rope[slot] != 0;
  const float* table = is_long ? args.rope.long_table : args.rope.table;
  const std::int64_t block = __ldcg(args.step.block_tables + std::int64_t{slot} * args.step.max_blocks +
                                    (position >> plan.block_log));
  const int rotary_dim = table != nullptr ? args.rope.rotary_dim : 0;
  const Rotation<kLanes, kWide> rotation(table + std::int64_t{position} * rotary_dim, rotary_dim,
                                         args.rope.pairing, e);
  [[maybe_unused]] float scales[kHeads];
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const Line line = line_of(h);
      const float* from = line.is_v ? kv.v_scales : kv.k_scales;
      scales[h] = from != nullptr && !line.is_q ? __ldg(from + line.head) : 1;
    }
  }
  wait_for_kernel_ahead();
  Eight x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    x[h] = load_eight<kWide>(line_of(h).numbers + e, dim - e, args.q.is_half());
  if (args.q.is_half()) {  // behind all loads, which are on their way together
#pragma unroll
    for (int h = 0; h < kHeads; ++h) hold(x[h], args.q.cut);
  }
  int cut = 0;
  if (plan.has_norms) {
#pragma unroll
    for (int h = 0; h < kHeads; ++h) apply_norm<kLanes, kWide>(x[h], plan, line_of(h), e);
  }
  if (rotary_dim > 0) {
    float* room = kWide ? rooms : rooms + static_cast<int>(threadIdx.x) / kWarp * kWarp * kEight;
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const Eight turned = rotation.turned(x[h], room);
      if (!line_of(h).is_v) x[h] = turned;
    }
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    const Line line = line_of(h);
    [[maybe_unused]] float scale = 1;
    if constexpr (kDtype == KvDtype::int8) scale = scale_of<kLanes>(x[h]);
    if constexpr (kDtype == KvDtype::fp8_e4m3) scale = scales[h];
    if (first + h * kGroups >= lines) continue;
    if constexpr (kMeetsHalf<kDtype>) {
      if (line.is_q || kDtype == KvDtype::float16) hold(x[h], args.q.cut);
    }
    if (line.is_q) {
      store_eight<kWide>(line.numbers + e, x[h], dim - e, kMeetsHalf<kDtype>);
      continue;
    }
    const std::int64_t place = (((2 * block + line.is_v) * kv.kv_heads + line.head) << plan.block_log) +
                               (position & ((1 << plan.block_log) - 1));
    if constexpr (kDtype == KvDtype::int8) {
      if (e == 0) kv.token_scales[place] = scale;
    }
    if (e < kv.padded_dim) cut += append<kDtype>(x[h], kv, place, e, scale);
  }
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
    cut = __reduce_add_sync(kAll, cut);
    if (kv.saturation != nullptr && cut > 0 && threadIdx.x % kWarp == 0)
      atomicAdd(kv.saturation + 1, static_cast<unsigned long long>(cut));
  }
}

/// Whether any eight numbers that begin at a multiple of eight, and their partners, lie together at a
/// multiple of 16 bytes.
bool are_all_wide(const RopeAppendArgs& args) {
  const RopeView& rope = args.rope;
  const bool turns = rope.table != nullptr || rope.long_table != nullptr;
  return args.kv.head_dim % kEight == 0 && is_wide(args.q) && is_wide(args.k) && is_wide(args.v) &&
         is_wide(args.q_norm.weight) && is_wide(args.k_norm.weight) && is_wide(rope.table) &&
         is_wide(rope.long_table) &&
         (!turns || (rope.pairing == RopeSpec::Pairing::halves && rope.rotary_dim % (2 * kEight) == 0));
}

template <KvDtype kDtype, int kLanes>
void launch_for_rows(const RopePlan& plan, cudaStream_t stream) {
  const int lines = plan.args.heads + 2 * plan.args.kv.kv_heads;
  const auto start = [&](auto kernel, int heads) {
    const int of_block = kThreads / kLanes * heads;
    const dim3 grid(static_cast<unsigned>(plan.rows),
                    static_cast<unsigned>((lines + of_block - 1) / of_block));
    launch(kernel, grid, dim3(kThreads), 0, stream, plan);
  };
  if (!are_all_wide(plan.args)) return start(rope_append_kernel<kDtype, kLanes, 1, false>, 1);
  if (plan.rows <= kFewRows) return start(rope_append_kernel<kDtype, kLanes, 1, true>, 1);
  if (plan.rows <= kSomeRows) return start(rope_append_kernel<kDtype, kLanes, 2, true>, 2);
  start(rope_append_kernel<kDtype, kLanes, 3, true>, 3);
}

template <KvDtype kDtype>
void launch_for_dim(const RopeAppendArgs& args, int rows, cudaStream_t stream) {
  RopePlan plan;
  plan.args = args;
  plan.rows = rows;
  while (1 << plan.block_log < args.kv.block_size) ++plan.block_log;
  for (const HeadNorm& norm : {args.q_norm, args.k_norm}) {
    if (norm.weight == nullptr) continue;
    plan.has_norms = true;
    plan.has_means = plan.has_means || norm.kind == NormSpec::Kind::layer;
  }
  if (args.kv.padded_dim <= 64) return launch_for_rows<kDtype, 8>(plan, stream);
  if (args.kv.padded_dim <= 128) return launch_for_rows<kDtype, 16>(plan, stream);
  launch_for_rows<kDtype, 32>(plan, stream);
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
