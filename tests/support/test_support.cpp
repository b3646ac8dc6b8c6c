// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_support.h"

#include <unistd.h>

#include <cstdlib>

#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"

namespace pitwall::test {

namespace fs = std::filesystem;

fs::path data(const std::string& relative) {
  const fs::path source = fs::path(PITWALL_SOURCE_DIR) / "tests/data" / relative;
  const fs::path unpacked = fs::path(PITWALL_UNPACKED_DATA) / relative;
  return !fs::exists(source) && fs::exists(unpacked) ? unpacked : source;
}

std::optional<fs::path> shared(const std::string& relative) {
  const fs::path path = fs::path(PITWALL_SOURCE_DIR).parent_path() / "shared" / relative;
  if (fs::exists(path)) return path;
  return std::nullopt;
}

std::optional<fs::path> starter_model() {
  if (const char* given = std::getenv("PITWALL_TEST_MODEL"); given != nullptr && fs::exists(given))
    return given;
  return fetched_model("smollm2");
}

std::optional<fs::path> fetched_model(const std::string& name) {
  if (const char* folder = std::getenv("PITWALL_TEST_MODELS")) {
    const ModelProfile* profile = find_model_profile(name);
    if (profile != nullptr && fs::exists(fs::path(folder) / profile->file))
      return fs::path(folder) / profile->file;
  }
  if (auto found = resolve_model(name)) return *found;
  return std::nullopt;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "pitwall-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace pitwall::test
