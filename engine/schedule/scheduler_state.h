// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler's three layers of state. Private to schedule/.
#pragma once
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/schedule/sequence.h"

namespace pitwall {

/// What one plan took; becomes pending when it is launched, or is undone.
struct PlannedSlice {
  RequestId request;
  std::int32_t count = 0;
  bool samples = false;
};

struct PendingStep {
  std::uint64_t number = 0;
  std::vector<PlannedSlice> slices;
  bool dropped = false;  // an earlier step failed: the result is thrown away
};

struct Scratch {
  struct Allocation {
    Sequence* sequence;
    std::int32_t blocks;
  };
  PendingStep step;
  std::vector<Allocation> allocations;  // in order, undone backwards
  std::vector<Sequence*> admitted;      // taken from the head of the queue, in order
  std::vector<Sequence*> victims;
  std::vector<std::int32_t> slots;  // taken from free_slots
};

struct Scheduler::State {
  State(const SchedulerConfig& config, BlockPool& pool) : config(config), pool(pool) {}

  SchedulerConfig config;
  BlockPool& pool;

  // committed
  std::unordered_map<RequestId, std::unique_ptr<Sequence>> sequences;
  std::deque<Sequence*> waiting;   // first come, first served; preempted ones at the head
  std::vector<Sequence*> running;  // in order of admission
  std::vector<std::int32_t> free_slots;
  std::vector<FinishEvent> finished;
  std::vector<RequestId> first_scheduled;
  std::int64_t preemptions = 0;
  std::uint64_t next_step = 1;

  // pending: at most two
  std::deque<PendingStep> pending;

  // scratch
  bool planning = false;
  Scratch scratch;

  void end(Sequence& sequence, FinishReason reason, const std::string& error);
  void preempt(Sequence& sequence);
  void preempt_victims(std::vector<RequestId>& preempted);
};

/// Builds one StepPlan over committed + pending state, writing scratch only.
class StepBuilder {
 public:
  explicit StepBuilder(Scheduler::State& state);
  StepPlan build();

 private:
  void decode(Sequence& sequence);
  void prefill(Sequence& sequence);
  bool admit(Sequence& sequence);
  void append_blocks(Sequence& sequence, SlotId slot, std::int32_t sent);
  void add_slice(Sequence& sequence, SlotId slot, std::int32_t count);
  void choose_victim(const Sequence& needy);
  std::int32_t chunk(const Sequence& sequence) const;

  Scheduler::State& state_;
  StepPlan plan_;
  std::int32_t tokens_left_, logit_rows_left_;
  std::int32_t slots_taken_ = 0;
};

}  // namespace pitwall
