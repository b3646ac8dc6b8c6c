// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the way of writing a file, as the system says it: SQLite reports a full disk and a read-only
// file system by other names.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace pitwall {

struct Hindrance {
  std::string cause, action;
};
/// nullopt when the file system of the file's folder is writable and has room.
std::optional<Hindrance> find_hindrance(const std::filesystem::path& file);

}  // namespace pitwall
