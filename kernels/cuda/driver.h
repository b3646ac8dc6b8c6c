// SPDX-License-Identifier: GPL-3.0-or-later
// The NVIDIA driver, reached at run time: nothing here is linked, so that the program starts without one.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall::cuda {

/// `code` as an error of `what`, such as "cudaMalloc"; nothing where it is success. Out of memory keeps its
/// kind.
Result<void> check(cudaError_t code, std::string_view what);

/// Functions for memory whose addresses are reserved before it exists (CUDA driver API, virtual memory
/// management).
struct VirtualMemoryApi {
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) free_address = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
};
Result<VirtualMemoryApi> virtual_memory_api();

struct CudaDevice {
  int index = 0;
  std::string name;  ///< "NVIDIA H200"
  int multiprocessors = 0;
  int major = 0, minor = 0;  ///< compute capability
  Bytes memory = 0;          ///< that programs can have
  Bytes l2_bytes = 0;
};

/// Makes the first GPU current for this thread, its context with it. Errors say why there is none: no driver,
/// a driver too old, no GPU, a GPU that this build has no code for.
Result<CudaDevice> open_device();

}  // namespace pitwall::cuda
