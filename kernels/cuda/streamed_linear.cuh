// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a few to 256 rows with plain weights on sm_90a: the weight streams through shared memory once.
// streamed_linear.cu picks the shape of the work. Rows of x are the first operand, 64 of them to a computing
// warpgroup (products of rows that x lacks are never looked at), lines of the weight the second: so tiles
// have as many lines as give all multiprocessors the same share. A tile belongs to a block, or to a cluster,
// whose blocks take a part of the columns each and send their sums to each other through distributed shared
// memory, where they are added in order. One warp copies, as far ahead as the ring is long, weights before
// the kernel ahead has ended. A stage of the ring is a panel of 64 columns: lines of 128 bytes, 16-byte
// chunks permuted in every eight lines as the products read them.
#pragma once
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/matrix_kernels.h"
#include "kernels/cuda/number16.cuh"
#include "kernels/cuda/row_products.cuh"

namespace pitwall::cuda {

/// kLines: of a tile, gate and up counted both. kGroups: computing warpgroups. kSplit: blocks that share the
/// columns. kPaired: two blocks share a tile, each does half of the rows; each copies half of the tile to
/// both.
template <int kLines_, int kGroups_, int kSplit_, bool kPaired_, bool kGated_>
struct StreamTraits {
  static constexpr int kLines = kLines_, kGroups = kGroups_, kSplit = kSplit_;
  static constexpr bool kPaired = kPaired_, kGated = kGated_;
  static constexpr int kSharing = kPaired ? 2 : 1, kCluster = kSplit * kSharing;
  static constexpr int kRows = 64 * kGroups, kMostRows = kRows * kSharing;  ///< of a block; of a cluster
  static constexpr int kComputing = 128 * kGroups, kThreads = kComputing + 32;
  static constexpr int kOutputs = kLines / (kGated ? 2 : 1);  ///< of a tile
  static constexpr int kEights = kLines / 8,
                       kPart = kEights / kSplit;      ///< of lines; those that a block adds up
  static constexpr int kOwn = kOutputs / 8 / kSplit;  ///< eights of outputs that a block finishes
  static constexpr bool kAdds = kOwn <= 8;            ///< there is room for a residual
  static constexpr int kBoxLines = kGated || kPaired ? kLines / 2 : kLines;
  static constexpr int kWeightBytes = kLines * 128, kMergeBytes = kSplit > 1 ? kRows *kLines * 4 : 0;
  static constexpr int kMostStages = 16, kRingAt = 1024;
  static_assert(kEights % kSplit == 0 && kBoxLines % 8 == 0 && !(kGated && kSplit > 1));

  /// `rows`: of x in a stage.
  __host__ __device__ static constexpr int stage_bytes(int rows) { return kWeightBytes + rows * 128; }
  /// A warpgroup reads 64 rows, however many there are.
  static constexpr int shared_bytes(int rows, int stages) {
    const int ring = stages * stage_bytes(rows) + (kRows - rows) * 128;
    return kRingAt + (ring > kMergeBytes ? ring : kMergeBytes);
  }
};

struct StreamJob {
  int rows = 0, stage_rows = 0;  ///< of x; of x in a stage
  int panels = 0;                ///< of 64 columns
  int tiles = 0, outputs = 0, stages = 0;
  bool is_half = false;  ///< x and weights
  float scale = 1;
  Rows16 out16;
  Rows32 out32, residual;
  Activation activation = Activation::silu;
};

#if defined(PITWALL_HAS_WGMMA)

template <class Traits, bool kIsHalf>
struct StreamBlock {
  using Sums = float[Traits::kEights][4];
  using Values = float[Traits::kOwn][4];  ///< two outputs of an eight, of row g, then of row g + 8
  static constexpr int kPart = Traits::kPart, kSharing = Traits::kSharing;
  static constexpr int kEightBytes = Traits::kComputing * 16;  ///< of sums of eight outputs

