// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is full: what a run says that ended on it, and what an export leaves behind.
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include "engine/base/file.h"
#include "engine/report/export_formats.h"
#include "engine/store/store.h"
#include "tests/support/made_up_run.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_support.h"
#include "ui/reports/report_reader.h"
#include "ui/reports/run_verdict.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

const char* const kNobodyMounts = "this machine lets nobody mount a file system";

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

class FullDiskTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_end_of_a_run_is_shown_and_written_when_there_is_room();
  void an_end_that_was_never_written_is_not_called_an_early_end();
  void an_export_keeps_the_old_file_data();
  void an_export_keeps_the_old_file();
  void a_picture_of_a_chart_keeps_the_old_file_data();
  void a_picture_of_a_chart_keeps_the_old_file();
};

void FullDiskTest::the_end_of_a_run_is_shown_and_written_when_there_is_room() {
  const test::TemporaryFolder folder;
  const std::string said = test::on_a_small_disk(folder.path(), [&]() -> std::string {
    const auto store = Store::open(folder.path() / "pitwall.db");
    if (!store) return store.error().text();
    const Run run = test::made_up_run({.requests = 8});
    const RunId id = *(*store)->begin(run.header);
    test::fill_disk(folder.path() / "filler");
    RunSummary summary = run.summary;
    summary.status = RunStatus::cut_off;
    summary.error = "Its last 9 s could not be written: The disk is full";
    std::string news;
    // A page of the write-ahead log may still have room.
    while ((*store)->set_note(id, std::string(20'000, 'n'))) {
    }
    const auto ended = (*store)->end(id, summary);
    news += ended ? "written; " : ended.error().cause + "; ";
    const auto look = [&] {
      const RunListItem item = (*store)->runs()->front();
      const auto shown = (*store)->run_picture(id, 100);
      return std::string(run_status_name(item.status)) + ", " + std::to_string(item.requests) + ", " +
             shown->run.summary.error + "; ";
    };
    news += look();
    fs::remove(folder.path() / "filler");
    news += look();
    const auto other = Store::open(folder.path() / "pitwall.db");
    news += std::string(run_status_name((*other)->runs()->front().status)) + ", " +
            (*other)->run(id)->summary.error;
    return news;
  });
  if (said.empty()) QSKIP(kNobodyMounts);
  const std::string seen = "cut_off, 8, Its last 9 s could not be written: The disk is full";
  QVERIFY2(said.starts_with("The disk is full: "), said.c_str());
  QVERIFY2(said.ends_with("; " + seen + "; " + seen + "; cut_off, " + seen.substr(12)), said.c_str());
}

void FullDiskTest::an_end_that_was_never_written_is_not_called_an_early_end() {
  const test::TemporaryFolder folder;
  const std::string said = test::on_a_small_disk(folder.path(), [&]() -> std::string {
    const fs::path file = folder.path() / "pitwall.db";
    const pid_t recorder = ::fork();
    if (recorder == 0) {
      const auto store = Store::open(file);
      const RunId id = *(*store)->begin(test::made_up_run().header);
      test::fill_disk(folder.path() / "filler");
      while ((*store)->set_note(id, std::string(20'000, 'n'))) {
      }
      ::_exit((*store)->end(id, {}) ? 1 : 0);
    }
    int status = 0;
    ::waitpid(recorder, &status, 0);
    if (status != 0) return "written";
    fs::remove(folder.path() / "filler");
    const auto store = Store::open(file);
    return (*store)->run((*store)->runs()->front().id)->summary.error;
  });
  if (said.empty()) QSKIP(kNobodyMounts);
  QVERIFY2(said.find("could not write") != std::string::npos, said.c_str());
}

void FullDiskTest::an_export_keeps_the_old_file_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"html", "md", "json", "csv", "vllm", "perfetto"})
    QTest::newRow(name) << QString::fromLatin1(name);
}

void FullDiskTest::an_export_keeps_the_old_file() {
  QFETCH(QString, name);
  const test::TemporaryFolder kept, folder;
  RunId id;
  {
    const auto store = Store::open(kept.path() / "pitwall.db");
    id = *(*store)->import_run(test::made_up_run({.requests = 3000}));
  }
  const auto formats = ui::formats_for(false);
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const auto* one) { return one->name == name.toStdString(); });
  QVERIFY(format != formats.end());
  const std::string said = test::on_a_small_disk(folder.path(), [&]() -> std::string {
    const auto store = Store::open(kept.path() / "pitwall.db");
    const fs::path file = folder.path() / ("R-0001." + std::string((*format)->suffix));
    if (!write_file_atomic(file, "the old one")) return "not prepared";
    test::fill_disk(folder.path() / "filler");
    const auto exported = ui::export_to_file(**store, {id}, **format, QString::fromStdString(file.string()));
    if (exported) return "exported";
    if (*read_file(file) != "the old one") return "the old file is lost";
    if (files_in(folder.path()) != 2) return "a temporary file is left";
    return exported.error().text();
  });
  if (said.empty()) QSKIP(kNobodyMounts);
  QVERIFY2(said.find("R-0001.") != std::string::npos && said.find(".tmp") == std::string::npos, said.c_str());
  QVERIFY2(said.find("The disk is full: ") != std::string::npos, said.c_str());
  QVERIFY2(said.ends_with("Free some disk space and try again."), said.c_str());
}

void FullDiskTest::a_picture_of_a_chart_keeps_the_old_file_data() {
  QTest::addColumn<QString>("suffix");
  for (const char* suffix : {"png", "svg", "csv"}) QTest::newRow(suffix) << QString::fromLatin1(suffix);
}

void FullDiskTest::a_picture_of_a_chart_keeps_the_old_file() {
  QFETCH(QString, suffix);
  ui::LineChart chart({QStringLiteral("chart"), QStringLiteral("ITL"), QStringLiteral("ms"),
                       QStringLiteral("Any stutter?"), true});
  chart.resize(600, 300);
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / ("chart." + suffix.toStdString());
  const std::string said = test::on_a_small_disk(folder.path(), [&]() -> std::string {
    if (!write_file_atomic(file, "the old one")) return "not prepared";
    test::fill_disk(folder.path() / "filler");
    const QString trouble = chart.export_to(QString::fromStdString(file.string()));
    if (*read_file(file) != "the old one") return "the old file is lost";
    if (files_in(folder.path()) != 2) return "a temporary file is left";
    return trouble.toStdString();
  });
  if (said.empty()) QSKIP(kNobodyMounts);
  QVERIFY2(said.find("The disk is full: ") != std::string::npos, said.c_str());
}

QTEST_MAIN(FullDiskTest)
#include "full_disk_test.moc"
