// SPDX-License-Identifier: GPL-3.0-or-later
// The official openai package for Python drives the server, feature by feature (tests/clients). The package
// is fetched into a virtual environment of the build folder; without network that is said, and nothing is
// tested.
#include <QDir>
#include <QProcess>
#include <QTest>

#include "tests/support/http_fixture.h"

using namespace pitwall;

namespace {

constexpr int kFetchMs = 180'000, kRunMs = 300'000;

struct Ran {
  int status = -1;
  QString output;
};
Ran run(const QString& program, const QStringList& arguments, int limit_ms) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  if (!process.waitForFinished(limit_ms)) {
    process.kill();
    process.waitForFinished();
    return {-1, process.errorString() + "\n" + QString::fromUtf8(process.readAll())};
  }
  return {process.exitCode(), QString::fromUtf8(process.readAll())};
}

}  // namespace

class OpenaiClientTest : public QObject {
  Q_OBJECT

 private slots:
  void every_feature_works() {
    const QString environment = QStringLiteral(PITWALL_BINARY_DIR) + "/openai_client";
    const QString python = environment + "/bin/python";
    if (run(python, {"-c", "import openai"}, kRunMs).status != 0) {
      const Ran made = run("python3", {"-m", "venv", environment}, kFetchMs);
      if (made.status != 0) QSKIP(qPrintable("There is no python3 with venv: " + made.output));
      const Ran fetched = run(python, {"-m", "pip", "install", "--quiet", "openai"}, kFetchMs);
      if (fetched.status != 0)
        QSKIP(qPrintable("The openai package could not be fetched: " + fetched.output));
    }
    test::HttpFixture fixture;
    const Ran ran = run(python,
                        {QStringLiteral(PITWALL_SOURCE_DIR) + "/tests/clients/openai_client.py",
                         QString::fromStdString(fixture.server().url()) + "/v1", "--chat"},
                        kRunMs);
    if (ran.status != 0) qInfo("%s", qPrintable(ran.output));
    QCOMPARE(ran.status, 0);
    QTRY_VERIFY(fixture.at_rest());
  }
};

QTEST_GUILESS_MAIN(OpenaiClientTest)
#include "openai_client_test.moc"
