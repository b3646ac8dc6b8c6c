// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of what a run can be written as: for the command line and for the window.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/run_comparison.h"

namespace pitwall {

struct ExportFormat {
  std::string_view name;                           ///< on the command line: "vllm"
  std::string_view suffix;                         ///< of its files: "vllm.json"
  std::string_view title;                          ///< "vLLM bench result"
  bool document = false;                           ///< for reading; else for programs
  std::string (*write)(const Run& run) = nullptr;  ///< null: the window alone writes it (PDF)
  std::string (*write_comparison)(const RunComparison& comparison) =
      nullptr;  ///< null: of one run alone, or PDF
};

std::span<const ExportFormat> export_formats();
const ExportFormat* find_export_format(std::string_view name);     ///< null when nobody knows it
const ExportFormat* export_format_of_file(std::string_view path);  ///< by the longest suffix that fits
std::vector<std::string> export_names(bool documents);             ///< of those that need no window

/// Byte-stable, like all of them. The keys of `vllm bench serve --save-result --save-detailed`. There ITL
/// lies between chunks of the stream, which our runs do not know: null, and ours under "pitwall". A run keeps
/// no gaps of a request: its lists of them are empty.
std::string vllm_json(const Run& run);

/// Chrome's trace events, as Perfetto reads them: requests with queue, prefill and decode inside, steps, and
/// counters of running, waiting and KV. Times in µs since the run's start.
std::string perfetto_json(const Run& run);

}  // namespace pitwall
