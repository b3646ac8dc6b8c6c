// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a serving engine's run is written down: a store that cannot write, as on a full disk, interrupts
// the record while the engine serves on.
#pragma once
#include "engine/telemetry/snapshot.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

class RecordingWatch {
 public:
  enum class News { none, lost, back };
  News look(const Snapshot& snapshot);  ///< of the newest
  /// The run that is not written down at present, though it was before; 0 = none.
  RunId interrupted() const { return lost_ ? run_ : RunId{}; }

 private:
  Nanos engine_ = 0;  // start of the one that is watched
  RunId run_{};       // its run, once there was one
  bool lost_ = false;
};

/// Of lost and back.
QString recording_event(RecordingWatch::News news);
Banner recording_banner(RecordingWatch::News news, const Snapshot& snapshot,
                        const std::function<void()>& show_log);

}  // namespace pitwall::ui
