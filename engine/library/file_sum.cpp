// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/file_sum.h"

#include <fstream>
#include <span>
#include <vector>

#include "engine/base/sha256.h"

namespace pitwall {

Result<std::string> sha256_of_file(const std::filesystem::path& path,
                                   const std::function<void(Bytes)>& on_progress,
                                   const std::atomic<bool>* cancel) {
  Sha256 sum;
  std::ifstream file(path, std::ios::binary);
  const Error unreadable{Error::Kind::io, "Cannot read " + path.string(), "",
                         "Check the disk and the permissions", ""};
  if (!file) return unreadable;
  std::vector<char> part(std::size_t{1} << 20);
  Bytes done = 0;
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    sum.update(std::as_bytes(std::span(part)).first(static_cast<std::size_t>(file.gcount())));
    done += file.gcount();
    if (on_progress) on_progress(done);
    if (cancel != nullptr && cancel->load()) return Error{Error::Kind::cancelled, "Cancelled", "", "", ""};
  }
  if (file.bad()) return unreadable;

  std::string hex = sum.finish();
  if (hex.empty()) {
    return Error{Error::Kind::internal, "OpenSSL offers no SHA-256", "", "Check the installation of OpenSSL",
                 ""};
  }
  return hex;
}

}  // namespace pitwall
