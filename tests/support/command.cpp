// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/command.h"

#include <QProcess>
#include <nlohmann/json.hpp>

namespace pitwall::test {

nlohmann::json CommandResult::document() const {
  return nlohmann::json::parse(out, nullptr, false);
}

CommandResult run_command(const QString& program, const QStringList& arguments, const QByteArray& input,
                          const QStringList& environment) {
  QProcess process;
  QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
  for (const QString& each : environment) variables.insert(each.section('=', 0, 0), each.section('=', 1));
  process.setProcessEnvironment(variables);
  process.start(program, arguments);
  process.write(input);
  process.closeWriteChannel();
  CommandResult result;
  if (process.waitForFinished(kProcessPatience) && process.exitStatus() == QProcess::NormalExit)
    result.code = process.exitCode();
  result.out = process.readAllStandardOutput().toStdString();
  result.err = process.readAllStandardError().toStdString();
  if (process.state() != QProcess::NotRunning) {
    process.kill();
    process.waitForFinished();
  }
  if (process.error() == QProcess::FailedToStart) result.err = process.errorString().toStdString();
  return result;
}

CommandResult run_pitwallctl(const std::filesystem::path& home, const QStringList& arguments,
                             const QByteArray& input) {
  return run_command(qEnvironmentVariable("PITWALL_CTL"), arguments, input,
                     {"PITWALL_HOME=" + QString::fromStdString(home.string())});
}

PythonEnvironment python_environment(const QString& package) {
  const QString folder = QStringLiteral(PITWALL_BINARY_DIR) + "/python_" + package;
  PythonEnvironment environment{folder + "/bin/python", {}};
  const QStringList probe{"-c", "import " + package};
  if (run_command(environment.python, probe).code == 0) return environment;
  const auto made = run_command("python3", {"-m", "venv", folder});
  if (made.code != 0) {
    environment.missing = "There is no python3 with venv: " + QString::fromStdString(made.out + made.err);
    return environment;
  }
  const auto fetched = run_command(environment.python, {"-m", "pip", "install", "--quiet", package});
  if (fetched.code != 0)
    environment.missing =
        "The package " + package + " could not be fetched: " + QString::fromStdString(fetched.err);
  return environment;
}

}  // namespace pitwall::test
