// SPDX-License-Identifier: GPL-3.0-or-later
// First come, first served: one lane.
#include "engine/schedule/policy.h"

namespace pitwall {

namespace {

class Fcfs final : public Policy {
 public:
  std::int64_t arrived(const Request&) override { return 0; }
  std::int64_t rank(std::int64_t, const PlanTally&) const override { return 0; }
};

}  // namespace

std::unique_ptr<Policy> make_fcfs_policy() {
  return std::make_unique<Fcfs>();
}

std::unique_ptr<Policy> make_policy(SchedulingPolicy policy) {
  switch (policy) {
    case SchedulingPolicy::priority:
      return make_priority_policy();
    case SchedulingPolicy::fair:
      return make_fair_policy();
    case SchedulingPolicy::length_grouped:
      return make_length_grouped_policy();
    case SchedulingPolicy::fcfs:
      break;
  }
  return make_fcfs_policy();
}

}  // namespace pitwall
