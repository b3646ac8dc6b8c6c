// SPDX-License-Identifier: GPL-3.0-or-later
// What this GPU can do at best: the floors that kernels are measured against, taken in the same run.
#pragma once
#include "engine/base/result.h"
#include "kernels/cuda/driver.h"

namespace pitwall::cuda {

struct GpuFloors {
  double read_gbps = 0;    ///< GB/s = 1e9 bytes, of a sum over memory far larger than the caches
  double copy_gbps = 0;    ///< bytes read and written
  double bf16_tflops = 0;  ///< 8192³ through cuBLASLt on random numbers; 0 without the library
  double launch_us = 0;    ///< of one empty kernel in a captured chain
};
Result<GpuFloors> measure_gpu_floors(const CudaDevice& device);

}  // namespace pitwall::cuda
