// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/server_process.h"

#include <csignal>

#include "tests/support/command.h"

namespace pitwall::test {

ServerProcess::ServerProcess(const std::filesystem::path& home, const std::filesystem::path& model,
                             const QStringList& flags, const QStringList& environment,
                             const std::function<void()>& before_exec) {
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  variables.insert(QStringLiteral("PITWALL_HOME"), QString::fromStdString(home.string()));
  for (const QString& each : environment) variables.insert(each.section('=', 0, 0), each.section('=', 1));
  process_.setProcessEnvironment(variables);
  process_.setProgram(qEnvironmentVariable("PITWALL_CTL"));
  if (before_exec) process_.setChildProcessModifier(before_exec);
  process_.setArguments(
      QStringList{"serve", "--model", QString::fromStdString(model.string()), "--port", "0"} + flags);
  process_.start();
  while (!process_.canReadLine()) {
    if (!process_.waitForReadyRead(kProcessPatience)) return;
  }
  port_ = QString::fromUtf8(process_.readLine()).trimmed().section(':', -1).toInt();
}

ServerProcess::~ServerProcess() {
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished(kProcessPatience);
}

void ServerProcess::send(int signal) {
  ::kill(static_cast<pid_t>(process_.processId()), signal);
}

int ServerProcess::exit_code() {
  const bool ended = process_.state() == QProcess::NotRunning || process_.waitForFinished(kProcessPatience);
  return ended && process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
}

std::string ServerProcess::log() {
  if (process_.state() != QProcess::NotRunning) process_.waitForReadyRead(0);
  log_ += process_.readAllStandardError().toStdString();
  return log_;
}

}  // namespace pitwall::test
