// SPDX-License-Identifier: GPL-3.0-or-later
// Equal shares of computed tokens: a lane for each tenant, the one with the fewest so far first. A tenant
// that comes, or comes back, starts no lower than the lowest of those that are there: nobody can save up.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/schedule/policy.h"

namespace pitwall {

namespace {

class Fair final : public Policy {
 public:
  std::int64_t arrived(const Request& request) override {
    const auto [found, added] = lane_of_.emplace(request.tenant, static_cast<std::int64_t>(tenants_.size()));
    if (added) tenants_.emplace_back();
    Tenant& tenant = tenants_[static_cast<std::size_t>(found->second)];
    if (tenant.requests == 0) tenant.tokens = std::max(tenant.tokens, lowest());
    ++tenant.requests;
    return found->second;
  }
  void left(std::int64_t lane) override { --tenants_[static_cast<std::size_t>(lane)].requests; }
  void charge(std::int64_t lane, std::int64_t tokens) override {
    tenants_[static_cast<std::size_t>(lane)].tokens += tokens;
  }
  std::int64_t rank(std::int64_t lane, const PlanTally& tally) const override {
    std::int64_t tokens = tenants_[static_cast<std::size_t>(lane)].tokens;
    for (const auto& [charged, more] : tally.lane_tokens) {
      if (charged == lane) tokens += more;
    }
    return tokens;
  }

 private:
  struct Tenant {
    std::int64_t tokens = 0;
    int requests = 0;
  };
  /// Of the tenants that have requests; of all when none has.
  std::int64_t lowest() const {
    std::int64_t active = std::numeric_limits<std::int64_t>::max(), highest = 0;
    for (const Tenant& tenant : tenants_) {
      if (tenant.requests > 0) active = std::min(active, tenant.tokens);
      highest = std::max(highest, tenant.tokens);
    }
    return std::min(active, highest);
  }

  std::vector<Tenant> tenants_;  // by lane; as many as there are API keys
  std::unordered_map<std::string, std::int64_t> lane_of_;
};

}  // namespace

std::unique_ptr<Policy> make_fair_policy() {
  return std::make_unique<Fair>();
}

}  // namespace pitwall
