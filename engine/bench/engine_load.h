// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a load through the engine in this process: no socket, no JSON; the engine's own record of each
// request comes along.
#pragma once
#include "engine/bench/load.h"
#include "engine/serve/engine.h"

namespace pitwall {

struct EngineLoadTarget {
  Engine& engine;
  std::function<std::vector<TokenId>(std::size_t index)> prompt;
  bool ignore_eos = false;
  double temperature = 0;
  bool keep_text = false;
  bool owned = false;  ///< the engine serves nobody else: a cancelled load abandons it
};

/// Blocks until every request has ended. What the engine refuses is a record with that end. One event of the
/// engine is one chunk.
PlayedLoad play_in_process(const Load& load, const EngineLoadTarget& target);

}  // namespace pitwall
