// SPDX-License-Identifier: GPL-3.0-or-later
// Runs KernelCases: correctness, then time beside the floor measured in the same run.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/execute/kernel_report.h"
#include "kernels/cuda/kernel_case.h"

namespace pitwall::cuda {

/// Cases whose name or shape contains `filter`. `on_case` hears each result as it comes.
Result<void> run_kernel_cases(CaseScale scale, const std::string& filter, bool timed,
                              const std::function<void(const KernelReport&)>& on_case);

}  // namespace pitwall::cuda
