// SPDX-License-Identifier: GPL-3.0-or-later
// One case of decode or prefill attention: inputs on the device, the reference in double, launches to time.
#pragma once
#include <string>
#include <vector>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/attention_fixture.h"

namespace pitwall::cuda {

struct AttentionShape {
  int heads = 0, kv_heads = 0, head_dim = 0;
  KvDtype dtype = KvDtype::bfloat16;
  std::vector<CaseSequence> sequences;
  int block_size = 32;
  int window = 0;
  float softcap = 0;
  int extra_columns = 0;    ///< before q, so that it begins anywhere
  int multiprocessors = 0;  ///< that decode is planned for; 0 = the device's
  bool half = false;        ///< the output is float16
};

enum class AttentionKind { decode, prefill };

/// Sequences with one row are decode rows, others segments; the kernel must leave the rest alone. The checks
/// of big shapes take samples of rows and heads.
KernelCase attention_case(AttentionKind kind, const AttentionShape& shape, bool timed);

}  // namespace pitwall::cuda
