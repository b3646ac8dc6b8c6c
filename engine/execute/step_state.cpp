// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/step_state.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace pitwall {

namespace {

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

Error bad_plan(std::uint64_t number, const std::string& what) {
  return {Error::Kind::internal,
          "step " + std::to_string(number) + " cannot run: " + what,
          "the plan does not fit what was prepared for it",
          "report this with the run's record",
          {}};
}

std::string text(std::int64_t n) {
  return std::to_string(n);
}

bool within(std::int64_t value, std::int64_t limit) {
  return value >= 0 && value < limit;
}

}  // namespace

void StepState::prepare(const StepLimits& limits) {
  bounds.limits = limits;
  const std::size_t slot_count = size(limits.max_slots);
  last_token.assign(slot_count, 0);
  sampling.assign(slot_count, {});
  block_tables.assign(slot_count * size(limits.max_blocks_per_sequence), -1);
  long_rope.assign(slot_count, 0);
  blocks_held.assign(slot_count, 0);
  slice_ends_.assign(slot_count, 0);
  tokens.reserve(size(limits.max_tokens));
  positions.reserve(size(limits.max_tokens));
  row_slots.reserve(size(limits.max_tokens));
  segments.reserve(size(limits.max_tokens));
  logit_rows.reserve(size(limits.max_logit_rows));
  samples.reserve(size(limits.max_logit_rows));
  reports.reserve(size(limits.max_logit_rows));
  prompt_reports.reserve(size(limits.max_logit_rows));
  asked.reserve(size(limits.max_logit_rows));
}

Bytes StepState::bytes_for(const StepLimits& limits) {
  const Bytes by_slot = static_cast<Bytes>(sizeof(TokenId) + sizeof(SlotSampling) + 2 * sizeof(std::int32_t) +
                                           sizeof(std::uint8_t)) +
                        Bytes{limits.max_blocks_per_sequence} * Bytes{sizeof(std::int32_t)};
  const auto by_row = static_cast<Bytes>(3 * sizeof(std::int32_t) + sizeof(Segment));
  const auto by_logit_row = static_cast<Bytes>(sizeof(std::int32_t) + sizeof(Sampling) + sizeof(AskedLogits) +
                                               sizeof(Report) + sizeof(PromptReport));
  return limits.max_slots * by_slot + limits.max_tokens * by_row + limits.max_logit_rows * by_logit_row;
}

void StepState::prepare_blocks(int pool_blocks, int swap_blocks) {
  bounds.pool_blocks = pool_blocks;
  bounds.swap_blocks = swap_blocks;
  marks_.assign(size(std::int64_t{pool_blocks} + swap_blocks), 0);
}

Bytes StepState::bytes_for_blocks(int pool_blocks, int swap_blocks) {
  return (Bytes{pool_blocks} + swap_blocks) * Bytes{sizeof(std::int64_t)};
}

/// False where the current list has named the block before.
bool StepState::mark(std::int64_t block) {
  return std::exchange(marks_[size(block)], list_) != list_;
}

Result<void> StepState::check_moves(const StepPlan& plan) {
  const auto bad_swap = [&](const BlockSwap& swap, const char* how) {
    return bad_plan(plan.number, "block " + text(swap.block.value) + " of " + text(bounds.pool_blocks) + how +
                                     text(swap.host.value) + " of " + text(bounds.swap_blocks) +
                                     " blocks of swap space");
  };
  const auto exist = [&](const BlockSwap& swap) {
    return within(swap.block.value, bounds.pool_blocks) && within(swap.host.value, bounds.swap_blocks);
  };
  ++list_;
  for (const BlockSwap& swap : plan.swaps_out) {
    if (!exist(swap) || !mark(bounds.pool_blocks + std::int64_t{swap.host.value}))
      return bad_swap(swap, " goes out to ");
  }
  ++list_;
  for (const BlockSwap& swap : plan.swaps_in) {
    if (!exist(swap) || !mark(swap.block.value)) return bad_swap(swap, " comes in from ");
  }
  const auto bad_copy = [&](const BlockCopy& copy) {
    return bad_plan(plan.number, text(copy.tokens) + " tokens of block " + text(copy.from.value) +
                                     " are copied to block " + text(copy.to.value) + " of " +
                                     text(bounds.pool_blocks));
  };
  ++list_;
  for (const BlockCopy& copy : plan.copies) {
    if (!within(copy.from.value, bounds.pool_blocks) || !within(copy.to.value, bounds.pool_blocks) ||
        copy.tokens < 1 || copy.tokens > bounds.block_size || !mark(copy.to.value)) {
      return bad_copy(copy);
    }
  }
  for (const BlockCopy& copy : plan.copies) {
    if (marks_[size(copy.from.value)] == list_) return bad_copy(copy);
  }
  return {};
}

