// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for this folder in builds without CUDA.
#include "kernels/cuda/cuda_device.h"

namespace pitwall::cuda {

namespace {

Error absent() {
  return {Error::Kind::unsupported, "device cuda is not in this build",
          "the program was built without the CUDA back end", "use --device cpu", "device"};
}

}  // namespace

bool is_built() {
  return false;
}

Result<std::unique_ptr<Backend>> open_backend(const CudaBackendOptions&) {
  return absent();
}

Result<GpuFloors> measure_floors() {
  return absent();
}

Result<void> check_kernels(const KernelChecks&, const std::function<void(const KernelReport&)>&) {
  return absent();
}

}  // namespace pitwall::cuda
