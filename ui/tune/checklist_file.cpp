// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/checklist_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/report/checklist_import.h"
#include "engine/report/checklist_report.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(ChecklistFile)
};

Result<std::vector<Run>> runs_of(const Store& store, std::int64_t checklist) {
  const auto found = store.checklist_runs(checklist);
  if (!found) return found.error();
  std::vector<Run> runs;
  for (const ChecklistRun& one : *found) {
    auto run = store.run(one.run);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace

bool is_checklist_file(const QString& path) {
  constexpr qint64 kBeginning = 100;
  QFile file(path);
  return check_is_file(path.toStdString()) && file.open(QIODevice::ReadOnly) &&
         looks_like_checklist(file.read(kBeginning).toStdString());
}

Result<Checklist> import_checklist_file(Store& store, const QString& path, const std::string& text) {
  const auto read = parse_checklist_file(text, QFileInfo(path).fileName().toStdString());
  if (!read) return read.error();
  return store.import_checklist(read->checklist, read->runs);
}

Result<void> write_checklist_file(const Store& store, const Checklist& checklist,
                                  const std::vector<ItemResult>& results, const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  const auto write = [&](const std::string& text) { return write_file_atomic(path.toStdString(), text); };
  if (suffix == QLatin1String("html")) return write(checklist_html(checklist, results));
  if (suffix == QLatin1String("md")) return write(checklist_markdown(checklist, results));
  if (suffix == QLatin1String("json")) {
    const auto runs = runs_of(store, checklist.id);
    return runs ? write(checklist_json(checklist, results, *runs)) : runs.error();
  }
  return Error{Error::Kind::invalid_input,
               Words::tr("“%1” does not say what to write. Its name must end in .html, .md or .json.")
                   .arg(QFileInfo(path).fileName())
                   .toStdString(),
               "", "", "file"};
}

}  // namespace pitwall::ui
