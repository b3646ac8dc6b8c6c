// SPDX-License-Identifier: GPL-3.0-or-later
// What the reports page asks of the store, as blocking functions for its worker. Any thread.
#pragma once
#include <QString>
#include <memory>
#include <vector>

#include "ui/reports/compare_view.h"
#include "ui/reports/planned_card.h"
#include "ui/reports/run_export.h"

namespace pitwall {
class Store;
struct RunPicture;
}  // namespace pitwall

namespace pitwall::ui {

inline constexpr std::int64_t kSampledRequests = 10'000;  ///< that charts are drawn from, at most
inline constexpr std::int64_t kRequestPage = 500;         ///< rows that the table of requests gets at a time

struct OpenedRun {
  std::shared_ptr<const RunPicture> picture;
  std::vector<RequestRecord> worst;  ///< the first page; none yet where the run is sampled
  std::string serve_command;
};
Result<OpenedRun> read_opened(const Store& store, RunId id);

/// What is not needed to draw the run: it takes longer.
struct RunExtras {
  Result<PlannedBytes> planned;
  std::vector<ExportedFile> files;
  QString why_no_files;
};
RunExtras read_extras(const Store& store, const RunPicture& picture);

Result<std::shared_ptr<const ComparedRuns>> read_compared(const Store& store, const std::vector<RunId>& ids);

/// Writes a file, whole or not at all: one run, or a comparison of several.
Result<void> export_to_file(const Store& store, const std::vector<RunId>& ids, const ExportFormat& format,
                            const QString& path);

/// `text`: of the file. Error::busy: it is here already, and `param` is its number.
Result<RunId> import_run_file(Store& store, const QString& path, const std::string& text);

}  // namespace pitwall::ui