  const StreamJob& job;
  const CUtensorMap *weight, *up, *x;
  unsigned char* shared;
  int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  int cluster = static_cast<int>(blockIdx.x) / Traits::kCluster,
      clusters = static_cast<int>(gridDim.x) / Traits::kCluster;
  int rank = static_cast<int>(blockIdx.x) % Traits::kCluster;
  int share = rank % kSharing, split = rank / kSharing;
  int first_panel = job.panels * split / Traits::kSplit;
  int panels = job.panels * (split + 1) / Traits::kSplit - first_panel;
  int stage_bytes = Traits::stage_bytes(job.stage_rows);
  int first_row = share * Traits::kRows;

  __device__ int rounds() const { return (job.tiles - cluster + clusters - 1) / clusters; }
  __device__ int tile_of(int round) const { return cluster + round * clusters; }
  __device__ std::uint32_t full(int place) const { return shared_address(shared) + place * 16; }
  __device__ std::uint32_t empty(int place) const { return full(place) + 8; }
  __device__ std::uint32_t merged() const { return full(Traits::kMostStages); }
  __device__ std::uint32_t ring() const { return shared_address(shared) + Traits::kRingAt; }
  __device__ std::uint32_t stage(int place) const { return ring() + place * stage_bytes; }

  struct Turn {
    int place = 0, parity = 0;
    __device__ void advance(int stages) {
      if (++place < stages) return;
      place = 0;
      parity ^= 1;
    }
  };

  /// Where the copies stand: panels of one tile after the other.
  struct Walk {
    int panel = 0, column, line;
  };
  __device__ Walk start() const { return {0, first_panel * 64, cluster * Traits::kOutputs}; }
  __device__ void advance(Walk& walk) const {
    walk.column += 64;
    if (++walk.panel < panels) return;
    walk = {0, first_panel * 64, walk.line + clusters * Traits::kOutputs};
  }

  __device__ void copy_weights(int place, const Walk& walk, std::uint64_t policy) const {
    constexpr int kHalf = Traits::kWeightBytes / 2, kBoth = 3;
    const std::uint32_t to = stage(place);
    barrier_expect(full(place), stage_bytes);
    if constexpr (Traits::kPaired) {
      share_box_once(to + share * kHalf, Traits::kGated && share == 1 ? up : weight, walk.column,
                     walk.line + (Traits::kGated ? 0 : share * Traits::kBoxLines), full(place),
                     kBoth << (split * kSharing), policy);
    } else {
      copy_box_once(to, weight, walk.column, walk.line, full(place), policy);
      if constexpr (Traits::kGated)
        copy_box_once(to + kHalf, up, walk.column, walk.line, full(place), policy);
    }
  }
  __device__ void copy_rows(int place, const Walk& walk) const {
    copy_box(stage(place) + Traits::kWeightBytes, x, walk.column, first_row, full(place));
  }
  /// One thread.
  __device__ void copy() const {
    const int total = rounds() * panels, ahead = min(job.stages, total);
    const std::uint64_t policy = read_once();
    Walk walk = start();
#pragma unroll 1
    for (int i = 0; i < ahead; ++i, advance(walk)) copy_weights(i, walk, policy);
    wait_for_kernel_ahead();
    walk = start();
#pragma unroll 1
    for (int i = 0; i < ahead; ++i, advance(walk)) copy_rows(i, walk);
    Turn turn;
#pragma unroll 1
    for (int i = ahead; i < total; ++i, advance(walk), turn.advance(job.stages)) {
      barrier_wait(empty(turn.place), turn.parity);
      copy_weights(turn.place, walk, policy);
      copy_rows(turn.place, walk);
    }
  }

  /// Row g or g + 8 of this lane.
  __device__ int row_of(int half) const {
    return first_row + 16 * warp + lane / 4 + 8 * half;
  }
  __device__ bool has_rows() const {
    return first_row + 16 * warp < job.rows;
  }

