// SPDX-License-Identifier: GPL-3.0-or-later
// Dates as text, for strftime_now.
#pragma once
#include <optional>
#include <string>

#include "engine/base/clock.h"

namespace pitwall::jinja {

/// strftime in the C locale (English names). `now_utc` is read as UTC; local time of the machine when absent.
std::string format_time(const std::string& format, std::optional<Nanos> now_utc);

}  // namespace pitwall::jinja
