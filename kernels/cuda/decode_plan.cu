// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/decode_plan.cuh"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kLanes = 32, kThreads = 1024;

std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

std::size_t most_parts(int multiprocessors) {
  return static_cast<std::size_t>(std::min(kMostPartsPerMultiprocessor * multiprocessors, kMostParts));
}

struct PlanOffsets {
  std::size_t parts, rows, partials;
};
PlanOffsets plan_offsets(int rows, int multiprocessors) {
  const auto parts = most_parts(multiprocessors);
  PlanOffsets offsets{};
  offsets.parts = aligned(parts * sizeof(std::int32_t));
  offsets.rows = offsets.parts + aligned(parts * sizeof(PlannedPart));
  offsets.partials = offsets.rows + aligned(static_cast<std::size_t>(rows) * sizeof(PlannedRow));
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

/// One block. begins: [rows + 1] in shared memory.
__global__ void __launch_bounds__(kThreads)
    plan_kernel(StepView step, int most_rows, int kv_heads, int window, DecodePlan plan, int parts) {
  extern __shared__ std::int32_t begins[];
  __shared__ int totals[kThreads / kLanes];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = min(step.counts->decode_rows, most_rows);
  const int run = (rows + kThreads - 1) / kThreads;
  const int first = min(thread * run, rows), end = min(first + run, rows);
  int units = 0;
  for (int i = first; i < end; ++i) units += planned_row(step, i, window).tokens.units() * kv_heads;
  int begin = sum_before(units, totals);
  for (int i = first; i < end; ++i) {
    PlannedRow planned = planned_row(step, i, window);
    planned.begin = begin;
    plan.rows[i] = planned;
    begins[i] = begin;
    begin += planned.tokens.units() * kv_heads;
  }
  if (thread == kThreads - 1) begins[rows] = begin;
  __syncthreads();
  const int total = begins[rows];
  const int used = total > 0 ? used_parts(total, parts) : 0;
  for (int part = thread; part < parts; part += kThreads) {
    PlannedPart planned;
    if (part < used) {
      planned.cut = cut_line(total, used);
      planned.begin = planned.cut.begin(part);
      planned.end = planned.cut.begin(part + 1);
      int low = 0, high = rows;  // begins[low] <= planned.begin < begins[high]
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        (begins[middle] <= planned.begin ? low : high) = middle;
      }
      planned.index = low;
      planned.row = planned_row(step, low, window);
      planned.row.begin = begins[low];
    }
    plan.parts[part] = planned;
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
  const std::size_t rows = 2 * most_parts(multiprocessors) * static_cast<std::size_t>(shape.heads);
  const std::size_t padded = (static_cast<std::size_t>(shape.head_dim) + 15) / 16 * 16;
  return plan_offsets(shape.rows, multiprocessors).partials + aligned(rows * (2 + padded) * sizeof(float));
}

DecodePlan decode_plan_at(const DecodeWorkspace& workspace, int rows, int multiprocessors) {
  auto* memory = static_cast<std::byte*>(workspace.memory);
  const PlanOffsets offsets = plan_offsets(rows, multiprocessors);
  return {reinterpret_cast<std::int32_t*>(memory), reinterpret_cast<PlannedPart*>(memory + offsets.parts),
          reinterpret_cast<PlannedRow*>(memory + offsets.rows),
          reinterpret_cast<float*>(memory + offsets.partials)};
}

void plan_decode(const StepView& step, int rows, int kv_heads, int window, KvDtype dtype,
                 const DecodeWorkspace& workspace, int multiprocessors, cudaStream_t stream) {
  if (rows == 0) return;
  launch(plan_kernel, dim3(1), dim3(kThreads), static_cast<std::size_t>(rows + 1) * sizeof(std::int32_t),
         stream, step, rows, kv_heads, window, decode_plan_at(workspace, rows, multiprocessors),
         decode_parts(multiprocessors, number_bytes(dtype)));
  launch(settle_kernel, dim3(1), dim3(1), 0, stream);
}

}  // namespace pitwall::cuda
