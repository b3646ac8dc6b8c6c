// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/load_text.h"

#include <fmt/format.h>

#include <cmath>

namespace pitwall::ctl {

std::string ms_text(double ms) {
  return std::isnan(ms) ? "–" : format_duration(std::llround(ms * static_cast<double>(kNanosPerMs)));
}

std::string latency_row(std::string_view name, const Summary& summary) {
  return fmt::format("{:<16}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}\n", name, ms_text(summary.mean),
                     ms_text(summary.p50), ms_text(summary.p90), ms_text(summary.p99), ms_text(summary.max),
                     format_count(summary.n));
}

std::string latency_header() {
  return fmt::format("{:<16}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}\n", "", "mean", "p50", "p90", "p99", "max",
                     "n");
}

namespace {

std::string percent_text(double share) {
  return std::isnan(share) ? "–" : fmt::format("{:.1f} %", 100 * share);
}

std::string figures_text(const LoadReport& report) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };
  const BenchResult& vllm = report.vllm;
  row("requests", fmt::format("{} ended well, {} failed, in {:.2f} s", format_count(vllm.completed),
                              format_count(vllm.failed), report.window_s));
  row("tokens",
      fmt::format("{} in, {} out", format_count(vllm.input_tokens), format_count(vllm.output_tokens)));
  row("throughput",
      fmt::format("{:.2f} requests/s, {:.1f} output tokens/s, {:.1f} tokens/s in all",
                  report.request_throughput, report.output_throughput, report.total_token_throughput));
  if (!std::isnan(report.attained_rate)) {
    row("arrivals", std::isnan(report.target_rate) ? fmt::format("{:.2f} requests/s", report.attained_rate)
                                                   : fmt::format("{:.2f} requests/s, {:.2f} asked for",
                                                                 report.attained_rate, report.target_rate));
  }
  if (!std::isnan(report.goodput)) {
    row("goodput", fmt::format("{:.2f} requests/s: {} of {} met all limits", report.goodput,
                               format_count(report.good), format_count(vllm.completed)));
    if (report.good_undefined > 0)
      row("", fmt::format("{} had no value for a limit (counted as {})", format_count(report.good_undefined),
                          report.setup.undefined_is_bad ? "missed" : "met"));
  }
  row("prefix cache", percent_text(report.hit_rate) + " of the prompt tokens found");
  return text;
}

std::string counts_text(const LoadReport& report) {
  std::string text;
  for (const auto& [reason, count] : report.failure_reasons)
    text += fmt::format("failed: {} × {}\n", format_count(count), reason);
  if (report.failed_output_tokens > 0)
    text += fmt::format("{} tokens came before a failure; they are in no figure\n",
                        format_count(report.failed_output_tokens));
  if (report.empty_replies > 0)
    text += fmt::format("{} replies had no token\n", format_count(report.empty_replies));
  for (const auto& [name, figure] : report.repeated) {
    const Interval& interval = figure.interval;
    if (std::isnan(interval.low)) continue;
    text += fmt::format("{:<24}{:.6g} ± {:.3g} (95 %, {} repeats)\n", name, interval.mean,
                        interval.high - interval.mean, figure.values.size());
  }
  return text;
}

}  // namespace

std::string load_text(const LoadReport& report) {
  std::string text = figures_text(report) + "\n" + latency_header();
  text += latency_row("TTFT", report.ttft) + latency_row("TPOT", report.tpot) +
          latency_row("ITL, by token", report.itl_token) + latency_row("ITL, by chunk", report.itl_chunk) +
          latency_row("E2E", report.e2e);
  if (report.setup.open_loop) {
    text += latency_row("TTFT, scheduled", report.ttft_due) + latency_row("E2E, scheduled", report.e2e_due);
  }
  const std::string counts = counts_text(report);
  if (!counts.empty()) text += "\n" + counts;
  for (const std::int64_t run : report.run_ids) text += fmt::format("run {}\n", run);
  return text;
}

}  // namespace pitwall::ctl
