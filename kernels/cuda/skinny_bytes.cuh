// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of byte_product.cuh. A multiprocessor has one block, with neighbouring tiles of 16 rows (passes);
// a warp has the same columns of each, its part of the tokens in shared memory, and a ring of stages that
// weights stream through, of which the first are on their way before the kernel ahead has ended. Sums are
// added up in the order of the warps.
#pragma once
#include <span>

#include "kernels/cuda/byte_tokens.cuh"
#include "kernels/cuda/warp_ring.cuh"

namespace pitwall::cuda {

template <class Cells>
struct ByteShared {
  unsigned char stages[Cells::kWarps][Cells::kStages * Cells::kStageBytes];
  float sums[Cells::kBuffers][Cells::kTiles][Cells::kWarps][Cells::kTokens][kTileRows];
  float factors[16];  ///< of the norm behind, by token
};

/// More than half of a multiprocessor's shared memory, of the largest: two blocks of the next kernel beside
/// this one's last would be two on one multiprocessor and none on another.
inline constexpr std::size_t kAlone = 116 * 1024;

/// What a block of warps with at most `quads` needs; 0: more than there is.
template <class Cells>
std::size_t byte_shared_bytes(int quads) {
  const std::size_t most = most_shared_bytes();
  const std::size_t bytes =
      sizeof(ByteShared<Cells>) +
      sizeof(typename Cells::Group) * static_cast<std::size_t>(Cells::kWarps * quads * Cells::kGroups);
  return bytes > most ? 0 : std::min(most, std::max(bytes, kAlone));
}

/// The most quads of a warp.
template <class Cells>
int most_quads(int cells) {
  int most = 0;
  for (int w = 0; w < Cells::kWarps; ++w) {
    const QuadRange range = quads_of<Cells>(cells, w, Cells::kWarps);
    most = std::max(most, range.end - range.first);
  }
  return most;
}

template <class Cells>
__device__ inline ByteShared<Cells>& byte_shared() {
  extern __shared__ __align__(128) unsigned char memory[];
  return *reinterpret_cast<ByteShared<Cells>*>(memory);
}

/// The chunks of a warp in their order, sent for ahead of their use.
template <class Cells, class Matrices>
class ByteStream {
 public:
  using Ring = WarpRing<Cells::kStages, Cells::kStageBytes>;
  __device__ ByteStream(const Matrices& matrices, PassRange passes, QuadRange range, unsigned char* stages)
      : ring(stages),
        matrices_(matrices),
        passes_(passes),
        pass_(passes.first),
        first_cell_(2 * range.first),
        range_cells_(min(matrices.stride / kCellColumns, 2 * range.end) - first_cell_),
        left_(range_cells_) {
    aim();
  }

  __device__ void fill() {
    if (pass_ < passes_.end) {
      if (left_ > 0) send();
      left_ -= Cells::kCells;
      sent_ += Cells::kCells;
      if (left_ <= 0) begin_tile();
    }
    ring.sent();
  }

  Ring ring;

 private:
  __device__ void begin_tile() {
    left_ = range_cells_, sent_ = 0;
    if (++tile_ < Cells::kTiles) return;
    tile_ = 0;
    if (++pass_ < passes_.end) step();
  }

  /// To the first tile of a matrix in this block.
  __device__ void aim() {
    const int owner = Cells::kGated ? 0 : matrices_.owner(pass_);
    end_pass_ = matrices_.first_pass[owner + 1];
    const int tile = pass_ - matrices_.first_pass[owner], lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int m = 0; m < Cells::kTiles; ++m) {
      const CellMatrix& source = matrices_.sources[owner + m];
      values_[m] = source.values + tile * source.tile_values +
                   std::int64_t{first_cell_} * Cells::kFormat.cell_bytes + lane * 16;
      scales_[m] = source.scales + tile * source.tile_scales + lane * 16;
      tile_values_ = static_cast<int>(source.tile_values);
      tile_scales_[m] = static_cast<int>(source.tile_scales);
      group_shift_[m] = source.group_shift, record_bytes_[m] = source.record_bytes;
    }
  }
  __device__ void step() {
    if (pass_ == end_pass_) return aim();
#pragma unroll
    for (int m = 0; m < Cells::kTiles; ++m) values_[m] += tile_values_, scales_[m] += tile_scales_[m];
  }

