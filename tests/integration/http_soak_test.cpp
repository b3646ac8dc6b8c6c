// SPDX-License-Identifier: GPL-3.0-or-later
// Some seconds of the soak: every request is answered as it should be, and afterwards no block, thread or
// file descriptor is held. Ten minutes with memory beside them: tests/bench/soak_bench.
#include <QTest>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/http_soak.h"
#include "tests/support/raw_http.h"
#include "tests/support/server_process.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

constexpr int kSoon = 30'000;  // ms
constexpr int kClients = 8;
constexpr std::uint64_t kSeed = 20261130;

}  // namespace

class HttpSoakTest : public QObject {
  Q_OBJECT

 private slots:
  void everything_is_given_back() {
    const test::TemporaryFolder home;
    test::ServerProcess server(home.path(), test::write_tiny_model(home.path()),
                               {"--kv-cache-memory-bytes", "2MiB", "--max-num-seqs", "16"});
    QVERIFY2(server.port() != 0, server.log().c_str());
    const std::atomic<bool> never{false};
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    soak(server.port(), never, kSeed, 10);  // what is made once
    QTRY_VERIFY_WITH_TIMEOUT(test::server_rests(server.port()), kSoon);
    const test::ProcessFigures before = test::figures_of(server.pid());
    soak(server.port(), never, kSeed + kClients, 60);
    QTRY_VERIFY_WITH_TIMEOUT(test::server_rests(server.port()), kSoon);
    QTRY_VERIFY_WITH_TIMEOUT(test::figures_of(server.pid()).files <= before.files, kSoon);
    QCOMPARE(test::figures_of(server.pid()).threads, before.threads);
    server.send(SIGTERM);
    QCOMPARE(server.exit_code(), 0);
  }

  void large_bodies_leave_no_memory_behind() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the heap of a sanitizer keeps what is freed");
#endif
    const test::TemporaryFolder home;
    test::ServerProcess server(home.path(), test::write_tiny_model(home.path()));
    QVERIFY2(server.port() != 0, server.log().c_str());
    const auto resident_after = [&](const std::string& note) {
      const nlohmann::json body{{"prompt", "a"}, {"max_tokens", 1}, {"note", note}};
      for (int i = 0; i < 5; ++i) {
        const test::RawReply reply = test::post(server.port(), "/v1/completions", body.dump());
        if (reply.status != 200) qFatal("%d: %s", reply.status, reply.body.c_str());
      }
      return test::figures_of(server.pid()).resident;
    };
    const Bytes before = resident_after("small");
    const Bytes after = resident_after(std::string(7 * kMiB, 'x'));
    QVERIFY2(after < before + 4 * kMiB, qPrintable(QString("%1, then %2 bytes").arg(before).arg(after)));
  }

  void replies_that_run_hold_no_bodies() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the heap of a sanitizer keeps what is freed");
#endif
    const test::TemporaryFolder home;
    test::ServerProcess server(home.path(), test::write_tiny_model(home.path()));
    QVERIFY2(server.port() != 0, server.log().c_str());
    const auto resident_with = [&](const std::string& note) {
      const nlohmann::json body{
          {"prompt", "a"}, {"stream", true}, {"ignore_eos", true}, {"min_tokens", 400}, {"note", note}};
      std::vector<std::unique_ptr<test::RawHttp>> clients;
      for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<test::RawHttp>(server.port()));
        clients.back()->send_post("/v1/completions", body.dump());
        clients.back()->read_until("data: ");
      }
      return test::figures_of(server.pid()).resident;
    };
    const Bytes before = resident_with("small");
    const Bytes after = resident_with(std::string(7 * kMiB, 'x'));
    QVERIFY2(after < before + 4 * kMiB, qPrintable(QString("%1, then %2 bytes").arg(before).arg(after)));
  }

 private:
  static void soak(int port, const std::atomic<bool>& stop, std::uint64_t seed, std::int64_t most) {
    for (const auto& [kind, count] : test::soak_over_http(port, kClients, seed, stop, most)) {
      if (count.met != count.sent)
        qInfo("%s: %lld of %lld", kind.c_str(), static_cast<long long>(count.met),
              static_cast<long long>(count.sent));
      QCOMPARE(count.met, count.sent);
    }
  }
};

QTEST_GUILESS_MAIN(HttpSoakTest)
#include "http_soak_test.moc"
