// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler::check: every invariant of README.md, for the strict checker.
#include <unordered_set>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

namespace {

Error broken(RequestId id, const std::string& what) {
  return {.kind = Error::Kind::internal,
          .what = "Scheduler invariant broken: request " + std::to_string(id.value) + " " + what,
          .cause = {},
          .action = {},
          .param = {}};
}

Result<void> check_sequence(const Scheduler::State& state, const Sequence& sequence) {
  const RequestId id = sequence.request.id;
  const auto tokens = static_cast<std::int32_t>(sequence.tokens.size());
  if (sequence.computed > sequence.planned) return broken(id, "has computed more than was planned");
  if (sequence.planned > sequence.known()) return broken(id, "is planned past its tokens");
  if (sequence.computed > tokens) return broken(id, "has KV of tokens that do not exist");
  if (sequence.sampling < 0 || sequence.sampling > 2)
    return broken(id, "has a wrong count of tokens in flight");
  if (sequence.outputs() + sequence.sampling > sequence.limit) return broken(id, "passes its output limit");
  if (!sequence.running()) {
    if (!sequence.blocks.empty() || sequence.planned != 0) return broken(id, "waits but holds blocks");
    return {};
  }
  if (static_cast<std::int32_t>(sequence.blocks.size()) < state.pool.blocks_for(sequence.planned)) {
    return broken(id, "has fewer blocks than planned tokens need");
  }
  return {};
}

}  // namespace

Result<void> Scheduler::check() const {
  const State& state = *state_;
  if (auto ok = state.pool.check(); !ok) return ok;
  std::unordered_set<std::int32_t> blocks, slots;
  for (const auto& [id, sequence] : state.sequences) {
    if (auto ok = check_sequence(state, *sequence); !ok) return ok;
    for (BlockId block : sequence->blocks) {
      if (!blocks.insert(block.value).second)
        return broken(id, "shares block " + std::to_string(block.value));
    }
    if (sequence->running() && !slots.insert(sequence->slot.value).second) return broken(id, "shares a slot");
  }
  const auto fail = [](std::string what) -> Error {
    return {.kind = Error::Kind::internal, .what = std::move(what), .cause = {}, .action = {}, .param = {}};
  };
  if (static_cast<int>(blocks.size()) != state.pool.used_count()) {
    return fail("Scheduler invariant broken: sequences own " + std::to_string(blocks.size()) +
                " blocks, the pool counts " + std::to_string(state.pool.used_count()) + " used");
  }
  if (state.running.size() + state.waiting.size() != state.sequences.size()) {
    return fail("Scheduler invariant broken: running + waiting is not all sequences");
  }
  if (state.running.size() + state.free_slots.size() != static_cast<std::size_t>(state.config.max_num_seqs)) {
    return fail("Scheduler invariant broken: a slot is lost");
  }
  return {};
}

}  // namespace pitwall
