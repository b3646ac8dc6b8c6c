// SPDX-License-Identifier: GPL-3.0-or-later
// The tiled product: a block makes 64 or 128 tokens by 128 rows of a weight, 64 columns at a time from two
// buffers in shared memory. Tokens are the first operand, the weight's rows the second. Quantised cells wait
// in registers while the tile before theirs is multiplied, and are put into shared memory in 16 bits, as
// tokens are. Tokens are neighbouring rows of x, or a group of visits to one expert.
#pragma once
#include <type_traits>

#include "kernels/cuda/cell.cuh"
#include "kernels/cuda/find_group.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/skinny.cuh"
#include "kernels/cuda/skinny_plain.cuh"

namespace pitwall::cuda {

inline constexpr int kTileThreads = 256, kTileOutputs = 128, kTileColumns = 64;
inline constexpr int kTilePitch = kTileColumns + 8;  // rows 16 bytes past a multiple of 128: no bank twice

template <TensorType kType>
using MatrixSource = std::conditional_t<kType == TensorType::bf16, PlainSource, CellMatrix>;

template <TensorType kType>
MatrixSource<kType> matrix_source(const DeviceMatrix& matrix) {
  if constexpr (kType == TensorType::bf16) {
    return plain_source(matrix);
  } else {
    return cell_matrix(matrix, stored_format(kType));
  }
}

template <class Source>
struct TileJob {
  SkinnyInput in;
  Source source;
  const std::int32_t* order = nullptr;
  int rows = 0, stride = 0;  ///< of the weight
  SkinnyTarget target;
  ExpertVisits visits;
};

/// What a block multiplies.
template <class Source>
struct TileWork {
  Source source;
  const std::int32_t* order;
  int first = 0, count = 0;  ///< tokens
};

template <class Source>
__device__ inline TileWork<Source> tile_work(const TileJob<Source>& job, int index, int size) {
  TileWork<Source> work{job.source, job.order, index * size, 0};
  if (job.visits.matrices == nullptr) {
    work.count = min(size, job.in.rows - work.first);
    return work;
  }
  const VisitGroup group = find_group(job.visits.first_visit, job.visits.experts, index, size);
  if (group.expert < 0) return work;
  work.first = group.first;
  work.count = group.count;
  const DeviceMatrix& matrix = job.visits.matrices[group.expert];
  work.order = matrix.order;
  if constexpr (std::is_same_v<Source, PlainSource>) {
    work.source.values = reinterpret_cast<const bf16*>(matrix.values);
  } else {
    work.source.values = matrix.values;
    work.source.scales = matrix.scales;
  }
  return work;
}

template <TensorType kType, int kTokens>
class TileProduct {
 public:
  using Source = MatrixSource<kType>;
  static constexpr int kSharedBytes = 2 * (kTokens + kTileOutputs) * kTilePitch * 2;

  __device__ TileProduct(const TileJob<Source>& job, const TileWork<Source>& work, int first_output,
                         bf16* shared)
      : job_(job), work_(work), first_output_(first_output), shared_(shared) {}

  __device__ void run() {
    const int steps = (job_.stride + kTileColumns - 1) / kTileColumns;
    fetch(0, 0);
    put(0, 0);
    for (int step = 0; step < steps; ++step) {
      copy_async_wait<0>();
      __syncthreads();  // this step's buffers are full, and nobody reads the other ones any more
      if (step + 1 < steps) fetch(step + 1, (step + 1) % 2);
      multiply(step % 2);
      if (step + 1 < steps) put(step + 1, (step + 1) % 2);
    }
    store();
  }

 private:
  static constexpr int kWarps = kTileThreads / 32;
  static constexpr int kTokenTiles = kTokens / 32;  ///< 16s of a warp, of which two stand above each other
  static constexpr bool kPlain = kType == TensorType::bf16;

  __device__ bf16* tokens(int buffer) { return shared_ + buffer * (kTokens + kTileOutputs) * kTilePitch; }
  __device__ bf16* outputs(int buffer) { return tokens(buffer) + kTokens * kTilePitch; }

  __device__ const bf16* token_row(int token) const {
    int row = work_.first + token;
    if (job_.visits.rows != nullptr) row = job_.visits.rows[row];
    return job_.in.x.data + std::int64_t{row} * job_.in.x.stride;
  }

  /// Sends for the columns of a step: tokens and plain weights into a buffer, cells into registers.
  __device__ void fetch(int step, int buffer) {
    fetch_tokens(step * kTileColumns, tokens(buffer));
    if constexpr (kPlain) {
      fetch_plain(step * kTileColumns, outputs(buffer));
    } else {
      const std::int64_t tile = first_output_ / kCellRows + warp_;
      if (tile * kCellRows < job_.rows) {
        words_ = load_cell<kType>(work_.source.values + tile * work_.source.tile_values +
                                      std::int64_t{step} * kStored<kType>.cell_bytes,
                                  lane_);
      }
    }
    copy_async_commit();
  }

  __device__ void fetch_tokens(int column, bf16* to) const {
    constexpr int kEights = kTileColumns / 8;
    for (int i = threadIdx.x; i < kTokens * kEights; i += kTileThreads) {
      const int token = i / kEights, k = column + i % kEights * 8;
      bf16* place = to + token * kTilePitch + i % kEights * 8;
      const bool there = token < work_.count;
      const bf16* row = there ? token_row(token) : job_.in.x.data;
      if (job_.in.aligned && work_.order == nullptr) {
        const int bytes = there ? 2 * min(8, max(0, job_.in.x.columns - k)) : 0;
        copy_async_16(shared_address(place), bytes > 0 ? row + k : row, bytes);
        continue;
      }
      for (int c = 0; c < 8; ++c) {
        const int from = work_.order == nullptr ? k + c : k + c < job_.stride ? work_.order[k + c] : -1;
        const bool inside = there && from >= 0 && from < job_.in.x.columns;
        place[c] = inside ? row[from] : __float2bfloat16(0);
      }
    }
  }

