// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of checkpoint folders: parsed with a bound on nesting, so that a hostile file costs no more than its
// own size.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

/// `text` must be one JSON object; errors name `file`.
Result<nlohmann::json> parse_json_object(std::string_view text, const std::filesystem::path& file);
Result<nlohmann::json> read_json_object(const std::filesystem::path& file);  ///< files up to 32 MiB

/// The text with null for what Python's json writes and JSON has no word for: Infinity, -Infinity, NaN. Files
/// of Mamba models have them ("time_step_limit": [0.0, Infinity]).
std::string without_python_numbers(std::string_view text);

}  // namespace pitwall
