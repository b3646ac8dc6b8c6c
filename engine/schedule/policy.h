// SPDX-License-Identifier: GPL-3.0-or-later
// Policy: who goes first. A policy sorts requests into lanes and ranks the lanes; within a lane, and between
// lanes of one rank, the earlier arrival goes first. One file each; ageing stands above all of them
// (queue.h).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/schedule/scheduler.h"

namespace pitwall {

/// What the plan being made has given out so far: a policy's own state changes only when it is launched.
struct PlanTally {
  std::optional<std::int64_t> last_lane;                           // of the last admission
  std::vector<std::pair<std::int64_t, std::int64_t>> lane_tokens;  // of admissions
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// The request's lane, for all its life.
  virtual std::int64_t arrived(const Request& request) = 0;
  virtual void left(std::int64_t /*lane*/) {}
  /// Tokens of a launched step.
  virtual void charge(std::int64_t /*lane*/, std::int64_t /*tokens*/) {}
  virtual void admitted(std::int64_t /*lane*/) {}
  /// Lower goes first.
  virtual std::int64_t rank(std::int64_t lane, const PlanTally& tally) const = 0;
};

std::unique_ptr<Policy> make_policy(SchedulingPolicy policy);
std::unique_ptr<Policy> make_fcfs_policy();
std::unique_ptr<Policy> make_priority_policy();
std::unique_ptr<Policy> make_fair_policy();
std::unique_ptr<Policy> make_length_grouped_policy();

}  // namespace pitwall
