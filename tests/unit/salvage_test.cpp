// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged stores: moved aside as they are, and what can be read of them comes into a new one.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <QtTest>
#include <fstream>

#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kPage = 4096;
constexpr int kRuns = 12, kMessages = 60;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// A store with something of everything, closed.
std::string whole_store(const fs::path& file) {
  auto store = Store::open(file).value();
  for (int i = 0; i < kRuns; ++i) {
    Run run = test::made_up_run({.requests = 120});
    run.header.uuid = "run-" + std::to_string(i);
    run.changes = {{run.header.start_utc, "max-num-seqs", "8", "16", ChangedBy::user}};
    (void)store->import_run(run).value();
  }
  Checklist checklist;
  checklist.name = "evening";
  checklist.items.resize(3);
  for (Item& item : checklist.items) item.changes.push_back({"block-size", "32", "16"});
  (void)store->add_checklist(checklist).value();
  const auto chat = store->create_chat("chat").value();
  std::int64_t parent = 0;
  for (int i = 0; i < kMessages; ++i) {
    ChatMessage message;
    message.parent = parent;
    message.role = i % 2 == 0 ? "user" : "assistant";
    message.content = "walrus " + std::to_string(i) + " " + std::string(900, 'm');
    message.state = "complete";
    parent = store->add_message(chat, message).value();
  }
  store.reset();
  return bytes_of(file);
}

std::int64_t rows_in(const fs::path& file) {
  SQLite::Database database(file.string());
  std::int64_t rows = 0;
  SQLite::Statement tables(database,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
                           "AND name NOT LIKE 'message_search%'");
  while (tables.executeStep())
    rows += database.execAndGet("SELECT count(*) FROM " + tables.getColumn(0).getString()).getInt64();
  return rows;
}

/// The file as a store is sound: nothing in it refers to what is not there, and every run can be read.
void check_sound(Store& store, const fs::path& file) {
  {
    SQLite::Database database(file.string());
    QCOMPARE(database.execAndGet("PRAGMA quick_check").getString(), std::string("ok"));
    SQLite::Statement orphans(database, "PRAGMA foreign_key_check");
    QVERIFY(!orphans.executeStep());
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), Store::schema_version());
  }
  const auto runs = store.runs();
  PW_VERIFY(runs);
  for (const RunListItem& run : *runs) PW_VERIFY(store.run_picture(run.id, 1000));
  const auto chats = store.chats();
  PW_VERIFY(chats);
  for (const ChatListItem& chat : *chats) PW_VERIFY(store.messages(chat.id));
  const auto checklists = store.checklists();
  PW_VERIFY(checklists);
  for (const ChecklistListItem& one : *checklists) PW_VERIFY(store.checklist(one.id));
  Run more = test::made_up_run();
  more.header.uuid = "after";
  PW_VERIFY(store.import_run(more));
}

}  // namespace

class SalvageTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "pitwall.db";
  std::string whole_;
  std::int64_t rows_ = 0;

  void put(const std::string& bytes) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    write(file_, bytes);
  }

 private Q_SLOTS:
  void initTestCase() {
    whole_ = whole_store(file_);
    rows_ = rows_in(file_);
    QVERIFY(rows_ > kRuns * 120 + kMessages);
  }

  void any_page_may_be_overwritten() {
    const std::size_t pages = whole_.size() / kPage;
    int noticed = 0, nearly_all = 0;
    for (std::size_t page = 1; page < pages; page += 3) {
      std::string bytes = whole_;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), 600, 'Z');
      put(bytes);
      auto store = Store::open(file_);
      PW_VERIFY(store);
      if (const auto& damage = (*store)->damage()) {
        ++noticed;
        QCOMPARE(bytes_of(damage->moved_to), bytes);
        QCOMPARE(damage->salvaged.rows, rows_in(file_));
        QCOMPARE(damage->salvaged.runs, std::ssize(*(*store)->runs()));
        nearly_all += damage->salvaged.rows * 10 > rows_ * 9 ? 1 : 0;
      }
      check_sound(**store, file_);
      if (QTest::currentTestFailed()) QFAIL(qPrintable(QStringLiteral("page %1").arg(page + 1)));
    }
    qInfo("every third of %zu pages; damage seen in %d, of which %d lost less than a tenth of the rows",
          pages - 1, noticed, nearly_all);
    QVERIFY(noticed > static_cast<int>(pages) / 6);
    QVERIFY(nearly_all * 10 > noticed * 7);
  }

  void two_far_pages_cost_no_more_than_themselves() {
    std::string bytes = whole_;
    const std::size_t pages = whole_.size() / kPage;
    for (const std::size_t page : {pages / 3, pages * 2 / 3})
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\0');
    put(bytes);
    auto store = Store::open(file_);
    PW_VERIFY(store);
    const auto& damage = (*store)->damage();
    QVERIFY(damage.has_value());
    qInfo("%lld of %lld rows", static_cast<long long>(damage->salvaged.rows), static_cast<long long>(rows_));
    QVERIFY(damage->salvaged.rows * 10 > rows_ * 8);
    check_sound(**store, file_);
  }

  void the_search_finds_what_came_over() {
    std::string bytes = whole_;
    std::fill_n(bytes.end() - static_cast<std::ptrdiff_t>(2 * kPage), kPage, 'Z');
    put(bytes);
    auto store = Store::open(file_);
    PW_VERIFY(store);
    QVERIFY((*store)->damage().has_value());
    std::size_t messages = 0;
    const auto chats = (*store)->chats();
    for (const ChatListItem& chat : *chats) messages += (*store)->messages(chat.id)->size();
    QVERIFY(messages > 0);
    QCOMPARE((*store)->search_chats("walrus", 1000)->size(), messages);
  }

  void what_is_cut_off_leaves_the_rest_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {95, 60, 20, 1}) QTest::addRow("%d %%", percent) << percent;
  }

  void what_is_cut_off_leaves_the_rest() {
    QFETCH(int, percent);
    put(whole_.substr(0, whole_.size() * static_cast<std::size_t>(percent) / 100));
    auto store = Store::open(file_);
    PW_VERIFY(store);
    QVERIFY((*store)->damage().has_value());
    if (percent > 50) QVERIFY((*store)->damage()->salvaged.rows > 0);
    check_sound(**store, file_);
  }

  void nothing_comes_from_what_is_no_store_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("zeros") << QByteArray(40'000, '\0');
    QTest::newRow("text")
        << QByteArray("this is no database, but long enough to be looked at as one. ").repeated(20);
    QTest::newRow("only its first bytes")
        << QByteArray("SQLite format 3\0", 16).append(QByteArray(5000, 'x'));
  }

  void nothing_comes_from_what_is_no_store() {
    QFETCH(QByteArray, bytes);
    put(bytes.toStdString());
    auto store = Store::open(file_);
    PW_VERIFY(store);
    QVERIFY((*store)->damage().has_value());
    QCOMPARE((*store)->damage()->salvaged.rows, std::int64_t{0});
    QCOMPARE(bytes_of((*store)->damage()->moved_to), bytes.toStdString());
    check_sound(**store, file_);
  }

  void a_store_without_its_wal_has_what_was_written_back() {
    put(whole_);
    auto store = Store::open(file_).value();
    Run late = test::made_up_run();
    late.header.uuid = "late";
    PW_VERIFY(store->import_run(late));
    const std::string without_wal = bytes_of(file_);  // what came last is in the -wal alone
    store.reset();
    put(without_wal);
    auto reopened = Store::open(file_);
    PW_VERIFY(reopened);
    QVERIFY(std::ssize(*(*reopened)->runs()) >= kRuns);
    check_sound(**reopened, file_);
  }

  void an_old_schema_is_salvaged_and_migrated() {
    put("");
    {
      SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      PW_VERIFY(migrate(old, schema_steps().first(3)));
      old.exec("INSERT INTO chats (title, updated_utc) VALUES ('kept', 1)");
      for (int i = 0; i < 200; ++i)
        old.exec(
            "INSERT INTO messages (chat, role, content, model, timings_json, state, created_utc) VALUES "
            "(1, 'user', '" +
            std::string(500, 'x') + "', '', '', '', 1)");
    }
    std::string bytes = bytes_of(file_);
    std::fill_n(bytes.end() - static_cast<std::ptrdiff_t>(3 * kPage), kPage, 'Z');
    put(bytes);
    auto store = Store::open(file_);
    PW_VERIFY(store);
    QVERIFY((*store)->damage().has_value());
    const auto messages = (*store)->messages(1);
    PW_VERIFY(messages);
    QVERIFY2(messages->size() > 150 && messages->size() < 200, qPrintable(QString::number(messages->size())));
    check_sound(**store, file_);
  }

  void what_may_not_be_read_says_so() {
    if (geteuid() == 0) QSKIP("Root may read everything");
    put(whole_);
    fs::permissions(file_, fs::perms::none);
    const auto store = Store::open(file_);
    fs::permissions(file_, fs::perms::owner_all);
    QVERIFY(!store.ok());
    QVERIFY(!store.error().cause.empty() && !store.error().action.empty());
    QCOMPARE(bytes_of(file_), whole_);
  }
};

QTEST_GUILESS_MAIN(SalvageTest)
#include "salvage_test.moc"