  /// The first output that this lane finishes; it has two of each eight.
  __device__ int first_output(int tile) const {
    return tile * Traits::kOutputs + split * Traits::kOwn * 8 + 2 * (lane % 4);
  }
  /// Does `act` to this lane's rows that there are, and eights of outputs that there are.
  template <class Act>
  __device__ void for_each_pair(int tile, const Act& act) const {
    const int output = first_output(tile), count = (job.outputs - output + 7) / 8;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row_of(h) >= job.rows) continue;
      const auto at_row = act(h, std::int64_t{row_of(h)}, output);
#pragma unroll
      for (int j = 0; j < Traits::kOwn; ++j) {
        if (j >= count) break;
        at_row(j);
      }
    }
  }
  __device__ void load_residual(Values& values, int tile) const {
#pragma unroll
    for (int j = 0; j < Traits::kOwn; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) values[j][i] = 0;
    }
    if (job.residual.data == nullptr) return;
    for_each_pair(tile, [&](int h, std::int64_t row, int output) {
      const float* from = job.residual.data + row * job.residual.stride + output;
      return [&values, from, h](int j) {
        const float2 two = __ldcg(reinterpret_cast<const float2*>(from + 8 * j));
        values[j][2 * h] = two.x;
        values[j][2 * h + 1] = two.y;
      };
    });
  }
  __device__ void put(const Values& values, int tile) const {
    if (job.out32.data != nullptr) {
      for_each_pair(tile, [&](int h, std::int64_t row, int output) {
        float* to = job.out32.data + row * job.out32.stride + output;
        return [&values, to, h](int j) {
          *reinterpret_cast<float2*>(to + 8 * j) = {values[j][2 * h], values[j][2 * h + 1]};
        };
      });
    } else {
      for_each_pair(tile, [&](int h, std::int64_t row, int output) {
        bf16* to = job.out16.data + row * job.out16.stride + output;
        return [&values, to, h, this](int j) {
          *reinterpret_cast<std::uint32_t*>(to + 8 * j) =
              pack_16(job.out16, values[j][2 * h], values[j][2 * h + 1]);
        };
      });
    }
  }
  /// The products of a tile's rows and columns. Each stage is left once the products behind it have begun.
  __device__ void multiply(Sums& sums, Turn& turn) const {
    int left = -1;
#pragma unroll 1
    for (int panel = 0; panel < panels; ++panel, turn.advance(job.stages)) {
      barrier_wait(full(turn.place), turn.parity);
      const std::uint32_t rows = stage(turn.place) + Traits::kWeightBytes + warp / 4 * 64 * 128;
      const std::uint64_t a = panel_description(rows, 16), b = panel_description(stage(turn.place), 16);
      hold(sums);
      products_begin();
#pragma unroll
      for (int k = 0; k < 4; ++k) multiply_lines<kIsHalf>(sums, a + 2 * k, b + 2 * k, panel > 0 || k > 0);
      products_commit();
      products_wait<1>();
      if (left >= 0) leave(left);
      left = turn.place;
    }
    products_wait<0>();
    hold(sums);
    leave(left);
  }
  /// Of a warpgroup, one thread tells each block that copies here.
  __device__ void leave(int place) const {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread >= kSharing) return;
    if constexpr (kSharing > 1) {
      barrier_arrive_in(empty(place), split * kSharing + thread);
    } else {
      barrier_arrive(empty(place));
    }
  }

  /// Where the sums of this thread from block `from` lie in the block that adds them, for its first eight
  /// outputs.
  __device__ int merge_offset(int from) const {
    return from * kPart * kEightBytes + static_cast<int>(threadIdx.x) * 16;
  }
  __device__ void send(const Sums& sums) const {
#pragma unroll
    for (int to = 0; to < Traits::kSplit; ++to) {
      const int block = to * kSharing + share;
      const std::uint32_t at = place_in(ring() + merge_offset(split), block),
                          barrier = place_in(merged(), block);
#pragma unroll
      for (int j = 0; j < kPart; ++j) send_four(at + j * kEightBytes, sums[to * kPart + j], barrier);
    }
  }
  /// Bytes that this block gets: of the warps that have rows.
  __device__ int merge_bytes() const {
    return Traits::kSplit * kPart * 512 * min(4 * Traits::kGroups, (job.rows - first_row + 15) / 16);
  }
  /// Parts are added in order.
  __device__ void add_up(Values& values) const {
    const unsigned char* merged = shared + Traits::kRingAt;
#pragma unroll
    for (int j = 0; j < kPart; ++j) {
      float4 sum = {};
#pragma unroll
      for (int from = 0; from < Traits::kSplit; ++from) {
        const float4 one = *reinterpret_cast<const float4*>(merged + merge_offset(from) + j * kEightBytes);
        sum = {sum.x + one.x, sum.y + one.y, sum.z + one.z, sum.w + one.w};
      }
      values[j][0] = sum.x;
      values[j][1] = sum.y;
      values[j][2] = sum.z;
      values[j][3] = sum.w;
    }
  }

  __device__ void finish(const Sums& sums, int tile) const {
    if constexpr (Traits::kSplit > 1) {
      cluster_meet();  // nobody reads the ring any more
      if (has_rows()) send(sums);
    }
    if (!has_rows()) return;
    Values values;
    [[maybe_unused]] Values residual;
    if constexpr (Traits::kAdds) load_residual(residual, tile);
    if constexpr (Traits::kSplit > 1) {
      barrier_wait(merged(), 0);
      add_up(values);
    }
#pragma unroll
    for (int j = 0; j < Traits::kOwn; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (Traits::kGated) {
          values[j][i] = activated(sums[j][i], job.activation) * sums[j + Traits::kOwn][i];
        } else {
          values[j][i] = job.scale * (Traits::kSplit > 1 ? values[j][i] : sums[j][i]);
        }
        if constexpr (Traits::kAdds) values[j][i] += residual[j][i];
      }
    }
    put(values, tile);
  }

  __device__ void compute() const {
    wait_for_kernel_ahead();
    Turn turn;
    for (int round = 0; round < rounds(); ++round) {
      Sums sums;
      multiply(sums, turn);
      finish(sums, tile_of(round));
    }
  }

  __device__ void make_barriers() const {
#pragma unroll 1
    for (int place = 0; place < job.stages; ++place) {
      barrier_init(full(place), 1);
      barrier_init(empty(place), Traits::kGroups * kSharing);
    }
    if constexpr (Traits::kSplit > 1) {
      barrier_init(merged(), 1);
      barrier_expect(merged(), merge_bytes());
    }
    publish_barriers();
  }

  __device__ void run() const {
    if (threadIdx.x == 0) make_barriers();
    if constexpr (Traits::kCluster > 1) {
      cluster_meet();
    } else {
      __syncthreads();
    }
    let_next_kernel_start();
    if (warp < 4 * Traits::kGroups) {
      compute();
    } else {
      if (lane == 0) copy();
      __syncwarp();
      if constexpr (Traits::kSplit > 1) cluster_meet();  // as the others, which merge
    }
    if constexpr (kSharing > 1) {  // others may still tell this block that they left a stage
      __syncwarp();
      cluster_meet();
    }
  }
};

#endif

/// Clusters take tiles in turn; with kSplit > 1 there is a cluster for each. `up`: with kGated. kIsHalf: x
/// and the weight are float16, else bf16.
template <class Traits, bool kIsHalf>
__global__ void __launch_bounds__(Traits::kThreads, 1)
    streamed_kernel(const __grid_constant__ CUtensorMap weight, const __grid_constant__ CUtensorMap up,
                    const __grid_constant__ CUtensorMap x, const __grid_constant__ StreamJob job) {
#if defined(PITWALL_HAS_WGMMA)
  extern __shared__ __align__(1024) uint4 memory[];
  StreamBlock<Traits, kIsHalf>{job, &weight, &up, &x, reinterpret_cast<unsigned char*>(memory)}.run();
#endif
}

}  // namespace pitwall::cuda
