// SPDX-License-Identifier: GPL-3.0-or-later
// The store's chats: versions, removal and return, search, and what earlier schemas become.
#include <SQLiteCpp/SQLiteCpp.h>

#include <QtTest>
#include <algorithm>
#include <random>

#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

struct File {
  test::TemporaryFolder folder;
  fs::path path = folder.path() / "pitwall.db";
  std::unique_ptr<Store> open() {
    auto store = Store::open(path);
    if (!store) qFatal("%s", store.error().text().c_str());
    return std::move(store).value();
  }
  SQLite::Database raw() {
    return SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  }
};

std::int64_t add(Store& store, std::int64_t chat, std::int64_t parent, const std::string& content,
                 const char* role = "user") {
  ChatMessage message;
  message.parent = parent;
  message.role = role;
  message.content = content;
  message.state = "complete";
  const auto id = store.add_message(chat, message);
  if (!id) qFatal("%s", id.error().text().c_str());
  return *id;
}

std::vector<std::int64_t> chosen(Store& store, std::int64_t chat) {
  std::vector<std::int64_t> ids;
  const auto messages = store.messages(chat);
  for (const ChatMessage& message : *messages)
    if (message.chosen) ids.push_back(message.id);
  return ids;
}

std::vector<std::int64_t> found(const Store& store, const std::string& text, int limit = 100) {
  std::vector<std::int64_t> ids;
  const auto hits = store.search_chats(text, limit);
  if (!hits) qFatal("%s", hits.error().text().c_str());
  for (const ChatHit& hit : *hits) ids.push_back(hit.message);
  return ids;
}

/// Throws when the index and the messages say different things.
void check_index(SQLite::Database& database) {
  database.exec("INSERT INTO message_search (message_search, rank) VALUES ('integrity-check', 1)");
}

