// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and comparisons as files: the formats of engine/report, and PDF, which needs the window's library.
#pragma once
#include <QString>
#include <QStringList>
#include <vector>

#include "engine/report/export_formats.h"

namespace pitwall::ui {

QString export_title(const ExportFormat& format);                  ///< "Report, HTML", translated
QString export_file_name(qint64 run, const ExportFormat& format);  ///< "R-0146.vllm.json"
QString suffix_of(const ExportFormat& format);                     ///< "vllm.json"
/// "Report, HTML (*.html)", for a file dialog; `comparison`: those that a comparison has.
QString export_filter(const ExportFormat& format);
std::vector<const ExportFormat*> formats_for(bool comparison);

/// What a file of that name holds. Any thread; milliseconds to seconds. Needs a QGuiApplication for PDF.
Result<std::string> export_text(const Run& run, const ExportFormat& format);
Result<std::string> export_text(const RunComparison& comparison, const ExportFormat& format);

/// An export as the files card shows it.
struct ExportedFile {
  QString name;
  qint64 bytes = 0;
  QString sha256;  ///< first 12 digits
};
/// Of every format that needs no window. Any thread.
std::vector<ExportedFile> exported_files(const Run& run);

}  // namespace pitwall::ui
