// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl serve` as a process of its own, with a data folder of its own.
#pragma once
#include <QProcess>
#include <filesystem>
#include <functional>
#include <string>

namespace pitwall::test {

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

}  // namespace pitwall::test
