// SPDX-License-Identifier: GPL-3.0-or-later
// LoadReport: the figures of a load, by vLLM's definitions and by ours, from the same records. README.md says
// what each means.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/bench/bench_result.h"
#include "engine/bench/confidence.h"
#include "engine/bench/goodput.h"
#include "engine/bench/load.h"

namespace pitwall {

/// What was asked for.
struct LoadSetup {
  Nanos date_utc = 0;
  std::string backend;  ///< "openai", "openai-chat" or "pitwall" (in this process)
  std::string label, model_id, tokenizer_id, endpoint, workload;
  std::int64_t num_prompts = 0, warmups = 0, repeats = 1;
  double request_rate = 0;  ///< infinity = all at once; NaN = as the trace says
  double burstiness = 1;
  std::optional<int> max_concurrency;
  std::uint64_t seed = 0;
  Objectives objectives;
  bool undefined_is_bad = false;  ///< goodput as AIPerf counts it
  bool open_loop = false;         ///< requests come by a schedule, not when others end
  bool shares_prefixes = false;   ///< of the trace: hits are meant
};

struct Repeated {
  std::vector<double> values;  ///< one a repeat
  Interval interval{};         ///< of their mean, 95 %
};

struct LoadReport {
  LoadSetup setup;
  BenchResult vllm;         ///< vLLM's definitions; of the server's numbers, those that are known
  double vllm_goodput = 0;  ///< requests/s; NaN without objectives
  ServerSide server;

  // Ours, of requests that ended well.
  double window_s = 0;  ///< first sent → last event of one that ended well; sum over repeats
  double request_throughput = 0, output_throughput = 0, total_token_throughput = 0;
  double target_rate = 0,
         attained_rate = 0;  ///< requests/s that were asked for and sent; NaN in a closed loop
  Summary ttft, ttfa, tpot, itl_chunk, itl_token, e2e, stream_end, ttft_due, e2e_due;  ///< ms
  std::int64_t good = 0, good_undefined = 0;  ///< met all objectives; had a limit on a time that is undefined
  double goodput = 0;                         ///< good / window_s; NaN without objectives

  // Counts apart.
  std::map<std::string, std::int64_t> failures;         ///< by how they ended
  std::map<std::string, std::int64_t> failure_reasons;  ///< by what was said, the 20 most frequent
  std::int64_t failed_output_tokens = 0;                ///< that came before the failure
  std::int64_t empty_replies = 0;                       ///< ended well without output
  std::int64_t tpot_undefined = 0;                      ///< ended well with 0 or 1 token
  std::int64_t itl_token_unknown = 0;      ///< streams whose chunks hold more tokens than they tell
  std::int64_t count_mismatches = 0;       ///< streams whose chunks state another count than usage
  std::int64_t not_counted_by_server = 0;  ///< streams without usage
  double hit_rate = 0;                     ///< Σ cached / Σ prompt tokens; NaN where nobody says

  ClientLag lag;
  std::int64_t held_back = 0;  ///< sent late because of max_concurrency in an open loop
  std::vector<std::string> warnings;

  std::map<std::string, Repeated> repeated;  ///< the figures below over two repeats or more
  std::vector<std::int64_t> run_ids;
};

/// Percentiles are over the requests of all repeats together, rates over the sum of their times.
LoadReport make_report(const LoadSetup& setup, std::span<const PlayedLoad> plays);

/// The figures that are compared between repeats and runs: "output_throughput", "p99_ttft_ms", …
std::map<std::string, double> headline_figures(const LoadReport& report);

}  // namespace pitwall
