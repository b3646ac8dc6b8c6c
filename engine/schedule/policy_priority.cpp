// SPDX-License-Identifier: GPL-3.0-or-later
// Lower numbers first: a lane for each priority.
#include "engine/schedule/policy.h"

namespace pitwall {

namespace {

class Priority final : public Policy {
 public:
  std::int64_t arrived(const Request& request) override { return request.priority; }
  std::int64_t rank(std::int64_t lane, const PlanTally&) const override { return lane; }
};

}  // namespace

std::unique_ptr<Policy> make_priority_policy() {
  return std::make_unique<Priority>();
}

}  // namespace pitwall
