// SPDX-License-Identifier: GPL-3.0-or-later
// A load from the command line: against whom, with which prompts, and where its figures go.
#pragma once
#include <memory>

#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/load_flags.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/bench/bench_run.h"
#include "engine/bench/openai_server.h"

namespace pitwall::ctl {

struct LoadBench {
  std::unique_ptr<SettingFlags> flags;
  SyntheticFlags synthetic;  // its seed is the load's too
  LoadFlags load;
  ServerAddress server;  // url empty: the engine in this process
  std::string api_key_file, tokenizer, output, output_format = "vllm", label;
  std::vector<std::string> metadata;  // KEY=VALUE
  bool text_prompts = false, save_run = false, save_detailed = false;
  double timeout_s = 600;

  void add_to(CLI::App& command);
  void check(const CLI::App& command) const;  ///< throws CLI::ParseError once the line is parsed
};

/// Against the server or the engine that `bench` names; prints and writes what was asked for.
Result<void> run_load_bench(const LoadBench& bench, LoadSource source, bool json);

/// An engine in this process as what answers a load.
struct LoadedBench {
  std::unique_ptr<HeaderSink> said;  // the engine holds on to it
  std::unique_ptr<Engine> engine;
};
Result<LoadedBench> start_for_load(Settings settings, const SyntheticFlags& synthetic);
/// Fills in what the engine knows and plays through it; `loaded` outlives the job.
BenchJob job_for_engine(const LoadedBench& loaded, const LoadFlags& flags, LoadSource source, LoadSetup setup,
                        bool keep_text);

}  // namespace pitwall::ctl
