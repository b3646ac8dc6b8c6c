// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace pitwall::cuda {

namespace {

// NVML's interface as its documentation states it; the header comes with few toolkits.
using Device = struct nvmlDevice_st*;
struct Memory {  // nvmlMemory_v2_t
  unsigned int version;
  unsigned long long total, reserved, free, used;
};
struct Process {  // nvmlProcessInfo_t
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance, compute_instance;
};
constexpr int kSuccess = 0;
constexpr unsigned int kMemoryVersion = sizeof(Memory) | 2u << 24;
constexpr unsigned long long kUnknown = ~0ull;

}  // namespace

struct GpuMemoryMeter::Library {
  void* handle = nullptr;
  int (*start)() = nullptr;
  int (*end)() = nullptr;
  int (*device_at)(unsigned int, Device*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*processes)(Device, unsigned int*, Process*) = nullptr;
  Device device = nullptr;
  Bytes used_before = 0;  ///< by others, before our context
  Bytes context = 0;
  Bytes total = 0;

  bool usable() const { return device != nullptr; }

  Memory read_memory() const {
    Memory reading{kMemoryVersion, 0, 0, 0, 0};
    if (!usable() || memory(device, &reading) != kSuccess) return {};
    return reading;
  }

  /// Of this process; 0 where the driver does not say (containers hide process numbers).
  Bytes own() const {
    unsigned int count = 64;
    std::vector<Process> list(count);
    if (!usable() || processes == nullptr || processes(device, &count, list.data()) != kSuccess) return 0;
    const auto self = static_cast<unsigned int>(getpid());
    for (unsigned int i = 0; i < std::min<unsigned int>(count, 64); ++i) {
      if (list[i].pid == self && list[i].used != kUnknown) return static_cast<Bytes>(list[i].used);
    }
    return 0;
  }
};

GpuMemoryMeter::GpuMemoryMeter() : library_(std::make_unique<Library>()) {
  Library& nvml = *library_;
  nvml.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (nvml.handle == nullptr) return;
  const auto find = [&nvml](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(nvml.handle, name));
    return function != nullptr;
  };
  if (!find(nvml.start, "nvmlInit_v2") || !find(nvml.end, "nvmlShutdown") ||
      !find(nvml.device_at, "nvmlDeviceGetHandleByIndex_v2") ||
      !find(nvml.memory, "nvmlDeviceGetMemoryInfo_v2") || nvml.start() != kSuccess) {
    return;
  }
  find(nvml.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (nvml.device_at(0, &nvml.device) != kSuccess) nvml.device = nullptr;
  nvml.used_before = static_cast<Bytes>(nvml.read_memory().used);
}

GpuMemoryMeter::~GpuMemoryMeter() {
  if (library_->handle == nullptr) return;
  if (library_->usable()) library_->end();
  dlclose(library_->handle);
}

void GpuMemoryMeter::context_opened(const CudaDevice& device) {
  Library& nvml = *library_;
  nvml.total = device.memory;
  if (nvml.usable()) {
    nvml.context = std::max<Bytes>(static_cast<Bytes>(nvml.read_memory().used) - nvml.used_before, 0);
    return;
  }
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) nvml.used_before = static_cast<Bytes>(total - free);
}

Bytes GpuMemoryMeter::context_bytes() const {
  return library_->context;
}

DeviceReading GpuMemoryMeter::read() const {
  const Library& nvml = *library_;
  DeviceReading reading;
  reading.total = nvml.total;
  Bytes used = 0;
  if (nvml.usable()) {
    used = static_cast<Bytes>(nvml.read_memory().used);
  } else {
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) used = static_cast<Bytes>(total - free);
  }
  const Bytes own = nvml.own();
  reading.held = own > 0 ? own : std::max<Bytes>(used - nvml.used_before, 0);
  reading.others = std::max<Bytes>(used - reading.held, 0);
  return reading;
}

}  // namespace pitwall::cuda