  __device__ void send() const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::uint32_t stage = ring.next_fill() + lane * 16;
    const auto of = [this](const auto& by_tile) {
      return tile_ > 0 ? by_tile[Cells::kTiles - 1] : by_tile[0];
    };
    const std::byte* from = of(values_) + sent_ * Cells::kFormat.cell_bytes;
    if (left_ >= Cells::kCells) {
#pragma unroll
      for (int i = 0; i < Cells::kValueBytes; i += 512) {
        if (i + 512 <= Cells::kValueBytes || i + lane * 16 < Cells::kValueBytes)
          copy_async_16(stage + i, from + i);
      }
    } else {
#pragma unroll
      for (int i = 0; i < Cells::kValueBytes; i += 512) {
        if (i + lane * 16 < left_ * Cells::kFormat.cell_bytes) copy_async_16(stage + i, from + i);
      }
    }
    const int column = (first_cell_ + sent_) * kCellColumns;
    const int columns = min(left_, Cells::kCells) * kCellColumns;
    int first, bytes;
    if constexpr (Cells::kFormat.grouped) {
      const int shift = of(group_shift_), record = of(record_bytes_);
      first = (column >> shift) * record;
      bytes = ((column + columns - 1) >> shift) * record + record - first;
    } else {
      constexpr int kOfRecord = Cells::kFormat.record_columns, kBytes = Cells::kFormat.record_bytes;
      first = column / kOfRecord * kBytes;
      bytes = (column + columns - 1) / kOfRecord * kBytes + kBytes - first;
    }
    const std::byte* records = of(scales_) + first;
#pragma unroll
    for (int i = 0; i < Cells::kRecordBytes; i += 512) {
      if (i + lane * 16 < Cells::kRecordBytes)  // zeros where there are no more columns
        copy_async_16(stage + Cells::kValueBytes + i, records + i, i + lane * 16 < bytes ? 16 : 0);
    }
  }

  const Matrices& matrices_;
  PassRange passes_;
  int pass_, tile_ = 0;                             ///< of the next chunk
  int first_cell_, range_cells_, sent_ = 0, left_;  ///< of the warp, and of the tile
  int end_pass_ = 0;
  const std::byte *values_[Cells::kTiles], *scales_[Cells::kTiles];  ///< the lane's
  int tile_values_ = 0, tile_scales_[Cells::kTiles], group_shift_[Cells::kTiles],
      record_bytes_[Cells::kTiles];
};

/// Over the slots; then a lane of slot 0 or 1 has row g or g + 8 of a token, where there are two slots at
/// least, else both.
template <class Cells>
__device__ inline void put_sums(const typename Cells::Sums& sums, float (*to)[kTileRows]) {
  constexpr std::uint32_t kAll = 0xFFFFFFFFu;
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int n = 0; n < Cells::kTokenTiles; ++n) {
    if constexpr (Cells::kSlots > 1) {
      const bool lower = t / Cells::kTileTokens % 2 != 0;
      float sum = lower ? sums[n][1] : sums[n][0];
      sum += __shfl_xor_sync(kAll, lower ? sums[n][0] : sums[n][1], Cells::kTileTokens);
      if constexpr (Cells::kSlots > 2) sum += __shfl_xor_sync(kAll, sum, 2);
      if (t < 2 * Cells::kTileTokens) to[4 * n + t % Cells::kTileTokens][g + (lower ? 8 : 0)] = sum;
    } else {
      to[4 * n + t][g] = sums[n][0];
      to[4 * n + t][g + 8] = sums[n][1];
    }
  }
}

