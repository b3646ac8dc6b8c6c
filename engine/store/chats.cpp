// SPDX-License-Identifier: GPL-3.0-or-later
// Store: the part that keeps chats.
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

}  // namespace

Result<std::int64_t> Store::create_chat(const std::string& title) {
  return state_->locked("creating a chat", [&](SQLite::Database& database) -> Result<std::int64_t> {
    SQLite::Statement insert(database, "INSERT INTO chats (title, updated_utc) VALUES (?, ?)");
    insert.bind(1, title);
    insert.bind(2, RealClock().utc_now());
    insert.exec();
    return database.getLastInsertRowid();
  });
}

Result<void> Store::rename_chat(std::int64_t chat, const std::string& title) {
  return state_->locked("renaming a chat", [&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement update(database, "UPDATE chats SET title = ? WHERE id = ?");
    update.bind(1, title);
    update.bind(2, chat);
    if (update.exec() == 0) return unknown_chat(chat);
    return {};
  });
}

Result<void> Store::remove_chat(std::int64_t chat) {
  return state_->locked("removing a chat", [&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement remove(database, "DELETE FROM chats WHERE id = ?");
    remove.bind(1, chat);
    if (remove.exec() == 0) return unknown_chat(chat);
    return {};
  });
}

Result<std::vector<ChatListItem>> Store::chats() const {
  return state_->locked(
      "listing the chats", [](SQLite::Database& database) -> Result<std::vector<ChatListItem>> {
        SQLite::Statement query(
            database, "SELECT id, title, updated_utc FROM chats ORDER BY updated_utc DESC, id DESC");
        std::vector<ChatListItem> items;
        while (query.executeStep()) {
          items.push_back(
              {query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getInt64()});
        }
        return items;
      });
}

Result<std::vector<ChatMessage>> Store::messages(std::int64_t chat) const {
  return state_->locked(
      "reading a chat", [chat](SQLite::Database& database) -> Result<std::vector<ChatMessage>> {
        SQLite::Statement known(database, "SELECT 1 FROM chats WHERE id = ?");
        known.bind(1, chat);
        if (!known.executeStep()) return unknown_chat(chat);
        SQLite::Statement query(
            database,
            "SELECT id, role, content, model, timings_json, state, created_utc FROM messages "
            "WHERE chat = ? ORDER BY id");
        query.bind(1, chat);
        std::vector<ChatMessage> messages;
        while (query.executeStep()) {
          ChatMessage& message = messages.emplace_back();
          message.id = query.getColumn(0).getInt64();
          message.role = query.getColumn(1).getString();
          message.content = query.getColumn(2).getString();
          message.model = query.getColumn(3).getString();
          message.timings_json = query.getColumn(4).getString();
          message.state = query.getColumn(5).getString();
          message.created_utc = query.getColumn(6).getInt64();
        }
        return messages;
      });
}

Result<std::int64_t> Store::add_message(std::int64_t chat, const ChatMessage& message) {
  return state_->locked("adding a message", [&](SQLite::Database& database) -> Result<std::int64_t> {
    WriteTransaction transaction(database);
    if (!touch(database, chat)) return unknown_chat(chat);
    SQLite::Statement insert(
        database,
        "INSERT INTO messages (chat, role, content, model, timings_json, state, created_utc) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, chat);
    insert.bind(2, message.role);
    insert.bind(3, message.content);
    insert.bind(4, message.model);
    insert.bind(5, message.timings_json);
    insert.bind(6, message.state);
    insert.bind(7, message.created_utc);
    insert.exec();
    const std::int64_t id = database.getLastInsertRowid();
    transaction.commit();
    return id;
  });
}

Result<void> Store::update_message(const ChatMessage& message) {
  return state_->locked("updating a message", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    SQLite::Statement update(
        database, "UPDATE messages SET content = ?, timings_json = ?, state = ? WHERE id = ? RETURNING chat");
    update.bind(1, message.content);
    update.bind(2, message.timings_json);
    update.bind(3, message.state);
    update.bind(4, message.id);
    if (!update.executeStep()) return unknown_message(message.id);
    const std::int64_t chat = update.getColumn(0).getInt64();
    update.reset();
    touch(database, chat);
    transaction.commit();
    return {};
  });
}

Result<void> Store::remove_messages_from(std::int64_t chat, std::int64_t first_message) {
  return state_->locked("removing messages", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    if (!touch(database, chat)) return unknown_chat(chat);
    SQLite::Statement remove(database, "DELETE FROM messages WHERE chat = ? AND id >= ?");
    remove.bind(1, chat);
    remove.bind(2, first_message);
    remove.exec();
    transaction.commit();
    return {};
  });
}

}  // namespace pitwall
