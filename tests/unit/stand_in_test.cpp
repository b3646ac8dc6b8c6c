// SPDX-License-Identifier: GPL-3.0-or-later
// A store that cannot be opened: what is said about it, and what stands in for it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <QtTest>
#include <fstream>

#include "engine/base/file.h"
#include "engine/store/store.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

RunHeader header(const char* name) {
  RunHeader begun;
  begun.name = name;
  begun.kind = "serve";
  begun.model_name = "tiny";
  return begun;
}

}  // namespace

class StandInTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_is_no_file_is_told_at_once();
  void a_full_disk_is_called_so();
  void a_read_only_file_system_is_called_so();
  void runs_are_read_and_nothing_is_written();
  void a_run_whose_recorder_is_gone_is_cut_off();
  void chats_go_on_in_memory();
  void what_cannot_be_read_leaves_an_empty_store_data();
  void what_cannot_be_read_leaves_an_empty_store();
};

void StandInTest::what_is_no_file_is_told_at_once() {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pitwall.db";
  QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
  const auto store = Store::open(pipe);
  QVERIFY(!store.ok());
  QCOMPARE(store.error().text(), pipe.string() + " is not a file. It is a pipe. Move it away, or set " +
                                     "PITWALL_HOME to another folder.");
}

void StandInTest::a_full_disk_is_called_so() {
  const test::TemporaryFolder folder;
  const std::string said = test::on_a_small_disk(folder.path(), [&] {
    test::fill_disk(folder.path() / "filler");
    const auto store = Store::open(folder.path() / "pitwall.db");
    return store ? std::string("opened") : store.error().text();
  });
  if (said.empty()) QSKIP("this machine lets nobody mount a file system");
  QVERIFY2(said.find("pitwall.db") != std::string::npos, said.c_str());
  QVERIFY2(said.find("The disk is full: 0 B are free. Free some disk space") != std::string::npos,
           said.c_str());
}

