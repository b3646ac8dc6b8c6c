// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_export.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "engine/base/sha256.h"
#include "engine/report/comparison_report.h"
#include "engine/report/report.h"
#include "ui/reports/report_pdf.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(RunExport)
};

bool is_pdf(const ExportFormat& format) {
  return format.name == "pdf";
}

}  // namespace

QString suffix_of(const ExportFormat& format) {
  return QString::fromUtf8(format.suffix.data(), static_cast<qsizetype>(format.suffix.size()));
}

QString export_title(const ExportFormat& format) {
  const std::pair<const char*, QString> titles[] = {
      {"html", Words::tr("Report, HTML")},     {"pdf", Words::tr("Report, PDF")},
      {"md", Words::tr("Report, Markdown")},   {"json", Words::tr("Everything it holds, JSON")},
      {"csv", Words::tr("Requests, CSV")},     {"vllm", Words::tr("vLLM bench result")},
      {"aiperf", Words::tr("AIPerf records")}, {"perfetto", Words::tr("Trace for Perfetto")}};
  const auto found = std::find_if(std::begin(titles), std::end(titles),
                                  [&](const auto& one) { return one.first == format.name; });
  return found != std::end(titles)
             ? found->second
             : QString::fromUtf8(format.title.data(), static_cast<qsizetype>(format.title.size()));
}

QString export_file_name(qint64 run, const ExportFormat& format) {
  return run_name(run) + QLatin1Char('.') + suffix_of(format);
}

QString export_filter(const ExportFormat& format) {
  return QStringLiteral("%1 (*.%2)").arg(export_title(format), suffix_of(format));
}

std::vector<const ExportFormat*> formats_for(bool comparison) {
  std::vector<const ExportFormat*> formats;
  for (const ExportFormat& format : export_formats())
    if (!comparison || format.write_comparison != nullptr || is_pdf(format)) formats.push_back(&format);
  return formats;
}

Result<std::string> export_text(const Run& run, const ExportFormat& format) {
  return is_pdf(format) ? report_pdf(run_html(run), run.summary.end_utc)
                        : Result<std::string>(format.write(run));
}

Result<std::string> export_text(const RunComparison& comparison, const ExportFormat& format) {
  if (!is_pdf(format)) return format.write_comparison(comparison);
  return report_pdf(comparison_html(comparison), comparison.columns.back().run().summary.end_utc);
}

std::vector<ExportedFile> exported_files(const Run& run) {
  constexpr std::size_t kDigits = 12;
  std::vector<ExportedFile> files;
  for (const ExportFormat& format : export_formats()) {
    if (format.write == nullptr) continue;
    const std::string text = format.write(run);
    Sha256 sum;
    sum.update(std::as_bytes(std::span(text)));
    files.push_back({export_file_name(run.id.value, format), static_cast<qint64>(text.size()),
                     QString::fromStdString(sum.finish().substr(0, kDigits))});
  }
  return files;
}

}  // namespace pitwall::ui
