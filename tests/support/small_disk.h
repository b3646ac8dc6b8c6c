// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is soon full, or read-only: a file system of 256 KiB that one child process alone sees.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace pitwall::test {

/// What `look` says in a process of its own, where that file system is mounted on `folder`. Empty where
/// nobody may mount.
std::string on_a_small_disk(const std::filesystem::path& folder, const std::function<std::string()>& look);

/// Writes a file until nothing more fits; removing it makes room again.
void fill_disk(const std::filesystem::path& filler);

}  // namespace pitwall::test
