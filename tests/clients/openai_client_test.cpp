// SPDX-License-Identifier: GPL-3.0-or-later
// The official openai package for Python drives the server, feature by feature. The package is fetched into a
// virtual environment of the build folder; without network that is said, and nothing is tested.
#include <QTest>

#include "tests/support/command.h"
#include "tests/support/http_fixture.h"

using namespace pitwall;

class OpenaiClientTest : public QObject {
  Q_OBJECT

 private slots:
  void every_feature_works() {
    const test::PythonEnvironment environment = test::python_environment("openai");
    if (!environment.missing.isEmpty()) QSKIP(qPrintable(environment.missing));
    test::HttpFixture fixture;
    const auto ran = test::run_command(
        environment.python, {QStringLiteral(PITWALL_SOURCE_DIR) + "/tests/clients/openai_client.py",
                             QString::fromStdString(fixture.server().url()) + "/v1", "--chat"});
    if (ran.code != 0) qInfo("%s%s", ran.out.c_str(), ran.err.c_str());
    QCOMPARE(ran.code, 0);
    QTRY_VERIFY(fixture.at_rest());
  }
};

QTEST_GUILESS_MAIN(OpenaiClientTest)
#include "openai_client_test.moc"
