// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/snapshot.h"

namespace pitwall {

std::string_view engine_state_name(EngineState state) {
  switch (state) {
    case EngineState::stopped:
      return "stopped";
    case EngineState::loading:
      return "loading";
    case EngineState::serving:
      return "serving";
    case EngineState::stopping:
      return "stopping";
    case EngineState::failed:
      return "failed";
  }
  return "";
}

void LatencySketches::merge(const LatencySketches& other) {
  ttft.merge(other.ttft);
  tpot.merge(other.tpot);
  itl.merge(other.itl);
  queue.merge(other.queue);
}

}  // namespace pitwall
