// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/streamed_linear.cuh"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cuda/tensor_map.h"

namespace pitwall::cuda {

namespace {

struct Gpu {
  int major = 0, multiprocessors = 1, shared_bytes = 0;
};
const Gpu& gpu() {
  static const Gpu found = [] {
    int device = 0;
    Gpu gpu;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&gpu.major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&gpu.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&gpu.shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    return gpu;
  }();
  return found;
}

/// Rows of x, outputs and columns of a weight, or of each of gate and up.
struct StreamShape {
  int rows, outputs, columns;
  bool adds;  ///< a residual
};

/// How one way does a product; cost: no finite one where it cannot.
struct StreamPlan {
  int stage_rows = 0, panels = 0, tiles = 0, stages = 0, clusters = 0;
  double cost = std::numeric_limits<double>::infinity();
};

struct StreamMaps {
  CUtensorMap weight, up, x;
};

/// What a multiprocessor's shared memory keeps of each block for itself.
constexpr int kBlockReserve = 1024;

/// Clusters that run at once, where each block has a multiprocessor of its own.
template <class Traits>
int most_clusters() {
  static const int found = [] {
    const int most = gpu().multiprocessors / Traits::kCluster;
    if (Traits::kCluster <= 2) return most;  // pairs of multiprocessors stand together
    const int shared = gpu().shared_bytes - kBlockReserve;
    cudaFuncSetAttribute(streamed_kernel<Traits, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {Traits::kCluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(most * Traits::kCluster));
    config.blockDim = dim3(Traits::kThreads);
    config.dynamicSmemBytes = static_cast<std::size_t>(shared);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int active = 0;
    cudaOccupancyMaxActiveClusters(&active, streamed_kernel<Traits, false>, &config);
    return std::clamp(active, 1, most);
  }();
  return found;
}

template <class Traits>
StreamPlan plan_way(const StreamShape& shape) {
  StreamPlan plan;
  const bool fits_rows = shape.rows <= Traits::kMostRows && (!Traits::kPaired || shape.rows > Traits::kRows);
  if (!fits_rows || (shape.adds && !Traits::kAdds)) return plan;
  plan.stage_rows = Traits::kPaired ? Traits::kRows : (shape.rows + 7) / 8 * 8;
  plan.panels = (shape.columns + 63) / 64;
  plan.tiles = (shape.outputs + Traits::kOutputs - 1) / Traits::kOutputs;
  const int budget = gpu().shared_bytes - kBlockReserve;
  while (plan.stages < Traits::kMostStages &&
         Traits::shared_bytes(plan.stage_rows, plan.stages + 1) <= budget)
    ++plan.stages;
  const int most = most_clusters<Traits>(), rounds = (plan.tiles + most - 1) / most;
  plan.clusters = (plan.tiles + rounds - 1) / rounds;
  if (plan.stages < 2 || plan.panels < Traits::kSplit || (Traits::kSplit > 1 && rounds > 1)) return plan;
  // What the busiest block reads; x comes from the second cache.
  plan.cost = (Traits::kLines + 0.25 * plan.stage_rows) * rounds / Traits::kSplit;
  return plan;
}

template <class Traits>
void run_way(const StreamPlan& plan, StreamJob job, const StreamMaps& maps, cudaStream_t stream) {
  job.stage_rows = plan.stage_rows;
  job.panels = plan.panels;
  job.tiles = plan.tiles;
  job.stages = plan.stages;
  const auto kernel = job.is_half ? streamed_kernel<Traits, true> : streamed_kernel<Traits, false>;
  launch_clusters(Traits::kCluster, kernel, dim3(static_cast<unsigned>(plan.clusters * Traits::kCluster)),
                  dim3(Traits::kThreads),
                  static_cast<std::size_t>(Traits::shared_bytes(plan.stage_rows, plan.stages)), stream,
                  maps.weight, maps.up, maps.x, job);
}

struct StreamWay {
  int box_lines;
  StreamPlan (*plan)(const StreamShape& shape);
  void (*run)(const StreamPlan& plan, StreamJob job, const StreamMaps& maps, cudaStream_t stream);
};
template <int kLines, int kGroups, int kSplit, bool kPaired, bool kGated>
constexpr StreamWay way() {
  using Traits = StreamTraits<kLines, kGroups, kSplit, kPaired, kGated>;
  return {Traits::kBoxLines, plan_way<Traits>, run_way<Traits>};
}

// Those that measured best on an H200 at the shapes of models of 8 billion weights.
constexpr std::array kPlainWays = {
    way<96, 1, 2, false, false>(), way<160, 1, 4, false, false>(), way<112, 1, 1, false, false>(),
    way<96, 2, 2, false, false>(), way<160, 2, 4, false, false>(),
};
constexpr std::array kGatedWays = {
    way<112, 1, 1, false, true>(),
    way<224, 2, 1, false, true>(),
    way<224, 2, 1, true, true>(),
};

struct StreamChoice {
  const StreamWay* way = nullptr;  ///< null: there is none
  StreamPlan plan;
};
template <std::size_t kCount>
StreamChoice choose(const std::array<StreamWay, kCount>& ways, const StreamShape& shape) {
  StreamChoice best;
  for (const StreamWay& way : ways) {
    const StreamPlan plan = way.plan(shape);
    if (plan.cost < best.plan.cost) best = {&way, plan};
  }
  return best;
}

/// Columns that are multiplied: padding counts as zero.
int inner(Rows16 x, const DeviceMatrix& weight) {
  return std::min(x.stride, weight.stride);
}
StreamChoice choose_plain(Rows16 x, const SkinnyOutput& output, int rows) {
  const DeviceMatrix& weight = output.weight;
  const bool adds = output.residual.data != nullptr;
  return choose(kPlainWays, {rows, weight.rows, inner(x, weight), adds});
}
StreamChoice choose_gated(Rows16 x, const DeviceMatrix& gate, int rows) {
  return choose(kGatedWays, {rows, gate.rows, inner(x, gate), false});
}

void run(const StreamChoice& choice, const StreamJob& job, Rows16 x, const DeviceMatrix& weight,
         const DeviceMatrix& up, cudaStream_t stream) {
  const int columns = inner(x, weight);
  const auto map_weight = [&](const DeviceMatrix& matrix) {
    return map_panels(matrix.values, matrix.rows, columns, matrix.stride, choice.way->box_lines);
  };
  const StreamMaps maps{map_weight(weight), map_weight(up),
                        map_panels(x.data, job.rows, columns, x.stride, choice.plan.stage_rows)};
  choice.way->run(choice.plan, job, maps, stream);
}

bool is_aligned(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % 16 == 0;
}
bool is_aligned(const Rows16& rows) {
  return is_aligned(rows.data) && rows.stride % 8 == 0;
}
bool is_aligned(const Rows32& rows) {
  return is_aligned(rows.data) && rows.stride % 8 == 0;
}
bool can_stream(Rows16 x, const DeviceMatrix& weight, int rows) {
  return has_streamed() && weight.type == (x.is_half() ? TensorType::f16 : TensorType::bf16) &&
         rows >= kLeastStreamed && rows <= kMostStreamed && weight.rows % 8 == 0 && weight.stride % 8 == 0 &&
         is_aligned(weight.values) && is_aligned(x);
}

}  // namespace

bool has_streamed() {
  return gpu().major == 9;
}

bool streams(Rows16 x, const SkinnyOutput& output, int rows) {
  return can_stream(x, output.weight, rows) && output.bias == nullptr && is_aligned(output.out16) &&
         is_aligned(output.out32) && is_aligned(output.residual) && output.norm.gain == nullptr &&
         choose_plain(x, output, rows).way != nullptr;
}

bool streams_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Rows16 out, int rows) {
  return can_stream(x, gate, rows) && can_stream(x, up, rows) && gate.rows == up.rows &&
         gate.stride == up.stride && is_aligned(out) && choose_gated(x, gate, rows).way != nullptr;
}

void streamed_linear(Rows16 x, const SkinnyOutput& output, int rows, cudaStream_t stream) {
  StreamJob job;
  job.is_half = x.is_half();
  job.rows = rows;
  job.outputs = output.weight.rows;
  job.scale = output.scale;
  job.out16 = output.out16;
  job.out32 = output.out32;
  job.residual = output.residual;
  run(choose_plain(x, output, rows), job, x, output.weight, output.weight, stream);
}

void streamed_gated(Rows16 x, const DeviceMatrix& gate, const DeviceMatrix& up, Activation activation,
                    Rows16 out, int rows, cudaStream_t stream) {
  StreamJob job;
  job.is_half = x.is_half();
  job.rows = rows;
  job.outputs = gate.rows;
  job.out16 = out;
  job.activation = activation;
  run(choose_gated(x, gate, rows), job, x, gate, up, stream);
}

}  // namespace pitwall::cuda
