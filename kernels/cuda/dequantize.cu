// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cell.cuh"
#include "kernels/cuda/device_matrix.h"
#include "kernels/cuda/launch.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

struct Target {
  Rows16 out;
  int first, count, columns;
  const std::int32_t* order;
};

__device__ void store_four(const Target& to, int row, int column, const float (&numbers)[4]) {
  bf16* line = to.out.data + std::int64_t{row} * to.out.stride;
  if (to.order != nullptr) {
    for (int i = 0; i < 4; ++i) {
      const int place = to.order[column + i];
      if (place >= 0) put_16(to.out, line + place, numbers[i]);
    }
    return;
  }
  if (column >= to.out.stride) return;
  float kept[4];
  for (int i = 0; i < 4; ++i) kept[i] = column + i < to.columns ? numbers[i] : 0.0f;
  *reinterpret_cast<uint2*>(line + column) = {pack_16(to.out, kept[0], kept[1]),
                                              pack_16(to.out, kept[2], kept[3])};
}

/// A warp, a cell.
template <TensorType kType>
__global__ void __launch_bounds__(kThreads)
    dequantize_cells(CellMatrix matrix, Target to, std::int64_t cells_in_all) {
  constexpr StoredFormat kFormat = kStored<kType>;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const std::int64_t index = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  const bool there = index < cells_in_all;
  const std::int64_t tile = to.first / kCellRows + (there ? index / matrix.cells : 0);
  const int cell = there ? static_cast<int>(index % matrix.cells) : 0;
  const CellWords words = load_cell<kType>(
      matrix.values + tile * matrix.tile_values + std::int64_t{cell} * kFormat.cell_bytes, lane);
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (!there) return;
  const auto row = static_cast<int>(tile * kCellRows + g - to.first);
  CellScale scale;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const int column = cell * kCellColumns + 16 * s;
    if (16 * s % kFormat.span == 0)
      scale = cell_scale<kType>(
          load_scale<kType>(matrix, matrix.scales + tile * matrix.tile_scales, column, g), matrix.scale_type);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float2 a = dequantized_pair<kType>(words, s, h, scale);
      const float2 b = dequantized_pair<kType>(words, s, h + 2, scale);
      const int r = row + 8 * h;
      if (r >= 0 && r < to.count) store_four(to, r, column + 4 * t, {a.x, a.y, b.x, b.y});
    }
  }
  // Scattered columns leave the padding of their rows to the first cell.
  if (to.order == nullptr || cell != 0) return;
  for (int h = 0; h < 2; ++h) {
    const int r = row + 8 * h;
    if (r < 0 || r >= to.count) continue;
    for (int column = to.columns + t; column < to.out.stride; column += 4)
      put_16(to.out, to.out.data + std::int64_t{r} * to.out.stride + column, 0);
  }
}

/// Eight columns a thread.
__global__ void __launch_bounds__(kThreads) copy_plain(const bf16* from, int from_stride, Target to) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int per_row = to.out.stride / 8;
  const std::int64_t index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= std::int64_t{per_row} * to.count) return;
  const std::int64_t row = index / per_row, column = index % per_row * 8;
  const uint4 eight =
      column < from_stride ? load_once(from + (to.first + row) * from_stride + column) : uint4{0, 0, 0, 0};
  *reinterpret_cast<uint4*>(to.out.data + row * to.out.stride + column) = eight;
}

__device__ void put_floats(Rows32 out, int row, int column, const std::int32_t* order,
                           const float (&numbers)[4]) {
  float* line = out.data + std::int64_t{row} * out.stride;
  for (int i = 0; i < 4; ++i) {
    const int place = order != nullptr ? order[column + i] : column + i;
    if (place >= 0 && place < out.columns) line[place] = numbers[i];
  }
}

/// A block, a row; a thread, what one lane has of it in a cell.
template <TensorType kType>
__global__ void __launch_bounds__(kThreads) gather_cells(CellMatrix matrix, const std::int32_t* order,
                                                         const std::int32_t* ids, float factor, Rows32 out) {
  constexpr StoredFormat kFormat = kStored<kType>;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int id = ids[blockIdx.x], h = id % kCellRows / 8, g = id % 8;
  const std::int64_t tile = id / kCellRows;
  for (int index = threadIdx.x; index < 4 * matrix.cells; index += kThreads) {
    const int cell = index / 4, t = index % 4;
    if (id < 0) {
      for (int s = 0; s < 4; ++s)
        put_floats(out, blockIdx.x, cell * kCellColumns + 16 * s + 4 * t, order, {0, 0, 0, 0});
      continue;
    }
    const CellWords words = load_cell<kType>(
        matrix.values + tile * matrix.tile_values + std::int64_t{cell} * kFormat.cell_bytes, 4 * g + t);
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      const int column = cell * kCellColumns + 16 * s;
      const CellScale scale = cell_scale<kType>(
          load_scale<kType>(matrix, matrix.scales + tile * matrix.tile_scales, column, g), matrix.scale_type);
      float2 of_rows[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) of_rows[i] = dequantized_pair<kType>(words, s, i, scale);
      const float2 a = h == 0 ? of_rows[0] : of_rows[1], b = h == 0 ? of_rows[2] : of_rows[3];
      put_floats(out, blockIdx.x, column + 4 * t, order,
                 {a.x * factor, a.y * factor, b.x * factor, b.y * factor});
    }
  }
}

__global__ void __launch_bounds__(kThreads) gather_plain(const bf16* from, bool half, int from_stride,
                                                         const std::int32_t* ids, float factor, Rows32 out) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int id = ids[blockIdx.x];
  float* line = out.data + std::int64_t{blockIdx.x} * out.stride;
  const bf16* row = from + std::int64_t{id < 0 ? 0 : id} * from_stride;
  for (int column = threadIdx.x; column < out.columns; column += kThreads)
    line[column] = id < 0 ? 0.0f : number_16(row[column], half) * factor;
}

unsigned blocks_for(std::int64_t work, int each) {
  return static_cast<unsigned>((work + each - 1) / each);
}

}  // namespace

void dequantize(const DeviceMatrix& matrix, int first, int count, Rows16 out, cudaStream_t stream) {
  if (count <= 0) return;
  const Target to{out, first, count, matrix.columns, matrix.order};
  if (matrix.is_plain()) {
    launch(copy_plain, blocks_for(std::int64_t{out.stride / 8} * count, kThreads), kThreads, 0, stream,
           reinterpret_cast<const bf16*>(matrix.values), matrix.stride, to);
    return;
  }
  with_quantised_type(matrix.type, [&]<TensorType kType>() {
    const CellMatrix cells = cell_matrix(matrix, stored_format(kType));
    const std::int64_t tiles = (first + count - 1) / kCellRows - first / kCellRows + 1;
    launch(dequantize_cells<kType>, blocks_for(tiles * cells.cells, kWarps), kThreads, 0, stream, cells, to,
           tiles * cells.cells);
  });
}

void gather_dequantized(const DeviceMatrix& matrix, const std::int32_t* ids, int count, float scale,
                        Rows32 out, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(count > 0 ? count : 0);
  if (matrix.is_plain()) {
    launch(gather_plain, blocks, kThreads, 0, stream, reinterpret_cast<const bf16*>(matrix.values),
           matrix.type == TensorType::f16, matrix.stride, ids, scale, out);
    return;
  }
  with_quantised_type(matrix.type, [&]<TensorType kType>() {
    launch(gather_cells<kType>, blocks, kThreads, 0, stream, cell_matrix(matrix, stored_format(kType)),
           matrix.order, ids, scale, out);
  });
}

}  // namespace pitwall::cuda
