// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_executor.h"

namespace pitwall::test {

TokenId token_after(RequestId request, std::int32_t position) {
  return static_cast<TokenId>((request.value * 7919 + static_cast<std::uint64_t>(position) * 104'729 + 13) %
                              997);
}

FakeExecutor::FakeExecutor(int slots, int blocks, int block_size)
    : block_size_(block_size),
      slots_(static_cast<std::size_t>(slots)),
      kv_(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(block_size)) {}

StepResult FakeExecutor::run(const StepPlan& plan) {
  for (const SlotJoin& join : plan.joins)
    slots_[static_cast<std::size_t>(join.slot.value)] = {join.request, 0, {}};
  for (const BlockAppend& append : plan.appends) {
    auto& table = slots_[static_cast<std::size_t>(append.slot.value)].table;
    if (append.index != static_cast<std::int32_t>(table.size()))
      problems_.push_back("block table entry out of order");
    table.push_back(append.block);
  }
  StepResult result;
  result.number = plan.number;
  for (const SequenceSlice& slice : plan.slices) {
    Slot& slot = slots_[static_cast<std::size_t>(slice.slot.value)];
    if (slot.request != slice.request) problems_.push_back("slice runs in another request's slot");
    for (std::int32_t i = 0; i < slice.count; ++i) {
      TokenId token = plan.tokens[static_cast<std::size_t>(slice.token_offset + i)];
      if (token == kPreviousToken) token = slot.last_token;
      write(slice, slice.first_position + i, token);
    }
    read_back(slice);
    if (!slice.samples) continue;
    slot.last_token = token_after(slice.request, slice.first_position + slice.count - 1);
    result.sampled.push_back({slice.request, slice.slot, slot.last_token, 0});
  }
  return result;
}

void FakeExecutor::write(const SequenceSlice& slice, std::int32_t position, TokenId token) {
  const auto& table = slots_[static_cast<std::size_t>(slice.slot.value)].table;
  const auto entry = static_cast<std::size_t>(position / block_size_);
  if (entry >= table.size()) {
    problems_.push_back("position " + std::to_string(position) + " has no block");
    return;
  }
  kv_[static_cast<std::size_t>(table[entry].value * block_size_ + position % block_size_)] = {
      slice.request, position, token};
  auto [known, added] = inputs_[slice.request].emplace(position, token);
  if (!added && known->second != token) problems_.push_back("a recomputed token differs");
}

void FakeExecutor::read_back(const SequenceSlice& slice) {
  const auto& table = slots_[static_cast<std::size_t>(slice.slot.value)].table;
  for (std::int32_t p = 0; p < slice.first_position + slice.count; ++p) {
    const auto entry = static_cast<std::size_t>(p / block_size_);
    if (entry >= table.size()) return;
    const Written& written =
        kv_[static_cast<std::size_t>(table[entry].value * block_size_ + p % block_size_)];
    if (written.request != slice.request || written.position != p) {
      problems_.push_back("request " + std::to_string(slice.request.value) + " reads KV of request " +
                          std::to_string(written.request.value) + " at position " + std::to_string(p));
      return;
    }
  }
}

}  // namespace pitwall::test
