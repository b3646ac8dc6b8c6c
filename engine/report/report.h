// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a document. Byte-stable: the same run gives the same bytes, no export time inside.
#pragma once
#include <string>

#include "engine/telemetry/run.h"

namespace pitwall {

std::string run_json(const Run& run);  ///< everything the run holds; undefined numbers are null
Result<Run> parse_run_json(const std::string& json);  ///< the inverse, numbers equal to 1e-9
std::string run_html(const Run& run);  ///< self-contained: inline CSS and SVG, no script, nothing loaded
std::string run_markdown(const Run& run);
std::string requests_csv(const Run& run);  ///< one line per request

}  // namespace pitwall
