// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/report_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "engine/report/report_text.h"
#include "engine/report/run_kind.h"

namespace pitwall {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kP99Needs = 100;

Tone tone_of(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return Tone::good;
    case RunStatus::failed:
      return Tone::bad;
    case RunStatus::recording:
    case RunStatus::cut_off:
    case RunStatus::cancelled:
      return Tone::warn;
  }
  return Tone::plain;
}

std::string status_word(RunStatus status) {
  return status == RunStatus::cut_off ? "cut off" : std::string(run_status_name(status));
}

std::string subtitle_of(const Run& run) {
  std::string text =
      fmt::format("Run {} · {} · {}", run.id.value, run.header.kind, format_utc(run.header.start_utc));
  if (run.imported_utc > 0) text += " · imported " + format_utc(run.imported_utc);
  if (run.summary.end_utc > run.header.start_utc) {
    text += " · " + span_text(run.summary.end_utc - run.header.start_utc);
  }
  for (const std::string& part : {run.header.model_name, run.header.quantization, run.header.device}) {
    if (!part.empty()) text += " · " + part;
  }
  return text;
}

std::string outcome_sentence(const EngineTotals& totals) {
  const std::int64_t well = totals.requests_stop + totals.requests_length;
  if (well == totals.requests_finished)
    return count_of(totals.requests_finished, "request") + ", all ended well.";
  std::string text =
      fmt::format("{}: {} ended well", count_of(totals.requests_finished, "request"), format_count(well));
  if (totals.requests_cancelled > 0) text += ", " + format_count(totals.requests_cancelled) + " cancelled";
  if (totals.requests_error > 0) text += ", " + format_count(totals.requests_error) + " failed";
  return text + ".";
}

std::string verdict_of(const RunSummary& summary) {
  if (summary.totals.requests_finished == 0) return "No request ended in this run.";
  std::string text = outcome_sentence(summary.totals);
  const Summary ttft = metric_of(summary, "ttft_ms"), itl = metric_of(summary, "max_itl_ms");
  if (ttft.n > 0) {
    const bool has_p99 = ttft.n >= kP99Needs;
    text += fmt::format(" Half had their first token within {} ms, {} within {} ms.", ms_text(ttft.p50),
                        has_p99 ? "99 %" : "all", ms_text(has_p99 ? ttft.p99 : ttft.max));
  }
  if (itl.n > 0) text += " The longest wait between two tokens was " + ms_text(itl.max) + " ms.";
  return text;
}

Figure latency_figure(const RunSummary& summary, const char* label, const std::string& metric) {
  const Summary values = metric_of(summary, metric);
  const bool has_p99 = values.n >= kP99Needs;
  return {label, ms_text(values.p50), values.n > 0 ? "ms" : "",
          values.n == 0 ? "no value"
                        : fmt::format("{} {} · n {}", has_p99 ? "p99" : "max",
                                      ms_text(has_p99 ? values.p99 : values.max), format_count(values.n))};
}

std::vector<Figure> figures_of(const Run& run) {
  const RunSummary& summary = run.summary;
  const EngineTotals& totals = summary.totals;
  const Summary itl = metric_of(summary, "max_itl_ms");
  Bytes kv_peak = summary.ledger.kv_used, memory_peak = summary.ledger.measured,
        pool = summary.ledger.of(Category::kv);
  for (const SecondRecord& second : run.seconds) {
    kv_peak = std::max(kv_peak, second.kv_used);
    memory_peak = std::max(memory_peak, second.measured);
    pool = std::max(pool, second.kv_used + second.kv_cached + second.kv_quarantined + second.kv_free);
  }
  const Bytes limit = summary.ledger.limit;
  return {
      {"Output", rate_text(summary.output_tokens_per_s > 0 ? summary.output_tokens_per_s : kNaN), "tok/s",
       format_count(totals.output_tokens) + " tokens"},
      latency_figure(summary, "TTFT p50", "ttft_ms"),
      latency_figure(summary, "TPOT p50", "tpot_ms"),
      {"Longest ITL", ms_text(itl.max), itl.n > 0 ? "ms" : "",
       itl.n > 0 ? fmt::format("p50 {} · n {}", ms_text(itl.p50), format_count(itl.n)) : "no value"},
      latency_figure(summary, "Queue p50", "queue_ms"),
      {"Requests", format_count(totals.requests_finished), "",
       format_count(totals.requests_stop + totals.requests_length) + " ended well"},
      {"Preemptions", format_count(totals.preemptions), "", "since the start"},
      {"KV used, peak", size_text(kv_peak), "", "pool " + size_text(pool)},
      {"Memory, peak", size_text(memory_peak), "", limit > 0 ? "limit " + size_text(limit) : "no limit set"},
  };
}

