// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/replicas.h"

#include <algorithm>

namespace pitwall {

namespace {

struct Share {
  Trace trace;
  std::vector<std::size_t> places;  // in the whole trace
};

std::vector<Share> deal(const Trace& trace, int replicas) {
  std::vector<Share> shares(static_cast<std::size_t>(replicas));
  std::vector<std::size_t> owner(trace.requests.size()), place(trace.requests.size());
  std::size_t turn = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    TraceRequest request = trace.requests[i];
    const bool first = request.after < 0;
    owner[i] = first ? turn++ % shares.size() : owner[static_cast<std::size_t>(request.after)];
    if (!first) request.after = static_cast<std::int32_t>(place[static_cast<std::size_t>(request.after)]);
    Share& share = shares[owner[i]];
    place[i] = share.places.size();
    share.places.push_back(i);
    share.trace.requests.push_back(std::move(request));
  }
  for (Share& share : shares) share.trace.name = trace.name;
  return shares;
}

}  // namespace

Result<Simulation> simulate_replicas(const Trace& trace, const SimulationConfig& config,
                                     const StepTimeModel& model, int replicas) {
  SimulationConfig each = config;
  if (config.max_concurrency) each.max_concurrency = (*config.max_concurrency + replicas - 1) / replicas;
  Simulation all;
  all.requests.resize(trace.requests.size());
  bool first = true;
  for (const Share& share : deal(trace, replicas)) {
    auto one = simulate(share.trace, each, model);
    if (!one) return one.error();
    for (std::size_t i = 0; i < share.places.size(); ++i) {
      RequestRecord& record = all.requests[share.places[i]] = std::move(one->requests[i]);
      record.id = RequestId{share.places[i] + 1};
    }
    all.itl_ms.insert(all.itl_ms.end(), one->itl_ms.begin(), one->itl_ms.end());
    all.steps.insert(all.steps.end(), one->steps.begin(), one->steps.end());
    all.scheduler_us.insert(all.scheduler_us.end(), one->scheduler_us.begin(), one->scheduler_us.end());
    if (replicas == 1) all.seconds = std::move(one->seconds);
    if (first) all.cache = one->cache;
    if (first) all.peak_used_blocks = one->peak_used_blocks;
    first = false;
    all.peak_live += one->peak_live;
    all.peak_tokens_in_a_second += one->peak_tokens_in_a_second;
  }
  return all;
}

}  // namespace pitwall
