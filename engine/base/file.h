// SPDX-License-Identifier: GPL-3.0-or-later
// Files: read-only maps, whole reads, atomic writes, and the folders where Pitwall keeps its data.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

/// A whole file mapped read-only; unmapped on destruction. Move-only. bytes() is valid as long as the object
/// lives. Whoever shortens the file takes its end away: reading that kills the process (SIGBUS). What is held
/// stays readable.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// Bytes 0 … size − 1 are read into memory, at their place in bytes(). An error when the file has become
  /// shorter since it was opened.
  Result<void> hold(std::size_t size);
  void end_holding();  ///< gives the file's descriptor back
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit MappedFile(int descriptor) : descriptor_(descriptor) {}
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0, held_ = 0;
  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// Errors name the path; a file above `limit` bytes is refused with both numbers. What is no regular file (a
/// folder, pipe, socket or device) is refused at once, here and by MappedFile.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

/// An error when something that is no regular file stands there.
Result<void> check_is_file(const std::filesystem::path& path);

/// Writes beside the target, fsyncs and renames: the old file stays whole on any failure, no temporary is
/// left.
Result<void> write_file_atomic(const std::filesystem::path& path, std::string_view content);

/// XDG folders; PITWALL_HOME, when set, holds all of them as data/, config/ and cache/. Created on demand.
std::filesystem::path data_folder();    ///< models/, pitwall.db
std::filesystem::path config_folder();  ///< window settings
std::filesystem::path cache_folder();   ///< partial downloads

}  // namespace pitwall