/// Quoted for a POSIX shell where needed.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> not_known_of(const Run& run) {
  std::vector<std::string> list;
  const RunHeader& header = run.header;
  const RunSummary& summary = run.summary;
  if (summary.status == RunStatus::cut_off) {
    list.push_back(
        "The end: the recorder died. Rows up to about a second before that are here; the ledger at the end "
        "is not.");
  }
  if (summary.status == RunStatus::recording) list.push_back("The end: the run is still being recorded.");
  const EngineTotals& totals = summary.totals;
  if (const std::int64_t bad = totals.requests_cancelled + totals.requests_error; bad > 0) {
    list.push_back("Latency of " + count_of(bad, "request") +
                   " that did not end well: left out of all percentiles.");
  }
  if (const Summary ttft = metric_of(summary, "ttft_ms"); ttft.n < kP99Needs) {
    list.push_back(
        fmt::format("The tail: {} values are too few for a p99, which needs {}.", ttft.n, kP99Needs));
  }
  list.push_back(
      "Network and client: times are taken in the engine, from the arrival of a request to its tokens.");
  list.push_back("Warm-up: no request is left out as one.");
  list.push_back("Goodput: no latency goal is part of this run.");
  list.push_back("Quality of the answers: not measured here. Prompts and answers are not part of a run.");
  if (header.model_sha256.empty()) list.push_back("The checksum of the model's header: it was not computed.");
  if (header.git_commit.empty())
    list.push_back("The exact source: the program was built without a commit id.");
  return list;
}

}  // namespace

Summary metric_of(const RunSummary& summary, const std::string& name) {
  const auto found = summary.metrics.find(name);
  return found != summary.metrics.end() ? found->second : summarize({});
}

std::string count_of(std::int64_t n, const std::string& noun) {
  return format_count(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string serve_command(const std::string& model, const std::vector<ConfigEntry>& config) {
  std::string command = "pitwallctl serve --model " + shell_word(model);
  for (const ConfigEntry& entry : config) {
    if (!entry.changed || entry.name == "model") continue;
    if (entry.value == "true" || entry.value == "false") {
      command += (entry.value == "true" ? " --" : " --no-") + entry.name;
    } else {
      command += " --" + entry.name + " " + shell_word(entry.value);
    }
  }
  return command;
}

ReportContent report_content(const Run& run) {
  ReportContent content;
  content.title = run.header.name.empty() ? "Run " + std::to_string(run.id.value) : run.header.name;
  content.status = status_word(run.summary.status);
  content.status_tone = tone_of(run.summary.status);
  content.subtitle = subtitle_of(run);
  content.verdict = verdict_of(run.summary);
  content.trouble = run.summary.error;
  content.figures = figures_of(run);
  if (run.header.kind == "serve" && !run.header.model_path.empty())
    content.serve_command = serve_command(run.header.model_path, run.header.config);
  content.latency = latency_table(run);
  content.outcome = outcome_table(run);
  content.memory = memory_table(run.summary.ledger, is_simulated(run.header));
  content.live_changes = changes_table(run);
  content.changed_settings = settings_table(run.header, true);
  content.default_settings = settings_table(run.header, false);
  content.environment = environment_table(run);
  content.requests = request_table(run);
  content.not_known = not_known_of(run);
  return content;
}

}  // namespace pitwall
