// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says, apart from how HTML and Markdown write it down.
#pragma once
#include <string>
#include <vector>

#include "engine/telemetry/run.h"

namespace pitwall {

enum class Tone { plain, strong, muted, good, warn, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};
struct Column {
  std::string head;
  bool is_number = false;
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string note;  ///< one sentence under it; may be empty
};
struct Figure {
  std::string label, value, unit, detail;
};

struct ReportContent {
  std::string title, status, subtitle, verdict,
      trouble;  ///< trouble: why it failed or was cut off; may be empty
  Tone status_tone = Tone::good;
  std::vector<Figure> figures;
  std::string
      serve_command;  ///< repeats the settings that differ from their defaults; empty unless a served model
  Table latency, outcome, memory, live_changes, changed_settings, default_settings, environment, requests;
  std::vector<std::string> not_known;
};

ReportContent report_content(const Run& run);

/// With the settings of `config` that differ from their defaults.
std::string serve_command(const std::string& model, const std::vector<ConfigEntry>& config);

// The tables, each in its own function of report_tables.cpp.
Table latency_table(const Run& run);
Table outcome_table(const Run& run);
Table memory_table(const LedgerSnapshot& ledger, bool simulated);
Table settings_table(const RunHeader& header, bool changed);
Table changes_table(const Run& run);  ///< settings that were changed while it ran; no rows = none
Table environment_table(const Run& run);
Table request_table(const Run& run);  ///< the 200 with the largest ITL; the note says how many are left out

/// A metric of the summary, or one without values.
Summary metric_of(const RunSummary& summary, const std::string& name);
std::string count_of(std::int64_t n, const std::string& noun);  ///< "1 request", "1,204 requests"

}  // namespace pitwall
