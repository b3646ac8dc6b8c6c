// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/prefill_attention.cuh"
#include "kernels/cuda/warpgroup_prefill.cuh"

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

// Compiled in warpgroup_prefill_*.cu.
template <>
void launch_warpgroup_prefill<KvDtype::bfloat16>(const AttentionArgs&, const Segment*, int, int,
                                                 cudaStream_t);
template <>
void launch_warpgroup_prefill<KvDtype::float16>(const AttentionArgs&, const Segment*, int, int, cudaStream_t);
template <>
void launch_warpgroup_prefill<KvDtype::fp8_e4m3>(const AttentionArgs&, const Segment*, int, int,
                                                 cudaStream_t);

namespace {

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

/// On sm_90 there are products of warpgroups, for heads of one or two panels. Scales of single tokens are not
/// for them.
bool wants_warpgroups(const KvView& kv) {
  return kv.dtype != KvDtype::int8 && kv.padded_dim <= 128 &&
         device_attribute(cudaDevAttrComputeCapabilityMajor) == 9;
}

}  // namespace

void prefill_attention(const AttentionArgs& args, const Segment* segments, int count, cudaStream_t stream) {
  const bool by_warpgroups = wants_warpgroups(args.kv);
  const int multiprocessors = by_warpgroups ? device_attribute(cudaDevAttrMultiProcessorCount) : 0;
  switch (args.kv.dtype) {
    case KvDtype::float32:
      return;  // no such pool on a device
    case KvDtype::bfloat16:
      if (by_warpgroups)
        return launch_warpgroup_prefill<KvDtype::bfloat16>(args, segments, count, multiprocessors, stream);
      return launch_prefill<KvDtype::bfloat16>(args, segments, count, stream);
    case KvDtype::float16:
      if (by_warpgroups)
        return launch_warpgroup_prefill<KvDtype::float16>(args, segments, count, multiprocessors, stream);
      return launch_prefill<KvDtype::float16>(args, segments, count, stream);
    case KvDtype::fp8_e4m3:
      if (by_warpgroups)
        return launch_warpgroup_prefill<KvDtype::fp8_e4m3>(args, segments, count, multiprocessors, stream);
      return launch_prefill<KvDtype::fp8_e4m3>(args, segments, count, stream);
    case KvDtype::int8:
      return launch_prefill<KvDtype::int8>(args, segments, count, stream);
  }
}

}  // namespace pitwall::cuda
