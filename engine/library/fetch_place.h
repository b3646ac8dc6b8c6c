// SPDX-License-Identifier: GPL-3.0-or-later
// What every fetch needs of the disk and of its listener, wherever the bytes come from.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/library/fetch.h"

namespace pitwall {

/// Held while one fetch of a file runs; the system lets go of it however the process ends.
class FetchLock {
 public:
  explicit FetchLock(const std::filesystem::path& path);  ///< made when it is missing
  ~FetchLock();
  FetchLock(const FetchLock&) = delete;
  FetchLock& operator=(const FetchLock&) = delete;
  /// Error::busy when another fetch of `what` has it, Error::io with the reason when it cannot be made.
  Result<void> held(const std::string& what) const;

 private:
  std::filesystem::path path_;
  int fd_;
  int failed_ = 0;  // errno
};

/// Tells the listener of a fetch how far it is: each new phase and each end, else at most every 100 ms.
class FetchReport {
 public:
  explicit FetchReport(const FetchOptions& options) : options_(options) {}
  void progress(const std::string& phase, Bytes done, Bytes total);
  void note(const std::string& sentence) const;

 private:
  const FetchOptions& options_;
  std::string phase_;
  std::chrono::steady_clock::time_point said_;
};

Bytes bytes_of(const std::filesystem::path& file);  ///< -1 when there is none

/// With parents. The error has the system's reason.
Result<void> make_folder(const std::filesystem::path& folder);

Error disk_full(const std::filesystem::path& folder, Bytes needed);
/// disk_full unless `needed` bytes are free there.
Result<void> need_space(const std::filesystem::path& folder, Bytes needed);

/// A finished file appears under its name in one step.
Result<std::filesystem::path> put_in_place(const std::filesystem::path& part,
                                           const std::filesystem::path& target);

/// What happened to a file whose sum is not the expected one, and what to do.
Error wrong_sum(const std::filesystem::path& target, const std::string& sum, const std::string& expected);

}  // namespace pitwall
