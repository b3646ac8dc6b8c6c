// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cuda_device.h"

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/gpu_floors.h"
#include "kernels/cuda/kernel_checks.h"

namespace pitwall::cuda {

bool is_built() {
  return true;
}

Result<std::unique_ptr<Backend>> open_backend(const CudaBackendOptions& options) {
  auto backend = CudaBackend::open(options);
  if (!backend) return std::move(backend).error();
  return std::unique_ptr<Backend>(*std::move(backend));
}

Result<GpuFloors> measure_floors() {
  auto device = open_device();
  if (!device) return std::move(device).error();
  return measure_gpu_floors(*device);
}

Result<void> check_kernels(const KernelChecks& checks,
                           const std::function<void(const KernelReport&)>& on_case) {
  return run_kernel_cases(checks.small ? CaseScale::small : CaseScale::full, checks.filter,
                          checks.timed && !checks.small, on_case);
}

}  // namespace pitwall::cuda
