// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl serve` as a process of its own, with a data folder of its own.
#pragma once
#include <QProcess>
#include <filesystem>
#include <functional>
#include <string>

namespace pitwall::test {

inline constexpr int kProcessPatience = 120'000;  // ms

class ServerProcess {
 public:
  /// Serves `model` on a free port; `home` is PITWALL_HOME. `before_exec` runs in the child.
  ServerProcess(const std::filesystem::path& home, const std::filesystem::path& model,
                const QStringList& flags = {}, const QStringList& environment = {},
                const std::function<void()>& before_exec = {});
  ~ServerProcess();

  int port() const { return port_; }  ///< 0: it did not start; log() says why
  qint64 pid() const { return process_.processId(); }
  void send(int signal);
  /// Waits for the end; −1 when it was no normal one.
  int exit_code();
  std::string log();  ///< stderr so far

 private:
  QProcess process_;
  int port_ = 0;
  std::string log_;
};

struct CommandResult {
  int code = -1;
  std::string out, err;
};
/// `pitwallctl` with these arguments in that data folder.
CommandResult run_pitwallctl(const std::filesystem::path& home, const QStringList& arguments);

}  // namespace pitwall::test
