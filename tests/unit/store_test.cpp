// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <cmath>
#include <fstream>
#include <thread>

#include "engine/report/report.h"
#include "engine/store/process_mark.h"
#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "engine/store/store_state.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

using namespace std::string_literals;
const std::string kWithNul = "Hello\0world, 你好"s;

RequestRecord request(std::uint64_t id) {
  RequestRecord r;
  r.id = {id};
  r.label = "chatcmpl-" + std::to_string(id) + " \"'; DROP TABLE runs; 请求";
  r.arrival_utc = 1'785'000'000'123'456'789 + static_cast<Nanos>(id);
  r.arrival = 1000;
  r.scheduled = 2000;
  r.first_token = 1000 + static_cast<Nanos>(id) * kNanosPerMs;
  r.last_token = r.first_token + 40 * kNanosPerMs;
  r.finished = r.last_token + 5;
  r.prompt_tokens = 17;
  r.cached_tokens = 3;
  r.output_tokens = 5;
  r.preemptions = 1;
  r.max_itl = 12 * kNanosPerMs;
  r.finish = id % 3 == 0 ? FinishReason::cancelled : FinishReason::length;
  r.error = id % 3 == 0 ? "client went away" : "";
  return r;
}

SecondRecord second(int i) {
  SecondRecord s;
  s.utc = 1'785'000'000 * kNanosPerSecond + i * kNanosPerSecond;
  s.itl.n = i;
  if (i > 0) s.itl.mean = s.itl.p50 = s.itl.p90 = s.itl.p99 = s.itl.max = 0.1 * i;
  s.output_tokens_per_s = 1.0 / 3;
  s.running = 4;
  s.kv_used = Bytes{1} << 40;
  s.measured = 12345;
  return s;
}

RunHeader header(const std::string& name) {
  RunHeader h;
  h.uuid = "u-" + name;
  h.name = name;
  h.start_utc = 1'785'000'000 * kNanosPerSecond;
  h.engine_version = "0.1.0";
  h.cpu = "some CPU";
  h.cores = 8;
  h.ram = Bytes{64} << 30;
  h.device = "cpu";
  h.model_path = "/models/模型.gguf";
  h.model_name = "model";
  h.config = {{"max-num-seqs", "8", "32", "user", true}, {"seed", "0", "0", "preset", false}};
  return h;
}

RunSummary summary_of(const std::vector<RequestRecord>& requests) {
  RunSummary s = summarize_requests(requests);
  s.end_utc = 1'785'000'100 * kNanosPerSecond;
  s.totals.steps = 99;
  s.ledger.bytes[0] = 1000;
  s.ledger.limit = 5000;
  s.ledger.kv_used = 7;
  s.ledger.measured = 900;
  return s;
}

struct File {
  test::TemporaryFolder folder;
  fs::path path = folder.path() / "data" / "pitwall.db";
  std::unique_ptr<Store> open() {
    auto store = Store::open(path);
    if (!store) qFatal("%s", store.error().text().c_str());
    return std::move(store).value();
  }
  void exec(const std::string& sql) { SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec(sql); }
};

