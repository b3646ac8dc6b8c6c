// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that a test runs to their end: pitwallctl, and clients written in Python.
#pragma once
#include <QStringList>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pitwall::test {

inline constexpr int kProcessPatience = 300'000;  ///< ms; generous, because no test measures with it

struct CommandResult {
  int code = -1;  ///< −1: it did not end by itself, or did not begin
  std::string out, err;
  nlohmann::json document() const;  ///< of `out`; discarded where that is no JSON
};

CommandResult run_command(const QString& program, const QStringList& arguments, const QByteArray& input = {},
                          const QStringList& environment = {});  ///< NAME=VALUE, beside the test's own

/// `pitwallctl` with these arguments in that data folder.
CommandResult run_pitwallctl(const std::filesystem::path& home, const QStringList& arguments,
                             const QByteArray& input = {});

/// A virtual environment in the build folder with one package of PyPI, kept from run to run.
struct PythonEnvironment {
  QString python;   ///< the program
  QString missing;  ///< why there is none; then the test is skipped with it
};
PythonEnvironment python_environment(const QString& package);

}  // namespace pitwall::test
