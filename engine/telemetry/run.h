// SPDX-License-Identifier: GPL-3.0-or-later
// Run: the record of one serving or bench period, immutable after its end. RunSink: who keeps it (store/
// implements).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/ledger.h"
#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/records.h"
#include "engine/telemetry/snapshot.h"

namespace pitwall {

struct ConfigEntry {
  std::string name, value, default_value, origin;
  bool changed = false;
};

/// Known at the start.
struct RunHeader {
  std::string uuid, name, kind = "serve";  ///< kind: serve, check, bench
  Nanos start_utc = 0;
  std::string engine_version, git_commit, build_flags;
  std::string cpu, os;
  int cores = 0;
  Bytes ram = 0;
  std::string device;  ///< "cpu"
  std::string model_path, model_name, architecture, quantization, model_sha256;
  std::vector<ConfigEntry> config;  ///< settings, secrets left out
};

/// Added while it runs, about once a second.
struct RunRows {
  std::vector<RequestRecord> requests;  ///< ended ones
  std::vector<SecondRecord> seconds;
  std::vector<SettingChange> changes;
  std::vector<StepRecord> steps = {};  ///< up to kRunSteps of a run
  QuantileSketch itl = {};             ///< every gap since the rows before, in ms
};

enum class RunStatus : std::uint8_t { recording, finished, failed, cut_off, cancelled };
std::string_view run_status_name(RunStatus status);

/// Known at the end.
struct RunSummary {
  RunStatus status = RunStatus::finished;
  std::string error;
  Nanos end_utc = 0;
  EngineTotals totals;
  LedgerSnapshot ledger;
  std::map<std::string, Summary> metrics;  ///< "ttft_ms", "tpot_ms", "e2e_ms", "queue_ms", "max_itl_ms":
                                           ///< exact, over requests that ended well; "itl_ms": of every gap,
                                           ///< within 1 %, missing where nobody saw them
  double output_tokens_per_s = 0;  ///< first arrival → last token, requests that ended well; 0 when none
};
RunSummary summarize_requests(
    const std::vector<RequestRecord>& requests);  ///< metrics, totals' request counts and throughput

struct Run {
  RunId id;
  std::string note;
  Nanos imported_utc = 0;  ///< when it came here from a file; 0 = it was recorded here
  RunHeader header;
  RunSummary summary;
  std::vector<RequestRecord> requests;
  std::vector<SecondRecord> seconds;
  std::vector<SettingChange> changes;  ///< in the order in which they were made
  std::vector<StepRecord> steps = {};  ///< the first ones; none where nobody saw them
  QuantileSketch itl = {};             ///< every gap between tokens, in ms; empty where nobody saw them
};

/// Thread-safe. Implementations write before they return.
class RunSink {
 public:
  virtual ~RunSink() = default;
  virtual Result<RunId> begin(const RunHeader& header) = 0;
  virtual Result<void> append(RunId run, const RunRows& rows) = 0;
  virtual Result<void> end(RunId run, const RunSummary& summary) = 0;
};

}  // namespace pitwall
