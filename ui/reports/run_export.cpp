// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_export.h"

#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/report/report.h"

namespace pitwall::ui {

namespace {

std::string text_of(const Run& run, ExportFormat format) {
  switch (format) {
    case ExportFormat::html:
      return run_html(run);
    case ExportFormat::json:
      return run_json(run);
    case ExportFormat::csv:
      return requests_csv(run);
    case ExportFormat::markdown:
      return run_markdown(run);
  }
  return {};
}

}  // namespace

QString export_suffix(ExportFormat format) {
  switch (format) {
    case ExportFormat::html:
      return QStringLiteral("html");
    case ExportFormat::json:
      return QStringLiteral("json");
    case ExportFormat::csv:
      return QStringLiteral("csv");
    case ExportFormat::markdown:
      return QStringLiteral("md");
  }
  return {};
}

std::optional<ExportFormat> export_format(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  for (const ExportFormat format :
       {ExportFormat::html, ExportFormat::json, ExportFormat::csv, ExportFormat::markdown})
    if (suffix == export_suffix(format)) return format;
  return std::nullopt;
}

Result<void> export_run(const Run& run, const QString& path, ExportFormat format) {
  return write_file_atomic(path.toStdString(), text_of(run, format));
}

}  // namespace pitwall::ui
