// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/library/fetch_place.h"
#include "engine/library/file_sum.h"
#include "engine/library/partial_file.h"
#include "engine/library/remote_file.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kTries = 5;
constexpr Bytes kGoodProgress = kMiB;  // a try that brought this much does not count as failed
constexpr std::chrono::milliseconds kCancelPoll{20};
constexpr const char* kChanged = "The file has changed at the server";
constexpr const char* kNoRanges = "The server cannot send a part of a file";

class Download {
 public:
  Download(const FetchSource& source, const fs::path& folder, const Hub& hub, const FetchOptions& options,
           const std::string& label)
      : source_(source), folder_(folder), hub_(hub), options_(options), label_(label), report_(options) {}

  Result<fs::path> run() {
    if (const fs::path known = folder_ / source_.name;
        !source_.name.empty() && !options_.sha256.empty() && bytes_of(known) >= 0) {
      const auto sum = sum_of(known);
      if (!sum) return sum.error();
      if (*sum == options_.sha256) return known;
    }
    if (auto looked = look(); !looked) return std::move(looked).error();
    auto name = safe_file_name(chosen_name());
    if (!name) return std::move(name).error();
    target_ = folder_ / *name;
    if (bytes_of(target_) >= 0) return compare_with_target();

    if (auto made = make_folder(folder_); !made) return std::move(made).error();
    PartialFile partial(target_);
    if (const Bytes needed = file_.size - partial.size(); needed > 0) {
      report_.note(fmt::format("{} needs {} of disk space", *name, format_bytes(needed)));
      if (auto enough = need_space(folder_, needed); !enough) return std::move(enough).error();
    }
    const FetchLock lock(partial.path());
    if (auto held = lock.held(*name); !held) return std::move(held).error();
    if (auto whole = receive(partial, start_of(partial)); !whole) return std::move(whole).error();
    return verify_and_place(partial);
  }

 private:
  /// Asks for the first byte only: what the file is, and whether ranges work.
  Result<void> look() {
    report_.progress("Asking" + label_, 0, 0);
    return with_retries([&] {
      return receive_file(
          {.url = source_.url, .start = 0, .count = 1, .cancel = options_.cancel}, hub_,
          [&](const RemoteFile& file) -> Result<bool> {
            file_ = file;
            reached_ = true;
            return false;
          },
          [](std::string_view) { return true; });
    });
  }

  std::string chosen_name() const {
    const bool plain = source_.name.find('.') == std::string::npos;
    return plain && !file_.offered_name.empty() ? file_.offered_name : source_.name;
  }

  /// A file of that name is here: the same one is taken, another is not overwritten.
  Result<fs::path> compare_with_target() {
    const Bytes here = bytes_of(target_);
    if (expected_sum().empty() && here == file_.size) {
      report_.note(fmt::format("{} is here already with the same size; its sum is not known",
                               target_.filename().string()));
      return target_;
    }
    if (file_.size < 0 || here == file_.size) {
      const auto sum = sum_of(target_);
      if (!sum) return sum.error();
      if (*sum == expected_sum()) return target_;
    }
    return Error{
        Error::Kind::invalid_input,
        fmt::format("{} is there already, {}, and is not this file", target_.string(), format_bytes(here)),
        "Another model has the same name, or it was damaged", "Move it away or delete it", "name"};
  }

  /// Where to go on: behind what is here, if it is of the same file and the server can. Says why not.
  Bytes start_of(const PartialFile& partial) {
    const Bytes here = partial.size();
    if (here == 0) return 0;
    const PartialNote note = partial.note();
    const char* why = nullptr;
    if (note.url != source_.url) {
      why = "What is here is of another address";
    } else if (file_.version.empty()) {
      why = "The server does not say whether the file is still the same";
    } else if (note != note_of(file_) || here > file_.size) {
      why = kChanged;
    } else if (!file_.resumes) {
      why = kNoRanges;
    }
    if (why == nullptr) return here;
    report_.note(fmt::format("{}: starting from the beginning", why));
    return 0;
  }

  Result<void> receive(PartialFile& partial, Bytes start) {
    Bytes written = start;
    if (auto begun = partial.begin(written, note_of(file_)); !begun) return begun;
    if (written == file_.size && written > 0) return partial.finish();
    auto received = with_retries([&]() -> Result<void> {
      const Bytes before = written;
      auto part = receive_once(partial, written);
      if (written - before >= kGoodProgress) failures_ = 0;
      return part;
    });
    auto finished = partial.finish();
    return received ? finished : received;
  }

