// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_executor.h"

#include <algorithm>

namespace pitwall::test {

namespace {

constexpr std::uint64_t kNothing = 0, kPadding = 1;

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state + word + 0x632BE59BD9B4E019ULL) * 0xD1342543DE82EF95ULL;
  state ^= state >> 32;
  return state | 2;  // neither nothing nor padding
}

std::uint64_t start_of(const CacheKey& key) {
  std::uint64_t state = 0;
  for (const char letter : key.adapter + '\n' + key.salt)
    state = mix(state, static_cast<unsigned char>(letter));
  return state;
}

TokenId next_token(std::uint64_t state, int vocabulary) {
  return static_cast<TokenId>((state >> 16) % static_cast<std::uint64_t>(vocabulary));
}

}  // namespace

std::vector<TokenId> continuation(std::span<const TokenId> prompt, const CacheKey& key, int count,
                                  int vocabulary) {
  std::uint64_t state = start_of(key);
  for (const TokenId token : prompt) state = mix(state, static_cast<std::uint64_t>(token));
  std::vector<TokenId> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(next_token(state, vocabulary));
    state = mix(state, static_cast<std::uint64_t>(out.back()));
  }
  return out;
}

FakeExecutor::FakeExecutor(int slots, int blocks, int block_size, int swap_blocks, int vocabulary)
    : block_size_(block_size),
      vocabulary_(vocabulary),
      slots_(static_cast<std::size_t>(slots)),
      kv_(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(block_size)),
      host_(static_cast<std::size_t>(swap_blocks) * static_cast<std::size_t>(block_size)) {}

void FakeExecutor::expect(RequestId request, std::span<const TokenId> prompt, const CacheKey& key) {
  Text& text = texts_[request];
  text.start = start_of(key);
  text.tokens.assign(prompt.begin(), prompt.end());
}

StepResult FakeExecutor::run(const StepPlan& plan) {
  move_blocks(plan);
  for (const SlotJoin& join : plan.joins)
    slots_[static_cast<std::size_t>(join.slot.value)] = {join.request, 0, {}, join.long_rope};
  for (const BlockAppend& entry : plan.appends) append(entry);
  StepResult result;
  result.number = plan.number;
  for (const SequenceSlice& slice : plan.slices) {
    compute(plan, slice);
    if (slice.samples) {
      const Slot& slot = slots_[static_cast<std::size_t>(slice.slot.value)];
      result.sampled.push_back({slice.request, slice.slot, slot.last_token, 0});
    }
  }
  return result;
}

void FakeExecutor::move_blocks(const StepPlan& plan) {
  const auto size = static_cast<std::size_t>(block_size_);
  const auto copy = [&](const Kv& from, std::int32_t source, Kv& to, std::int32_t target, std::size_t count) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(source) * size), count,
                to.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(target) * size));
  };
  for (const BlockSwap& swap : plan.swaps_out) copy(kv_, swap.block.value, host_, swap.host.value, size);
  for (const BlockSwap& swap : plan.swaps_in) copy(host_, swap.host.value, kv_, swap.block.value, size);
  for (const BlockCopy& move : plan.copies) {
    if (move.tokens < 1 || move.tokens >= block_size_) problem("a copy of a whole block or of nothing");
    copy(kv_, move.from.value, kv_, move.to.value, static_cast<std::size_t>(move.tokens));
  }
}

void FakeExecutor::append(const BlockAppend& entry) {
  auto& table = slots_[static_cast<std::size_t>(entry.slot.value)].table;
  const auto index = static_cast<std::size_t>(entry.index);
  if (index > table.size()) problem("a block table entry leaves a gap");
  if (index >= table.size()) {
    table.push_back(entry.block);
  } else {
    table[index] = entry.block;
  }
}

void FakeExecutor::compute(const StepPlan& plan, const SequenceSlice& slice) {
  Slot& slot = slots_[static_cast<std::size_t>(slice.slot.value)];
  const auto found = texts_.find(slice.request);
  if (slot.request != slice.request || found == texts_.end()) {
    problem("slice runs in another request's slot");
    return;
  }
  Text& text = found->second;
  if (slice.padding) {
    for (std::int32_t p = slice.first_position; p < slice.first_position + slice.count; ++p) {
      if (std::uint64_t* at = kv(slot, p)) *at = kPadding;
    }
    return;
  }
  rows_ += slice.count;
  for (std::int32_t i = 0; i < slice.count; ++i) {
    const std::int32_t position = slice.first_position + i;
    TokenId token = plan.tokens[static_cast<std::size_t>(slice.token_offset + i)];
    if (token == kPreviousToken) token = slot.last_token;
    if (position >= static_cast<std::int32_t>(text.tokens.size()) ||
        text.tokens[static_cast<std::size_t>(position)] != token) {
      problem("request " + std::to_string(slice.request.value) + " computes a wrong token at position " +
              std::to_string(position));
      return;
    }
  }
  for (auto p = text.state.size(); p < text.tokens.size(); ++p) {
    text.state.push_back(
        mix(p == 0 ? text.start : text.state[p - 1], static_cast<std::uint64_t>(text.tokens[p])));
  }
  // Where a slice samples, its end is the sequence's length: the text may still hold the token of a step that
  // failed, which the scheduler never heard of.
  const auto length =
      slice.samples ? slice.first_position + slice.count : static_cast<std::int32_t>(text.tokens.size());
  const bool is_long = length > rope_switch_;
  if (rope_switch_ > 0 && (slice.samples ? slot.long_rope != is_long : slot.long_rope && !is_long)) {
    problem("request " + std::to_string(slice.request.value) + " of " + std::to_string(length) +
            " tokens has the frequencies of " + (slot.long_rope ? "long" : "short") + " ones");
    return;
  }
  if (!reads_well(slot, text, slice.first_position)) return;
  const std::int32_t end = slice.first_position + slice.count;
  for (std::int32_t p = slice.first_position; p < end; ++p) {
    if (std::uint64_t* at = kv(slot, p)) *at = kv_of(slot, text, p);
  }
  if (!slice.samples) return;
  slot.last_token = next_token(text.state[static_cast<std::size_t>(end - 1)], vocabulary_);
  if (end == static_cast<std::int32_t>(text.tokens.size())) text.tokens.push_back(slot.last_token);
}

bool FakeExecutor::reads_well(const Slot& slot, const Text& text, std::int32_t positions) {
  for (std::int32_t p = 0; p < positions; ++p) {
    const std::uint64_t* at = kv(slot, p);
    if (!at) return false;
    if (*at == kv_of(slot, text, p)) continue;
    problem("request " + std::to_string(slot.request.value) + " reads " +
            (*at == kNothing   ? "nothing"
             : *at == kPadding ? "padding"
                               : "another text's KV") +
            " at position " + std::to_string(p));
    return false;
  }
  return true;
}

/// What the position must hold.
std::uint64_t FakeExecutor::kv_of(const Slot& slot, const Text& text, std::int32_t position) {
  const std::uint64_t state = text.state[static_cast<std::size_t>(position)];
  return slot.long_rope ? mix(state, 1) : state;
}

std::uint64_t* FakeExecutor::kv(const Slot& slot, std::int32_t position) {
  const auto entry = static_cast<std::size_t>(position / block_size_);
  if (entry >= slot.table.size()) {
    problem("position " + std::to_string(position) + " has no block");
    return nullptr;
  }
  return &kv_[static_cast<std::size_t>(slot.table[entry].value * block_size_ + position % block_size_)];
}

}  // namespace pitwall::test
