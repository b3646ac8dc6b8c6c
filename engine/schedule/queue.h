// SPDX-License-Identifier: GPL-3.0-or-later
// Queue: who waits, in the order in which they would be admitted. Whoever has waited longer than max_wait
// comes before every policy, oldest first; then the policy's lanes.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/schedule/policy.h"
#include "engine/schedule/sequence.h"

namespace pitwall {

class Queue {
 private:
  struct ByAge {
    bool operator()(const Sequence* a, const Sequence* b) const {
      return std::pair(a->since, a->request.id) < std::pair(b->since, b->request.id);
    }
  };
  struct ByArrival {
    bool operator()(const Sequence* a, const Sequence* b) const {
      return std::pair(a->request.arrival, a->request.id) < std::pair(b->request.arrival, b->request.id);
    }
  };
  using Ages = std::set<Sequence*, ByAge>;
  using Lane = std::set<Sequence*, ByArrival>;

 public:
  void push(Sequence& sequence);
  void erase(Sequence& sequence);
  std::size_t size() const { return by_age_.size(); }
  bool empty() const { return by_age_.empty(); }
  std::vector<Sequence*> all() const { return {by_age_.begin(), by_age_.end()}; }

  /// Goes through the queue while a plan is made; the queue must not change meanwhile.
  class Walk {
   public:
    Walk(const Queue& queue, const Policy& policy, Nanos now, Nanos max_wait);
    /// The next one in order, or null. Each comes once.
    Sequence* next(const PlanTally& tally);
    bool aged(const Sequence& sequence) const { return now_ - sequence.since > max_wait_; }
    int close_long();  ///< long prompts that have not aged come no more; how many those are

   private:
    struct Cursor {
      std::int64_t lane;
      bool is_long;
      Lane::const_iterator at, end;
      std::size_t left;
    };
    const Policy& policy_;
    Nanos now_, max_wait_;
    Ages::const_iterator age_, ages_end_;
    std::vector<Cursor> lanes_;
  };

 private:
  Ages by_age_;
  std::map<std::pair<std::int64_t, bool>, Lane> lanes_;  // (lane of the policy, long)
};

}  // namespace pitwall
