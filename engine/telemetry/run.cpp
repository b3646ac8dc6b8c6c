// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/run.h"

#include "engine/telemetry/run_statistics.h"

namespace pitwall {

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
  }
  return "";
}

RunSummary summarize_requests(const std::vector<RequestRecord>& requests) {
  RunStatistics statistics;
  for (const RequestRecord& request : requests) statistics.add(request);
  return statistics.summary();
}

}  // namespace pitwall
