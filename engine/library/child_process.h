// SPDX-License-Identifier: GPL-3.0-or-later
// Runs another program and listens to it, without a shell.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct ChildCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;                                 ///< without the program's own name
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to this process's own
  std::function<void(std::string_view line)> on_line = {};            ///< each line of stdout and stderr
  std::function<void()> on_tick = {};                                 ///< about every 100 ms
  const std::atomic<bool>* cancel = nullptr;
};

struct ChildOutcome {
  int exit_code = 0;   ///< 128 + signal when a signal ended it
  std::string output;  ///< the last 16 KiB of stdout and stderr together
};

/// First match on PATH; nullopt when the program is not installed.
std::optional<std::filesystem::path> find_program(std::string_view name);

/// Blocking; callbacks run on the caller's thread. A cancelled child is killed with its children and the
/// answer is Error::cancelled; a child also dies with this process. An exit code other than 0 is an outcome,
/// not an error.
Result<ChildOutcome> run_child(const ChildCommand& command);

}  // namespace pitwall
