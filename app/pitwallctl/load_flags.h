// SPDX-License-Identifier: GPL-3.0-or-later
// The load of `bench` and `sweep` as command line flags: what is sent, when, and what counts as good.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/bench/bench_job.h"

namespace pitwall::ctl {

struct LoadFlags {
  std::string trace, workload, request_rate, burstiness = "1";
  int num_prompts = 0, max_concurrency = 0;  // 0 = not given
  int warmups = 1, repeats = 1;
  bool ignore_eos = false;
  double temperature = 0;
  std::vector<std::string> goodput;
  bool undefined_is_bad = false;

  /// All but --num-prompts, whose meaning depends on the command; --seed is SyntheticFlags' and there
  /// already.
  void add_to(CLI::App& command, int default_repeats);

  bool given() const { return !trace.empty() || !workload.empty(); }
  Result<LoadSource> source() const;  ///< of the trace or workload
  /// Seed, objectives and numbers; what answers fills in the rest.
  Result<LoadSetup> setup(const LoadSource& source, std::uint64_t seed) const;
};

}  // namespace pitwall::ctl
