// SPDX-License-Identifier: GPL-3.0-or-later
// AIPerf, a load tool that is not ours, completes a run against the server; what it measured, and what
// `pitwallctl bench` measures, agrees with what the server noted of the same requests. Its parser reads our
// files. The engine computes nothing but keeps a pace, so that a busy machine is not what is measured.
#include <QTest>

#include "engine/base/file.h"
#include "engine/serve/engine.h"
#include "engine/serve/http_server.h"
#include "tests/support/command.h"
#include "tests/support/instant_backend.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

constexpr Nanos kStep = 300 * kNanosPerMs;  // long beside what a client in Python needs to look at a chunk
constexpr TokenId kLetter = 'a' + 3;        // of the tiny model: byte b is token b + 3
constexpr int kRequests = 16, kTokens = 12, kConcurrency = 4;

}  // namespace

class AiperfClientTest : public QObject {
  Q_OBJECT

 private slots:
  void figures_agree() {
    const test::PythonEnvironment environment = test::python_environment("aiperf");
    if (!environment.missing.isEmpty()) QSKIP(qPrintable(environment.missing));
    EngineOptions options;
    options.model = test::write_tiny_model(folder_.path(), {.context_length = 1024});
    options.make_backend = [](const Settings&) -> Result<std::unique_ptr<Backend>> {
      return test::make_instant_backend(kStep, [](Nanos) { return kLetter; });
    };
    auto engine = Engine::start(std::move(options));
    PW_VERIFY(engine);
    HttpOptions http;
    http.port = 0;
    auto server = HttpServer::start(**engine, http);
    PW_VERIFY(server);
    const QString url = QString::fromStdString((*server)->url());

    const QString bench = path("bench");
    const auto ours = test::run_pitwallctl(
        folder_.path(),
        {"bench", "--url", url, "--num-prompts", QString::number(kRequests), "--input-len", "64",
         "--output-len", QString::number(kTokens), "--max-concurrency", QString::number(kConcurrency),
         "--num-warmups", "0", "--output", bench + ".jsonl", "--output-format", "aiperf-jsonl", "--json"});
    QVERIFY2(ours.code == 0, ours.err.c_str());
    PW_VERIFY(write_file_atomic((bench + ".json").toStdString(), ours.out));

    const auto theirs = test::run_command(
        environment.python,
        {QStringLiteral(PITWALL_SOURCE_DIR) + "/tests/clients/aiperf_client.py", url, path("client"),
         "--tokenizer", QString::fromStdString(test::data("text/smollm2").string()), "--requests",
         QString::number(kRequests), "--tokens", QString::number(kTokens), "--concurrency",
         QString::number(kConcurrency), "--bench", bench});
    qInfo("\n%s", theirs.out.c_str());
    QVERIFY2(theirs.code == 0, theirs.err.c_str());
  }

 private:
  QString path(const char* name) const { return QString::fromStdString((folder_.path() / name).string()); }

  test::TemporaryFolder folder_;
};

QTEST_GUILESS_MAIN(AiperfClientTest)
#include "aiperf_client_test.moc"
