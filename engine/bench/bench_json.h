// SPDX-License-Identifier: GPL-3.0-or-later
// A LoadReport as the JSON of `vllm bench serve --save-result`, with ours under "pitwall".
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "engine/bench/load_report.h"

namespace pitwall {

/// vLLM's keys by vLLM's definitions, then p50 … p99, run_id, prefix_cache, preemptions and peak_kv_bytes,
/// then "pitwall": every figure with its definition, the names other tools have for it, its unit and n.
/// Undefined numbers are null.
nlohmann::ordered_json bench_json(const LoadReport& report);

/// vLLM's own keys alone, of setup and figures.
nlohmann::ordered_json vllm_keys(const LoadReport& report);

/// vLLM's lists by request: input_lens, output_lens, ttfts and itls in seconds, start_times, errors; and
/// generated_texts where they were kept.
void add_details(nlohmann::ordered_json& document, std::span<const PlayedLoad> plays);

/// The inverse of bench_json, as far as it holds the report: of vLLM's latencies the statistics that it has.
/// The error names the key.
Result<LoadReport> parse_bench_json(const std::string& text);

}  // namespace pitwall
