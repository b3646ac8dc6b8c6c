// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/base/units.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 ? 0 : ::close(fd);
  }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error file_error(const char* verb, const fs::path& path, int code) {
  Error error{Error::Kind::io, fmt::format("Cannot {} {}: {}", verb, path.string(), std::strerror(code)), "",
              "", ""};
  if (code == ENOENT) {
    error.kind = Error::Kind::not_found;
    error.action = "Check the path";
  } else if (code == EACCES || code == EPERM) {
    error.action = "Check the permissions of the file and of its folder";
  } else if (code == ENOSPC || code == EDQUOT) {
    struct statvfs disk {};
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (code == ENOSPC && ::statvfs(folder.c_str(), &disk) == 0)
      error.cause = "The disk is full: " + format_bytes(static_cast<Bytes>(disk.f_bavail * disk.f_frsize)) +
                    " are free";
    error.action = "Free some disk space and try again";
  }
  return error;
}

Error not_a_file(const fs::path& path, mode_t mode) {
  const char* found = S_ISDIR(mode)    ? "It is a folder"
                      : S_ISFIFO(mode) ? "It is a pipe"
                      : S_ISSOCK(mode) ? "It is a socket"
                                       : "It is a device";
  return {Error::Kind::invalid_input, fmt::format("{} is not a file", path.string()), found, "Check the path",
          ""};
}

struct OpenFile {
  Descriptor descriptor;
  std::size_t size;
};

/// A pipe would wait for its writer, and a device may have no end.
Result<OpenFile> open_to_read(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  // A socket cannot be opened at all.
  if (!file.is_open()) return errno == ENXIO ? not_a_file(path, S_IFSOCK) : file_error("read", path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return file_error("read", path, errno);
  if (!S_ISREG(info.st_mode)) return not_a_file(path, info.st_mode);
  return OpenFile{std::move(file), static_cast<std::size_t>(info.st_size)};
}

Result<void> write_all(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Fills `place` with the bytes from `offset` on.
Result<void> read_all(int fd, std::span<std::byte> place, std::size_t offset, const fs::path& path) {
  while (!place.empty()) {
    const ssize_t count = ::pread(fd, place.data(), place.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) {
      return Error{Error::Kind::io,
                   fmt::format("{} was cut off at byte {} while it was read", path.string(), offset),
                   "Another program writes it", "Try again when the file is complete", ""};
    }
    place = place.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
  return {};
}

/// A pipe, a terminal, /dev/null: nothing can be renamed over it.
Result<void> write_directly(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return file_error("write", path, errno);
  return write_all(file.get(), content, path);
}

/// Writes `content` to the new file `temporary` and makes it durable. Errors name `path`, which was asked
/// for.
Result<void> write_new_file(const fs::path& temporary, std::string_view content, const struct stat* replaced,
                            const fs::path& path) {
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return file_error("write", path, errno);
  if (replaced != nullptr && ::fchmod(file.get(), replaced->st_mode & 07777) != 0) {
    return file_error("set the permissions of", path, errno);
  }
  if (auto written = write_all(file.get(), content, path); !written) return written;
  if (::fsync(file.get()) != 0) return file_error("write", path, errno);
  if (file.close() != 0) return file_error("write", path, errno);
  return {};
}

/// The rename itself must survive a power cut too. Some file systems cannot sync folders; that is no failure.
void sync_folder(const fs::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) (void)::fsync(descriptor.get());
}

fs::path temporary_name_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() / fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
}

fs::path home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
  if (const passwd* user = ::getpwuid(::getuid()); user != nullptr && user->pw_dir != nullptr)
    return user->pw_dir;
  return fs::temp_directory_path();
}

fs::path own_folder(const char* name, const char* xdg_variable, const char* below_home) {
  fs::path folder;
  if (const char* all = std::getenv("PITWALL_HOME"); all != nullptr && *all != '\0') {
    folder = fs::path(all) / name;
  } else if (const char* xdg = std::getenv(xdg_variable); xdg != nullptr && *xdg == '/') {
    folder = fs::path(xdg) / "pitwall";
  } else {
    folder = home_folder() / below_home / "pitwall";
  }
  std::error_code ignored;  // whoever opens a file in it reports the path and the reason
  fs::create_directories(folder, ignored);
  return folder;
}

}  // namespace

Result<MappedFile> MappedFile::open(const fs::path& path) {
  auto file = open_to_read(path);
  if (!file) return file.error();
  MappedFile mapped(file->descriptor.release());
  mapped.path_ = path;
  mapped.size_ = file->size;
  if (mapped.size_ == 0) return mapped;
  void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, mapped.descriptor_, 0);
  if (data == MAP_FAILED) return file_error("map", path, errno);
  mapped.data_ = static_cast<const std::byte*>(data);
  return mapped;
}

Result<void> MappedFile::hold(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{1} << 20;  // whole pages
  while (held_ < size) {
    const std::size_t step = std::min(kStep, size_ - held_);
    std::byte* place = const_cast<std::byte*>(data_) + held_;
    // Memory of our own in the place of the file's pages.
    if (::mmap(place, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
      return file_error("read", path_, errno);
    if (auto read = read_all(descriptor_, {place, step}, held_, path_); !read) return read;
    held_ += step;
  }
  return {};
}

void MappedFile::end_holding() {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      held_(std::exchange(other.held_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(held_, other.held_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  end_holding();
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<void> check_is_file(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  return not_a_file(path, info.st_mode);
}

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
  const auto file = open_to_read(path);
  if (!file) return file.error();
  const auto too_large = [&](std::size_t size, const char* least) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} has {}{}, above the limit of {}", path.string(), least,
                             format_bytes(static_cast<Bytes>(size)), format_bytes(static_cast<Bytes>(limit))),
                 "", "Check that this is the file you meant", ""};
  };
  if (file->size > limit) return too_large(file->size, "");

  // Read to the end whatever stat says: files in /proc have no size, and a file may grow.
  std::string content(file->size + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    if (size == content.size()) content.resize(content.size() * 2 + 4096);
    const ssize_t count = ::read(file->descriptor.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > limit) return too_large(size, "at least ");
  }
  content.resize(size);
  return content;
}

Result<void> write_file_atomic(const fs::path& path, std::string_view content) {
  struct stat old {};
  const bool replaces = ::stat(path.c_str(), &old) == 0;
  if (replaces && S_ISDIR(old.st_mode)) return file_error("write", path, EISDIR);
  if (replaces && !S_ISREG(old.st_mode)) return write_directly(path, content);

  std::error_code failed;
  const fs::path target = replaces ? fs::canonical(path, failed) : path;  // a link stays a link
  if (failed) return file_error("write", path, failed.value());
  const fs::path temporary = temporary_name_beside(target);
  auto written = write_new_file(temporary, content, replaces ? &old : nullptr, path);
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) written = file_error("write", path, errno);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  sync_folder(target.has_parent_path() ? target.parent_path() : ".");
  return {};
}

fs::path data_folder() {
  return own_folder("data", "XDG_DATA_HOME", ".local/share");
}
fs::path config_folder() {
  return own_folder("config", "XDG_CONFIG_HOME", ".config");
}
fs::path cache_folder() {
  return own_folder("cache", "XDG_CACHE_HOME", ".cache");
}

}  // namespace pitwall
