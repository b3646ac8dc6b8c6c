// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/fetch_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pitwall {

namespace fs = std::filesystem;

FetchLock::FetchLock(const fs::path& path)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) != 0) failed_ = errno;
}

FetchLock::~FetchLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> FetchLock::held(const std::string& what) const {
  if (failed_ == 0) return {};
  if (failed_ == EWOULDBLOCK) {
    return Error{Error::Kind::busy, fmt::format("{} is being fetched already", what), "",
                 "Wait for the other fetch to end", ""};
  }
  return Error{Error::Kind::io, fmt::format("Cannot write {}: {}", path_.string(), std::strerror(failed_)),
               "", "Check the permissions, or set PITWALL_HOME to a folder of yours", ""};
}

void FetchReport::progress(const std::string& phase, Bytes done, Bytes total) {
  const auto now = std::chrono::steady_clock::now();
  const bool news = phase != phase_ || (done == total && total > 0);
  if (!options_.on_progress || (!news && now - said_ < std::chrono::milliseconds(100))) return;
  phase_ = phase;
  said_ = now;
  options_.on_progress({phase, done, total});
}

void FetchReport::note(const std::string& sentence) const {
  if (options_.on_note) options_.on_note(sentence);
}

Bytes bytes_of(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return failed ? -1 : static_cast<Bytes>(size);
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) return {};
  return Error{Error::Kind::io,
               fmt::format("Cannot make the folder {}: {}", folder.string(), failed.message()), "",
               "Check the permissions, or set PITWALL_HOME to a folder of yours", ""};
}

Error disk_full(const fs::path& folder, Bytes needed) {
  std::error_code failed;
  const auto space = fs::space(folder, failed);
  const std::string available = failed ? "too little" : format_bytes(static_cast<Bytes>(space.available));
  return {Error::Kind::io,
          fmt::format("The disk is full: {} needs {}, {} is free", folder.string(), format_bytes(needed),
                      available),
          "", "Free some space, or set PITWALL_HOME to a folder on a larger disk", ""};
}

Result<void> need_space(const fs::path& folder, Bytes needed) {
  std::error_code failed;
  const auto space = fs::space(folder, failed);
  if (failed || static_cast<Bytes>(space.available) >= needed) return {};  // unknown: writing will tell
  return disk_full(folder, needed);
}

Result<fs::path> put_in_place(const fs::path& part, const fs::path& target) {
  std::error_code failed;
  fs::rename(part, target, failed);
  if (!failed) return target;
  return Error{Error::Kind::io,
               fmt::format("Cannot move {} to {}: {}", part.string(), target.string(), failed.message()), "",
               "Check the permissions of the folder", ""};
}

Error wrong_sum(const fs::path& target, const std::string& sum, const std::string& expected) {
  return {Error::Kind::io,
          fmt::format("{} has the SHA-256 sum {}, and {} was expected", target.filename().string(), sum,
                      expected),
          "It was changed or damaged on its way; the file was deleted", "Try again", ""};
}

}  // namespace pitwall
