// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/prefill_attention.cuh"

namespace pitwall::cuda {

// Compiled in prefill_attention_*.cu.
template <>
void launch_prefill<KvDtype::bfloat16>(const AttentionArgs&, const Segment*, int, cudaStream_t);
template <>
void launch_prefill<KvDtype::float16>(const AttentionArgs&, const Segment*, int, cudaStream_t);
template <>
void launch_prefill<KvDtype::fp8_e4m3>(const AttentionArgs&, const Segment*, int, cudaStream_t);
template <>
void launch_prefill<KvDtype::int8>(const AttentionArgs&, const Segment*, int, cudaStream_t);

void prefill_attention(const AttentionArgs& args, const Segment* segments, int count, cudaStream_t stream) {
  switch (args.kv.dtype) {
    case KvDtype::float32:
      return;  // no such pool on a device
    case KvDtype::bfloat16:
      return launch_prefill<KvDtype::bfloat16>(args, segments, count, stream);
    case KvDtype::float16:
      return launch_prefill<KvDtype::float16>(args, segments, count, stream);
    case KvDtype::fp8_e4m3:
      return launch_prefill<KvDtype::fp8_e4m3>(args, segments, count, stream);
    case KvDtype::int8:
      return launch_prefill<KvDtype::int8>(args, segments, count, stream);
  }
}

}  // namespace pitwall::cuda
