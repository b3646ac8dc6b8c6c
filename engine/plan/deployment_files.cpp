// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/deployment_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "engine/base/file.h"

namespace pitwall {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 1 << 20;

/// Letters, digits and what else any file system takes; the name itself is inside the file.
std::string file_name_of(const std::string& name) {
  std::string file;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.';
    file += kept && !(file.empty() && c == '.') ? c : '_';
  }
  std::size_t length = std::min<std::size_t>(file.size(), 120);
  while (length < file.size() && (static_cast<unsigned char>(file[length]) & 0xC0) == 0x80) --length;
  return file.substr(0, length);
}

Result<Deployment> read_deployment(const fs::path& path) {
  const auto text = read_file(path, kLargestFile);
  return text ? parse_deployment(*text) : Result<Deployment>(text.error());
}

/// Of a deployment of that name, or of none: names that differ may make the same file name.
fs::path path_of(const std::string& name) {
  const std::string file = file_name_of(name);
  for (int count = 1;; ++count) {
    const fs::path path =
        deployments_folder() / (count > 1 ? fmt::format("{}-{}.json", file, count) : file + ".json");
    const auto there = read_deployment(path);
    if (!there || there->name == name) return path;
  }
}

}  // namespace

fs::path deployments_folder() {
  return data_folder() / "deployments";
}

std::vector<Deployment> saved_deployments(std::string* trouble) {
  std::vector<Deployment> saved;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(deployments_folder(), error)) {
    if (entry.path().extension() != ".json") continue;
    const auto parsed = read_deployment(entry.path());
    if (parsed)
      saved.push_back(*parsed);
    else if (trouble != nullptr)
      *trouble = fmt::format("{}: {}", entry.path().filename().string(), parsed.error().text());
  }
  std::sort(saved.begin(), saved.end(),
            [](const Deployment& a, const Deployment& b) { return a.name < b.name; });
  return saved;
}

Result<fs::path> save_deployment(const Deployment& deployment) {
  if (deployment.name.empty())
    return Error{Error::Kind::invalid_input, "The deployment has no name", "", "Give it one", "name"};
  std::error_code error;
  fs::create_directories(deployments_folder(), error);
  const fs::path path = path_of(deployment.name);
  if (auto written = write_file_atomic(path, deployment_json(deployment)); !written) return written.error();
  return path;
}

}  // namespace pitwall
