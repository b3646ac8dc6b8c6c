// SPDX-License-Identifier: GPL-3.0-or-later
// kill -9 of a recording engine: what came before its last full second is there.
#include <signal.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/store/store.h"
#include "tests/support/http_fixture.h"
#include "tests/support/raw_http.h"
#include "tests/support/server_process.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

class KilledRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void at_most_the_last_second_is_lost() {
    const test::TemporaryFolder folder;
    const auto model = test::write_tiny_model(folder.path());
    const auto file = folder.path() / "home" / "data" / "pitwall.db";
    test::ServerProcess server(folder.path() / "home", model);
    QVERIFY2(server.port() > 0, server.log().c_str());
    const std::string body = test::chat_body("PROMPT", {{"max_tokens", 8}, {"seed", 5}}).dump();
    std::vector<Nanos> answered;
    const auto ask = [&] {
      test::RawHttp http(server.port());
      http.send_post(test::kChat, body);
      QCOMPARE(http.read_reply().status, 200);
      answered.push_back(RealClock().utc_now());
    };
    // Until a first second has been written while the engine goes on, and some more.
    const auto recorded = [&] {
      const auto store = Store::open(file);
      return store ? (*store)->runs()->front().requests : 0;
    };
    do {
      ask();
      if (QTest::currentTestFailed()) return;
    } while (recorded() == 0);
    for (int i = 0; i < 20; ++i) ask();
    ::kill(static_cast<pid_t>(server.pid()), SIGKILL);
    QCOMPARE(server.exit_code(), -1);

    const auto store = Store::open(file);
    PW_VERIFY(store);
    QCOMPARE((*store)->runs()->size(), std::size_t{1});
    const auto run = (*store)->run((*store)->runs()->front().id);
    PW_VERIFY(run);
    QCOMPARE(run->summary.status, RunStatus::cut_off);
    QVERIFY(!run->seconds.empty() && !run->steps.empty());
    const Nanos written =
        run->seconds.back().utc;  // the second that began then is there: so is all before it
    const auto due = std::count_if(answered.begin(), answered.end(), [&](Nanos at) { return at < written; });
    qInfo("%zu answered, %zu recorded; the last second written began %.2f s before the kill", answered.size(),
          run->requests.size(), static_cast<double>(answered.back() - written) / kNanosPerSecond);
    QVERIFY(std::ssize(run->requests) >= due);
    QCOMPARE(run->summary.totals.requests_finished, std::ssize(run->requests));
    QVERIFY(std::isfinite(run->summary.metrics.at("ttft_ms").p50));
  }
};

QTEST_GUILESS_MAIN(KilledRunTest)
#include "killed_run_test.moc"
