// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file that are here already, and the note of what they are of.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct PartialNote {
  std::string url;
  std::string version;  ///< as RemoteFile has it
  Bytes size = -1;      ///< of the whole file

  bool operator==(const PartialNote&) const = default;
};

/// NAME.partial and NAME.partial.json. One writer at a time.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& target);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  Bytes size() const;        ///< 0 when there is none
  PartialNote note() const;  ///< empty when there is none or it cannot be read

  /// Cuts the file off at `size` and opens it for append(); writes the note.
  Result<void> begin(Bytes size, const PartialNote& note);
  Result<void> append(std::string_view bytes);
  Result<void> finish();  ///< on the disk, closed
  void remove();          ///< both
  void remove_note();

 private:
  Error write_error(int code) const;
  std::filesystem::path path_, note_path_;
  int fd_ = -1;
};

}  // namespace pitwall