  __device__ void fetch_plain(int column, bf16* to) const {
    constexpr int kEights = kTileColumns / 8;
    for (int i = threadIdx.x; i < kTileOutputs * kEights; i += kTileThreads) {
      const int output = i / kEights, k = column + i % kEights * 8, row = first_output_ + output;
      const bool there = row < job_.rows && k < job_.stride;
      const bf16* from = work_.source.values + (there ? std::int64_t{row} * job_.stride + k : 0);
      copy_async_16(shared_address(to + output * kTilePitch + i % kEights * 8), from, there ? 16 : 0);
    }
  }

  /// A warp's cell in 16 bits: its sixteen rows of the tile.
  __device__ void put(int step, int buffer) {
    if constexpr (!kPlain) {
      const int g = lane_ / 4, t = lane_ % 4;
      const std::int64_t tile = first_output_ / kCellRows + warp_;
      bf16* to = outputs(buffer) + (warp_ * kCellRows + g) * kTilePitch + 4 * t;
      const bool there = tile * kCellRows < job_.rows;
      CellScale scale;
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        if (there && 16 * s % kStored<kType>.span == 0) {
          scale = cell_scale<kType>(
              load_scale<kType>(work_.source, work_.source.scales + tile * work_.source.tile_scales,
                                step * kTileColumns + 16 * s, g),
              work_.source.scale_type);
        }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          uint2 four{0, 0};
          if (there) {
            const float2 a = dequantized_pair<kType>(words_, s, h, scale);
            const float2 b = dequantized_pair<kType>(words_, s, h + 2, scale);
            four = {pack_16(job_.in.x, a.x, a.y), pack_16(job_.in.x, b.x, b.y)};
          }
          *reinterpret_cast<uint2*>(to + 8 * h * kTilePitch + 16 * s) = four;
        }
      }
    }
  }

  __device__ void multiply(int buffer) {
    const int m = lane_ / 8, r = lane_ % 8;  // the matrix whose row the lane names, and the row
    const bf16* from = tokens(buffer) + (token_base() + m % 2 * 8 + r) * kTilePitch + m / 2 * 8;
    const bf16* weights = outputs(buffer) + (output_base() + m / 2 * 8 + r) * kTilePitch + m % 2 * 8;
#pragma unroll
    for (int s = 0; s < kTileColumns / 16; ++s) {
      std::uint32_t a[kTokenTiles][4], b[2][4];
#pragma unroll
      for (int i = 0; i < kTokenTiles; ++i)
        load_matrix_x4(a[i], shared_address(from + 16 * i * kTilePitch + 16 * s));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_matrix_x4(b[j], shared_address(weights + 16 * j * kTilePitch + 16 * s));
      if (job_.in.x.is_half()) {
        multiply_step<true>(a, b);
      } else {
        multiply_step<false>(a, b);
      }
    }
  }
  template <bool kIsHalf>
  __device__ void multiply_step(const std::uint32_t (&a)[kTokenTiles][4], const std::uint32_t (&b)[2][4]) {
#pragma unroll
    for (int i = 0; i < kTokenTiles; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        cuda::multiply<kIsHalf>(sums_[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }

  __device__ void store() const {
    const int g = lane_ / 4, t = lane_ % 4;
#pragma unroll
    for (int i = 0; i < kTokenTiles; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int token = token_base() + 16 * i + g + c / 2 * 8;
          const int output = first_output_ + output_base() + 8 * j + 2 * t + c % 2;
          if (token < work_.count && output < job_.rows)
            job_.target.store(work_.first + token, output, sums_[i][j][c]);
        }
      }
    }
  }

  /// Warps stand two by four over tokens and outputs.
  __device__ int token_base() const {
    return warp_ / 4 * (kTokens / 2);
  }
  __device__ int output_base() const {
    return warp_ % 4 * 32;
  }

  const TileJob<Source>& job_;
  const TileWork<Source>& work_;
  int first_output_;
  bf16* shared_;
  int lane_ = threadIdx.x % 32, warp_ = threadIdx.x / 32;
  CellWords words_;
  float sums_[kTokenTiles][4][4] = {};
};

template <TensorType kType, int kTokens>
__global__ void __launch_bounds__(kTileThreads)
    tile_kernel(const __grid_constant__ TileJob<MatrixSource<kType>> job) {
  extern __shared__ __align__(16) unsigned char shared[];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const TileWork<MatrixSource<kType>> work = tile_work(job, static_cast<int>(blockIdx.y), kTokens);
  if (work.count <= 0) return;
  TileProduct<kType, kTokens>(job, work, static_cast<int>(blockIdx.x) * kTileOutputs,
                              reinterpret_cast<bf16*>(shared))
      .run();
}

/// `groups`: the most groups of kTokens tokens that there can be.
template <TensorType kType, int kTokens>
void launch_tiles(const TileJob<MatrixSource<kType>>& job, int groups, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((job.rows + kTileOutputs - 1) / kTileOutputs),
                  static_cast<unsigned>(groups));
  launch(tile_kernel<kType, kTokens>, grid, kTileThreads, TileProduct<kType, kTokens>::kSharedBytes, stream,
         job);
}

}  // namespace pitwall::cuda
