// SPDX-License-Identifier: GPL-3.0-or-later
// Every source file is as clang-format 14 writes it; other versions differ in small ways.
#include <QProcess>
#include <QTest>
#include <QThread>
#include <memory>
#include <vector>

#include "tests/support/house_rules.h"
#include "tests/support/test_support.h"

using namespace pitwall::test;

class FormatTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sources_are_formatted();
};

void FormatTest::sources_are_formatted() {
  const QString program = QStringLiteral("clang-format-14");
  const auto files = source_files(PITWALL_SOURCE_DIR, {"engine", "kernels", "ui", "app", "tests"});
  const std::size_t processes = static_cast<std::size_t>(std::max(1, QThread::idealThreadCount()));
  std::vector<std::unique_ptr<QProcess>> running;
  for (std::size_t first = 0; first < processes; ++first) {
    QStringList arguments{QStringLiteral("--dry-run"), QStringLiteral("-Werror"),
                          QStringLiteral("--ferror-limit=1")};
    for (std::size_t i = first; i < files.size(); i += processes)
      arguments << QString::fromStdString(files[i].string());
    running.push_back(std::make_unique<QProcess>());
    running.back()->setWorkingDirectory(QStringLiteral(PITWALL_SOURCE_DIR));
    running.back()->start(program, arguments);
    QVERIFY2(running.back()->waitForStarted(),
             "clang-format-14 is not installed: apt install clang-format-14");
  }
  QByteArray unformatted;
  for (const auto& process : running) {
    QVERIFY(process->waitForFinished(-1));
    for (const QByteArray& line : process->readAllStandardError().split('\n')) {
      if (line.contains(": error:")) unformatted += "\n  " + line.left(line.indexOf(':'));
    }
    QVERIFY2(process->exitCode() == 0 || !unformatted.isEmpty(), process->readAllStandardError().constData());
  }
  if (!unformatted.isEmpty()) qWarning("not as clang-format-14 -i writes them:%s", unformatted.constData());
  QVERIFY(unformatted.isEmpty());
}

QTEST_GUILESS_MAIN(FormatTest)
#include "format_test.moc"
