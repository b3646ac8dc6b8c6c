// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts of similar length together: a lane for each power of two. The lane of the last admission goes on
// until it is empty; then the lane of whoever came first.
#include <bit>

#include "engine/schedule/policy.h"

namespace pitwall {

namespace {

class LengthGrouped final : public Policy {
 public:
  std::int64_t arrived(const Request& request) override { return std::bit_width(request.prompt.size()); }
  void admitted(std::int64_t lane) override { current_ = lane; }
  std::int64_t rank(std::int64_t lane, const PlanTally& tally) const override {
    return lane == tally.last_lane.value_or(current_) ? 0 : 1;
  }

 private:
  std::int64_t current_ = -1;
};

}  // namespace

std::unique_ptr<Policy> make_length_grouped_policy() {
  return std::make_unique<LengthGrouped>();
}

}  // namespace pitwall