void StandInTest::a_read_only_file_system_is_called_so() {
  const test::TemporaryFolder folder;
  const std::string said = test::on_a_small_disk(folder.path(), [&] {
    const fs::path file = folder.path() / "pitwall.db";
    {
      const auto store = Store::open(file);
      if (!store || !(*store)->create_chat("kept")) return std::string("not made");
    }
    if (::mount("none", folder.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      return std::string("not remounted");
    const auto store = Store::open(file);
    const auto instead = Store::stand_in(file);
    return (store ? std::string("opened") : store.error().text()) + " " +
           (*(*instead)->chats()).front().title;
  });
  if (said.empty()) QSKIP("this machine lets nobody mount a file system");
  QVERIFY2(said.find("The file system is read-only. Make it writable") != std::string::npos, said.c_str());
  QVERIFY2(said.ends_with("kept"), said.c_str());
}

void StandInTest::runs_are_read_and_nothing_is_written() {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a # 100% ? name.db";
  {
    const auto store = Store::open(file);
    PW_VERIFY(store);
    const auto run = (*store)->begin(header("kept"));
    PW_VERIFY(run);
    PW_VERIFY((*store)->end(*run, {}));
  }
  const auto before = fs::last_write_time(file);
  const auto store = Store::stand_in(file);
  PW_VERIFY(store);
  QCOMPARE((*store)->access(), Store::Access::read_only);
  QCOMPARE((*store)->runs()->front().name, std::string("kept"));
  QCOMPARE((*store)->run((*store)->runs()->front().id)->header.name, std::string("kept"));
  const auto refused = (*store)->set_note((*store)->runs()->front().id, "a note");
  QVERIFY(!refused.ok());
  QVERIFY2(refused.error().text().find("cannot be written") != std::string::npos,
           refused.error().text().c_str());
  QCOMPARE(fs::last_write_time(file), before);
}

/// As `kill -9` leaves it, where the file cannot be written after.
void StandInTest::a_run_whose_recorder_is_gone_is_cut_off() {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "pitwall.db";
  RunRows rows;
  rows.requests.resize(3);
  for (RequestRecord& request : rows.requests) request.finish = FinishReason::length;
  {
    const auto store = Store::open(file);
    PW_VERIFY(store);
    const auto run = (*store)->begin(header("killed"));
    PW_VERIFY(run);
    PW_VERIFY((*store)->append(*run, rows));
    PW_VERIFY((*store)->end(*run, {}));
  }
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET status = 'recording', error = '', recorder = 'another boot:1:1'");
  const auto store = Store::stand_in(file);
  PW_VERIFY(store);
  const RunListItem item = (*store)->runs()->front();
  QCOMPARE(item.status, RunStatus::cut_off);
  QCOMPARE(item.requests, std::int64_t{3});
  const auto run = (*store)->run(item.id);
  PW_VERIFY(run);
  QCOMPARE(run->summary.status, RunStatus::cut_off);
  QVERIFY2(run->summary.error.find("did not close it") != std::string::npos, run->summary.error.c_str());
}

void StandInTest::chats_go_on_in_memory() {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "pitwall.db";
  ChatMessage question;
  question.role = "user";
  question.content = "Where are the tyres?";
  question.state = "complete";
  question.attachments = {{"tyres.txt", "soft, hard", 4}};
  {
    const auto store = Store::open(file);
    PW_VERIFY(store);
    PW_VERIFY((*store)->add_message(*(*store)->create_chat("kept"), question));
  }
  {
    const auto store = Store::stand_in(file);
    PW_VERIFY(store);
    QCOMPARE((*store)->access(), Store::Access::read_only);
    const std::int64_t kept = (*store)->chats()->front().id;
    QCOMPARE((*store)->messages(kept)->front().attachments.front().content, std::string("soft, hard"));
    question.content = "And the wheels?";
    question.parent = (*store)->messages(kept)->front().id;
    PW_VERIFY((*store)->add_message(kept, question));
    QCOMPARE((*store)->search_chats("wheels", 10)->size(), std::size_t{1});
    QCOMPARE((*store)->search_chats("tyres", 10)->size(), std::size_t{1});
    PW_VERIFY((*store)->remove_chat(kept));
    QVERIFY((*store)->chats()->empty());
    const auto next = (*store)->create_chat("of this session");
    PW_VERIFY(next);
    QVERIFY(*next > kept);
  }
  const auto store = Store::open(file);
  PW_VERIFY(store);
  QCOMPARE((*store)->chats()->size(), std::size_t{1});
  QCOMPARE((*store)->messages((*store)->chats()->front().id)->size(), std::size_t{1});
}

void StandInTest::what_cannot_be_read_leaves_an_empty_store_data() {
  QTest::addColumn<QString>("kind");
  for (const char* kind : {"nothing", "folder", "pipe", "text", "newer schema"})
    QTest::newRow(kind) << QString::fromLatin1(kind);
}

void StandInTest::what_cannot_be_read_leaves_an_empty_store() {
  QFETCH(QString, kind);
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "pitwall.db";
  if (kind == QLatin1String("folder")) fs::create_directories(file);
  if (kind == QLatin1String("pipe")) QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
  if (kind == QLatin1String("text")) PW_VERIFY(write_file_atomic(file, std::string(600, 'x')));
  if (kind == QLatin1String("newer schema")) {
    PW_VERIFY(Store::open(file));
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  }
  const auto store = Store::stand_in(file);
  PW_VERIFY(store);
  QCOMPARE((*store)->access(), Store::Access::unkept);
  QVERIFY((*store)->runs()->empty());
  PW_VERIFY((*store)->create_chat("of this session"));
  QCOMPARE((*store)->chats()->size(), std::size_t{1});
  if (kind == QLatin1String("nothing")) QVERIFY(!fs::exists(file));
}

QTEST_APPLESS_MAIN(StandInTest)
#include "stand_in_test.moc"
