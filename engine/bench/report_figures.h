// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of a LoadReport's own figures: name, unit, definition and what other tools call it. JSON, its
// reader, CSV and tables walk it.
#pragma once
#include <string_view>

#include "engine/bench/load_report.h"

namespace pitwall {

struct FigureInfo {
  std::string_view name, unit;
  std::string_view definition;  ///< id of README.md's table
  std::string_view alias;       ///< the same figure of other tools; may be empty
};

/// visit(FigureInfo, Summary&) for each distribution. Report is LoadReport, const or not.
void for_each_distribution(auto& report, auto&& visit) {
  visit(FigureInfo{"ttft_ms", "ms", "ttft.first_output", "= AIPerf TTFT"}, report.ttft);
  visit(FigureInfo{"ttfa_ms", "ms", "ttfa.first_answer", "= guidellm time to first output token"},
        report.ttfa);
  visit(FigureInfo{"tpot_ms", "ms", "tpot.last_token", "= AIPerf ITL, guidellm ITL, MLPerf TPOT"},
        report.tpot);
  visit(FigureInfo{"itl_chunk_ms", "ms", "itl.per_chunk", "= AIPerf ICL"}, report.itl_chunk);
  visit(FigureInfo{"itl_token_ms", "ms", "itl.per_token", "= SGLang ITL with correction"}, report.itl_token);
  visit(FigureInfo{"e2el_ms", "ms", "e2e.last_token", "= AIPerf request latency"}, report.e2e);
  visit(FigureInfo{"stream_end_ms", "ms", "e2e.stream_end", "= SGLang and guidellm E2E"}, report.stream_end);
  visit(FigureInfo{"ttft_from_schedule_ms", "ms", "ttft.from_schedule", "= MLPerf TTFT"}, report.ttft_due);
  visit(FigureInfo{"e2el_from_schedule_ms", "ms", "e2e.from_schedule", "= MLPerf latency"}, report.e2e_due);
}

/// visit(FigureInfo, double&) for each single number.
void for_each_number(auto& report, auto&& visit) {
  visit(FigureInfo{"duration_s", "s", "window.first_send_last_event", ""}, report.window_s);
  visit(FigureInfo{"request_throughput", "requests/s", "throughput.requests", ""}, report.request_throughput);
  visit(FigureInfo{"output_throughput", "tokens/s", "throughput.output", ""}, report.output_throughput);
  visit(FigureInfo{"total_token_throughput", "tokens/s", "throughput.total", ""},
        report.total_token_throughput);
  visit(FigureInfo{"target_rate", "requests/s", "rate.target", ""}, report.target_rate);
  visit(FigureInfo{"attained_rate", "requests/s", "rate.attained", ""}, report.attained_rate);
  visit(FigureInfo{"goodput", "requests/s", "goodput.all_objectives", ""}, report.goodput);
  visit(FigureInfo{"prefix_hit_rate", "", "hit_rate.tokens", "= API usage"}, report.hit_rate);
}

/// visit(name, std::int64_t&) for each count.
void for_each_count(auto& report, auto&& visit) {
  visit("good_requests", report.good);
  visit("objective_undefined", report.good_undefined);
  visit("failed_output_tokens", report.failed_output_tokens);
  visit("empty_replies", report.empty_replies);
  visit("tpot_undefined", report.tpot_undefined);
  visit("itl_token_unknown", report.itl_token_unknown);
  visit("token_count_mismatches", report.count_mismatches);
  visit("not_counted_by_server", report.not_counted_by_server);
  visit("held_back", report.held_back);
}

}  // namespace pitwall
