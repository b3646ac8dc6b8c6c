// SPDX-License-Identifier: GPL-3.0-or-later
// The SHA-256 sum of a file.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

/// 64 lower-case hex digits. `on_progress` hears the bytes read so far after each MiB or so; may be empty.
Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   const std::function<void(Bytes done)>& on_progress,
                                   const std::atomic<bool>* cancel = nullptr);

}  // namespace pitwall
