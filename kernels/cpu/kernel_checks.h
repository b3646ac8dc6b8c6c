// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's kernels one by one: against the double reference, and timed beside the floors of the same run.
#pragma once
#include <functional>
#include <string>

#include "engine/base/result.h"
#include "engine/execute/kernel_report.h"
#include "kernels/cpu/cpu_backend.h"

namespace pitwall {

/// Linears in every weight format, gated MLP, norm, rotation with append, and attention in every KV dtype;
/// of those whose name or shape contains `filter`. `small`: small shapes, not timed.
struct CpuKernelChecks {
  std::string filter;
  bool small = false, timed = true;
};
Result<void> check_cpu_kernels(const CpuBackendOptions& options, const CpuKernelChecks& checks,
                               const std::function<void(const KernelReport&)>& on_case);

}  // namespace pitwall
