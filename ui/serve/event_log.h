// SPDX-License-Identifier: GPL-3.0-or-later
// EventLog: what happened to a serving engine, from what the window sees of it: states, laps, spikes.
#pragma once
#include <QString>
#include <cstdint>
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/step_chart.h"

namespace pitwall::ui {

struct ServeEvent {
  enum class Kind : std::uint8_t { state, lap, spike, load };
  Kind kind = Kind::state;
  double at = 0;  ///< UTC seconds
  QString title, detail;
  std::uint64_t step = 0;  ///< of a spike
  double ms = 0;           ///< of a spike: how long its streams waited
};

class EventLog {
 public:
  static constexpr std::size_t kMost = 500;

  void add(ServeEvent event);
  /// Laps that are new, and spikes among the steps that are new: a step with streams in it that took ten
  /// times the median of the last steps, and 10 ms at least.
  void take(const Snapshot& snapshot, const std::vector<StepSpan>& steps);
  const std::vector<ServeEvent>& events() const { return events_; }  ///< oldest first

 private:
  std::vector<ServeEvent> events_;
  Nanos started_ = 0;
  double last_lap_ = 0;
  std::uint64_t last_step_ = 0;
};

}  // namespace pitwall::ui
