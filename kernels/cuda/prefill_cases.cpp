// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/attention_case.h"
#include "kernels/cuda/attention_case_lists.h"

namespace pitwall::cuda {

namespace {

void add(const AttentionShape& shape, std::vector<KernelCase>& cases) {
  cases.push_back(attention_case(AttentionKind::prefill, shape, false));
}
void add_timed(const AttentionShape& shape, std::vector<KernelCase>& cases) {
  cases.push_back(attention_case(AttentionKind::prefill, shape, true));
}

/// Whole prompts, chunks of longer ones, and decode rows that prefill must leave alone.
std::vector<CaseSequence> edges() {
  return {{2, 2}, {31, 31}, {40, 1}, {33, 32}, {64, 64}, {65, 3}, {0, 1}, {127, 40}, {200, 129}, {300, 2}};
}

}  // namespace

void add_prefill_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  using enum KvDtype;
  const std::vector<KvDtype> dtypes = {bfloat16, float16, fp8_e4m3, int8};
  if (scale == CaseScale::small) {
    const std::vector<CaseSequence> few = {{2, 2}, {9, 1}, {70, 20}, {33, 33}};
    for (const KvDtype dtype : dtypes) add({4, 2, 64, dtype, few, 16}, cases);
    add({4, 2, 64, float16, few, 16, 0, 0, 0, 0, true}, cases);
    add({3, 1, 20, bfloat16, few, 32, 20, 0, 3}, cases);
    add({2, 2, 128, int8, few, 32, 0, 5}, cases);
    return;
  }
  for (const KvDtype dtype : dtypes) {
    for (const int dim : {8, 20, 64, 80, 96, 128, 256}) add({8, 2, dim, dtype, edges()}, cases);
    for (const int group : {1, 3, 5, 16, 71}) add({group, 1, 64, dtype, edges(), 16}, cases);
    for (const int block_size : {16, 32, 64}) {
      add({6, 2, 128, dtype, edges(), block_size, 50}, cases);
      add({6, 2, 256, dtype, edges(), block_size, 1, 4}, cases);
      add({2, 2, 64, dtype, edges(), block_size, 130, 4}, cases);
    }
    add({4, 1, 128, dtype, {{4097, 70}, {600, 600}, {20000, 5}}}, cases);
    add({2, 1, 64, dtype, std::vector<CaseSequence>(70, {25, 7})}, cases);  // more than a warp of segments
    add({3, 3, 17, dtype, edges(), 32, 0, 0, 1}, cases);
    for (const int dim : {17, 128, 256}) add({3, 3, dim, dtype, edges(), 32, 0, 0, 1, 0, true}, cases);
  }

  for (const KvDtype dtype : {bfloat16, fp8_e4m3}) {
    add_timed({32, 8, 128, dtype, {{2048, 2048}}}, cases);
    add_timed({32, 8, 128, dtype, {{8192, 8192}}}, cases);
    add_timed({32, 8, 128, dtype, {{8192, 2048}}}, cases);
    add_timed({32, 8, 128, dtype, std::vector<CaseSequence>(4, {2048, 2048})}, cases);
    add_timed({32, 8, 128, dtype, std::vector<CaseSequence>(64, {128, 128})}, cases);
    add_timed({32, 8, 128, dtype, std::vector<CaseSequence>(64, {128, 32})}, cases);
    add_timed({16, 8, 256, dtype, {{4096, 4096}}}, cases);
    add_timed({9, 3, 64, dtype, {{4096, 4096}}}, cases);
  }
  add_timed({32, 32, 128, bfloat16, {{4096, 4096}}}, cases);
  add_timed({32, 8, 128, bfloat16, {{16384, 16384}}}, cases);
  add_timed({32, 8, 128, int8, {{8192, 8192}}}, cases);
  add_timed({32, 8, 128, bfloat16, {{8192, 8192}}, 32, 1024}, cases);
}

}  // namespace pitwall::cuda
