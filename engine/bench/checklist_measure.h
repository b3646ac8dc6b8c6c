// SPDX-License-Identifier: GPL-3.0-or-later
// How a checklist's measurements are made: in the simulator, on an engine of this process that is started for
// each set of settings, or on a running Pitwall server whose live settings are changed. All by the load
// generator and the simulation that `bench` and `simulate` use.
#pragma once
#include "engine/bench/checklist_runner.h"
#include "engine/bench/openai_server.h"
#include "engine/plan/gpu_profile.h"
#include "engine/serve/engine.h"

namespace pitwall {

struct TuneEnvironment {
  RunSink* runs = nullptr;                                              ///< outlives the measure
  std::function<Result<Run>(RunId id)> read_run;                        ///< back from where `runs` put it
  BackendFactory make_backend;                                          ///< for fresh engines
  std::function<Result<GpuProfile>(const std::string& name)> find_gpu;  ///< for the simulator
  ServerAddress server;                                                 ///< the running engine
  std::shared_ptr<const Tokenizer> tokenizer;                           ///< of its prompts; may be null
  const std::atomic<bool>* cancel = nullptr;
};

/// What `checklist.target` asks for. The engine that it starts lives as long as the measure. Kinds of runs:
/// "bench"; "simulate", whose times are virtual.
MeasureItem make_measure(TuneTarget target, TuneEnvironment environment);

}  // namespace pitwall
