// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kTickMs = 100;
constexpr std::size_t kOutputKept = 16 * 1024;
constexpr int kExecFailed = 127;

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : added) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Between fork and exec, in a process that had other threads: system calls only.
[[noreturn]] void become_child(const char* program, char** arguments, char** environment, int output,
                               pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExecFailed);  // it died before prctl took effect
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0)
    ::_exit(kExecFailed);
  ::close_range(3, ~0U, 0);
  ::execve(program, arguments, environment);
  ::_exit(kExecFailed);
}

/// A started child and the reading end of its output. Killed and reaped on destruction.
class Child {
 public:
  static Result<std::unique_ptr<Child>> start(const ChildCommand& command) {
    std::vector<std::string> arguments{command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = merged_environment(command.environment);
    const std::vector<char*> argument_pointers = pointers(arguments);
    const std::vector<char*> environment_pointers = pointers(environment);

    std::array<int, 2> pipe{};
    const pid_t parent = ::getpid();
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return start_error(command);
    const pid_t pid = ::fork();
    if (pid == 0) {
      become_child(command.program.c_str(), const_cast<char**>(argument_pointers.data()),
                   const_cast<char**>(environment_pointers.data()), pipe[1], parent);
    }
    const int fork_errno = errno;
    ::close(pipe[1]);
    if (pid < 0) {
      ::close(pipe[0]);
      errno = fork_errno;
      return start_error(command);
    }
    ::setpgid(pid, pid);  // here too: whichever of both comes first
    return std::unique_ptr<Child>(new Child(pid, pipe[0]));
  }

  ~Child() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      (void)wait();
    }
    ::close(output_);
  }

  /// Bytes of output within one tick; nullopt at the end of the output.
  std::optional<std::string_view> read(std::array<char, 4096>& buffer) {
    pollfd ready{output_, POLLIN, 0};
    if (::poll(&ready, 1, kTickMs) <= 0) return std::string_view();
    const ssize_t count = ::read(output_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return std::string_view();
    if (count <= 0) return std::nullopt;
    return std::string_view(buffer.data(), static_cast<std::size_t>(count));
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}

  static Error start_error(const ChildCommand& command) {
    return {Error::Kind::internal,
            fmt::format("Cannot start {}: {}", command.program.string(), std::strerror(errno)), "",
            "Close other programs and try again", ""};
  }

  pid_t pid_;
  int output_;
};

/// Cuts a byte stream into lines; carriage returns end lines too (progress bars).
class LineCutter {
 public:
  explicit LineCutter(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}
  void feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' || c == '\r') {
        flush();
      } else if (line_.size() < kOutputKept) {
        line_ += c;
      }
    }
  }
  void flush() {
    if (on_line_ && !line_.empty()) on_line_(line_);
    line_.clear();
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
};

}  // namespace

std::optional<fs::path> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    std::error_code failed;
    if (fs::is_regular_file(candidate, failed) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return std::nullopt;
}

Result<ChildOutcome> run_child(const ChildCommand& command) {
  auto child = Child::start(command);
  if (!child) return std::move(child).error();
  ChildOutcome outcome;
  LineCutter lines(command.on_line);
  std::array<char, 4096> buffer;
  while (const auto bytes = (*child)->read(buffer)) {
    lines.feed(*bytes);
    outcome.output += *bytes;
    if (outcome.output.size() > kOutputKept) outcome.output.erase(0, outcome.output.size() - kOutputKept);
    if (command.on_tick) command.on_tick();
    if (command.cancel != nullptr && command.cancel->load()) {
      return Error{Error::Kind::cancelled, "Cancelled", "", "", ""};
    }
  }
  lines.flush();
  outcome.exit_code = (*child)->wait();
  return outcome;
}

}  // namespace pitwall
