// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled with this instruction set switched on (CMakeLists.txt); empty for other processors.
#if defined(__x86_64__)
#include "kernels/cpu/make_kernel_table.h"
#include "kernels/cpu/simd_avx2.h"

namespace pitwall {

constinit const KernelTable kAvx2Kernels = make_kernel_table<SimdAvx2>();

}  // namespace pitwall
#endif
