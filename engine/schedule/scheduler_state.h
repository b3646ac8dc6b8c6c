// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler's three layers of state. Private to schedule/.
#pragma once
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/schedule/measured_step_time.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/queue.h"
#include "engine/schedule/sequence.h"

namespace pitwall {

/// What a launched step does to a sequence.
struct PlannedSlice {
  RequestId request;
  SlotId slot;
  std::int32_t end = 0;  // position after its last token
  std::int32_t count = 0;
  bool samples = false;
  bool padding = false;
};

struct PendingStep {
  std::uint64_t number = 0;
  std::vector<PlannedSlice> slices;
  StepShape shape;
  std::vector<RequestId> swapped_out;
  bool dropped = false;  // an earlier step failed: the result is thrown away
};

/// A waiting sequence that the plan being made lets in.
struct Admission {
  Sequence* sequence = nullptr;
  SlotId slot;
  PrefixMatch match;
  std::int32_t first = 0;  // positions before it have KV already
  bool from_swap = false;
  bool reserved = false;  // static batching
};

/// What the plan being made took; becomes pending when it is launched, or is undone.
struct Scratch {
  struct Growth {
    Sequence* sequence;
    std::int32_t blocks;
  };
  PendingStep step;
  Nanos now = 0;
  std::vector<Growth> grown;
  std::vector<Admission> admitted;
  Sequence* victim = nullptr;
  PlanTally tally;
  std::int32_t copies = 0;
  int predicted_blocks = 0, taken_blocks = 0;  // by admissions
  int deferred = 0;                            // passed over
};

struct Scheduler::State {
  State(const SchedulerConfig& config, KvCache& cache, const StepTimeModel* prior);

  SchedulerConfig config;
  const SchedulerConfig bounds;
  KvCache& cache;
  MeasuredStepTime step_time;
  std::unique_ptr<Policy> policy;

  // committed
  std::unordered_map<RequestId, std::unique_ptr<Sequence>> sequences;
  Queue queue;
  std::vector<Sequence*> running;  // in order of admission; ended ones of a static batch too
  std::vector<Sequence*> slots;    // who runs there, or null
  std::vector<std::int32_t> free_slots;
  std::vector<std::unique_ptr<Sequence>> ended;  // of the static batch, still padding
  struct SwapOut {
    RequestId request;
    BlockSwap move;
  };
  std::vector<SwapOut> swaps_out;  // the next launched step moves them before anything else
  std::unordered_map<std::uint64_t, Sequence*> producing;  // key of a block → who computes it
  std::vector<FinishEvent> finished;
  std::vector<AdmissionEvent> admissions;
  std::vector<PreemptionEvent> preempted;
  std::int64_t preemptions = 0;
  int deferred = 0;  // by the last plan
  std::uint64_t next_step = 1;
  std::int64_t predicted_blocks = 0, taken_blocks = 0;  // by all admissions so far: must be equal

  // pending: at most two
  std::deque<PendingStep> pending;

  // scratch
  bool planning = false;
  Scratch scratch;

  /// The policy's order, ageing first: does `a` go before `b`? Of running sequences.
  bool before(const Sequence& a, const Sequence& b) const;
  bool leaving() const;  ///< a victim is still in flight

  void enqueue(Sequence& sequence, Nanos now);
  void lengthen_rope(Sequence& sequence);
  void reclassify(bool new_policy);  ///< after the policy or the threshold changed
  bool is_long(const Sequence& sequence) const;
  void end(Sequence& sequence, FinishReason reason, const std::string& error,
           FailureCause cause = FailureCause::none);
  void leave_running(Sequence& sequence);
  void end_static_batch();  ///< when its last sequence has ended
  void publish(Sequence& sequence);
  void stop_producing(Sequence& sequence);

  // preemption.cpp
  void preempt(Sequence& sequence, Nanos now, bool may_swap);
  void preempt_victims(std::uint64_t committed, Nanos now);
  void preempt_outgrown(std::uint64_t committed, Nanos now);
  bool swaps_cheaper(const Sequence& sequence, std::int32_t first_block) const;
  bool swap_out(Sequence& sequence);
  void drop_swapped(Sequence& sequence);
};

}  // namespace pitwall