Result<void> StepState::stage(const StepPlan& plan) {
  clear_rows();
  if (auto ok = check_slots(plan); !ok) return ok;
  for (const SlotJoin& join : plan.joins) {
    sampling[size(join.slot.value)] = join.sampling;
    blocks_held[size(join.slot.value)] = 0;
    long_rope[size(join.slot.value)] = join.long_rope ? 1 : 0;
  }
  for (const BlockAppend& append : plan.appends) {
    const std::size_t slot = size(append.slot.value);
    block_tables[slot * size(bounds.limits.max_blocks_per_sequence) + size(append.index)] =
        append.block.value;
    blocks_held[slot] = std::max(blocks_held[slot], append.index + 1);
  }
  if (auto ok = check_slices(plan); !ok) return ok;
  if (auto ok = check_changes(plan); !ok) return ok;
  auto change = plan.logit_changes.begin();
  for (std::size_t i = 0; i < plan.slices.size(); ++i) {
    add_slice(plan, plan.slices[i]);
    if (change == plan.logit_changes.end() || size(change->slice) != i) continue;
    samples.back().change = &*change++;
  }
  return {};
}

void StepState::clear_rows() {
  tokens.clear();
  positions.clear();
  row_slots.clear();
  segments.clear();
  logit_rows.clear();
  samples.clear();
  reports.clear();
  prompt_reports.clear();
  asked.clear();
}

void StepState::add_slice(const StepPlan& plan, const SequenceSlice& slice) {
  const std::int32_t first_row = rows(RowSet::tokens);
  for (std::int32_t i = 0; i < slice.count; ++i) {
    tokens.push_back(plan.tokens[size(slice.token_offset + i)]);
    positions.push_back(slice.first_position + i);
    row_slots.push_back(slice.slot.value);
  }
  for (std::int32_t i = 0; i < slice.count; i += bounds.segment_rows) {
    segments.push_back({first_row + i, std::min(bounds.segment_rows, slice.count - i)});
  }
  const std::int32_t first_logit_row = rows(RowSet::logits), count = slice.logit_rows();
  for (std::int32_t i = slice.count - count; i < slice.count; ++i) logit_rows.push_back(first_row + i);
  if (slice.all_logits) asked.push_back({slice.request, slice.first_position, count, first_logit_row});
  if (slice.prompt_logprobs >= 0) add_prompt_reports(plan, slice, first_logit_row);
  if (slice.samples) add_sample(slice);
}

void StepState::add_prompt_reports(const StepPlan& plan, const SequenceSlice& slice,
                                   std::int32_t first_logit_row) {
  const auto first_report = static_cast<std::int32_t>(reports.size());
  for (std::int32_t i = 1; i < slice.count; ++i) {
    const TokenId token = plan.tokens[size(slice.token_offset + i)];
    reports.push_back({first_logit_row + i - 1, slice.prompt_logprobs, token, -1});
  }
  if (slice.following >= 0)
    reports.push_back({first_logit_row + slice.count - 1, slice.prompt_logprobs, slice.following, -1});
  prompt_reports.push_back({slice.request, slice.first_position,
                            static_cast<std::int32_t>(reports.size()) - first_report, first_report});
}

void StepState::add_sample(const SequenceSlice& slice) {
  Sampling sample{slice.request, slice.slot, rows(RowSet::logits) - 1, slice.first_position + slice.count};
  if (slice.logprobs >= 0) {
    sample.report = static_cast<std::int32_t>(reports.size());
    reports.push_back({sample.logit_row, slice.logprobs, -1, static_cast<std::int32_t>(samples.size())});
  }
  samples.push_back(sample);
}

Result<void> StepState::check_slots(const StepPlan& plan) const {
  const StepLimits& limits = bounds.limits;
  for (const SlotJoin& join : plan.joins) {
    if (!within(join.slot.value, limits.max_slots)) {
      return bad_plan(plan.number, "slot " + text(join.slot.value) + " of " + text(limits.max_slots));
    }
  }
  for (const BlockAppend& append : plan.appends) {
    if (!within(append.slot.value, limits.max_slots) ||
        !within(append.index, limits.max_blocks_per_sequence) ||
        !within(append.block.value, bounds.pool_blocks)) {
      return bad_plan(plan.number, "block " + text(append.block.value) + " of " + text(bounds.pool_blocks) +
                                       " as entry " + text(append.index) + " of " +
                                       text(limits.max_blocks_per_sequence) + " in slot " +
                                       text(append.slot.value));
    }
  }
  return {};
}

