// SPDX-License-Identifier: GPL-3.0-or-later
// StepBuilder: builds one StepPlan over committed + pending state, writing scratch only. It first decides how
// far each sequence goes, then writes the plan down.
#pragma once
#include <vector>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

class StepBuilder {
 public:
  StepBuilder(Scheduler::State& state, Nanos now);
  /// Empty when nothing can run. `admits`: whether somebody may be let in.
  StepPlan build(bool admits);

 private:
  /// How far a sequence goes in this step: [first, first + count).
  struct Turn {
    Sequence* sequence;
    SlotId slot;
    std::int32_t first = 0, count = 0;
    bool padding = false;
  };
  enum class Verdict { admitted, skipped, stop };

  // step_builder.cpp: continuous batching
  void continuous(bool admits);
  void decode(Sequence& sequence);
  void limit_prefill();
  void prefill();
  std::int32_t chunk(const Sequence& sequence, std::int32_t first, std::int32_t given, bool spares) const;
  void take(Turn& turn, std::int32_t count);
  bool splits_waiters() const;

  // admission.cpp
  void admit_waiting();
  Verdict admit(Sequence& sequence, bool aged);
  const Sequence* producer_of_next(const Sequence& sequence, const PrefixMatch& match) const;
  bool waiting_is_cheaper(const Sequence& sequence, const PrefixMatch& match, const Sequence& producer) const;
  bool long_limits_reached(const Sequence& sequence) const;
  int growth_to_expect(const Sequence& sequence) const;
  bool take_blocks(Admission& admission, int headroom);
  bool fits(int blocks, int revived) const;
  void start_producing(Sequence& sequence, std::int32_t first);

  // static_batch.cpp
  struct Member {
    Sequence* sequence;
    SlotId slot;
  };
  void static_batch(bool admits);
  void admit_static(std::vector<Member>& members);
  void prefill_static(const Member& member, std::int32_t longest);
  void pad(const Member& member, std::int32_t from, std::int32_t end);
  void decode_static(const std::vector<Member>& members);

  // preemption.cpp
  void choose_victim(Sequence& needy);

  // write_plan.cpp
  StepPlan write();
  void write_moves(StepPlan& plan);
  void write_table(StepPlan& plan, const Sequence& sequence, SlotId slot, bool joins) const;
  void write_slice(StepPlan& plan, const Turn& turn);
  static void write_logprobs(SequenceSlice& slice, const Sequence& sequence);
  void write_change(StepPlan& plan, Sequence& sequence);

  Scheduler::State& state_;
  const SchedulerConfig& config_;
  KvCache& cache_;
  Scratch& scratch_;
  std::vector<Turn> turns_;
  std::vector<Sequence*> prefills_;
  std::int32_t tokens_left_, logit_rows_left_, long_tokens_left_;
  std::int32_t reserve_ = 0;    // of the tokens left, for prompts that end in this step
  std::int32_t least_ = 0;      // a prefill gets in any case, where the budget has it
  bool below_a_block_ = false;  // the budget is: chunks may end anywhere
  bool long_served_ = false;
  int long_prefills_ = 0, long_blocks_ = 0, long_running_ = 0;
};

/// What the slice [first, first + count) adds to a step's shape.
void add_to_shape(StepShape& shape, std::int32_t first, std::int32_t count, bool prefill, int logit_rows);

}  // namespace pitwall
