// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

const KernelTable& kernel_table(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kAvx512Kernels;
  if (isa == Isa::avx2) return kAvx2Kernels;
#endif
  static_cast<void>(isa);  // elsewhere there is one
  return kPortableKernels;
}

std::int64_t attention_scratch_floats(int queries, int head_dim) {
  const std::int64_t width = (head_dim + 15) / 16 * 16;
  return kKvTile * (head_dim + width) + queries * (width + 2);
}

}  // namespace pitwall