  /// `written` follows the bytes that are on the disk.
  Result<void> receive_once(PartialFile& partial, Bytes& written) {
    const bool resumes = written > 0;
    bool mixed = false;  // the answer does not fit behind what is here
    auto part = receive_file(
        {.url = source_.url, .start = resumes ? written : -1, .cancel = options_.cancel}, hub_,
        [&](const RemoteFile& file) -> Result<bool> {
          reached_ = true;
          const bool fits =
              file.resumes == resumes && file.start == written && note_of(file) == note_of(file_);
          if (fits) return true;
          mixed = file.start != 0;
          if (written > 0)
            report_.note(fmt::format("{}: starting from the beginning",
                                     note_of(file) == note_of(file_) ? kNoRanges : kChanged));
          file_ = file;
          written = 0;
          if (auto begun = partial.begin(0, note_of(file)); !begun) return fatal(std::move(begun).error());
          return !mixed;
        },
        [&](std::string_view bytes) -> Result<bool> {
          if (auto kept = partial.append(bytes); !kept) return fatal(std::move(kept).error());
          written += static_cast<Bytes>(bytes.size());
          report_.progress("Downloading" + label_, written, std::max<Bytes>(0, file_.size));
          return true;
        });
    if (!part) return part;
    if (!mixed && (file_.size < 0 || written == file_.size)) return {};
    return Error{Error::Kind::io, "The answer was not whole", "", "", ""};
  }

  Error fatal(Error error) {
    broken_here_ = true;
    return error;
  }

  /// Until it works, cannot work, or has failed kTries times in a row. A server that was never reached is not
  /// asked again: its address is wrong or this machine is offline.
  template <class Try>
  Result<void> with_retries(Try&& attempt) {
    failures_ = 0;
    for (;;) {
      auto done = attempt();
      if (done || broken_here_) return done;
      const Error& error = done.error();
      if (error.kind != Error::Kind::busy && !(error.kind == Error::Kind::io && reached_)) return done;
      if (++failures_ == kTries) return given_up(error);
      const auto pause = options_.retry_pause * (1 << (failures_ - 1));
      report_.note(fmt::format("{}: try {} of {} in {}", error.what, failures_ + 1, kTries,
                               format_duration(std::chrono::nanoseconds(pause).count())));
      if (!wait(pause)) return Error{Error::Kind::cancelled, "Cancelled", "", "", ""};
    }
  }

  static Error given_up(Error error) {
    error.what = fmt::format("Given up after {} tries. {}", kTries, error.what);
    if (error.kind == Error::Kind::io) error.action = "Fetch it again to go on from there";
    return error;
  }

  bool wait(std::chrono::milliseconds pause) const {
    for (auto left = pause; left.count() > 0; left -= kCancelPoll) {
      if (options_.cancel != nullptr && options_.cancel->load()) return false;
      std::this_thread::sleep_for(std::min(left, kCancelPoll));
    }
    return true;
  }

  Result<fs::path> verify_and_place(PartialFile& partial) {
    if (const std::string expected = expected_sum(); !expected.empty()) {
      const auto sum = sum_of(partial.path());
      if (!sum) return sum.error();
      if (*sum != expected) {
        partial.remove();
        return wrong_sum(target_, *sum, expected);
      }
    } else {
      report_.note(
          fmt::format("No sum of {} is known: only its size was checked", target_.filename().string()));
    }
    auto placed = put_in_place(partial.path(), target_);
    if (placed) partial.remove_note();
    return placed;
  }

  std::string expected_sum() const { return options_.sha256.empty() ? file_.sha256 : options_.sha256; }

  PartialNote note_of(const RemoteFile& file) const { return {source_.url, file.version, file.size}; }

  Result<std::string> sum_of(const fs::path& file) {
    const Bytes size = bytes_of(file);
    return sha256_of_file(
        file, [&](Bytes done) { report_.progress("Verifying" + label_, done, size); }, options_.cancel);
  }

  const FetchSource& source_;
  const fs::path& folder_;
  const Hub& hub_;
  const FetchOptions& options_;
  const std::string& label_;
  FetchReport report_;
  RemoteFile file_;  // as the latest answer described it
  fs::path target_;
  int failures_ = 0;          // in a row
  bool reached_ = false;      // the server answered with a file
  bool broken_here_ = false;  // the disk's fault, not the server's
};

}  // namespace

Result<fs::path> download_file(const FetchSource& source, const fs::path& folder, const Hub& hub,
                               const FetchOptions& options, const std::string& label) {
  auto fetched = Download(source, folder, hub, options, label).run();
  if (fetched || fetched.error().kind != Error::Kind::cancelled) return fetched;
  return Error{Error::Kind::cancelled, "The fetch was cancelled", "", "Fetch it again to go on", ""};
}

}  // namespace pitwall
