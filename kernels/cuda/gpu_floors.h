// SPDX-License-Identifier: GPL-3.0-or-later
// Measures what a GPU can do at best.
#pragma once
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/driver.h"

namespace pitwall::cuda {

Result<GpuFloors> measure_gpu_floors(const CudaDevice& device);

}  // namespace pitwall::cuda
