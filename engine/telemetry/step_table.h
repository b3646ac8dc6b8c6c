// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as lines of text: a line of field names, then a line a step. Compact, for the store and for JSON.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/records.h"

namespace pitwall {

/// A run keeps its first steps up to so many: 10 minutes at 100 a second.
inline constexpr std::size_t kRunSteps = std::size_t{1} << 16;

std::string steps_text(std::span<const StepRecord> steps);  ///< empty for none

/// Unknown names are left out, absent ones keep their default. The error names the line.
Result<std::vector<StepRecord>> parse_steps(std::string_view text);

}  // namespace pitwall
