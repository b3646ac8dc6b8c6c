// SPDX-License-Identifier: GPL-3.0-or-later
// An executor without a model. KV of a position is a number made of every token before it and of what else
// decides a request's KV; the next token follows from it. It keeps KV the way a device does and checks every
// position that is read, so that a wrong block table, copy, swap or reused block shows.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/cache/cache_key.h"
#include "engine/schedule/scheduler.h"

namespace pitwall::test {

/// What the fake model writes after `prompt`.
std::vector<TokenId> continuation(std::span<const TokenId> prompt, const CacheKey& key, int count,
                                  int vocabulary = 997);

/// The same for a request whose parameters change logits, counted anew for each token. Shorter where its
/// guide leaves none.
std::vector<TokenId> continuation(const Request& request, int count, int vocabulary);

class FakeExecutor {
 public:
  FakeExecutor(int slots, int blocks, int block_size, int swap_blocks = 0, int vocabulary = 997);
  /// Texts longer than this have KV of their own, and only they; 0 = all are alike.
  void switch_rope_after(int length) { rope_switch_ = length; }
  /// Before a request's first step.
  void expect(RequestId request, std::span<const TokenId> prompt, const CacheKey& key);
  /// Runs the plan at once; problems() says what was inconsistent.
  StepResult run(const StepPlan& plan);
  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<BlockId>& table(SlotId slot) const {
    return slots_[static_cast<std::size_t>(slot.value)].table;
  }
  std::int64_t computed_rows() const { return rows_; }  ///< padding left out

 private:
  struct Slot {
    RequestId request;
    TokenId last_token = 0;
    std::vector<BlockId> table;
    bool long_rope = false;
  };
  struct Text {
    std::uint64_t start = 0;
    std::vector<TokenId> tokens;       // prompt, then what was sampled
    std::vector<std::uint64_t> state;  // KV that each position must hold
  };
  using Kv = std::vector<std::uint64_t>;  // by block · block_size + offset

  void move_blocks(const StepPlan& plan);
  void append(const BlockAppend& append);
  void compute(const StepPlan& plan, const SequenceSlice& slice, const LogitChange* change);
  bool reads_well(const Slot& slot, const Text& text, std::int32_t positions);
  static std::uint64_t kv_of(const Slot& slot, const Text& text, std::int32_t position);
  std::uint64_t* kv(const Slot& slot, std::int32_t position);
  void problem(std::string what) { problems_.push_back(std::move(what)); }

  int block_size_, vocabulary_, rope_switch_ = 0;
  std::vector<Slot> slots_;
  Kv kv_, host_;
  std::map<RequestId, Text> texts_;
  std::vector<std::string> problems_;
  std::int64_t rows_ = 0;
};

}  // namespace pitwall::test
