// SPDX-License-Identifier: GPL-3.0-or-later
// kill -9 in the middle of what the store and the exports write: all of it is there, or nothing. The killed
// one is this program, started with what it shall do; its death comes after a given number of SQLite's
// instructions.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <QProcess>
#include <QtTest>
#include <csignal>
#include <iostream>

#include "engine/base/file.h"
#include "engine/bench/checklist_template.h"
#include "engine/report/report.h"
#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

namespace fs = std::filesystem;
constexpr int kPatienceMs = 60'000, kKills = 12, kInstructions = 20;

std::int64_t ticks = 0, last_tick = 0;  // of kInstructions each; 0 = it lives

int tick(void*) {
  if (++ticks == last_tick) std::raise(SIGKILL);
  return 0;
}

int watch(sqlite3* database, char**, const void*) {
  sqlite3_progress_handler(database, kInstructions, tick, nullptr);
  return SQLITE_OK;
}

Run run_to_import() {
  Run run = test::made_up_run();
  run.header.uuid = "whole or not at all";
  return run;
}

Checklist checklist_to_import() {
  Checklist checklist = checklist_templates().front();
  checklist.uuid = "checklist";
  return checklist;
}

/// Version 3, with chats whose search index a later step builds.
void make_old_store(const fs::path& file) {
  SQLite::Database old(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  PW_VERIFY(migrate(old, schema_steps().first(3)));
  SQLite::Transaction transaction(old);
  old.exec("INSERT INTO chats (title, updated_utc) VALUES ('kept', 1)");
  for (int i = 0; i < 300; ++i)
    old.exec(
        "INSERT INTO messages (chat, role, content, model, timings_json, state, created_utc) VALUES (1, "
        "'user', "
        "'walrus " +
        std::to_string(i) + "', '', '', '', 1)");
  transaction.commit();
}

bool act(const std::string& deed, const fs::path& file) {
  const auto store = Store::open(file);
  if (!store) return false;
  if (deed == "import") return (*store)->import_run(run_to_import()).ok();
  if (deed == "checklist") return (*store)->import_checklist(checklist_to_import(), {run_to_import()}).ok();
  if (deed == "remove") return (*store)->remove_run(RunId{1}).ok();
  return true;  // opening was all
}

int child(const std::string& deed, const fs::path& file, std::int64_t last) {
  if (deed == "export") {  // no more than `last` bytes may be written: the signal comes in the middle
    const rlimit most{static_cast<rlim_t>(last), static_cast<rlim_t>(last)};
    setrlimit(RLIMIT_FSIZE, &most);
    return write_file_atomic(file, run_json(run_to_import())).ok() ? 0 : 1;
  }
  last_tick = last;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
  const bool done = act(deed, file);
  std::cout << ticks << std::endl;
  return done ? 0 : 1;
}

struct Outcome {
  bool died = false;
  std::int64_t ticks = 0;
};
Outcome run_child(const char* deed, const fs::path& file, std::int64_t last) {
  QProcess process;
  process.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--child"), QLatin1String(deed), QString::fromStdString(file.string()),
                 QString::number(last)});
  if (!process.waitForFinished(kPatienceMs)) return {};
  return {process.exitStatus() == QProcess::CrashExit,
          process.readAllStandardOutput().trimmed().toLongLong()};
}

}  // namespace

class KilledStoreTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "pitwall.db";

  void clear() {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
  }

  /// Kills at even distances; `check` looks at what is left. Says how often all was there.
  template <class Prepare, class Check>
  void kill_everywhere(const char* deed, Prepare&& prepare, Check&& check) {
    prepare();
    const Outcome whole = run_child(deed, file_, 0);
    QVERIFY(!whole.died && whole.ticks > kKills);
    int there = 0, died = 0;
    for (int i = 1; i <= kKills; ++i) {
      clear();
      prepare();
      died += run_child(deed, file_, whole.ticks * i / (kKills + 1)).died ? 1 : 0;
      auto store = Store::open(file_);
      PW_VERIFY(store);
      QVERIFY(!(*store)->damage());
      bool done = false;
      check(**store, done);
      there += done ? 1 : 0;
      if (QTest::currentTestFailed()) return;
    }
    QCOMPARE(died, kKills);
    qInfo("%s: killed %d times, %d times it was done", deed, died, there);
  }

 private Q_SLOTS:
  void cleanup() { clear(); }

  void an_import() {
    kill_everywhere(
        "import", [] {},
        [](Store& store, bool& done) {
          const auto runs = store.runs();
          done = !runs->empty();
          if (!done) return;
          const auto run = store.run(runs->front().id);
          PW_VERIFY(run);
          QCOMPARE(run->requests.size(), run_to_import().requests.size());
          QCOMPARE(run->steps.size(), run_to_import().steps.size());
          QCOMPARE(run->summary.status, RunStatus::finished);
        });
  }

  void an_import_of_a_checklist() {
    kill_everywhere(
        "checklist", [] {},
        [](Store& store, bool& done) {
          const std::size_t lists = store.checklists()->size();
          QCOMPARE(store.runs()->size(), lists);
          done = lists > 0;
          if (done) QCOMPARE(store.checklist(1)->items.size(), checklist_to_import().items.size());
        });
  }

  void a_removal() {
    kill_everywhere(
        "remove", [this] { PW_VERIFY(Store::open(file_).value()->import_run(run_to_import())); },
        [](Store& store, bool& done) {
          done = store.runs()->empty();
          if (!done) QCOMPARE(store.run(RunId{1})->requests.size(), run_to_import().requests.size());
        });
  }

  void a_migration() {
    kill_everywhere(
        "open", [this] { make_old_store(file_); },
        [](Store& store, bool& done) {
          done = true;
          QCOMPARE(store.messages(1)->size(), std::size_t{300});
          QCOMPARE(store.search_chats("walrus", 1000)->size(), std::size_t{300});
        });
  }

  void an_export() {
    const fs::path file = folder_.path() / "run.json";
    for (const bool replaces : {false, true}) {
      if (replaces) PW_VERIFY(write_file_atomic(file, "what was there"));
      QVERIFY(run_child("export", file, 10'000).died);
      const auto left = read_file(file);
      QCOMPARE(left.ok(), replaces);
      if (replaces) QCOMPARE(*left, std::string("what was there"));
    }
    PW_VERIFY(write_file_atomic(file, run_json(run_to_import())));
    PW_VERIFY(parse_run_json(*read_file(file)));
  }
};

int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  if (argc == 5 && std::string_view(argv[1]) == "--child")
    return child(argv[2], argv[3], std::atoll(argv[4]));
  KilledStoreTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "killed_store_test.moc"
