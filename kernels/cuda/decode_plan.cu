// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/decode_plan.cuh"

#include <climits>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kLanes = 32, kThreads = 1024;

std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

struct PlanOffsets {
  std::size_t parts, pieces, partials;
};
PlanOffsets plan_offsets(int rows, int kv_heads, int multiprocessors) {
  const auto parts = static_cast<std::size_t>(decode_parts(multiprocessors));
  const auto pieces = static_cast<std::size_t>(most_pieces(rows * kv_heads, static_cast<int>(parts)));
  PlanOffsets offsets{};
  offsets.parts = aligned(parts * sizeof(std::int32_t));
  offsets.pieces = offsets.parts + aligned(parts * sizeof(Piece));
  offsets.partials = offsets.pieces + aligned(pieces * sizeof(Piece));
  return offsets;
}

__device__ PlannedRow planned_row(const StepView& step, int index, int window) {
  PlannedRow planned;
  planned.row = step.decode_rows[index];
  planned.slot = step.slots[planned.row];
  planned.tokens = visible_tokens(planned.slot < 0 ? -1 : step.positions[planned.row], window);
  return planned;
}

/// Sum of `value` over the threads before this one. `totals`: one number a warp.
__device__ int sum_before(int value, int* totals) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  const auto inclusive = [lane](int x) {
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFFu, x, distance);
      if (lane >= distance) x += other;
    }
    return x;
  };
  const int within = inclusive(value);
  if (lane == kLanes - 1) totals[warp] = within;
  __syncthreads();
  if (warp == 0) totals[lane] = inclusive(totals[lane]);
  __syncthreads();
  return within - value + (warp > 0 ? totals[warp - 1] : 0);
}

/// One block. planned: [rows + 1] in shared memory; the last one ends the line.
__global__ void __launch_bounds__(kThreads)
    plan_kernel(StepView step, int most_rows, int kv_heads, int window, DecodePlan plan, int parts) {
  extern __shared__ PlannedRow planned[];
  __shared__ int totals[kThreads / kLanes];
  __shared__ UnitRange each;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = min(step.counts->decode_rows, most_rows);
  const int run = (rows + kThreads - 1) / kThreads;
  const int first = min(thread * run, rows), end = min(first + run, rows);
  int units = 0;
  for (int i = first; i < end; ++i) {
    planned[i] = planned_row(step, i, window);
    units += planned[i].tokens.units();
  }
  sum_before(units, totals);
  const int all_units = totals[kThreads / kLanes - 1] * kv_heads;
  if (thread == 0) each = {INT_MAX, 0};
  __syncthreads();
  for (int i = first; i < end; ++i) {
    atomicMin(&each.least, planned[i].tokens.units());
    atomicMax(&each.most, planned[i].tokens.units());
  }
  __syncthreads();
  const Cut cut = rows > 0 ? cut_line(rows * kv_heads, all_units, each, parts) : Cut{};
  int begin = sum_before((units + (end - first) * cut.pair_cost) * kv_heads, totals);
  for (int i = first; i < end; ++i) {
    planned[i].begin = begin;
    begin += (planned[i].tokens.units() + cut.pair_cost) * kv_heads;
  }
  if (thread == kThreads - 1) planned[rows].begin = begin;
  __syncthreads();
  for (int part = thread; part < parts; part += kThreads) {
    plan.parts[part] = Piece{};
    if (part >= cut.used) continue;
    PartWalk walk(cut, part, kv_heads, planned, rows);
    Piece piece;
    for (int place = -1; walk.next(piece, place);)
      (place < 0 ? plan.parts[part] : plan.pieces[place]) = piece;
  }
}

/// What follows it may read the plan before it waits.
__global__ void settle_kernel() {
  wait_for_kernel_ahead();
  let_next_kernel_start();
}

}  // namespace

std::size_t decode_workspace_bytes(const DecodeShape& shape, int multiprocessors) {
  // A layer may have one kv head for all its heads.
  const std::size_t rows =
      2 * static_cast<std::size_t>(decode_parts(multiprocessors)) * static_cast<std::size_t>(shape.heads);
  const std::size_t padded = (static_cast<std::size_t>(shape.head_dim) + 15) / 16 * 16;
  return plan_offsets(shape.rows, shape.kv_heads, multiprocessors).partials +
         aligned(rows * (padded + 4) * sizeof(float));
}

DecodePlan decode_plan_at(const DecodeWorkspace& workspace, int rows, int kv_heads, int multiprocessors) {
  auto* memory = static_cast<std::byte*>(workspace.memory);
  const PlanOffsets offsets = plan_offsets(rows, kv_heads, multiprocessors);
  return {reinterpret_cast<std::int32_t*>(memory), reinterpret_cast<Piece*>(memory + offsets.parts),
          reinterpret_cast<Piece*>(memory + offsets.pieces),
          reinterpret_cast<float*>(memory + offsets.partials)};
}

void plan_decode(const StepView& step, int rows, int kv_heads, int window, const DecodeWorkspace& workspace,
                 int multiprocessors, cudaStream_t stream) {
  if (rows == 0) return;
  launch(plan_kernel, dim3(1), dim3(kThreads), static_cast<std::size_t>(rows + 1) * sizeof(PlannedRow),
         stream, step, rows, kv_heads, window, decode_plan_at(workspace, rows, kv_heads, multiprocessors),
         decode_parts(multiprocessors));
  launch(settle_kernel, dim3(1), dim3(1), 0, stream);
}

}  // namespace pitwall::cuda
