// SPDX-License-Identifier: GPL-3.0-or-later
// Store: the part that keeps chats.
#include <optional>

#include "engine/base/clock.h"
#include "engine/store/store.h"
#include "engine/store/store_state.h"

namespace pitwall {
namespace {

Error unknown_chat(std::int64_t chat) {
  return Error{Error::Kind::not_found, "There is no chat " + std::to_string(chat), "It may have been removed",
               "Choose another chat", "chat"};
}

Error unknown_message(std::int64_t message) {
  return Error{Error::Kind::not_found, "There is no message " + std::to_string(message),
               "It may have been removed", "Open the chat again", "message"};
}

/// False when there is no such chat.
bool touch(SQLite::Database& database, std::int64_t chat) {
  SQLite::Statement update(database, "UPDATE chats SET updated_utc = ? WHERE id = ?");
  update.bind(1, RealClock().utc_now());
  update.bind(2, chat);
  return update.exec() > 0;
}

/// False when there is no such chat. 0 = it is there.
bool set_removed(SQLite::Database& database, std::int64_t chat, Nanos removed_utc) {
  SQLite::Statement update(database, "UPDATE chats SET removed_utc = ? WHERE id = ?");
  update.bind(1, removed_utc);
  update.bind(2, chat);
  return update.exec() > 0;
}

std::vector<ChatListItem> list_chats(SQLite::Database& database, const char* condition_and_order) {
  SQLite::Statement query(database,
                          std::string("SELECT id, title, updated_utc FROM chats ") + condition_and_order);
  std::vector<ChatListItem> items;
  while (query.executeStep()) {
    items.push_back(
        {query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getInt64()});
  }
  return items;
}

/// The chosen one of its versions, and nobody else.
void choose(SQLite::Database& database, std::int64_t message) {
  SQLite::Statement update(database,
                           "UPDATE messages SET chosen = (messages.id = self.id) FROM messages AS self "
                           "WHERE self.id = ? AND messages.chat = self.chat AND messages.role <> 'system' "
                           "AND messages.parent IS self.parent");
  update.bind(1, message);
  update.exec();
}

std::vector<std::int64_t> with_those_above(SQLite::Database& database, std::int64_t message) {
  SQLite::Statement query(
      database,
      "WITH RECURSIVE above (id, parent) AS (SELECT id, parent FROM messages WHERE id = ? UNION ALL "
      "SELECT m.id, m.parent FROM messages AS m JOIN above ON m.id = above.parent) SELECT id FROM above");
  query.bind(1, message);
  std::vector<std::int64_t> ids;
  while (query.executeStep()) ids.push_back(query.getColumn(0).getInt64());
  return ids;
}

/// A message and all that follow it; those alone that have `from` become `to`. False when none has.
bool move_removed(SQLite::Database& database, std::int64_t message, Nanos from, Nanos to) {
  SQLite::Statement update(
      database,
      "WITH RECURSIVE below (id) AS (VALUES (?) UNION ALL "
      "SELECT m.id FROM messages AS m JOIN below ON m.parent = below.id) "
      "UPDATE messages SET removed_utc = ? WHERE removed_utc = ? AND id IN (SELECT id FROM below)");
  update.bind(1, message);
  update.bind(2, to);
  update.bind(3, from);
  return update.exec() > 0;
}

/// Nothing when there is no such message.
std::optional<Nanos> removed_utc(SQLite::Database& database, std::int64_t message) {
  SQLite::Statement query(database, "SELECT removed_utc FROM messages WHERE id = ?");
  query.bind(1, message);
  if (!query.executeStep()) return std::nullopt;
  return query.getColumn(0).getInt64();
}

void add_attachments(SQLite::Database& database, std::int64_t message, const std::vector<Attachment>& files) {
  SQLite::Statement insert(
      database, "INSERT INTO attachments (message, position, name, content, tokens) VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < files.size(); ++i) {
    insert.bind(1, message);
    insert.bind(2, static_cast<std::int64_t>(i));
    insert.bind(3, files[i].name);
    insert.bind(4, files[i].content);
    insert.bind(5, files[i].tokens);
    insert.exec();
    insert.reset();
  }
}

/// `messages` are those of the chat, by id.
void read_attachments(SQLite::Database& database, std::int64_t chat, std::vector<ChatMessage>& messages) {
  SQLite::Statement query(database,
                          "SELECT a.message, a.name, a.content, a.tokens FROM attachments AS a "
                          "JOIN messages AS m ON m.id = a.message WHERE m.chat = ? AND m.removed_utc = 0 "
                          "ORDER BY a.message, a.position");
  query.bind(1, chat);
  auto message = messages.begin();
  while (query.executeStep()) {
    const std::int64_t id = query.getColumn(0).getInt64();
    while (message->id != id) ++message;
    message->attachments.push_back(
        {query.getColumn(1).getString(), query.getColumn(2).getString(), query.getColumn(3).getInt64()});
  }
}

}  // namespace

Result<std::int64_t> Store::create_chat(const std::string& title) {
  return state_->locked_chats("creating a chat", [&](SQLite::Database& database) -> Result<std::int64_t> {
    SQLite::Statement insert(database, "INSERT INTO chats (title, updated_utc) VALUES (?, ?)");
    insert.bind(1, title);
    insert.bind(2, RealClock().utc_now());
    insert.exec();
    return database.getLastInsertRowid();
  });
}

Result<void> Store::rename_chat(std::int64_t chat, const std::string& title) {
  return state_->locked_chats("renaming a chat", [&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement update(database, "UPDATE chats SET title = ? WHERE id = ?");
    update.bind(1, title);
    update.bind(2, chat);
    if (update.exec() == 0) return unknown_chat(chat);
    return {};
  });
}

Result<void> Store::remove_chat(std::int64_t chat) {
  return state_->locked_chats("removing a chat", [&](SQLite::Database& database) -> Result<void> {
    if (!set_removed(database, chat, RealClock().utc_now())) return unknown_chat(chat);
    return {};
  });
}

Result<void> Store::restore_chat(std::int64_t chat) {
  return state_->locked_chats("restoring a chat", [&](SQLite::Database& database) -> Result<void> {
    if (!set_removed(database, chat, 0)) return unknown_chat(chat);
    return {};
  });
}

Result<std::vector<ChatListItem>> Store::chats() const {
  return state_->locked_chats(
      "listing the chats", [](SQLite::Database& database) -> Result<std::vector<ChatListItem>> {
        return list_chats(database, "WHERE removed_utc = 0 ORDER BY updated_utc DESC, id DESC");
      });
}

Result<std::vector<ChatListItem>> Store::removed_chats() const {
  return state_->locked_chats(
      "listing the removed chats", [](SQLite::Database& database) -> Result<std::vector<ChatListItem>> {
        return list_chats(database, "WHERE removed_utc > 0 ORDER BY removed_utc DESC, id DESC");
      });
}

Result<std::vector<ChatMessage>> Store::messages(std::int64_t chat) const {
  return state_->locked_chats(
      "reading a chat", [chat](SQLite::Database& database) -> Result<std::vector<ChatMessage>> {
        SQLite::Statement known(database, "SELECT 1 FROM chats WHERE id = ?");
        known.bind(1, chat);
        if (!known.executeStep()) return unknown_chat(chat);
        SQLite::Statement query(
            database,
            "SELECT id, parent, role, content, model, timings_json, state, created_utc, chosen FROM messages "
            "WHERE chat = ? AND removed_utc = 0 ORDER BY id");
        query.bind(1, chat);
        std::vector<ChatMessage> messages;
        while (query.executeStep()) {
          ChatMessage& message = messages.emplace_back();
          message.id = query.getColumn(0).getInt64();
          message.parent = query.getColumn(1).getInt64();  // NULL reads as 0
          message.role = query.getColumn(2).getString();
          message.content = query.getColumn(3).getString();
          message.model = query.getColumn(4).getString();
          message.timings_json = query.getColumn(5).getString();
          message.state = query.getColumn(6).getString();
          message.created_utc = query.getColumn(7).getInt64();
          message.chosen = query.getColumn(8).getInt() != 0;
        }
        read_attachments(database, chat, messages);
        return messages;
      });
}

Result<std::int64_t> Store::add_message(std::int64_t chat, const ChatMessage& message) {
  return state_->locked_chats("adding a message", [&](SQLite::Database& database) -> Result<std::int64_t> {
    WriteTransaction transaction(database);
    if (!touch(database, chat)) return unknown_chat(chat);
    SQLite::Statement insert(
        database,
        "INSERT INTO messages (chat, parent, role, content, model, timings_json, state, created_utc) "
        "VALUES (?, nullif(?, 0), ?, ?, ?, ?, ?, ?)");
    insert.bind(1, chat);
    insert.bind(2, message.parent);
    insert.bind(3, message.role);
    insert.bind(4, message.content);
    insert.bind(5, message.model);
    insert.bind(6, message.timings_json);
    insert.bind(7, message.state);
    insert.bind(8, message.created_utc);
    insert.exec();
    const std::int64_t id = database.getLastInsertRowid();
    add_attachments(database, id, message.attachments);
    choose(database, id);
    transaction.commit();
    return id;
  });
}

Result<void> Store::update_message(const ChatMessage& message) {
  return state_->locked_chats("updating a message", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    SQLite::Statement update(
        database,
        "UPDATE messages SET content = ?, model = ?, timings_json = ?, state = ? WHERE id = ? "
        "RETURNING chat");
    update.bind(1, message.content);
    update.bind(2, message.model);
    update.bind(3, message.timings_json);
    update.bind(4, message.state);
    update.bind(5, message.id);
    if (!update.executeStep()) return unknown_message(message.id);
    const std::int64_t chat = update.getColumn(0).getInt64();
    update.reset();
    touch(database, chat);
    transaction.commit();
    return {};
  });
}

Result<void> Store::choose_message(std::int64_t message) {
  return state_->locked_chats("choosing a version", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    const auto ids = with_those_above(database, message);
    if (ids.empty()) return unknown_message(message);
    for (const std::int64_t id : ids) choose(database, id);
    transaction.commit();
    return {};
  });
}

Result<void> Store::remove_message(std::int64_t message) {
  return state_->locked_chats("removing a message", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    if (!move_removed(database, message, 0, RealClock().utc_now())) return unknown_message(message);
    transaction.commit();
    return {};
  });
}

Result<void> Store::restore_message(std::int64_t message) {
  return state_->locked_chats("restoring a message", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    const auto removed = removed_utc(database, message);
    if (!removed) return unknown_message(message);
    move_removed(database, message, *removed, 0);
    for (const std::int64_t id : with_those_above(database, message)) choose(database, id);
    transaction.commit();
    return {};
  });
}

}  // namespace pitwall
