// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl fetch` as scripts see it, against a server of the test.
#include <signal.h>

#include <QProcess>
#include <QTest>
#include <atomic>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "tests/support/file_server.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

class FetchCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void prints_the_path();
  void interrupt_leaves_a_resumable_state();

 private:
  void start(QProcess& process, const QStringList& arguments) {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PITWALL_HOME"), QString::fromStdString(home_.path().string()));
    process.setProcessEnvironment(environment);
    process.start(qEnvironmentVariable("PITWALL_CTL"), QStringList{QStringLiteral("fetch")} + arguments);
  }
  fs::path file(const char* name) const { return home_.path() / "data/models" / name; }

  test::TemporaryFolder home_;
  const std::string content_ = std::string(100'000, 'x') + "end";
};

void FetchCommandTest::prints_the_path() {
  const test::FileServer server(
      [&](const test::FileRequest& request) { return test::file_answer(request, content_); });
  QProcess process;
  start(process, {QString::fromStdString(server.url("/m%20%C3%A9.gguf")), QStringLiteral("--json")});
  QVERIFY(process.waitForFinished(kPatienceMs));
  QCOMPARE(process.exitCode(), 0);
  const auto document = nlohmann::json::parse(process.readAllStandardOutput().toStdString());
  QCOMPARE(document.at("path").get<std::string>(), file("m é.gguf").string());
  QVERIFY(read_file(file("m é.gguf")).value() == content_);
  QVERIFY(process.readAllStandardError().contains("of disk space"));
}

void FetchCommandTest::interrupt_leaves_a_resumable_state() {
  std::atomic<bool> holds{true};
  const test::FileServer server([&](const test::FileRequest& request) {
    test::FileAnswer answer = test::file_answer(request, content_);
    if (holds && request.range() != "bytes=0-0") answer.cut_at = 5000, answer.hold = true;
    return answer;
  });
  const QString url = QString::fromStdString(server.url("/cut.gguf"));
  QProcess process;
  start(process, {url});
  QVERIFY(QTest::qWaitFor(
      [&] {
        std::error_code failed;
        return fs::file_size(file("cut.gguf.partial"), failed) == 5000;
      },
      kPatienceMs));
  ::kill(static_cast<pid_t>(process.processId()), SIGINT);
  QVERIFY(process.waitForFinished(kPatienceMs));
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 1);
  QVERIFY(process.readAllStandardError().contains("Fetch it again to go on"));
  QVERIFY(!fs::exists(file("cut.gguf")));

  holds = false;
  QProcess again;
  start(again, {url});
  QVERIFY(again.waitForFinished(kPatienceMs));
  QCOMPARE(again.exitCode(), 0);
  QCOMPARE(server.requests().back().range(), "bytes=5000-");
  QVERIFY(read_file(file("cut.gguf")).value() == content_);
}

QTEST_GUILESS_MAIN(FetchCommandTest)
#include "fetch_command_test.moc"
