// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/export_formats.h"

#include <algorithm>
#include <array>

#include "engine/bench/aiperf_export.h"
#include "engine/report/comparison_report.h"
#include "engine/report/report.h"

namespace pitwall {

namespace {

std::string aiperf_lines(const Run& run) {
  return aiperf_jsonl(run.requests);
}

constexpr std::array kFormats{
    ExportFormat{"html", "html", "Report, HTML", true, run_html, comparison_html},
    ExportFormat{"pdf", "pdf", "Report, PDF", true, nullptr},
    ExportFormat{"md", "md", "Report, Markdown", true, run_markdown, comparison_markdown},
    ExportFormat{"json", "json", "Everything the run holds", false, run_json, comparison_json},
    ExportFormat{"csv", "csv", "Requests, CSV", false, requests_csv},
    ExportFormat{"vllm", "vllm.json", "vLLM bench result", false, vllm_json},
    ExportFormat{"aiperf", "aiperf.jsonl", "AIPerf records", false, aiperf_lines},
    ExportFormat{"perfetto", "perfetto.json", "Trace for Perfetto", false, perfetto_json},
};

bool ends_in(std::string_view path, std::string_view suffix) {
  if (path.size() <= suffix.size() || path[path.size() - suffix.size() - 1] != '.') return false;
  return std::equal(suffix.begin(), suffix.end(), path.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

const ExportFormat* find_export_format(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const ExportFormat& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

const ExportFormat* export_format_of_file(std::string_view path) {
  const ExportFormat* best = nullptr;
  for (const ExportFormat& format : kFormats)
    if (ends_in(path, format.suffix) && (best == nullptr || format.suffix.size() > best->suffix.size()))
      best = &format;
  return best;
}

std::vector<std::string> export_names(bool documents) {
  std::vector<std::string> names;
  for (const ExportFormat& format : kFormats)
    if (format.write != nullptr && (format.document || !documents)) names.emplace_back(format.name);
  return names;
}

}  // namespace pitwall
