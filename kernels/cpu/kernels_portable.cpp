// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/make_kernel_table.h"
#include "kernels/cpu/simd_portable.h"

namespace pitwall {

constinit const KernelTable kPortableKernels = make_kernel_table<SimdPortable>();

}  // namespace pitwall
