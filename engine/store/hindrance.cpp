// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/hindrance.h"

#include <sys/statvfs.h>

#include "engine/base/units.h"

namespace pitwall {

std::optional<Hindrance> find_hindrance(const std::filesystem::path& file) {
  constexpr Bytes kLeastRoom = 64 << 10;  // for what SQLite keeps beside the file while it is open
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  if ((info.f_flag & ST_RDONLY) != 0)
    return Hindrance{"The file system is read-only",
                     "Make it writable, or set PITWALL_HOME to a folder that you can write"};
  const auto room = static_cast<Bytes>(info.f_bavail * info.f_frsize);
  if (info.f_blocks == 0 || room >= kLeastRoom) return std::nullopt;
  return Hindrance{"The disk is full: " + format_bytes(room) + " are free",
                   "Free some disk space, then try again"};
}

}  // namespace pitwall
