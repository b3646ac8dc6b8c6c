// SPDX-License-Identifier: GPL-3.0-or-later
// All kernel families for one vector type.
#pragma once
#include "kernels/cpu/attention_kernel.h"
#include "kernels/cpu/linear_kernels.h"
#include "kernels/cpu/probe_kernels.h"
#include "kernels/cpu/row_kernels.h"

namespace pitwall {

template <class S>
constexpr KernelTable make_kernel_table() {
  return {
      .linear_float = LinearKernels<S>::linear_float,
      .linear_quantized = LinearKernels<S>::linear_quantized,
      .rms_norm = RowKernels<S>::rms_norm,
      .layer_norm = RowKernels<S>::layer_norm,
      .softcap = RowKernels<S>::softcap,
      .quantize = RowKernels<S>::quantize,
      .gate = RowKernels<S>::gate,
      .rope = RowKernels<S>::rope,
      .to_half = RowKernels<S>::to_half,
      .to_bfloat = RowKernels<S>::to_bfloat,
      .to_fp8 = RowKernels<S>::to_fp8,
      .to_int8 = RowKernels<S>::to_int8,
      .attention = AttentionKernel<S>::run,
      .read_memory = ProbeKernels<S>::read_memory,
      .multiply_add_float = ProbeKernels<S>::multiply_add_float,
      .multiply_add_int8 = ProbeKernels<S>::multiply_add_int8,
  };
}

}  // namespace pitwall
