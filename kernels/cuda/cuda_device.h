// SPDX-License-Identifier: GPL-3.0-or-later
// What the rest of the program sees of this folder. In builds without CUDA everything here says so
// (cuda_absent.cpp).
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/execute/backend.h"
#include "engine/execute/kernel_report.h"

namespace pitwall::cuda {

/// Whether this build has kernels; a GPU may still be missing.
bool is_built();

struct CudaBackendOptions {
  Bytes memory_limit = 0;       ///< 0 = none
  int threads = 1;              ///< host threads that repack weights
  bool half = false;            ///< activations and plain weights are float16, else bfloat16
  std::filesystem::path cache;  ///< folder that keeps what was measured; empty: nothing is kept
};
/// On the first GPU. Errors say why there is none to use.
Result<std::unique_ptr<Backend>> open_backend(const CudaBackendOptions& options);

/// What this GPU can do at best: the floors that kernels are measured against, taken in the same run.
struct GpuFloors {
  std::string device;
  double read_gbps = 0;    ///< GB/s = 1e9 bytes, of a sum over memory far larger than the caches
  double copy_gbps = 0;    ///< bytes read and written
  double bf16_tflops = 0;  ///< 8192³ through cuBLASLt on random numbers; 0 without the library
  double launch_us = 0;    ///< of one empty kernel in a captured chain
};
Result<GpuFloors> measure_floors();

/// Kernels whose name or shape contains `filter` against their references; `timed`: and against the floors.
/// `small`: shapes for checkers that slow everything down a hundredfold.
struct KernelChecks {
  std::string filter;
  bool small = false, timed = true;
};
Result<void> check_kernels(const KernelChecks& checks,
                           const std::function<void(const KernelReport&)>& on_case);

}  // namespace pitwall::cuda
