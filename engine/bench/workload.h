// SPDX-License-Identifier: GPL-3.0-or-later
// Workload: a kind of traffic described by numbers (profiles/workloads), from which traces are made.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/bench/trace.h"

namespace pitwall {

/// Tokens: a log-normal distribution with this mean and spread, cut at minimum and maximum; spread 0 with
/// minimum < maximum is uniform between them; minimum = maximum is fixed.
struct LengthDistribution {
  double mean = 0;   ///< of the log-normal, before the cut
  double sigma = 0;  ///< of its logarithm
  std::int32_t minimum = 1, maximum = 1;
};

struct WorkloadClass {
  double share = 1;  ///< of all requests; weights, not percent
  LengthDistribution prompt, output;
  std::int32_t shared_prefix =
      0;  ///< prompt tokens that all requests of the class begin with; whole trace blocks
  /// Requests in a row of one conversation. Each carries all before it: the prompts, and replies that are
  /// made up in their full length; `prompt` is what a turn adds.
  LengthDistribution turns{0, 0, 1, 1};
  double think_s = 0;             ///< between a reply's end and the next turn
  std::int32_t most_context = 0;  ///< a conversation ends before prompt + output pass it
  bool has_turns() const { return turns.maximum > 1; }
};

struct Workload {
  std::string name, title, source;
  int requests = 0;
  double request_rate = 0;  ///< requests/s, of turns the first ones; infinity = all at once
  std::vector<WorkloadClass> classes;
};

/// The error names the key that is missing or out of range.
Result<Workload> parse_workload(std::string_view json);

const std::vector<Workload>& workloads();  ///< the embedded ones

/// The error lists the workloads that exist.
Result<Workload> find_workload(std::string_view name);

/// `requests` of it, each turn one, the same for the same seed, paced at its rate.
Trace make_trace(const Workload& workload, int requests, std::uint64_t seed);

}  // namespace pitwall
