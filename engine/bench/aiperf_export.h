// SPDX-License-Identifier: GPL-3.0-or-later
// A load's requests and figures in AIPerf's formats (names and units of its metrics reference at 25f8117;
// record fields as its 0.13.0 requires).
#pragma once
#include <span>
#include <string>

#include "engine/bench/load_report.h"

namespace pitwall {

/// profile_export.jsonl: one line a request: metadata, metrics with units, error.
std::string aiperf_jsonl(std::span<const PlayedLoad> plays);

/// The same of requests as a run keeps them, which have no times of single chunks; client and server are one.
std::string aiperf_jsonl(std::span<const RequestRecord> requests);

/// profile_export_aiperf.csv: distributions, an empty line, single numbers. Undefined numbers are empty.
std::string aiperf_csv(const LoadReport& report, std::span<const PlayedLoad> plays);

}  // namespace pitwall
