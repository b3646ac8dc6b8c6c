// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler::check: every invariant of README.md, for the strict checker.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

namespace {

Error fail(const std::string& what) {
  return {.kind = Error::Kind::internal,
          .what = "Scheduler invariant broken: " + what,
          .cause = {},
          .action = {},
          .param = {}};
}

Error broken(const Sequence& sequence, const std::string& what) {
  return fail("request " + std::to_string(sequence.request.id.value) + ' ' + what);
}

Result<void> check_counts(const Scheduler::State& state, const Sequence& sequence) {
  if (sequence.computed > sequence.planned) return broken(sequence, "has computed more than was planned");
  if (sequence.planned > sequence.known()) return broken(sequence, "is planned past its tokens");
  if (sequence.computed > sequence.length()) return broken(sequence, "has KV of tokens that do not exist");
  if (sequence.sampling < 0 || sequence.sampling > 2)
    return broken(sequence, "has a wrong count of tokens in flight");
  if (sequence.needs_tokens() && sequence.sampling > 1)
    return broken(sequence, "has two tokens in flight though the first decides about the second");
  if (sequence.reported > std::max(sequence.prompt() - 1, 0))
    return broken(sequence, "has handed out logprobs of more than its prompt");
  if (sequence.outputs() + sequence.sampling > sequence.limit)
    return broken(sequence, "passes its output limit");
  const auto blocks = static_cast<std::int32_t>(sequence.blocks.size());
  if (!sequence.running()) {
    if (blocks > 0 || sequence.planned != 0) return broken(sequence, "waits but holds blocks");
    return {};
  }
  if (blocks < state.cache.blocks_for(sequence.planned))
    return broken(sequence, "has fewer blocks than planned tokens need");
  if (sequence.reserved && blocks < state.cache.blocks_for(sequence.prompt() + sequence.limit))
    return broken(sequence, "has not the blocks that static batching reserves");
  if (!sequence.swapped.blocks.empty()) return broken(sequence, "runs but has KV in the swap space");
  return {};
}

/// The leading blocks of a running sequence are the entries for its tokens.
Result<void> check_published(const Scheduler::State& state, const Sequence& sequence) {
  const std::int32_t size = state.cache.block_size();
  if (!sequence.running() || sequence.root == kNoNode || sequence.reserved) return {};
  if (sequence.computed > 0 && sequence.published != sequence.computed / size)
    return broken(sequence, "has computed blocks that are not published, or the reverse");
  PrefixNode parent = sequence.root;
  for (std::int32_t i = 0; i < sequence.published; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto tokens = std::span<const TokenId>(sequence.tokens)
                            .subspan(at * static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    if (state.cache.index().find(parent, sequence.keys[at], tokens) != sequence.blocks[at])
      return broken(sequence, "has a published block that is not found by its tokens");
    parent = sequence.blocks[at].value;
  }
  return {};
}

}  // namespace

Result<void> Scheduler::check() const {
  const State& state = *state_;
  std::unordered_map<BlockId, int> owners;
  std::unordered_set<std::int32_t> slots;
  std::size_t swapped = 0;
  const auto own = [&](const Sequence& sequence) -> Result<void> {
    for (const BlockId block : sequence.blocks) ++owners[block];
    if (!sequence.running()) return {};
    if (!slots.insert(sequence.slot.value).second) return broken(sequence, "shares a slot");
    if (state.slots[static_cast<std::size_t>(sequence.slot.value)] != &sequence)
      return broken(sequence, "is not in its slot");
    return {};
  };
  for (const auto& [id, sequence] : state.sequences) {
    if (auto ok = check_counts(state, *sequence); !ok) return ok;
    if (auto ok = check_published(state, *sequence); !ok) return ok;
    if (auto ok = own(*sequence); !ok) return ok;
    swapped += sequence->swapped.blocks.size();
  }
  for (const auto& sequence : state.ended) {
    if (auto ok = own(*sequence); !ok) return ok;
  }
  if (auto ok = state.cache.check(owners); !ok) return fail(ok.error().what);
  if (static_cast<int>(swapped) != state.cache.swap().used_count()) {
    return fail("sequences have " + std::to_string(swapped) + " host blocks, the swap space counts " +
                std::to_string(state.cache.swap().used_count()));
  }
  if (state.running.size() + state.queue.size() != state.sequences.size() + state.ended.size())
    return fail("running + waiting is not all sequences");
  if (state.running.size() + state.free_slots.size() != state.slots.size()) return fail("a slot is lost");
  if (state.predicted_blocks != state.taken_blocks) {
    return fail("admissions were to take " + std::to_string(state.predicted_blocks) + " blocks and took " +
                std::to_string(state.taken_blocks));
  }
  for (const auto& [key, producer] : state.producing) {
    if (!producer->running()) return broken(*producer, "is said to compute a block but does not run");
  }
  return {};
}

}  // namespace pitwall
