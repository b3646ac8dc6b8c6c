// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine itself can do: the measure for every kernel.
#pragma once
#include "engine/base/result.h"
#include "kernels/cpu/cpu_backend.h"

namespace pitwall {

struct CpuFloors {
  double read_gbps = 0;  ///< 1e9 bytes a second, all threads together, from memory far larger than the caches
  double copy_gbps = 0;  ///< bytes read plus bytes written
  double float32_tflops = 0;  ///< two operations per multiply-add, kernels' vector width
  double int8_tops = 0;       ///< the same for the dot product of int8 activations and 4-bit weights
};

/// Takes about two seconds; the best of several rounds each, so that a busy neighbour harms little.
Result<CpuFloors> measure_cpu_floors(Isa isa, int threads, Bytes memory_limit);

}  // namespace pitwall
