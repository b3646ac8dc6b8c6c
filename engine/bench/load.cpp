// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/load.h"

#include <time.h>

namespace pitwall {

std::vector<StreamRecord> planned_records(const Trace& trace) {
  std::vector<StreamRecord> records(trace.requests.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const TraceRequest& request = trace.requests[i];
    StreamRecord& record = records[i];
    record.index = record.conversation = i;
    record.planned_prompt_tokens = request.prompt_tokens;
    record.planned_output_tokens = request.output_tokens;
    if (request.after < 0) continue;
    const StreamRecord& before = records[static_cast<std::size_t>(request.after)];
    record.conversation = before.conversation;
    record.turn = before.turn + 1;
  }
  return records;
}

std::chrono::steady_clock::time_point steady_time(Nanos at) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at));
}

Nanos thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Nanos{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
}

}  // namespace pitwall
