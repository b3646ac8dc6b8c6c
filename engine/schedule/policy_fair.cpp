// SPDX-License-Identifier: GPL-3.0-or-later
// Equal shares of computed tokens: a lane for each tenant, the one with the fewest so far first. A tenant
// that comes, or comes back, starts no lower than the lowest of those that are there: nobody can save up.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "engine/schedule/policy.h"

namespace pitwall {

namespace {

class Fair final : public Policy {
 public:
  std::int64_t arrived(const Request& request) override {
    const auto [found, added] = lane_of_.emplace(request.tenant, next_lane_);
    if (added) tenants_.emplace(next_lane_++, Tenant{request.tenant, 0, 0});
    Tenant& tenant = tenants_.at(found->second);
    if (tenant.requests == 0) tenant.tokens = std::max(tenant.tokens, lowest());
    ++tenant.requests;
    return found->second;
  }
  void left(std::int64_t lane) override {
    if (--tenants_.at(lane).requests == 0) forget();
  }
  void charge(std::int64_t lane, std::int64_t tokens) override {
    // A step in flight may be charged to a tenant that has left.
    if (const auto found = tenants_.find(lane); found != tenants_.end()) found->second.tokens += tokens;
  }
  std::int64_t rank(std::int64_t lane, const PlanTally& tally) const override {
    std::int64_t tokens = tenants_.at(lane).tokens;
    for (const auto& [charged, more] : tally.lane_tokens) {
      if (charged == lane) tokens += more;
    }
    return tokens;
  }

 private:
  struct Tenant {
    std::string name;
    std::int64_t tokens = 0;
    int requests = 0;
  };
  /// Of the tenants that have requests; where none has, the most that anybody had.
  std::int64_t lowest() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [lane, tenant] : tenants_) {
      if (tenant.requests > 0) least = std::min(least, tenant.tokens);
    }
    return least == std::numeric_limits<std::int64_t>::max() ? floor_ : least;
  }
  /// Drops those without requests who would start again at the lowest anyway. The names are the clients'.
  void forget() {
    const bool anybody = std::any_of(tenants_.begin(), tenants_.end(),
                                     [](const auto& each) { return each.second.requests > 0; });
    for (const auto& [lane, tenant] : tenants_) floor_ = std::max(floor_, tenant.tokens);
    const std::int64_t least = anybody ? lowest() : floor_;
    std::erase_if(tenants_, [&](const auto& each) {
      const Tenant& tenant = each.second;
      if (tenant.requests > 0 || tenant.tokens > least) return false;
      lane_of_.erase(tenant.name);
      return true;
    });
  }

  std::unordered_map<std::int64_t, Tenant> tenants_;  // by lane
  std::unordered_map<std::string, std::int64_t> lane_of_;
  std::int64_t next_lane_ = 0, floor_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_fair_policy() {
  return std::make_unique<Fair>();
}

}  // namespace pitwall
