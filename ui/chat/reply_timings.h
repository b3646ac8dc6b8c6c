// SPDX-License-Identifier: GPL-3.0-or-later
// What a reply cost, as it is kept with the reply.
#pragma once
#include <limits>
#include <optional>
#include <string>

#include "engine/telemetry/records.h"

namespace pitwall::ui {

struct ReplyTimings {
  RequestRecord record;
  /// Between two pieces of text, as the window heard them; NaN below kSamplesForP99 gaps.
  double itl_p99_ms = std::numeric_limits<double>::quiet_NaN();
  std::int64_t left_out_messages = 0;    ///< of the conversation, so that it fits
  std::int64_t left_out_characters = 0;  ///< of the last message, for the same reason
};

std::string timings_to_json(const ReplyTimings& timings);
/// Nothing when it is empty or damaged.
std::optional<ReplyTimings> timings_from_json(const std::string& json);

}  // namespace pitwall::ui