/// Padding yields nothing and stands alone in its slot or right behind the slot's slice; any other slice is
/// its slot's only one.
Result<void> StepState::check_order(const StepPlan& plan, const SequenceSlice& slice) {
  std::int32_t& end = slice_ends_[size(slice.slot.value)];
  const bool follows = end > 0;
  if ((slice.padding && (slice.samples || slice.all_logits || slice.prompt_logprobs >= 0)) ||
      (follows && (!slice.padding || slice.first_position != end))) {
    return bad_plan(plan.number, std::string(slice.padding ? "padding" : "a slice") + " at position " +
                                     text(slice.first_position) + " in slot " + text(slice.slot.value) +
                                     (follows ? ", which has a slice up to " + text(end)
                                              : std::string(" that yields tokens or logits")));
  }
  end = slice.first_position + slice.count;
  return {};
}

/// Each logit row is reported once at most: the last of a slice that samples has no token of the prompt
/// behind it.
Result<void> StepState::check_logprobs(const StepPlan& plan, const SequenceSlice& slice) const {
  const bool known = std::none_of(plan.tokens.begin() + slice.token_offset + 1,
                                  plan.tokens.begin() + slice.token_offset + slice.count,
                                  [](TokenId token) { return token == kPreviousToken; });
  if (slice.logprobs <= kMostLogprobs && slice.prompt_logprobs <= kMostLogprobs &&
      slice.following < bounds.limits.vocabulary && (slice.following < 0 || !slice.samples) &&
      (slice.prompt_logprobs < 0 || known)) {
    return {};
  }
  return bad_plan(plan.number, "logprobs of " + text(slice.logprobs) + " and " + text(slice.prompt_logprobs) +
                                   " tokens, " + text(slice.following) + " behind the slice at position " +
                                   text(slice.first_position) + " in slot " + text(slice.slot.value));
}

Result<void> StepState::check_changes(const StepPlan& plan) const {
  std::int64_t last = -1;
  for (const LogitChange& change : plan.logit_changes) {
    const bool is_sample = change.slice > last && within(change.slice, std::ssize(plan.slices)) &&
                           plan.slices[size(change.slice)].samples;
    const auto foreign = [&](const LogitChange::Token& changed) {
      return !within(changed.token, bounds.limits.vocabulary);
    };
    if (!is_sample || std::any_of(change.tokens.begin(), change.tokens.end(), foreign)) {
      return bad_plan(plan.number, "a change of logits of slice " + text(change.slice) + " of " +
                                       text(std::ssize(plan.slices)) + ", for tokens of a vocabulary of " +
                                       text(bounds.limits.vocabulary));
    }
    last = change.slice;
  }
  return {};
}

Result<void> StepState::check_slices(const StepPlan& plan) {
  const StepLimits& limits = bounds.limits;
  std::fill(slice_ends_.begin(), slice_ends_.end(), 0);
  std::int64_t token_rows = 0, logits = 0;
  for (const SequenceSlice& slice : plan.slices) {
    if (!within(slice.slot.value, limits.max_slots) || slice.count < 1 || slice.first_position < 0 ||
        slice.token_offset < 0 || std::int64_t{slice.token_offset} + slice.count > std::ssize(plan.tokens)) {
      return bad_plan(plan.number, "a slice of " + text(slice.count) + " tokens from " +
                                       text(slice.token_offset) + " at position " +
                                       text(slice.first_position) + " in slot " + text(slice.slot.value));
    }
    const std::int64_t end = std::int64_t{slice.first_position} + slice.count;
    const std::int64_t held = std::int64_t{blocks_held[size(slice.slot.value)]} * bounds.block_size;
    if ((bounds.pool_blocks > 0 && end > held) || end > bounds.positions) {
      return bad_plan(plan.number, "positions up to " + text(end) + " in slot " + text(slice.slot.value) +
                                       ", whose blocks hold " + text(held) + " of at most " +
                                       text(bounds.positions));
    }
    if (auto ok = check_order(plan, slice); !ok) return ok;
    for (std::int32_t i = 0; i < slice.count; ++i) {
      const TokenId token = plan.tokens[size(slice.token_offset + i)];
      if (token != kPreviousToken && !within(token, limits.vocabulary)) {
        return bad_plan(plan.number,
                        "token " + text(token) + " of a vocabulary of " + text(limits.vocabulary));
      }
    }
    if (auto ok = check_logprobs(plan, slice); !ok) return ok;
    token_rows += slice.count;
    logits += slice.logit_rows();
  }
  if (token_rows > limits.max_tokens || logits > limits.max_logit_rows) {
    return bad_plan(plan.number, text(token_rows) + " tokens and " + text(logits) + " logit rows where " +
                                     text(limits.max_tokens) + " and " + text(limits.max_logit_rows) +
                                     " are prepared");
  }
  return {};
}

}  // namespace pitwall
