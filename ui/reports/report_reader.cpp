// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/report_reader.h"

#include <QCoreApplication>
#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/report/report_content.h"
#include "engine/report/run_import.h"
#include "engine/store/store.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(ReportReader)
};

constexpr std::int64_t kExportedAtOnce =
    50'000;  // requests: beyond them files are written when they are asked for

std::vector<const Run*> pointers(const std::vector<std::shared_ptr<const Run>>& runs) {
  std::vector<const Run*> all;
  for (const auto& run : runs) all.push_back(run.get());
  return all;
}

}  // namespace

Result<OpenedRun> read_opened(const Store& store, RunId id) {
  auto picture = store.run_picture(id, kSampledRequests);
  if (!picture) return picture.error();
  std::vector<RequestRecord> worst;
  if (!picture->sampled()) {
    auto read = store.worst_requests(id, 0, kRequestPage);
    if (!read) return read.error();
    worst = std::move(*read);
  }
  std::string command = report_content(picture->run).serve_command;
  return OpenedRun{std::make_shared<const RunPicture>(std::move(*picture)), std::move(worst),
                   std::move(command)};
}

RunExtras read_extras(const Store& store, const RunPicture& picture) {
  RunExtras extras{planned_bytes(picture.run), {}, {}};
  if (picture.run.summary.status == RunStatus::recording) {
    extras.why_no_files = Words::tr("The run has not ended: its files still change.");
  } else if (picture.requests > kExportedAtOnce) {
    extras.why_no_files = Words::tr("With %1 requests its files are written when you export them.")
                              .arg(count_text(picture.requests));
  } else if (const auto run = store.run(picture.run.id); run) {
    extras.files = exported_files(*run);
  } else {
    extras.why_no_files = QString::fromStdString(run.error().text());
  }
  return extras;
}

Result<std::shared_ptr<const ComparedRuns>> read_compared(const Store& store, const std::vector<RunId>& ids) {
  std::vector<std::shared_ptr<const Run>> runs;
  for (const RunId id : ids) {
    auto picture = store.run_picture(id, kSampledRequests);
    if (!picture) return picture.error();
    runs.push_back(std::make_shared<const Run>(std::move(picture->run)));
  }
  RunComparison comparison = compare_runs(pointers(runs));
  auto planned = planned_bytes(comparison.columns.back().run());
  return std::shared_ptr<const ComparedRuns>(std::make_shared<ComparedRuns>(
      ComparedRuns{std::move(runs), std::move(comparison), std::move(planned)}));
}

Result<void> export_to_file(const Store& store, const std::vector<RunId>& ids, const ExportFormat& format,
                            const QString& path) {
  std::vector<std::shared_ptr<const Run>> runs;
  for (const RunId id : ids) {
    auto run = store.run(id);
    if (!run) return run.error();
    runs.push_back(std::make_shared<const Run>(std::move(*run)));
  }
  const auto text = runs.size() == 1 ? export_text(*runs.front(), format)
                                     : export_text(compare_runs(pointers(runs)), format);
  return text ? write_file_atomic(path.toStdString(), *text) : text.error();
}

Result<RunId> import_run_file(Store& store, const QString& path, const std::string& text) {
  const auto run = parse_run_file(text, QFileInfo(path).fileName().toStdString());
  return run ? store.import_run(*run) : run.error();
}

}  // namespace pitwall::ui
