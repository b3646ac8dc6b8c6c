// SPDX-License-Identifier: GPL-3.0-or-later
// BenchJob: warm-up, then a load as often as asked, each play a run of its own, then the report.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/bench/load_report.h"
#include "engine/bench/prompt_maker.h"
#include "engine/bench/workload.h"
#include "engine/telemetry/run.h"

namespace pitwall {

class Engine;

/// Where the requests come from: a trace file's or a workload's.
struct LoadSource {
  std::optional<Trace> trace;
  std::optional<Workload> workload;    ///< used where there is no trace
  int num_prompts = 0;                 ///< at most; 0 = all of the trace, the workload's own number
  std::optional<double> request_rate;  ///< a trace is stretched to it; a workload is paced at it
  double burstiness = 1;               ///< of a workload's gaps

  /// Traces are the same for every seed.
  Trace make(std::uint64_t seed) const;
  bool open_loop() const;  ///< not all at once
};

/// Plays a load with these prompts.
using PlayLoad = std::function<Result<PlayedLoad>(const Load& load, const PromptMaker& prompts)>;

struct BenchJob {
  LoadSource source;
  LoadSetup setup;  ///< seed, warm-ups, repeats, limit and objectives are followed; the rest is handed on
  std::shared_ptr<const Tokenizer> tokenizer;  ///< may be null
  int vocabulary = 0;                          ///< where there is no tokenizer and ids are taken all the same
  PlayLoad play;

  RunSink* runs = nullptr;   ///< null = nothing is stored
  RunHeader header;          ///< of each run, without what the run itself knows
  Engine* engine = nullptr;  ///< the one in this process, or null
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(int repeat, const PlayProgress& progress)> on_progress;  ///< repeat 0 = warm-up
};

struct BenchOutcome {
  LoadReport report;
  std::vector<PlayedLoad> plays;
};

/// Warm-up requests have the lengths of the first ones, tokens that no measured prompt has, and go one by
/// one. Repeat k has the seed + k: other prompts, and arrivals of a workload. A failed warm-up, a cancelled
/// job and a sink that fails are errors; failed requests are not.
Result<BenchOutcome> run_bench(const BenchJob& job);

/// The setup as entries of a run's configuration, named "load.…".
std::vector<ConfigEntry> config_of(const LoadSetup& setup);

}  // namespace pitwall