/// All products of a block. `quads`: the most of a warp. `early` takes a pass, its row and a token, and gives
/// what is known of the output before its sum; `finish` takes these and the sums by tile, each multiplied by
/// the factor of the norm behind.
template <class Cells, class Matrices, class Early, class Finish>
__device__ inline void byte_products(const Matrices& matrices, PassRange passes, const SkinnyInput& in,
                                     int quads, const Early& early, const Finish& finish) {
  using Product = ByteProduct<Cells>;
  ByteShared<Cells>& shared = byte_shared<Cells>();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const QuadRange range = quads_of<Cells>(matrices.stride / kCellColumns, warp, Cells::kWarps);
  auto* groups = reinterpret_cast<typename Cells::Group*>(&shared + 1) + warp * quads * Cells::kGroups;
  ByteStream<Cells, Matrices> stream(matrices, passes, range, shared.stages[warp]);
#pragma unroll 1
  for (int s = 0; s < Cells::kStages; ++s) stream.fill();
  const typename Product::SlotMasks masks;

  wait_for_kernel_ahead();
  let_next_kernel_start();
  const NormFactors factors{in, shared.factors};
  factors.template find<Cells::kWarps>(in.rows);
  ByteTokens<Cells> tokens(in, matrices.orders[0], matrices.stride, range, groups);
#pragma unroll 1
  for (int pass = passes.first; pass < passes.end; ++pass) {
    const int buffer = pass % Cells::kBuffers;
    // With two buffers one warp finishes a pass, while the others go on.
    constexpr bool kOne = Cells::kBuffers > 1;
    const int finisher = kOne ? lane : static_cast<int>(threadIdx.x);
    const bool finishes = !kOne || (pass - passes.first) % Cells::kWarps == warp;
    decltype(early(0, 0, 0)) known{};
    if (finishes && finisher < kTileRows * in.rows)
      known = early(pass, finisher % kTileRows, finisher / kTileRows);
#pragma unroll 1
    for (int m = 0; m < Cells::kTiles; ++m) {
      const CellMatrix& source = matrices.sources[Cells::kGated ? m : matrices.owner(pass)];
      typename Cells::Sums sums = {};
#pragma unroll 1
      for (int quad = range.first; quad < range.end; quad += Cells::kQuads) {
        const int count = min(Cells::kQuads, range.end - quad);
        if (pass == passes.first && m == 0) tokens.make(quad - range.first, count);
        const auto* stage = reinterpret_cast<const std::byte*>(stream.ring.wait());
        int in_record;
        if constexpr (Cells::kFormat.grouped) {
          in_record = quad * Cells::kQuadColumns & ((1 << source.group_shift) - 1);
        } else {
          in_record = quad * Cells::kQuadColumns % Cells::kFormat.record_columns;
        }
        const auto multiply = [&](int q) {
          Product::multiply(source, stage + q * 2 * Cells::kFormat.cell_bytes, stage + Cells::kValueBytes,
                            in_record + q * Cells::kQuadColumns,
                            groups + (quad + q - range.first) * Cells::kGroups, masks, sums);
        };
        if (count == Cells::kQuads) {
#pragma unroll
          for (int q = 0; q < Cells::kQuads; ++q) multiply(q);
        } else {
#pragma unroll 1
          for (int q = 0; q < count; ++q) multiply(q);
        }
        stream.ring.done();
        stream.fill();
      }
      put_sums<Cells>(sums, shared.sums[buffer][m][warp]);
    }
    __syncthreads();
    for (int i = finisher; finishes && i < kTileRows * in.rows; i += kOne ? 32 : 32 * Cells::kWarps) {
      const int row = i % kTileRows, token = i / kTileRows;
      if (i != finisher) known = early(pass, row, token);
      finish(pass, row, token, known, [&](int tile) {
        float sum = 0;
#pragma unroll
        for (int w = 0; w < Cells::kWarps; ++w) sum += shared.sums[buffer][tile][w][token][row];
        return factors.applied(sum, token);
      });
    }
    if constexpr (!kOne) __syncthreads();
  }
}

struct ByteJobs {
  SkinnyJobs<CellMatrix> jobs;
  int quads;
};
template <class Cells>
__global__ void __launch_bounds__(Cells::kBoundThreads) byte_kernel(const __grid_constant__ ByteJobs job) {
  const auto& jobs = job.jobs;
  const auto& matrices = jobs.matrices;
  const auto row_of = [&](int owner, int pass, int slot) {
    return (pass - matrices.first_pass[owner]) * kTileRows + slot;
  };
  byte_products<Cells>(
      matrices, block_passes(matrices.first_pass[kSkinnyOutputs]), jobs.in, job.quads,
      [&](int pass, int slot, int token) {
        const int owner = matrices.owner(pass);
        return jobs.targets[owner].early(token, row_of(owner, pass, slot));
      },
      [&](int pass, int slot, int token, const SkinnyTarget::Early& known, const auto& sum) {
        const int owner = matrices.owner(pass);
        jobs.targets[owner].store_tile(token, row_of(owner, pass, slot), sum(0), known);
      });
}

struct ByteGatedJob {
  GatedJob<CellMatrix> job;
  int quads;
};
template <class Cells>
__global__ void __launch_bounds__(Cells::kBoundThreads)
    byte_gated_kernel(const __grid_constant__ ByteGatedJob gated) {
  const auto& job = gated.job;
  byte_products<Cells>(job.matrices, block_passes(job.matrices.first_pass[1]), job.in, gated.quads,
                       nothing_early, [&](int pass, int slot, int token, NothingEarly, const auto& sum) {
                         const int row = pass * kTileRows + slot;
                         if (row >= job.rows) return;
                         put_16(job.out, job.out.data + std::int64_t{token} * job.out.stride + row,
                                activated(sum(0), job.activation) * sum(1));
                       });
}

