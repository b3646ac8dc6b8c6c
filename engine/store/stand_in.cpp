// SPDX-License-Identifier: GPL-3.0-or-later
// The store of a session whose own one cannot be opened: what is in the file can be read, or there is
// nothing. Chats go on in memory.
#include "engine/base/file.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace pitwall {

namespace {

constexpr int kBusyTimeoutMs = 1000;

std::string uri_of(const std::filesystem::path& file, const char* options) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '?')
      uri += "%3f";
    else if (c == '#')
      uri += "%23";
    else if (c == '%')
      uri += "%25";
    else
      uri += c;
  }
  return uri + "?" + options;
}

bool is_readable(SQLite::Database& database) {
  return database.execAndGet("PRAGMA application_id").getInt() == kStoreApplicationId &&
         database.execAndGet("PRAGMA user_version").getInt() == Store::schema_version() &&
         database.execAndGet("SELECT count(*) FROM runs").getInt64() >= 0;
}

/// Null when it cannot be read. Where not even the files beside it can be written, what had not yet come into
/// the file itself is not seen.
std::unique_ptr<SQLite::Database> open_to_read(const std::filesystem::path& file) {
  for (const char* options : {"mode=ro", "mode=ro&immutable=1"}) {
    try {
      auto database = std::make_unique<SQLite::Database>(
          uri_of(file, options), SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
      if (is_readable(*database)) return database;
    } catch (const SQLite::Exception&) {  // the next way, or none
    }
  }
  return nullptr;
}

Result<std::unique_ptr<SQLite::Database>> make_in_memory() {
  auto database = std::make_unique<SQLite::Database>(
      ":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_URI);
  if (auto made = migrate(*database, schema_steps()); !made) return made.error();
  return database;
}

/// Both have the same schema.
void copy_chats(const SQLite::Database& from, SQLite::Database& to) {
  SQLite::Statement attach(to, "ATTACH ? AS kept");
  attach.bind(1, from.getFilename());
  attach.exec();
  SQLite::Transaction transaction(to);
  for (const std::string table : {"chats", "messages", "attachments"})
    to.exec("INSERT INTO main." + table + " SELECT * FROM kept." + table);
  transaction.commit();
  to.exec("DETACH kept");
}

}  // namespace

Result<std::unique_ptr<Store>> Store::stand_in(const std::filesystem::path& file) {
  std::unique_ptr<Store> store(new Store);
  State& state = *store->state_;
  state.file = file;
  if (check_is_file(file)) state.database = open_to_read(file);
  state.access = state.database ? Access::read_only : Access::unkept;
  try {
    auto memory = make_in_memory();
    if (!memory) return memory.error();
    if (state.database) {
      copy_chats(*state.database, **memory);
      state.unwritten_ends = ends_of_orphans(*state.database);
    }
    (*memory)->exec("PRAGMA foreign_keys = ON");
    (state.database ? state.chats : state.database) = std::move(*memory);
  } catch (const SQLite::Exception& exception) {
    return store_error(file, "standing in", exception);
  }
  return store;
}

Store::Access Store::access() const {
  return state_->access;
}

}  // namespace pitwall
