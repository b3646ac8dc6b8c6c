// SPDX-License-Identifier: GPL-3.0-or-later
// BenchResult: what a run under load came to, with vLLM's names. Definitions: engine/telemetry/README.md.
#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "engine/base/units.h"
#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/records.h"

namespace pitwall {

struct BenchResult {
  double duration_s = 0;  ///< first arrival → last end of a request that ended well
  std::int64_t completed = 0, failed = 0;
  std::int64_t input_tokens = 0,
               output_tokens = 0;  ///< of completed requests, as are the rates and latencies
  double request_throughput = 0, output_throughput = 0, total_token_throughput = 0;  ///< per second
  Summary ttft, tpot, itl, e2el;                                                     ///< ms
  std::int64_t max_concurrent_requests = 0, max_output_tokens_per_s = 0;

  std::int64_t query_tokens = 0, hit_tokens = 0;        ///< prompt tokens of admitted requests, once each
  std::array<std::int64_t, kMissReasonCount> misses{};  ///< requests, by reason
  std::int64_t preemptions = 0;
  Bytes peak_kv_bytes = 0;  ///< blocks that requests held
};

/// What follows from the requests alone; the rest stays 0.
BenchResult summarize_bench(std::span<const RequestRecord> requests, std::vector<double> itl_ms);

/// Keys of `vllm bench serve --save-result`, then ours. Undefined numbers are null.
nlohmann::ordered_json to_json_value(const BenchResult& result);

}  // namespace pitwall
