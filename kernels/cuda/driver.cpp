// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/driver.h"

#include <cstdlib>

namespace pitwall::cuda {

namespace {

constexpr int kOldestMajor = 8;

Error no_gpu(std::string what, std::string cause, std::string action) {
  return {Error::Kind::unsupported, std::move(what), std::move(cause), std::move(action), "device"};
}

template <class Function>
Result<void> find(Function& function, const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  // 12.0: the oldest driver interface that has all of them as they are declared here.
  const auto code = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
  if (code != cudaSuccess || found == nullptr) {
    return no_gpu(std::string("The NVIDIA driver lacks ") + name, cudaGetErrorString(code),
                  "Update the driver, or use --device cpu");
  }
  function = reinterpret_cast<Function>(found);
  return {};
}

}  // namespace

Result<void> check(cudaError_t code, std::string_view what) {
  if (code == cudaSuccess) return {};
  const bool memory = code == cudaErrorMemoryAllocation;
  return Error{memory ? Error::Kind::out_of_memory : Error::Kind::internal,
               std::string(what) + (memory ? " found no memory on the GPU" : " failed on the GPU"),
               cudaGetErrorString(code),
               memory ? "Close other programs on the GPU, or lower kv-cache-memory-bytes"
                      : "Restart the engine; if it happens again, report it with the GPU and driver version",
               "device"};
}

Result<VirtualMemoryApi> virtual_memory_api() {
  VirtualMemoryApi api;
  Result<void> state;
  const auto need = [&state](auto& function, const char* name) {
    if (state) state = find(function, name);
  };
  need(api.reserve, "cuMemAddressReserve");
  need(api.free_address, "cuMemAddressFree");
  need(api.create, "cuMemCreate");
  need(api.release, "cuMemRelease");
  need(api.map, "cuMemMap");
  need(api.unmap, "cuMemUnmap");
  need(api.set_access, "cuMemSetAccess");
  need(api.granularity, "cuMemGetAllocationGranularity");
  if (!state) return std::move(state).error();
  return api;
}

Result<CudaDevice> open_device() {
  // Kernels are loaded with the context: later loads would cost a step its time and belong to no category.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return no_gpu("There is no NVIDIA driver on this machine", "libcuda.so.1 was not found",
                  "Install the driver, or use --device cpu");
  }
  int count = 0;
  const auto counted = cudaGetDeviceCount(&count);
  if (counted == cudaErrorInsufficientDriver) {
    return no_gpu("The NVIDIA driver is too old",
                  "it speaks CUDA " + std::to_string(driver / 1000) + "." +
                      std::to_string(driver % 1000 / 10) + ", this program needs " +
                      std::to_string(CUDART_VERSION / 1000) + ".0",
                  "Update the driver, or use --device cpu");
  }
  if (counted != cudaSuccess || count == 0) {
    return no_gpu("No NVIDIA GPU was found", cudaGetErrorString(counted),
                  "Check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device cpu");
  }
  CudaDevice device;
  cudaDeviceProp properties{};
  if (auto ok = check(cudaGetDeviceProperties(&properties, device.index), "Reading the GPU's properties");
      !ok)
    return std::move(ok).error();
  device.name = properties.name;
  device.multiprocessors = properties.multiProcessorCount;
  device.major = properties.major;
  device.minor = properties.minor;
  device.l2_bytes = properties.l2CacheSize;
  if (device.major < kOldestMajor) {
    return no_gpu(device.name + " has compute capability " + std::to_string(device.major) + "." +
                      std::to_string(device.minor),
                  "the kernels need 8.0 (Ampere) or later", "Use --device cpu");
  }
  if (auto ok = check(cudaSetDevice(device.index), "Opening " + device.name); !ok)
    return std::move(ok).error();
  std::size_t free = 0, total = 0;
  if (auto ok = check(cudaMemGetInfo(&free, &total), "Asking " + device.name + " for its memory"); !ok)
    return std::move(ok).error();
  device.memory = static_cast<Bytes>(total);
  return device;
}

}  // namespace pitwall::cuda
