// SPDX-License-Identifier: GPL-3.0-or-later
// What tests share: where data lies, and printing Errors.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace pitwall::test {

std::filesystem::path data(const std::string& relative);  ///< tests/data/relative
/// A file of the reference set beside the checkout, or nullopt (then the test says so and uses tests/data
/// alone).
std::optional<std::filesystem::path> shared(const std::string& relative);
/// The starter model, where it has been fetched (PITWALL_TEST_MODEL or data_folder()/models), or nullopt.
std::optional<std::filesystem::path> starter_model();
/// A model of profiles/models that has been fetched, into the folder PITWALL_TEST_MODELS or
/// data_folder()/models.
std::optional<std::filesystem::path> fetched_model(const std::string& name);
/// A fresh folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pitwall::test

/// QVERIFY for a Result: prints the error's text.
#define PW_VERIFY(expression)                                                         \
  do {                                                                                \
    const auto& pw_result = (expression);                                             \
    QVERIFY2(pw_result.ok(), pw_result.ok() ? "" : pw_result.error().text().c_str()); \
  } while (false)
