// SPDX-License-Identifier: GPL-3.0-or-later
// What a Store holds, and how its operations lock, run and turn SQLite's exceptions into Errors.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/store/store.h"

namespace pitwall {

/// What SQLite said, with the path, the reason and what to do next. `doing` completes "while …".
Error store_error(const std::filesystem::path& file, const char* doing, const SQLite::Exception& exception);

struct Store::State {
  std::filesystem::path file;
  Access access = Access::kept;
  std::optional<StoreDamage> damage;
  std::mutex mutex;
  std::unique_ptr<SQLite::Database> database;
  std::unique_ptr<SQLite::Database> chats;     // a copy in memory, where `database` is read-only
  std::set<RunId> recording;                   // begun here and not ended
  std::map<RunId, RunSummary> unwritten_ends;  // of runs that ended while the file could not be written

  /// Runs `operation(database)` under the lock. Write operations commit themselves.
  template <class Operation>
  auto locked(const char* doing, Operation&& operation) -> decltype(operation(*database)) {
    return locked_in(database, doing, operation);
  }
  template <class Operation>
  auto locked_chats(const char* doing, Operation&& operation) -> decltype(operation(*database)) {
    return locked_in(chats ? chats : database, doing, operation);
  }

 private:
  template <class Operation>
  auto locked_in(const std::unique_ptr<SQLite::Database>& where, const char* doing, Operation& operation)
      -> decltype(operation(*where)) {
    const std::lock_guard lock(mutex);
    try {
      return operation(*where);
    } catch (const SQLite::Exception& exception) {
      return store_error(file, doing, exception);
    }
  }
};

/// A transaction that takes the write lock at once, so that it cannot fail half-way for want of it.
struct WriteTransaction : SQLite::Transaction {
  explicit WriteTransaction(SQLite::Database& database)
      : Transaction(database, SQLite::TransactionBehavior::IMMEDIATE) {}
};

/// Null when no run has it.
std::optional<RunId> run_of_uuid(SQLite::Database& database, const std::string& uuid);

/// A run from a file, marked so; inside the caller's transaction.
Result<RunId> insert_imported(SQLite::Database& database, const Run& run);

/// The end of a run whose recorder is gone: status cut_off, summary from the rows that are there.
void cut_off(SQLite::Database& database, RunId run, const char* reason);
/// Takes those that are written, or have no run any more, out of `ends`; throws at the first that cannot be.
void write_ends(SQLite::Database& database, std::map<RunId, RunSummary>& ends);
/// Those whose recording process is gone.
void cut_off_orphans(SQLite::Database& database);
/// The same ends for a database that cannot be written.
std::map<RunId, RunSummary> ends_of_orphans(SQLite::Database& database);

}  // namespace pitwall
