// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching models into the data folder: by a name of profiles/models, from an address, or from the hub.
#pragma once
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct FetchProgress {
  std::string phase;          ///< "Preparing", "Downloading part 2 of 6", "Unpacking", "Verifying"
  Bytes done = 0, total = 0;  ///< of this phase; total 0 = unknown
};

struct FetchOptions {
  std::string sha256 =
      {};  ///< expected of a file from an address; empty: what the server states, if anything
  std::function<void(const FetchProgress&)> on_progress =
      {};  ///< called from the calling thread, at most each 100 ms
  std::function<void(std::string_view)> on_note = {};  ///< one sentence on what is done differently, and why
  const std::atomic<bool>* cancel = nullptr;
  std::chrono::milliseconds retry_pause{1000};  ///< before the first retry; doubles with each
};

/// Names that can be fetched ("smollm2").
std::vector<std::string> fetchable_models();

/// `source`: a name, an http or https address, or hf:org/repo[@revision]/file. Returns the verified
/// file's path; at once when it is already there with the right sum. A broken earlier fetch is resumed or
/// restarted; a wrong sum deletes the file and says both sums; no network says so. The file appears under its
/// name only when whole and verified. Of a set NAME-00001-of-0000N.gguf all files are fetched, and the first
/// one's path is returned.
/// The hub is https://huggingface.co, or HF_ENDPOINT; HF_TOKEN goes to it and to nobody else.
Result<std::filesystem::path> fetch_model(const std::string& source, const FetchOptions& options = {});

}  // namespace pitwall