/// Name and definition of every table, index and trigger.
std::vector<std::string> schema_of(SQLite::Database& database) {
  std::vector<std::string> parts;
  SQLite::Statement query(
      database, "SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1");
  while (query.executeStep()) parts.push_back(query.getColumn(0).getString());
  return parts;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

class ChatStoreTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void versions_are_kept_and_the_choice_is_remembered() {
    File file;
    std::int64_t chat = 0, first = 0, a = 0, b = 0, below_a = 0, other = 0;
    {
      auto store = file.open();
      chat = *store->create_chat("c");
      add(*store, chat, 0, "system", "system");
      first = add(*store, chat, 0, "one");
      a = add(*store, chat, first, "a", "assistant");
      below_a = add(*store, chat, a, "two");
      b = add(*store, chat, first, "b", "assistant");
      other = add(*store, chat, 0, "one, again");
    }
    auto store = file.open();
    const auto all = *store->messages(chat);
    QCOMPARE(all.size(), std::size_t{6});
    QCOMPARE(all[4].parent, first);
    QCOMPARE(chosen(*store, chat), (Ids{all[0].id, below_a, b, other}));
    PW_VERIFY(store->choose_message(below_a));  // and all above it
    QCOMPARE(chosen(*store, chat), (Ids{all[0].id, first, a, below_a}));
    QCOMPARE(store->choose_message(999).error().kind, Error::Kind::not_found);
  }

  void a_removed_message_takes_what_follows_it_and_brings_it_back() {
    File file;
    auto store = file.open();
    const auto chat = *store->create_chat("c");
    const auto first = add(*store, chat, 0, "one");
    const auto reply = add(*store, chat, first, "needle", "assistant");
    const auto second = add(*store, chat, reply, "needle too");
    PW_VERIFY(store->remove_message(second));
    PW_VERIFY(store->remove_message(reply));
    QCOMPARE(store->messages(chat)->size(), std::size_t{1});
    QVERIFY(found(*store, "needle").empty());
    QCOMPARE(store->remove_message(reply).error().kind, Error::Kind::not_found);
    PW_VERIFY(store->restore_message(reply));
    QCOMPARE(found(*store, "needle"), Ids{reply});  // the other one went before
    PW_VERIFY(store->restore_message(second));
    QCOMPARE(store->messages(chat)->size(), std::size_t{3});
    QCOMPARE(store->restore_message(999).error().kind, Error::Kind::not_found);
  }

  void a_removed_chat_comes_back_and_goes_for_good_after_30_days() {
    File file;
    std::int64_t kept = 0, old = 0, lone = 0;
    {
      auto store = file.open();
      kept = *store->create_chat("kept");
      old = *store->create_chat("old");
      const auto first = add(*store, kept, 0, "needle");
      add(*store, kept, first, "needle below", "assistant");
      add(*store, old, 0, "needle");
      lone = add(*store, kept, 0, "needle, again");
      PW_VERIFY(store->remove_chat(old));
      QCOMPARE(store->chats()->size(), std::size_t{1});
      QCOMPARE(store->removed_chats()->at(0).title, std::string("old"));
      QCOMPARE(found(*store, "needle").size(), std::size_t{3});
      PW_VERIFY(store->restore_chat(old));
      QCOMPARE(found(*store, "needle").size(), std::size_t{4});
      PW_VERIFY(store->remove_chat(old));
      PW_VERIFY(store->remove_message(first));
    }
    {
      auto store = file.open();
      QCOMPARE(store->removed_chats()->size(), std::size_t{1});
    }
    auto database = file.raw();
    const std::string shift = std::to_string(kKeepRemoved + kNanosPerSecond);
    database.exec("UPDATE chats SET removed_utc = removed_utc - " + shift + " WHERE removed_utc > 0");
    database.exec("UPDATE messages SET removed_utc = removed_utc - " + shift + " WHERE removed_utc > 0");
    auto store = file.open();
    QVERIFY(store->removed_chats()->empty());
    QCOMPARE(database.execAndGet("SELECT count(*) FROM messages").getInt(), 1);
    QCOMPARE(found(*store, "needle"), Ids{lone});
    check_index(database);
  }

  void text_files_stay_with_their_message() {
    File file;
    std::int64_t chat = 0;
    {
      auto store = file.open();
      chat = *store->create_chat("c");
      add(*store, chat, 0, "no files");
      ChatMessage message;
      message.role = "user";
      message.attachments = {{"步骤.csv", "a,b\n1,2\n", 5}, {"b.txt", std::string(100'000, 'x'), 0}};
      PW_VERIFY(store->add_message(chat, message));
    }
    const auto messages = *file.open()->messages(chat);
    QVERIFY(messages[0].attachments.empty());
    QCOMPARE(messages[1].attachments.size(), std::size_t{2});
    QCOMPARE(messages[1].attachments[0].name, std::string("步骤.csv"));
    QCOMPARE(messages[1].attachments[0].tokens, std::int64_t{5});
    QCOMPARE(messages[1].attachments[1].content.size(), std::size_t{100'000});
  }

  void search_finds_words_and_parts_of_words_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<int>>("messages");  // newest first; of those below
    QTest::newRow("a word") << "scheduler" << QList<int>{0};
    QTest::newRow("part of a word, any case") << "CHEDUL" << QList<int>{0};
    QTest::newRow("all of several words") << "cache memory" << QList<int>{2};
    QTest::newRow("a short word with a long one") << "kv memory" << QList<int>{2};
    QTest::newRow("two characters") << "KV" << QList<int>{2};
    QTest::newRow("Chinese, three characters") << "前缀缓" << QList<int>{3};
    QTest::newRow("Chinese, two characters") << "缓存" << QList<int>{3};
    QTest::newRow("signs of the query language") << "\"OR\" * NOT (" << QList<int>{4};
    QTest::newRow("signs of patterns") << "0%" << QList<int>{1};
    QTest::newRow("no such text") << "zebra" << QList<int>{};
    QTest::newRow("nothing asked") << "   " << QList<int>{};
  }
  void search_finds_words_and_parts_of_words() {
    QFETCH(QString, text);
    QFETCH(QList<int>, messages);
    File file;
    auto store = file.open();
    const auto chat = *store->create_chat("c");
    add(*store, chat, 0, "cache scheduler zebra", "system");  // not searched
    Ids ids;
    for (const char* content : {"The scheduler plans", "100% of it", "KV cache fills the memory",
                                "前缀缓存命中率", "a \"OR\" b* NOT (c)"})
      ids.push_back(add(*store, chat, ids.empty() ? 0 : ids.back(), content));
    Ids expected;
    for (const int index : messages) expected.push_back(ids[static_cast<std::size_t>(index)]);
    QCOMPARE(found(*store, text.toStdString()), expected);
  }

  void search_gives_titles_first_and_a_piece_of_the_text() {
    File file;
    auto store = file.open();
    const auto first = *store->create_chat("About rivers");
    const auto second = *store->create_chat("Other");
    const auto message =
        add(*store, second, 0, std::string(500, 'x') + " then\nthe river\tbends " + std::string(500, 'y'));
    const auto hits = *store->search_chats("river", 10);
    QCOMPARE(hits.size(), std::size_t{2});
    QCOMPARE(hits[0].chat, first);
    QCOMPARE(hits[0].message, std::int64_t{0});
    QCOMPARE(hits[1].message, message);
    QCOMPARE(hits[1].title, std::string("Other"));
    QVERIFY2(hits[1].excerpt.find("the river bends") != std::string::npos, hits[1].excerpt.c_str());
    QVERIFY(hits[1].excerpt.size() < 100);
    const auto by_short = *store->search_chats("ri", 10);
    QVERIFY(by_short[1].excerpt.find("the river bends") != std::string::npos);
    QCOMPARE(store->search_chats("river", 1)->size(), std::size_t{2});  // one of each
  }

  /// Whatever is done to messages, a search says what a walk over them says.
  void the_index_keeps_step() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    File file;
    auto store = file.open();
    auto database = file.raw();
    const std::vector<std::string> words = {"alpha", "beta", "内存池", "delta"};
    const auto chat = *store->create_chat("c");
    Ids ids, removed;
    for (int round = 0; round < 300; ++round) {
      const auto pick = [&](const Ids& from) { return from[random() % from.size()]; };
      const std::string content = words[random() % words.size()] + " " + words[random() % words.size()];
      switch (ids.empty() ? 0 : random() % 4) {
        case 0:
          ids.push_back(add(*store, chat, ids.empty() ? 0 : pick(ids), content));
          break;
        case 1: {
          ChatMessage message;
          message.id = pick(ids);
          message.content = content;
          message.state = "complete";
          PW_VERIFY(store->update_message(message));
          break;
        }
        case 2:
          removed.push_back(pick(ids));
          (void)store->remove_message(removed.back());
          break;
        default:
          if (!removed.empty()) (void)store->restore_message(pick(removed));
          break;
      }
      const auto messages = store->messages(chat);
      for (const std::string& word : words) {
        Ids expected;
        for (const ChatMessage& message : *messages)
          if (message.content.find(word) != std::string::npos) expected.push_back(message.id);
        std::reverse(expected.begin(), expected.end());
        QCOMPARE(found(*store, word, 1000), expected);
      }
    }
    check_index(database);
  }

  void each_earlier_schema_becomes_the_newest_with_its_rows_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version < Store::schema_version(); ++version)
      QTest::addRow("version %d", version) << version;
  }
  void each_earlier_schema_becomes_the_newest_with_its_rows() {
    QFETCH(int, version);
    File fresh, old;
    fresh.open();
    {
      auto database = old.raw();
      PW_VERIFY(migrate(database, schema_steps().first(static_cast<std::size_t>(version))));
      database.exec("INSERT INTO chats (id, title, updated_utc) VALUES (3, 'Rivers', 7), (4, 'Empty', 6)");
      database.exec(
          "INSERT INTO messages (id, chat, role, content, model, timings_json, state, created_utc) VALUES "
          "(10, 3, 'user', 'Where do rivers end?', '', '', 'complete', 1), "
          "(11, 3, 'system', 'Be brief.', '', '', 'complete', 2), "
          "(12, 3, 'assistant', '大海 的 河流', 'tiny', '{\"id\":1}', 'complete', 3), "
          "(13, 3, 'user', 'Sure?', '', '', 'complete', 4)");
      database.exec(
          "INSERT INTO runs VALUES (7, 'u', 'old', 'serve', 5, 'v', 'g', 'b', 'c', 'o', 2, 3, 'cpu', 'p', "
          "'m', 'llama', 'q', 's', '', 'r', 'finished', '', 9, 1.5, 1, NULL, NULL, NULL)");
      if (version >= 4)  // the one that gave messages their parents
        database.exec(
            "UPDATE messages SET parent = CASE id WHEN 12 THEN 10 ELSE 12 END WHERE id IN (12, 13)");
      if (version >= 3) database.exec("INSERT INTO item_changes VALUES (1, 1, 1, 's', 'f', 't')");
    }
    auto store = old.open();
    QVERIFY(!store->damage());
    auto database = old.raw(), newest = fresh.raw();
    QCOMPARE(schema_of(database), schema_of(newest));
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), Store::schema_version());
    QCOMPARE(store->chats()->size(), std::size_t{2});
    QCOMPARE(store->runs()->size(), std::size_t{1});
    if (version >= 3) QCOMPARE(database.execAndGet("SELECT count(*) FROM item_changes").getInt(), 1);
    const auto messages = *store->messages(3);
    QCOMPARE(messages.size(), std::size_t{4});
    Ids parents;
    for (const ChatMessage& message : messages) {
      parents.push_back(message.parent);
      QVERIFY(message.chosen);
    }
    QCOMPARE(parents, (Ids{0, 0, 10, 12}));
    QCOMPARE(messages[2].timings_json, std::string("{\"id\":1}"));
    QCOMPARE(found(*store, "rivers").size(), std::size_t{2});  // a title and a message
    QCOMPARE(found(*store, "河流"), Ids{12});
    check_index(database);
  }
};

QTEST_GUILESS_MAIN(ChatStoreTest)
#include "chat_store_test.moc"