template <class Cells>
bool launch_bytes(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  ByteJobs job{};
  SkinnyJobs<CellMatrix>& jobs = job.jobs;
  jobs.in = in;
  jobs.matrices.stride = outputs[0].weight.stride;
  for (int i = 0; i < kSkinnyOutputs; ++i) {
    int& end = jobs.matrices.first_pass[i + 1];
    end = jobs.matrices.first_pass[i];
    if (i >= count) continue;
    end += skinny_passes<Cells>(outputs[i].weight);
    jobs.matrices.sources[i] = cell_matrix(outputs[i].weight, Cells::kFormat);
    jobs.matrices.orders[i] = outputs[i].weight.order;
    jobs.targets[i] = skinny_target(outputs[i]);
  }
  const int passes = jobs.matrices.first_pass[count], blocks = std::min(passes, in.multiprocessors);
  job.quads = most_quads<Cells>(jobs.matrices.stride / kCellColumns);
  const std::size_t shared_bytes = byte_shared_bytes<Cells>(job.quads);
  if (shared_bytes == 0) return false;
  launch(byte_kernel<Cells>, static_cast<unsigned>(blocks), 32 * Cells::kWarps, shared_bytes, stream, job);
  return true;
}

template <class Cells>
bool launch_gated_bytes(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  const int passes = skinny_passes<Cells>(mlp.gate), blocks = std::min(passes, in.multiprocessors);
  const ByteGatedJob job{
      {.matrices = {.sources = {cell_matrix(mlp.gate, Cells::kFormat), cell_matrix(mlp.up, Cells::kFormat)},
                    .orders = {mlp.gate.order, mlp.up.order},
                    .first_pass = {0, passes, passes, passes, passes},
                    .stride = mlp.gate.stride},
       .activation = mlp.activation,
       .out = mlp.out,
       .rows = mlp.gate.rows,
       .in = in},
      most_quads<Cells>(mlp.gate.stride / kCellColumns)};
  const std::size_t shared_bytes = byte_shared_bytes<Cells>(job.quads);
  if (shared_bytes == 0) return false;
  launch(byte_gated_kernel<Cells>, static_cast<unsigned>(blocks), 32 * Cells::kWarps, shared_bytes, stream,
         job);
  return true;
}

/// Eight tokens have twice the sums, which pays where these meet scales seldom, or the type's numbers are
/// looked up in a table, which costs the other products more.
template <TensorType kType, int kTokens, bool kWide>
inline constexpr bool kPays = kType != TensorType::f8_e4m3 && (kTokens <= 4 || kWide || kStored<kType>.table);

/// Calls `launch` with the ByteCells of matrices of one type, and gives what it gives; false where there are
/// none.
template <int kTokens, bool kGated, class Launch>
bool with_byte_cells(std::span<const DeviceMatrix> matrices, const Launch& launch) {
  const DeviceMatrix& first = matrices[0];
  const auto all = [&](const auto& is) { return std::all_of(matrices.begin(), matrices.end(), is); };
  bool launched = false;
  if (!all([&](const DeviceMatrix& matrix) { return matrix.order == first.order; })) return false;
  with_quantised_type(first.type, [&]<TensorType kType>() {
    const auto with_width = [&]<bool kWide>() {
      if constexpr (kPays<kType, kTokens, kWide>)
        launched = launch.template operator()<ByteCells<kType, kTokens, kWide, kGated>>();
    };
    if constexpr (kStored<kType>.grouped) {
      if (!all([](const DeviceMatrix& matrix) { return matrix.scale_type != TensorType::f32; })) return;
      if (all([](const DeviceMatrix& matrix) { return matrix.group_columns >= kWideGroup; }))
        return with_width.template operator()<true>();
    }
    with_width.template operator()<false>();
  });
  return launched;
}

template <int kTokens>
bool skinny_bytes(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  DeviceMatrix matrices[kSkinnyOutputs];
  for (int i = 0; i < count; ++i) matrices[i] = outputs[i].weight;
  return with_byte_cells<kTokens, false>(
      std::span(matrices, static_cast<std::size_t>(count)),
      [&]<class Cells>() { return launch_bytes<Cells>(in, outputs, count, stream); });
}

template <int kTokens>
bool gated_bytes(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  const DeviceMatrix matrices[] = {mlp.gate, mlp.up};
  return with_byte_cells<kTokens, true>(
      std::span(matrices), [&]<class Cells>() { return launch_gated_bytes<Cells>(in, mlp, stream); });
}

}  // namespace pitwall::cuda
