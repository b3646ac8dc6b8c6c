// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/store.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "engine/base/file.h"
#include "engine/store/hindrance.h"
#include "engine/store/salvage.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace pitwall {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 5000;

bool is_damage(const SQLite::Exception& exception) {
  const int code = exception.getErrorCode();
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

std::unique_ptr<SQLite::Database> connect(const fs::path& file) {
  return std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                            kBusyTimeoutMs);
}

/// A check reads the whole file, so that a large one is checked where lists and chats are: damage elsewhere
/// shows when it is read.
std::vector<std::string> checks_for(const fs::path& file) {
  constexpr std::uintmax_t kCheckedInFull = 256 << 20;
  std::error_code unknown;
  const auto size = fs::file_size(file, unknown);
  if (unknown || size <= kCheckedInFull) return {"PRAGMA quick_check(1)"};
  return {"PRAGMA quick_check(runs)", "PRAGMA quick_check(chats)", "PRAGMA quick_check(messages)"};
}

bool is_whole(SQLite::Database& database) {
  try {
    const auto checks = checks_for(database.getFilename());
    return std::all_of(checks.begin(), checks.end(), [&](const std::string& check) {
      return database.execAndGet(check).getString() == "ok";
    });
  } catch (const SQLite::Exception& exception) {
    if (is_damage(exception)) return false;
    throw;
  }
}

/// NAME.damaged-20260726T120000Z, with a number behind it if that exists.
fs::path free_damaged_name(const fs::path& file) {
  std::string utc = format_utc(RealClock().utc_now());
  std::erase_if(utc, [](char c) { return c == '-' || c == ':'; });
  const std::string base = file.string() + ".damaged-" + utc;
  fs::path name = base;
  for (int i = 2; fs::exists(name); ++i) name = base + "-" + std::to_string(i);
  return name;
}

/// The file and what SQLite keeps beside it, so that recovery tools find all of it.
Result<fs::path> move_aside(const fs::path& file) {
  const fs::path target = free_damaged_name(file);
  std::error_code failed;
  fs::rename(file, target, failed);
  if (failed) {
    return Error{Error::Kind::io,
                 file.string() + " is damaged and could not be moved aside: " + failed.message(), "",
                 "Move it away by hand, then start again", "store"};
  }
  for (const char* suffix : {"-wal", "-shm"}) {
    std::error_code absent;
    fs::rename(file.string() + suffix, target.string() + suffix, absent);
  }
  return target;
}

/// WAL: readers and the writer do not wait for each other. NORMAL: a commit survives the death of the
/// process, and the file stays whole when the power fails; a sync at each commit would stall the recording
/// engine for tens of ms.
void set_up(SQLite::Database& database) {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA foreign_keys = ON");
}

/// What was removed long ago goes for good.
void purge_removed(SQLite::Database& database) {
  for (const char* table : {"chats", "messages"}) {
    SQLite::Statement purge(
        database, std::string("DELETE FROM ") + table + " WHERE removed_utc > 0 AND removed_utc < ?");
    purge.bind(1, RealClock().utc_now() - kKeepRemoved);
    purge.exec();
  }
}

}  // namespace

Error store_error(const fs::path& file, const char* doing, const SQLite::Exception& exception) {
  Error error{Error::Kind::io, file.string() + " failed while " + doing + ": " + exception.what(), "", "",
              "store"};
  switch (exception.getErrorCode()) {
    case SQLITE_FULL:
      error.cause = "The disk is full";
      error.action = "Free some disk space or remove old runs, then try again";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      error.kind = Error::Kind::busy;
      error.cause =
          "Another program has locked the file for more than " + std::to_string(kBusyTimeoutMs / 1000) + " s";
      error.action = "Close the other program, then try again";
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      error.cause = "The file or its folder cannot be written";
      error.action = "Change the permissions, or set PITWALL_HOME to a folder that you can write";
      break;
    case SQLITE_CANTOPEN:
      error.cause = "The path is no file, or its folder does not exist or cannot be written";
      error.action = "Check the path and its permissions, or set PITWALL_HOME to a folder that you can write";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      error.cause = "The file is damaged";
      error.action = "Start again: it is then moved aside, and what can be read of it comes into a new one";
      break;
    case SQLITE_IOERR:
      error.cause = "The disk or the network folder does not answer properly";
      error.action = "Check the disk, then try again";
      break;
    default:
      error.kind = Error::Kind::internal;
      break;
  }
  if (error.kind != Error::Kind::io) return error;
  if (const auto hindrance = find_hindrance(file)) {
    error.cause = hindrance->cause;
    error.action = hindrance->action;
  }
  return error;
}

Store::Store() : state_(std::make_unique<State>()) {}

Store::~Store() {
  // Whoever still records loses its store here: say so rather than leave the run open for ever.
  if (state_->recording.empty()) return;
  (void)state_->locked("closing", [this](SQLite::Database& database) -> Result<void> {
    write_ends(database, state_->unwritten_ends);
    for (const RunId run : state_->recording) cut_off(database, run, "Its store was closed before it ended");
    return {};
  });
}

Result<std::unique_ptr<Store>> Store::open(const fs::path& file) {
  if (auto regular = check_is_file(file); !regular) {
    Error error = regular.error();
    error.action = "Move it away, or set PITWALL_HOME to another folder";
    error.param = "store";
    return error;
  }
  if (file.has_parent_path()) {
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed) {
      return Error{Error::Kind::io,
                   "Cannot create the folder " + file.parent_path().string() + ": " + failed.message(), "",
                   "Check the permissions, or set PITWALL_HOME to a folder that you can write", "store"};
    }
  }
  std::unique_ptr<Store> store(new Store);
  State& state = *store->state_;
  state.file = file;
  try {
    state.database = connect(file);
    if (!is_whole(*state.database)) {
      state.database.reset();
      auto target = move_aside(file);
      if (!target) return target.error();
      state.database = connect(file);
      state.damage = StoreDamage{*target, salvage(*target, *state.database)};
    }
    if (auto migrated = migrate(*state.database, schema_steps()); !migrated) return migrated.error();
    set_up(*state.database);
    cut_off_orphans(*state.database);
    purge_removed(*state.database);
  } catch (const SQLite::Exception& exception) {
    return store_error(file, "opening", exception);
  }
  return store;
}

fs::path Store::default_file() {
  return data_folder() / "pitwall.db";
}

int Store::schema_version() {
  return static_cast<int>(schema_steps().size());
}

const std::optional<StoreDamage>& Store::damage() const {
  return state_->damage;
}

}  // namespace pitwall
