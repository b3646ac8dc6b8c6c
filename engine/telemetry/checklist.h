// SPDX-License-Identifier: GPL-3.0-or-later
// Checklist: the record of a tuning. A base, and items that each change one variable of it: from → to,
// hypothesis, verdict. Their runs are found by what each run's configuration says (engine/bench/checklist.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/clock.h"

namespace pitwall {

/// One variable: a row of the table of settings.
struct ItemChange {
  std::string setting, from, to;  ///< values as Settings::set reads them
};

/// By the 95 % interval of the effect, or by the user: unclear = the interval spans zero.
enum class ItemVerdict : std::uint8_t { planned, running, keep, revert, unclear };

struct Item {
  std::int64_t id = 0;  ///< within its checklist, from 1; not used again
  std::string name, hypothesis;
  std::string expected;             ///< effect, in words
  std::string measure;              ///< the figure that decides; empty = the checklist's
  std::vector<ItemChange> changes;  ///< one; more only where somebody allowed it: mixed
  std::string also;                 ///< further values of its first variable to try, "6,16,32"; may be empty
  std::int32_t repeats = 0;         ///< of its measurements; 0 = the checklist's
  ItemVerdict verdict = ItemVerdict::planned;
  bool by_user = false;  ///< the verdict
  // Effect on the measure when it was judged: after − before, 95 %. NaN = not known.
  double effect, effect_low, effect_high;
  double percent;     ///< of the mean before
  std::string error;  ///< why a measurement failed; empty = none did

  Item();
  bool mixed() const { return changes.size() > 1; }
  bool decided() const { return verdict == ItemVerdict::keep || verdict == ItemVerdict::revert; }
};

/// What a checklist is measured on.
enum class TuneTarget : std::uint8_t { simulator, fresh_engine, running_engine };

struct Checklist {
  std::int64_t id = 0;
  std::string uuid;          ///< names it in its runs and in every store
  Nanos imported_utc = 0;    ///< when it came here from a file; 0 = it was made here
  std::string name, goal;    ///< "Four steps", "throughput first"
  std::string origin;        ///< the template's name; empty = none
  std::string source, note;  ///< where it comes from; what to know when reading its figures
  Nanos created_utc = 0, updated_utc = 0;
  TuneTarget target = TuneTarget::simulator;
  std::string model;                 ///< as read_outline takes it, or of an engine
  std::string gpus;                  ///< of the simulator: "A100-80Gx8"
  std::string engine;                ///< of the simulator: whose step times
  std::string workload;              ///< by name
  std::int32_t num_prompts = 0;      ///< 0 = the workload's own number
  std::int32_t max_concurrency = 0;  ///< requests sent and not ended; 0 = no limit, −1 = max-num-seqs
  std::int32_t repeats = 3;          ///< of each measurement, with other prompts
  std::uint64_t seed = 0;
  std::string settings = "{}";                ///< of the base, as a JSON object
  std::string measure = "output_throughput";  ///< the figure that decides, by name in sweep.h
  std::string latency = "p50_ttft_ms";        ///< the figure that throughput is shown against
  std::string limits;  ///< on means over repeats, "p50_ttft_ms:1500 p99_tpot_ms:90"; may be empty
  std::vector<Item> items;
};

}  // namespace pitwall
