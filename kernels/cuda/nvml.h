// SPDX-License-Identifier: GPL-3.0-or-later
// What the driver says about the GPU's memory, through NVML where it can be opened.
#pragma once
#include <memory>

#include "engine/telemetry/ledger.h"
#include "kernels/cuda/driver.h"

namespace pitwall::cuda {

/// Thread-safe. Never calls into a context that computes: it may be asked while steps run.
class GpuMemoryMeter {
 public:
  /// Before the context exists, so that its own share can be told. Works without NVML, less exactly.
  GpuMemoryMeter();
  ~GpuMemoryMeter();

  /// After open_device(): the context's bytes are what came on top since construction.
  void context_opened(const CudaDevice& device);
  Bytes context_bytes() const;

  DeviceReading read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace pitwall::cuda
