// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in the store: their steps, imports, and large ones read in part.
#include <SQLiteCpp/SQLiteCpp.h>

#include <QtTest>

#include "engine/report/report.h"
#include "engine/store/store.h"
#include "engine/telemetry/step_table.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

std::unique_ptr<Store> open(const std::filesystem::path& file) {
  auto store = Store::open(file);
  if (!store) qFatal("%s", store.error().text().c_str());
  return std::move(*store);
}

}  // namespace

class StoredRunsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void steps_are_kept_with_a_run() {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "pitwall.db";
    auto store = open(file);
    const std::vector<StepRecord> steps = test::made_up_run().steps;
    const RunId id = *store->begin(test::made_up_run().header);
    const auto first = std::vector(steps.begin(), steps.begin() + 15);
    PW_VERIFY(store->append(id, {{}, {}, {}, first}));
    PW_VERIFY(store->append(id, {{}, {}, {}, std::vector(steps.begin() + 15, steps.end())}));
    PW_VERIFY(store->end(id, {}));
    QCOMPARE(steps_text(store->run(id)->steps), steps_text(steps));
    PW_VERIFY(store->remove_run(id));
    SQLite::Database database(file.string());
    QCOMPARE(database.execAndGet("SELECT count(*) FROM steps").getInt(), 0);
  }

  void an_imported_run_is_the_same_run() {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "pitwall.db";
    auto store = open(file);
    Run run = test::made_up_run();
    const auto id = store->import_run(run);
    PW_VERIFY(id);
    auto back = store->run(*id);
    PW_VERIFY(back);
    QVERIFY(back->imported_utc > 0);
    QCOMPARE(store->runs()->front().imported_utc, back->imported_utc);
    QVERIFY(run_json(*back).find("\"imported_utc\"") != std::string::npos);
    back->id = run.id;
    back->imported_utc = 0;
    QCOMPARE(run_json(*back), run_json(run));
    QCOMPARE(store->runs()->front().requests, std::int64_t{300});
    QCOMPARE(store->runs()->front().status, RunStatus::finished);

    const auto again = store->import_run(run);
    QCOMPARE(again.error().kind, Error::Kind::busy);
    QCOMPARE(again.error().param, std::to_string(id->value));
    QCOMPARE(store->runs()->size(), std::size_t{1});

    run.header.uuid = "another";
    run.summary.status = RunStatus::recording;
    QCOMPARE(store->run(*store->import_run(run))->summary.status, RunStatus::cut_off);
  }

  void a_large_run_is_read_in_part() {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "pitwall.db";
    auto store = open(file);
    const auto id = store->import_run(test::made_up_run({.requests = 5000}));
    PW_VERIFY(id);
    const auto all = store->run_picture(*id, 5000), some = store->run_picture(*id, 700);
    PW_VERIFY(all);
    PW_VERIFY(some);
    QVERIFY(!all->sampled() && all->run.requests.size() == 5000);
    QVERIFY(some->sampled() && some->run.requests.size() <= 700 && some->run.requests.size() > 500);
    QCOMPARE(some->requests, std::int64_t{5000});
    QCOMPARE(some->run.summary.metrics.at("ttft_ms").p99, all->run.summary.metrics.at("ttft_ms").p99);
    QCOMPARE(some->run.seconds.size(), std::size_t{500});

    const auto first = store->worst_requests(*id, 0, 3), next = store->worst_requests(*id, 3, 4000);
    PW_VERIFY(first);
    PW_VERIFY(next);
    QCOMPARE(first->front().max_itl, 318 * kNanosPerMs);
    QCOMPARE(next->size(), std::size_t{4000});
    QVERIFY((*first)[2].max_itl >= next->front().max_itl && (*first)[2].id != next->front().id);
    QCOMPARE(store->worst_requests(*id, 4999, 10)->size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(StoredRunsTest)
#include "stored_runs_test.moc"
