// SPDX-License-Identifier: GPL-3.0-or-later
// Starting the engine from the command line: model by path or name, back end by settings, progress on stderr.
#pragma once
#include <CLI/CLI.hpp>

#include "engine/serve/engine.h"
#include "engine/store/store.h"

namespace pitwall::ctl {

/// `--synthetic PROFILE`: random weights in a model's shape, in place of --model.
struct SyntheticFlags {
  std::string profile, weights = "bf16";
  std::uint64_t seed = 0;

  /// After the command has --model, which is no longer required by itself.
  void add_to(CLI::App& command);
  /// Throws CLI::RequiredError where there is neither a model nor a shape; called once the line is parsed.
  void check(const CLI::App& command) const;
};

/// Fills in model and back end from `options.settings`; an on_progress that is there already is called too.
Result<std::unique_ptr<Engine>> start_engine(EngineOptions options, const SyntheticFlags& synthetic = {});

/// The user's store of runs; says on stderr what it has to say about opening.
Result<std::unique_ptr<Store>> open_store();

}  // namespace pitwall::ctl
