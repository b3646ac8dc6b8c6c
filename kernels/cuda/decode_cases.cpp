// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/attention_case.h"
#include "kernels/cuda/attention_case_lists.h"

namespace pitwall::cuda {

namespace {

void add(const AttentionShape& shape, std::vector<KernelCase>& cases) {
  cases.push_back(attention_case(AttentionKind::decode, shape, false));
}
void add_timed(const AttentionShape& shape, std::vector<KernelCase>& cases) {
  cases.push_back(attention_case(AttentionKind::decode, shape, true));
}

/// Lengths about tiles, units and blocks, a segment and a row that sees nothing among them.
std::vector<CaseSequence> edges() {
  return {{1}, {31}, {0}, {32}, {33}, {20, 4}, {127}, {16}, {65}, {300}};
}

/// Lengths of requests that arrived at different times.
std::vector<CaseSequence> mixed(int count, int longest) {
  std::vector<CaseSequence> sequences;
  for (int i = 0; i < count; ++i) sequences.push_back({1 + i * 7919 % longest});
  return sequences;
}

std::vector<CaseSequence> same(int count, int length) {
  return std::vector<CaseSequence>(static_cast<std::size_t>(count), {length});
}

}  // namespace

void add_decode_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  using enum KvDtype;
  const std::vector<KvDtype> dtypes = {bfloat16, float16, fp8_e4m3, int8};
  if (scale == CaseScale::small) {
    const std::vector<CaseSequence> few = {{1}, {0}, {33}, {5, 2}, {130}};
    for (const KvDtype dtype : dtypes) add({4, 2, 64, dtype, few, 16, 0, 0, 0, 2}, cases);
    add({4, 2, 64, float16, few, 16, 0, 0, 0, 2, true}, cases);
    add({3, 1, 20, bfloat16, few, 32, 20, 0, 3, 1}, cases);
    add({2, 2, 128, fp8_e4m3, few, 32, 0, 5, 0, 2}, cases);
    return;
  }
  for (const KvDtype dtype : dtypes) {
    for (const int dim : {8, 20, 64, 80, 96, 128, 256}) add({8, 2, dim, dtype, edges()}, cases);
    for (const int group : {1, 2, 3, 5, 7, 8, 16, 20}) add({2 * group, 2, 128, dtype, edges(), 16}, cases);
    for (const int block_size : {16, 32, 64}) {
      add({6, 2, 128, dtype, edges(), block_size, 50, 0, 3}, cases);
      add({6, 2, 64, dtype, edges(), block_size, 1, 4, 8}, cases);
    }
    add({4, 1, 128, dtype, {{4097}, {1}, {20000}, {640}}, 32}, cases);
    add({4, 1, 128, dtype, {{4097}, {1}, {20000}, {640}}, 32, 0, 0, 0, 1}, cases);  // pieces are long
    add({8, 4, 128, dtype, {{4097}, {20000}}, 64, 4096, 6}, cases);
    add({20, 1, 256, dtype, {{700}, {2000}, {3}}, 16, 0, 0, 0, 7}, cases);  // partial results of two MMAs
    add({3, 3, 17, dtype, edges(), 32, 0, 0, 1, 3}, cases);
    add({8, 2, 128, dtype, edges(), 32, 0, 0, 0, 3, true}, cases);
    add({3, 3, 17, dtype, edges(), 32, 0, 0, 1, 3, true}, cases);
  }
  add({8, 8, 64, bfloat16, mixed(150, 90), 16, 0, 0, 0, 20}, cases);

  for (const KvDtype dtype : {bfloat16, fp8_e4m3}) {
    for (const auto& [count, length] : std::vector<std::pair<int, int>>{
             {1, 1024}, {1, 32768}, {8, 1024}, {8, 4096}, {32, 4096}, {64, 4096}, {64, 1152}, {256, 1152}})
      add_timed({32, 8, 128, dtype, same(count, length)}, cases);
    add_timed({32, 8, 128, dtype, mixed(32, 8192)}, cases);
    add_timed({32, 32, 128, dtype, same(8, 4096)}, cases);
    add_timed({8, 1, 128, dtype, same(32, 4096)}, cases);
    add_timed({28, 4, 128, dtype, same(32, 4096)}, cases);
    add_timed({9, 3, 64, dtype, same(64, 1024)}, cases);
    add_timed({16, 8, 256, dtype, same(16, 4096)}, cases);
    add_timed({32, 8, 96, dtype, same(32, 4096)}, cases);
  }
  add_timed({32, 8, 128, int8, same(32, 4096)}, cases);
  add_timed({32, 8, 128, bfloat16, same(64, 4096), 16}, cases);
  add_timed({32, 8, 128, bfloat16, same(64, 4096), 64}, cases);
  add_timed({16, 8, 256, bfloat16, same(16, 8192), 32, 4096, 50}, cases);
}

}  // namespace pitwall::cuda
