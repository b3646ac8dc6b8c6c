// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/run.h"

#include <algorithm>

#include "engine/telemetry/run_statistics.h"

namespace pitwall {

constexpr std::size_t kMostRequests = std::size_t{1} << 20;  // in the percentiles: 40 MiB

std::string_view run_status_name(RunStatus status) {
  switch (status) {
    case RunStatus::recording:
      return "recording";
    case RunStatus::finished:
      return "finished";
    case RunStatus::failed:
      return "failed";
    case RunStatus::cut_off:
      return "cut_off";
    case RunStatus::cancelled:
      return "cancelled";
  }
  return "";
}

RunSummary summarize_requests(const std::vector<RequestRecord>& requests) {
  RunStatistics statistics(std::clamp<std::size_t>(requests.size(), 1, kMostRequests));
  for (const RequestRecord& request : requests) statistics.add(request);
  return statistics.summary();
}

}  // namespace pitwall
