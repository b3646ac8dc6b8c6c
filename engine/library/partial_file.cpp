// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/file.h"
#include "engine/library/fetch_place.h"

namespace pitwall {

namespace fs = std::filesystem;
using nlohmann::json;

PartialFile::PartialFile(const fs::path& target)
    : path_(target.string() + ".partial"), note_path_(target.string() + ".partial.json") {}

PartialFile::~PartialFile() {
  if (fd_ >= 0) ::close(fd_);
}

Bytes PartialFile::size() const {
  return std::max<Bytes>(0, bytes_of(path_));
}

PartialNote PartialFile::note() const {
  const auto text = read_file(note_path_, 1 << 20);
  if (!text) return {};
  try {
    const json document = json::parse(*text);
    return {document.at("url").get<std::string>(), document.at("version").get<std::string>(),
            document.at("size").get<Bytes>()};
  } catch (const json::exception&) {
    return {};
  }
}

Result<void> PartialFile::begin(Bytes size, const PartialNote& note) {
  const json document{{"url", note.url}, {"version", note.version}, {"size", note.size}};
  const std::string text = document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
  if (auto written = write_file_atomic(note_path_, text); !written) return written;
  if (fd_ < 0) fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0 || ::ftruncate(fd_, size) != 0 || ::lseek(fd_, size, SEEK_SET) != size)
    return write_error(errno);
  return {};
}

Result<void> PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return write_error(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> PartialFile::finish() {
  if (fd_ < 0) return {};
  const bool synced = ::fsync(fd_) == 0;
  const int code = errno;
  const bool closed = ::close(std::exchange(fd_, -1)) == 0;
  if (!synced) return write_error(code);
  if (!closed) return write_error(errno);
  return {};
}

void PartialFile::remove() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  remove_note();
}

void PartialFile::remove_note() {
  std::error_code ignored;
  fs::remove(note_path_, ignored);
}

Error PartialFile::write_error(int code) const {
  if (code == ENOSPC || code == EDQUOT) return disk_full(path_.parent_path(), 1);
  return {Error::Kind::io, fmt::format("Cannot write {}: {}", path_.string(), std::strerror(code)), "",
          "Check the permissions, or set PITWALL_HOME to a folder of yours", ""};
}

}  // namespace pitwall