void fill(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_run_comes_back_as_it_was() {
    File file;
    Run expected;
    expected.header = header("first");
    for (std::uint64_t i = 1; i <= 7; ++i) expected.requests.push_back(request(i));
    for (int i = 0; i < 4; ++i) expected.seconds.push_back(second(i));
    expected.summary = summary_of(expected.requests);
    expected.note = "notes may change";
    {
      auto store = file.open();
      const auto id = store->begin(expected.header);
      PW_VERIFY(id);
      expected.id = *id;
      const std::vector<RequestRecord> some(expected.requests.begin(), expected.requests.begin() + 3);
      const std::vector<RequestRecord> rest(expected.requests.begin() + 3, expected.requests.end());
      const SettingChange change{1'785'000'001 * kNanosPerSecond, "max-num-seqs", "8", "4"};
      expected.changes = {change};
      PW_VERIFY(store->append(*id, {some, {expected.seconds[0], expected.seconds[1]}, {}}));
      PW_VERIFY(store->append(*id, {rest, {expected.seconds[2], expected.seconds[3]}, {change}}));
      QCOMPARE(store->runs()->at(0).requests, std::int64_t{7});
      QCOMPARE(store->runs()->at(0).status, RunStatus::recording);
      PW_VERIFY(store->end(*id, expected.summary));
      PW_VERIFY(store->set_note(*id, expected.note));
    }
    auto store = file.open();
    const auto run = store->run(expected.id);
    PW_VERIFY(run);
    QCOMPARE(QString::fromStdString(run_json(*run)), QString::fromStdString(run_json(expected)));
    const auto list = store->runs();
    PW_VERIFY(list);
    QCOMPARE(list->size(), std::size_t{1});
    const RunListItem& item = list->at(0);
    QCOMPARE(item.name, std::string("first"));
    QCOMPARE(item.model, std::string("model"));
    QCOMPARE(item.status, RunStatus::finished);
    QCOMPARE(item.requests, std::int64_t{7});
    QCOMPARE(item.ttft_p50_ms, expected.summary.metrics["ttft_ms"].p50);
    QCOMPARE(item.tpot_p50_ms, 10.0);
    QCOMPARE(item.max_itl_ms, 12.0);
    QCOMPARE(item.output_tokens_per_s, expected.summary.output_tokens_per_s);
  }

  void gaps_between_tokens_join_those_that_are_there() {
    File file;
    auto store = file.open();
    const RunId id = *store->begin(header("gaps"));
    QuantileSketch first, second;
    first.add(0, 2);
    first.add(5, 1000);
    second.add(5, 500);
    second.add(318);
    RunRows rows;
    rows.itl = first;
    PW_VERIFY(store->append(id, rows));
    rows.itl = second;
    PW_VERIFY(store->append(id, rows));
    const auto run = store->run(id);
    PW_VERIFY(run);
    QCOMPARE(run->itl.count(), std::int64_t{1503});
    QCOMPARE(run->itl.max(), 318.0);
    QCOMPARE(run->itl.sum(), 1500 * 5 + 318.0);
    QVERIFY(std::abs(run->itl.quantile(0.5) - 5) < 0.05);
    QCOMPARE(run->itl.buckets().size(), std::size_t{3});  // 0, about 5 and about 318
    PW_VERIFY(store->end(id, {}));
    PW_VERIFY(store->remove_run(id));
    QCOMPARE(SQLite::Database(file.path.string()).execAndGet("SELECT count(*) FROM gaps").getInt(), 0);
  }

  void a_run_never_changes_after_its_end() {
    File file;
    auto store = file.open();
    const RunId id = *store->begin(header("x"));
    PW_VERIFY(store->end(id, {}));
    QCOMPARE(store->append(id, {{request(1)}, {}, {}}).error().kind, Error::Kind::invalid_input);
    QCOMPARE(store->end(id, {}).error().kind, Error::Kind::invalid_input);
    QCOMPARE(store->run(id)->requests.size(), std::size_t{0});
    QVERIFY(std::isnan(store->runs()->at(0).ttft_p50_ms));
  }

  void unknown_ids_are_named() {
    File file;
    auto store = file.open();
    const auto missing = store->run(RunId{404});
    QCOMPARE(missing.error().kind, Error::Kind::not_found);
    QVERIFY(missing.error().text().find("404") != std::string::npos);
    QCOMPARE(store->append(RunId{404}, {}).error().kind, Error::Kind::not_found);
    QCOMPARE(store->end(RunId{404}, {}).error().kind, Error::Kind::not_found);
    QCOMPARE(store->set_note(RunId{404}, "x").error().kind, Error::Kind::not_found);
    QCOMPARE(store->remove_run(RunId{404}).error().kind, Error::Kind::not_found);
    QCOMPARE(store->messages(404).error().kind, Error::Kind::not_found);
    QCOMPARE(store->add_message(404, {}).error().kind, Error::Kind::not_found);
    QCOMPARE(store->rename_chat(404, "x").error().kind, Error::Kind::not_found);
    QCOMPARE(store->remove_chat(404).error().kind, Error::Kind::not_found);
  }

  void removing_a_run_leaves_nothing() {
    File file;
    RunId id;
    {
      auto store = file.open();
      id = *store->begin(header("x"));
      PW_VERIFY(store->append(id, {{request(1)}, {second(1)}, {}}));
      PW_VERIFY(store->end(id, summary_of({request(1)})));
      PW_VERIFY(store->remove_run(id));
      QVERIFY(store->runs()->empty());
      QVERIFY((*store->begin(header("y"))).value > id.value);  // ids are not used again
    }
    SQLite::Database database(file.path.string());
    for (const char* table : {"requests", "seconds", "changes", "metrics", "totals", "ledgers"}) {
      const auto run = std::to_string(id.value);
      QCOMPARE(
          database.execAndGet(std::string("SELECT count(*) FROM ") + table + " WHERE run = " + run).getInt(),
          0);
    }
  }

  void chats() {
    File file;
    std::int64_t first = 0, second_chat = 0;
    {
      auto store = file.open();
      first = *store->create_chat("First");
      second_chat = *store->create_chat("Second");
      QCOMPARE(store->chats()->at(0).title, std::string("Second"));
      ChatMessage prompt;
      prompt.role = "user";
      prompt.content = kWithNul;
      prompt.state = "complete";
      prompt.created_utc = 5;
      PW_VERIFY(store->add_message(first, prompt));
      QCOMPARE(store->chats()->at(0).title, std::string("First"));  // last changed first
      ChatMessage reply;
      reply.role = "assistant";
      reply.model = "m";
      reply.state = "streaming";
      reply.id = *store->add_message(first, reply);
      reply.content = "Hi";
      reply.state = "complete";
      reply.timings_json = "{}";
      PW_VERIFY(store->update_message(reply));
      PW_VERIFY(store->rename_chat(first, "Renamed"));
      reply.id = 999;
      QCOMPARE(store->update_message(reply).error().kind, Error::Kind::not_found);
    }
    auto store = file.open();
    const auto messages = store->messages(first);
    PW_VERIFY(messages);
    QCOMPARE(messages->size(), std::size_t{2});
    QCOMPARE(messages->at(0).content, kWithNul);
    QCOMPARE(messages->at(0).created_utc, Nanos{5});
    QCOMPARE(messages->at(1).content, std::string("Hi"));
    QCOMPARE(messages->at(1).state, std::string("complete"));
    QCOMPARE(messages->at(1).timings_json, std::string("{}"));
    QCOMPARE(store->chats()->at(0).title, std::string("Renamed"));
    PW_VERIFY(store->remove_chat(first));
    QCOMPARE(store->chats()->size(), std::size_t{1});
    QCOMPARE(store->chats()->at(0).id, second_chat);
  }

  void an_empty_file_gets_the_schema() {
    File file;
    fill(file.path, "");
    auto store = file.open();
    QVERIFY(!store->damage());
    PW_VERIFY(store->begin(header("x")));
    SQLite::Database database(file.path.string());
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), Store::schema_version());
    QCOMPARE(database.execAndGet("PRAGMA journal_mode").getString(), std::string("wal"));
  }

  void steps_run_once_and_keep_the_rows() {
    const std::vector<const char*> released = {"CREATE TABLE a (x); INSERT INTO a VALUES (1)",
                                               "ALTER TABLE a ADD COLUMN y DEFAULT 7", "CREATE TABLE b (z)"};
    for (std::size_t from = 0; from <= released.size(); ++from) {
      SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
      PW_VERIFY(migrate(database, std::span(released).first(from)));
      QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), static_cast<int>(from));
      PW_VERIFY(migrate(database, released));
      PW_VERIFY(migrate(database, released));
      QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), 3);
      QCOMPARE(database.execAndGet("SELECT x + y FROM a").getInt(), 8);
      QVERIFY(database.tableExists("b"));
    }
  }

  void a_run_of_version_1_is_still_read() {
    File file;
    fs::create_directories(file.path.parent_path());
    {
      SQLite::Database old(file.path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      PW_VERIFY(migrate(old, schema_steps().first(1)));
      old.exec(
          "INSERT INTO runs VALUES (7, 'u', 'old', 'serve', 5, 'v', 'g', 'b', 'c', 'o', 2, 3, 'cpu', 'p', "
          "'m', "
          "'llama', 'q', 's', '', 'r', 'finished', '', 9, 1.5, 1, NULL, NULL, NULL)");
      old.exec(
          "INSERT INTO requests VALUES (1, 7, 3, 'chatcmpl-3', 5, 1, 2, 3, 4, 5, 17, 3, 5, 1, 6, 'length', "
          "'')");
      old.exec("INSERT INTO totals VALUES (7, 1, 0, 1, 0, 0, 17, 5, 1, 99)");
      old.exec("INSERT INTO ledgers VALUES (7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 0, 1, 0, 0, 0, 0)");
    }
    const auto run = file.open()->run(RunId{7});
    PW_VERIFY(run);
    QCOMPARE(run->header.name, std::string("old"));
    QCOMPARE(run->requests.at(0).cached_tokens, 3);
    QCOMPARE(run->requests.at(0).miss, MissReason::none);
    QCOMPARE(run->requests.at(0).miss_token, -1);
    QCOMPARE(run->summary.totals.steps, std::int64_t{99});
    QCOMPARE(run->summary.ledger.of(Category::swap), Bytes{0});
    QVERIFY(run->changes.empty());
  }

  void each_version_comes_up_to_the_newest_with_its_runs_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version < Store::schema_version(); ++version)
      QTest::addRow("version %d", version) << version;
  }

  /// A store of each version, with a run in it, is read by this program and takes new ones.
  void each_version_comes_up_to_the_newest_with_its_runs() {
    QFETCH(int, version);
    File file;
    fs::create_directories(file.path.parent_path());
    {
      SQLite::Database old(file.path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      PW_VERIFY(migrate(old, schema_steps().first(static_cast<std::size_t>(version))));
      old.exec(
          "INSERT INTO runs (uuid, name, kind, start_utc, engine_version, git_commit, build_flags, cpu, os, "
          "cores, "
          "ram, device, model_path, model_name, architecture, quantization, model_sha256, note, recorder, "
          "status) "
          "VALUES ('u', 'old', 'serve', 5, 'v', 'g', 'b', 'c', 'o', 2, 3, 'cpu', 'p', 'm', 'llama', 'q', "
          "'s', 'kept', "
          "'r', 'finished')");
      old.exec("INSERT INTO chats (title, updated_utc) VALUES ('a chat', 1)");
    }
    auto store = file.open();
    const auto run = store->run(RunId{1});
    PW_VERIFY(run);
    QCOMPARE(run->note, std::string("kept"));
    QVERIFY(run->steps.empty());
    QCOMPARE(store->chats()->size(), std::size_t{1});
    const auto fresh = store->import_run(test::made_up_run());
    PW_VERIFY(fresh);
    QCOMPARE(store->run(*fresh)->steps.size(), std::size_t{40});
    SQLite::Database database(file.path.string());
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), Store::schema_version());
  }

  void a_failing_step_leaves_the_version_before_it() {
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
    const std::vector<const char*> steps = {"CREATE TABLE a (x)",
                                            "CREATE TABLE b (y); INSERT INTO nowhere VALUES (1)"};
    QVERIFY_THROWS_EXCEPTION(SQLite::Exception, (void)migrate(database, steps));
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), 1);
    QVERIFY(database.tableExists("a") && !database.tableExists("b"));
  }

  void a_newer_schema_is_refused_with_both_versions() {
    File file;
    file.open();
    file.exec("PRAGMA user_version = 42");
    const auto store = Store::open(file.path);
    QCOMPARE(store.error().kind, Error::Kind::unsupported);
    const QString text = QString::fromStdString(store.error().text());
    QVERIFY2(text.contains("42") && text.contains(QString::number(Store::schema_version())),
             qPrintable(text));
    QVERIFY(fs::exists(file.path));
  }

  void a_file_of_another_program_is_refused() {
    File file;
    fs::create_directories(file.path.parent_path());
    SQLite::Database(file.path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE cookies (x)");
    QCOMPARE(Store::open(file.path).error().kind, Error::Kind::invalid_input);
  }

  void errors_say_what_to_do() {
    File file;
    fs::create_directories(file.path);  // a folder where the file should be
    const Error error = Store::open(file.path).error();
    QCOMPARE(error.kind, Error::Kind::invalid_input);
    QVERIFY(error.what.find(file.path.string()) != std::string::npos);
    QVERIFY(!error.cause.empty() && !error.action.empty());
  }

  void each_failure_has_a_cause_and_an_action_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("word");
    QTest::newRow("disk full") << SQLITE_FULL << "full";
    QTest::newRow("read-only") << SQLITE_READONLY << "written";
    QTest::newRow("locked") << SQLITE_BUSY << "locked";
    QTest::newRow("damaged") << SQLITE_CORRUPT << "damaged";
    QTest::newRow("device") << SQLITE_IOERR << "disk";
  }

  void each_failure_has_a_cause_and_an_action() {
    QFETCH(int, code);
    QFETCH(QString, word);
    const Error error = store_error("/data/pitwall.db", "recording a run", SQLite::Exception("reason", code));
    QVERIFY(error.what.find("/data/pitwall.db") != std::string::npos &&
            error.what.find("reason") != std::string::npos);
    QVERIFY(QString::fromStdString(error.cause).contains(word));
    QVERIFY(!error.action.empty());
    QCOMPARE(error.kind, code == SQLITE_BUSY ? Error::Kind::busy : Error::Kind::io);
  }

  void a_failed_write_is_all_or_nothing() {
    File file;
    auto store = file.open();
    const RunId id = *store->begin(header("x"));
    std::vector<RequestRecord> many;
    for (std::uint64_t i = 1; i <= 5000; ++i) many.push_back(request(i));
    // Writes beyond 256 KiB fail from here on.
    signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{256 << 10, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto failed = store->append(id, {many, {second(1)}, {}});
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!failed.ok());
    QVERIFY2(failed.error().what.find(file.path.string()) != std::string::npos,
             failed.error().text().c_str());
    QCOMPARE(store->run(id)->requests.size(), std::size_t{0});
    PW_VERIFY(store->append(id, {many, {second(1)}, {}}));
    QCOMPARE(store->run(id)->requests.size(), many.size());
  }

  void kill_9_loses_nothing_that_was_appended() {
    File file;
    file.open();
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(file.path);
      const RunId id = *(*store)->begin(header("killed"));
      for (std::uint64_t i = 1; i <= 3; ++i)
        (void)(*store)->append(id, {{request(i)}, {second(static_cast<int>(i))}, {}});
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
    {
      // While the recorder lives, another program leaves its run alone.
      auto store = file.open();
      QCOMPARE(store->runs()->at(0).status, RunStatus::recording);
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status));

    auto store = file.open();
    QVERIFY(!store->damage());
    const RunListItem item = store->runs()->at(0);
    QCOMPARE(item.status, RunStatus::cut_off);
    QCOMPARE(item.requests, std::int64_t{3});
    const auto run = store->run(item.id);
    PW_VERIFY(run);
    QCOMPARE(run->requests.size(), std::size_t{3});
    QCOMPARE(run->seconds.size(), std::size_t{3});
    const RunSummary expected = summarize_requests({request(1), request(2), request(3)});
    QCOMPARE(run->summary.metrics.at("ttft_ms").p50, expected.metrics.at("ttft_ms").p50);
    QCOMPARE(run->summary.totals.requests_cancelled, std::int64_t{1});
    QCOMPARE(run->summary.end_utc, second(3).utc + kNanosPerSecond);
    QVERIFY(!run->summary.error.empty());
  }

  void a_recorder_that_dies_later_is_seen_when_the_runs_are_listed() {
    File file;
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(file.path);
      (void)*(*store)->begin(header("killed"));
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
    auto store = file.open();
    QCOMPARE(store->runs()->at(0).status, RunStatus::recording);
    kill(child, SIGKILL);
    siginfo_t death{};
    QCOMPARE(waitid(P_PID, static_cast<id_t>(child), &death, WEXITED | WNOWAIT), 0);
    QCOMPARE(store->runs()->at(0).status,
             RunStatus::cut_off);  // dead, though its parent has not asked for it
    QCOMPARE(waitpid(child, nullptr, 0), child);
  }

  void closing_the_store_cuts_its_open_runs_off() {
    File file;
    { (void)*file.open()->begin(header("left open")); }
    QCOMPARE(file.open()->runs()->at(0).status, RunStatus::cut_off);
  }

  void a_pid_that_is_used_again_is_another_process() {
    const std::string own = own_process_mark();
    QVERIFY(process_lives(own));
    QVERIFY(!process_lives(own + "0"));  // another start time
    QVERIFY(!process_lives("other-boot" + own.substr(own.find(':'))));
    QVERIFY(!process_lives(""));
    QVERIFY(!process_lives("nonsense"));
  }

  void threads_share_a_store() {
    File file;
    auto store = file.open();
    const auto work = [&](int worker) {
      const auto id = store->begin(header("worker " + std::to_string(worker)));
      for (std::uint64_t i = 1; id && i <= 20; ++i) {
        if (!store->append(*id, {{request(i)}, {second(1)}, {}})) return;
        if (!store->runs()) return;
      }
      if (id) (void)store->end(*id, {});
    };
    std::thread other(work, 1);
    work(2);
    other.join();
    const auto runs = store->runs();
    QCOMPARE(runs->size(), std::size_t{2});
    for (const RunListItem& item : *runs) {
      QCOMPARE(item.status, RunStatus::finished);
      QCOMPARE(store->run(item.id)->requests.size(), std::size_t{20});
    }
  }

  void ten_thousand_runs_are_listed_newest_first() {
    File file;
    auto store = file.open();
    file.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
        "INSERT INTO runs (uuid, name, kind, start_utc, engine_version, git_commit, build_flags, cpu, os, "
        "cores, ram, "
        "device, model_path, model_name, architecture, quantization, model_sha256, recorder, status) "
        "SELECT hex(randomblob(16)), 'run ' || i, 'serve', i * 1000, '', '', '', '', '', 1, 1, 'cpu', '', "
        "'m', '', '', '', "
        "'', 'finished' FROM n");
    QElapsedTimer timer;
    timer.start();
    const auto runs = store->runs();
    qInfo() << "10,000 runs listed in" << timer.elapsed() << "ms";
    PW_VERIFY(runs);
    QCOMPARE(runs->size(), std::size_t{10000});
    QCOMPARE(runs->front().name, std::string("run 10000"));
    QCOMPARE(runs->back().name, std::string("run 1"));
  }
};

QTEST_GUILESS_MAIN(StoreTest)
#include "store_test.moc"
