// SPDX-License-Identifier: GPL-3.0-or-later
// Starting the engine from the command line: model by path or name, back end by settings, progress on stderr.
#pragma once
#include "engine/serve/engine.h"
#include "engine/store/store.h"

namespace pitwall::ctl {

/// Fills in model and back end from `options.settings`; an on_progress that is there already is called too.
Result<std::unique_ptr<Engine>> start_engine(EngineOptions options);

/// The user's store of runs; says on stderr what it has to say about opening.
Result<std::unique_ptr<Store>> open_store();

}  // namespace pitwall::ctl
