// SPDX-License-Identifier: GPL-3.0-or-later
// What SQLite still reads of a damaged store, copied row by row into a new one.
#pragma once
#include <filesystem>

#include "engine/store/store.h"

namespace SQLite {
class Database;
}

namespace pitwall {

/// Brings the empty `fresh` to the schema of `damaged` and copies what can be read; rows whose run, chat or
/// checklist is lost are left out. `damaged` is not changed. Nothing comes over from a file that is no store,
/// or whose schema is newer. Throws SQLite::Exception where `fresh` fails.
SalvagedRows salvage(const std::filesystem::path& damaged, SQLite::Database& fresh);

}  // namespace pitwall
