// SPDX-License-Identifier: GPL-3.0-or-later
// A load's figures as a table for people.
#pragma once
#include <string>

#include "engine/bench/load_report.h"

namespace pitwall::ctl {

std::string ms_text(double ms);  ///< "–" when undefined
/// Name, mean, p50, p90, p99, max.
std::string latency_row(std::string_view name, const Summary& summary);
std::string latency_header();
std::string load_text(const LoadReport& report);

}  // namespace pitwall::ctl
