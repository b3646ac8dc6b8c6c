// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/server_process.h"

#include <csignal>

namespace pitwall::test {

namespace {

void prepare(QProcess& process, const std::filesystem::path& home, const QStringList& environment) {
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  variables.insert(QStringLiteral("PITWALL_HOME"), QString::fromStdString(home.string()));
  for (const QString& each : environment) variables.insert(each.section('=', 0, 0), each.section('=', 1));
  process.setProcessEnvironment(variables);
  process.setProgram(qEnvironmentVariable("PITWALL_CTL"));
}

}  // namespace

ServerProcess::ServerProcess(const std::filesystem::path& home, const std::filesystem::path& model,
                             const QStringList& flags, const QStringList& environment,
                             const std::function<void()>& before_exec) {
  prepare(process_, home, environment);
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

CommandResult run_pitwallctl(const std::filesystem::path& home, const QStringList& arguments) {
  QProcess process;
  prepare(process, home, {});
  process.setArguments(arguments);
  process.start();
  process.closeWriteChannel();
  CommandResult result;
  if (process.waitForFinished(kProcessPatience) && process.exitStatus() == QProcess::NormalExit)
    result.code = process.exitCode();
  result.out = process.readAllStandardOutput().toStdString();
  result.err = process.readAllStandardError().toStdString();
  return result;
}

}  // namespace pitwall::test
