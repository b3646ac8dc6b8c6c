// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching models by name into the data folder, with the checksum kept in profiles/models.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct FetchProgress {
  std::string phase;          ///< "Preparing", "Downloading", "Unpacking", "Verifying"
  Bytes done = 0, total = 0;  ///< total 0 = unknown
};

struct FetchOptions {
  std::function<void(const FetchProgress&)>
      on_progress;  ///< called from the calling thread, at most each 100 ms
  const std::atomic<bool>* cancel = nullptr;
};

/// Names that can be fetched ("smollm2").
std::vector<std::string> fetchable_models();

/// Returns the verified file's path; at once when it is already there with the right sum. A broken earlier
/// fetch is resumed or restarted; a wrong sum deletes the file and says both sums; no network says so. The
/// file appears under its name only when whole and verified.
Result<std::filesystem::path> fetch_model(const std::string& name, const FetchOptions& options = {});

}  // namespace pitwall
