// SPDX-License-Identifier: GPL-3.0-or-later
// The schema as a list of steps: step i takes a database from version i to version i + 1.
#pragma once
#include <span>

#include "engine/base/result.h"

namespace SQLite {
class Database;
}

namespace pitwall {

inline constexpr int kStoreApplicationId = 0x50495457;  ///< "PITW" in the file's header: whose file it is

/// SQL of each step, oldest first. Steps that have been released never change.
std::span<const char* const> schema_steps();

/// Runs the missing steps, each in its own transaction: a failing one leaves the version before it. Refuses a
/// newer schema with both versions, and another program's database. Throws SQLite::Exception.
Result<void> migrate(SQLite::Database& database, std::span<const char* const> steps);

}  // namespace pitwall
