// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_executor.h"

#include <algorithm>
#include <cmath>

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

/// What next_token() is the best of.
std::vector<float> logits_after(std::uint64_t state, int vocabulary) {
  std::vector<float> logits;
  for (int token = 0; token < vocabulary; ++token) {
    const std::uint64_t bits = mix(state, 1000 + static_cast<std::uint64_t>(token)) >> 40;
    logits.push_back(static_cast<float>(bits) * 0x1.0p-22f - 2);  // [−2, 2)
  }
  logits[static_cast<std::size_t>(next_token(state, vocabulary))] = 2.5f;
  return logits;
}

TokenId best_of(const std::vector<float>& logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

float penalised(float logit, float repetition) {
  return logit > 0 ? logit / repetition : logit * repetition;
}

TokenId best_after(std::uint64_t state, int vocabulary, const LogitChange& change) {
  std::vector<float> logits = logits_after(state, vocabulary);
  for (const LogitChange::Token& token : change.tokens) {
    float& logit = logits[static_cast<std::size_t>(token.token)];
    logit = (token.penalised ? penalised(logit, change.repetition) : logit) + token.add;
  }
  for (int token = 0; change.mask && token < vocabulary; ++token) {
    if (!change.mask->allows(token)) logits[static_cast<std::size_t>(token)] = -INFINITY;
  }
  return best_of(logits);
}

/// Of positions whose next token is the prompt's: the rank says which position it is.
PromptLogprobs prompt_logprobs_of(const StepPlan& plan, const SequenceSlice& slice) {
  PromptLogprobs result{slice.request, slice.first_position, {}};
  const auto add = [&](TokenId token) {
    const auto position = slice.first_position + static_cast<std::int32_t>(result.positions.size());
    const std::vector<TokenLogprob> top(static_cast<std::size_t>(slice.prompt_logprobs));
    result.positions.push_back({{token, 0, position + 1}, top});
  };
  for (std::int32_t i = 1; i < slice.count; ++i)
    add(plan.tokens[static_cast<std::size_t>(slice.token_offset + i)]);
  if (slice.following >= 0) add(slice.following);
  return result;
}

}  // namespace

std::vector<TokenId> continuation(const Request& request, int count, int vocabulary) {
  const SamplingParams& sampling = request.sampling;
  std::vector<TokenId> text = request.prompt, reply;
  const auto guide = sampling.guide ? sampling.guide->begin() : nullptr;
  std::uint64_t state = start_of(request.cache_key);
  for (const TokenId token : text) state = mix(state, static_cast<std::uint64_t>(token));
  while (static_cast<int>(reply.size()) < count) {
    std::vector<float> logits = logits_after(state, vocabulary);
    const auto mask = guide ? guide->mask() : nullptr;
    const auto is_end = [&](TokenId token) {
      return std::find(sampling.end_tokens.begin(), sampling.end_tokens.end(), token) !=
             sampling.end_tokens.end();
    };
    bool only_ends = mask != nullptr, allows_some = !mask;
    for (TokenId token = 0; mask && token < vocabulary; ++token) {
      allows_some = allows_some || mask->allows(token);
      only_ends = only_ends && (!mask->allows(token) || is_end(token));
    }
    if (!allows_some) return reply;
    for (TokenId token = 0; token < vocabulary; ++token) {
      float& logit = logits[static_cast<std::size_t>(token)];
      const auto times = static_cast<float>(std::count(reply.begin(), reply.end(), token));
      const bool seen = std::find(text.begin(), text.end(), token) != text.end();
      float add = 0;
      for (const auto& [biased, bias] : sampling.logit_bias) add += biased == token ? bias : 0;
      if (times > 0) add = add - sampling.frequency_penalty * times - sampling.presence_penalty;
      if (seen) logit = penalised(logit, sampling.repetition_penalty);
      logit += add;
      const bool too_early =
          is_end(token) && static_cast<int>(reply.size()) < sampling.min_tokens && !only_ends;
      if (too_early || (mask && !mask->allows(token))) logit = -INFINITY;
    }
    const TokenId chosen = best_of(logits);
    if (guide && !guide->accept(chosen)) return reply;
    reply.push_back(chosen);
    text.push_back(chosen);
    state = mix(state, static_cast<std::uint64_t>(chosen));
  }
  return reply;
}

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
  auto change = plan.logit_changes.begin();
  for (std::size_t i = 0; i < plan.slices.size(); ++i) {
    const SequenceSlice& slice = plan.slices[i];
    const bool changes = change != plan.logit_changes.end() && static_cast<std::size_t>(change->slice) == i;
    compute(plan, slice, changes ? &*change++ : nullptr);
    if (slice.prompt_logprobs >= 0) result.prompt_logprobs.push_back(prompt_logprobs_of(plan, slice));
    if (!slice.samples) continue;
    const TokenId token = slots_[static_cast<std::size_t>(slice.slot.value)].last_token;
    result.sampled.push_back({slice.request, slice.slot, token, 0});
    if (slice.logprobs < 0) continue;
    const std::vector<TokenLogprob> top(static_cast<std::size_t>(slice.logprobs));
    result.sampled.back().logprobs = PositionLogprobs{{token, 0, 1}, top};
  }
  if (change != plan.logit_changes.end()) problem("a change of logits belongs to no slice");
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

void FakeExecutor::compute(const StepPlan& plan, const SequenceSlice& slice, const LogitChange* change) {
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
  const std::uint64_t state = text.state[static_cast<std::size_t>(end - 1)];
  slot.last_token = change ? best_after(state, vocabulary_, *change) : next_token(state, vocabulary_);
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
