// SPDX-License-Identifier: GPL-3.0-or-later
// Who was in a step: the requests that held a slot in it, and what happened to each.
#pragma once
#include <optional>
#include <vector>

#include "engine/telemetry/recorder.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

struct StepMember {
  RequestRecord request;           ///< as it is by now
  std::optional<StepEvent> event;  ///< what this step did to it; none: it went on
};

/// By id. Of the requests and events that the recorder still has; empty when it no longer knows the step.
std::vector<StepMember> step_members(std::uint64_t step, const Recorder& recorder);

QString event_text(const StepEvent& event);  ///< "was preempted, 352 tokens thrown away"
std::vector<TableColumn> step_member_columns();
std::vector<TableRow> step_member_rows(const std::vector<StepMember>& members);

}  // namespace pitwall::ui
