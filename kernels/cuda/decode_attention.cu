// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/decode_launch.cuh"

namespace pitwall::cuda {

// Compiled in decode_attention_*.cu.
template <>
void launch_decode<KvDtype::bfloat16>(const AttentionArgs&, const DecodePlan&, int, cudaStream_t);
template <>
void launch_decode<KvDtype::float16>(const AttentionArgs&, const DecodePlan&, int, cudaStream_t);
template <>
void launch_decode<KvDtype::fp8_e4m3>(const AttentionArgs&, const DecodePlan&, int, cudaStream_t);
template <>
void launch_decode<KvDtype::int8>(const AttentionArgs&, const DecodePlan&, int, cudaStream_t);

bool takes_new_tokens(const RopeAppendArgs& args, int rows) {
  constexpr int kMostRows = 64;  // measured on an H200: at 1 row 2 % of a step less, at 256 rows 2 % more
  const int dim = args.kv.head_dim;
  const bool are_wide = is_wide(args.q) && is_wide(args.k) && is_wide(args.v) && is_wide(args.rope.table) &&
                        is_wide(args.rope.long_table);
  return rows <= kMostRows && (dim == 64 || dim == 128) && args.rope.table != nullptr &&
         args.rope.rotary_dim == dim && args.rope.pairing == RopeSpec::Pairing::halves &&
         args.q_norm.weight == nullptr && args.k_norm.weight == nullptr && are_wide;
}

void decode_attention(const AttentionArgs& args, int rows, const DecodeWorkspace& workspace,
                      int multiprocessors, cudaStream_t stream) {
  if (rows == 0) return;
  const DecodePlan plan = decode_plan_at(workspace, rows, args.kv.kv_heads, multiprocessors);
  const int parts = decode_parts(multiprocessors);
  switch (args.kv.dtype) {
    case KvDtype::float32:
      return;  // no such pool on a device
    case KvDtype::bfloat16:
      return launch_decode<KvDtype::bfloat16>(args, plan, parts, stream);
    case KvDtype::float16:
      return launch_decode<KvDtype::float16>(args, plan, parts, stream);
    case KvDtype::fp8_e4m3:
      return launch_decode<KvDtype::fp8_e4m3>(args, plan, parts, stream);
    case KvDtype::int8:
      return launch_decode<KvDtype::int8>(args, plan, parts, stream);
  }
}

}  // namespace pitwall::cuda
