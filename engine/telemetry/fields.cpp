// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/fields.h"

namespace pitwall {

std::optional<FinishReason> finish_reason_of(std::string_view name) {
  for (const FinishReason reason : {FinishReason::none, FinishReason::stop, FinishReason::length,
                                    FinishReason::cancelled, FinishReason::error}) {
    if (name == finish_reason_name(reason)) return reason;
  }
  return std::nullopt;
}

std::optional<RunStatus> run_status_of(std::string_view name) {
  for (const RunStatus status :
       {RunStatus::recording, RunStatus::finished, RunStatus::failed, RunStatus::cut_off}) {
    if (name == run_status_name(status)) return status;
  }
  return std::nullopt;
}

}  // namespace pitwall
