// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/kernel_checks.h"

#include <algorithm>
#include <cmath>

#include "kernels/cuda/gpu_floors.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stopwatch.h"

namespace pitwall::cuda {

namespace {

constexpr int kLaunches = 24, kRepeats = 5;

KernelReport run_case(const KernelCase& one, const GpuFloors* floors, Stopwatch& watch) {
  KernelReport report;
  report.name = one.name;
  report.shape = one.shape;
  report.tolerance = one.tolerance;
  auto prepared = one.prepare();
  if (!prepared) {
    report.problem = prepared.error().text();
    return report;
  }
  auto check = (*prepared)->check(watch.stream());
  if (!check) {
    report.problem = check.error().text();
    return report;
  }
  report.error = check->error;
  if (!(check->error <= one.tolerance)) report.problem = "error above the tolerance";
  if (!check->same_twice) report.problem = "two runs differ";
  if (floors == nullptr || !one.timed || !report.problem.empty()) return report;
  report.us = watch.median_us(kRepeats, kLaunches,
                              [&](int turn, cudaStream_t stream) { (*prepared)->launch(turn, stream); });
  report.gbps = one.bytes / report.us / 1e3;
  report.tflops = one.flops / report.us / 1e6;
  const double best = std::max(one.bytes / floors->read_gbps / 1e3,
                               floors->bf16_tflops > 0 ? one.flops / floors->bf16_tflops / 1e6 : 0);
  report.floor_percent = 100 * best / report.us;
  if (!watch.state()) report.problem = watch.state().error().text();
  return report;
}

}  // namespace

Result<void> run_kernel_cases(CaseScale scale, const std::string& filter, bool timed,
                              const std::function<void(const KernelReport&)>& on_case) {
  auto device = open_device();
  if (!device) return std::move(device).error();
  overlap_launches = device->major >= 9;
  GpuFloors floors;
  if (timed) {
    auto measured = measure_gpu_floors(*device);
    if (!measured) return std::move(measured).error();
    floors = *measured;
  }
  for (const auto family : {attention_cases, row_cases, sampling_cases, matrix_cases}) {
    for (const KernelCase& one : family(scale)) {
      if ((one.name + " " + one.shape).find(filter) == std::string::npos) continue;
      Stopwatch watch;
      on_case(run_case(one, timed ? &floors : nullptr, watch));
      // A fault of one kernel ends the context: everything after it would be blamed.
      if (auto ok = check(cudaDeviceSynchronize(), one.name + " " + one.shape); !ok) return ok;
    }
  }
  return {};
}

}  // namespace pitwall::cuda
