// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/library/fetch_place.h"
#include "engine/library/models_folder.h"
#include "engine/library/shard_name.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 6;                 // hub/models--org--repo/snapshots/revision/folder/file
constexpr std::size_t kMostFolders = 5000;  // somebody's whole home must not hold the caller up

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    out.push_back(it->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// The hub's cache keeps a model as models--ORG--REPO/snapshots/REVISION/….
std::string folder_name(const fs::path& folder) {
  if (folder.parent_path().filename() == "snapshots") {
    const std::string home = folder.parent_path().parent_path().filename().string();
    if (home.starts_with("models--")) return home.substr(home.rfind("--") + 2);
  }
  return folder.filename().string();
}

std::string missing_link(const fs::path& link) {
  std::error_code failed;
  return fmt::format("{} leads to {}, which is missing", link.filename().string(),
                     fs::read_symlink(link, failed).string());
}

class Scan {
 public:
  explicit Scan(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
      std::error_code failed;
      if (auto root = fs::canonical(folder, failed); !failed) roots_.push_back(std::move(root));
    }
    for (const fs::path& folder : folders) look_into(folder, 0);
  }

  std::vector<ModelEntry> found() && { return std::move(found_); }

 private:
  void look_into(const fs::path& folder, int depth) {
    std::error_code failed;
    const fs::path real = fs::canonical(folder, failed);
    if (failed || seen_.size() == kMostFolders || !seen_.insert(real).second)
      return;  // a loop, or a folder named twice
    const std::vector<fs::path> entries = entries_of(folder);
    add_folder_model(folder, entries);
    std::map<std::string, std::vector<fs::path>> sets;  // by the name that their files share
    for (const fs::path& path : entries) {
      const auto shard = read_shard_name(path.filename().string());
      if (shard && shard->sound() && !fs::is_directory(path, failed)) {
        sets[shard->file(shard->count)].push_back(path);
      } else if (fs::is_directory(path, failed)) {
        look_into_folder(path, depth);
      } else if (path.extension() == ".gguf") {
        add_file(path);
      }
    }
    for (const auto& [last, files] : sets) add_set(folder, last, files);
  }

  void look_into_folder(const fs::path& path, int depth) {
    if (path.filename().string().starts_with('.')) return;
    if (!outside_of_roots(path).empty()) {
      add_folder_model(path, entries_of(path));
    } else if (depth < kDeepest) {
      look_into(path, depth + 1);
    }
  }

  void add_file(const fs::path& path) {
    ModelEntry entry{path.stem().string(), path, std::max<Bytes>(0, bytes_of(path)), outside_of_roots(path),
                     ""};
    if (bytes_of(path) < 0) entry.problem = missing_link(path);
    found_.push_back(std::move(entry));
  }

  void add_set(const fs::path& folder, const std::string& last, const std::vector<fs::path>& files) {
    const ShardName set = *read_shard_name(last);
    ModelEntry entry{set.model, folder / set.file(1), 0, {}, ""};
    for (const fs::path& file : files) note_part(file, entry);
    for (int i = 1; i <= set.count && entry.problem.empty(); ++i) {
      if (std::find(files.begin(), files.end(), folder / set.file(i)) == files.end())
        entry.problem = set.file(i) + " is missing";
    }
    found_.push_back(std::move(entry));
  }

  void add_folder_model(const fs::path& folder, const std::vector<fs::path>& entries) {
    std::error_code failed;
    if (!fs::exists(folder / "config.json", failed)) return;
    ModelEntry entry{folder_name(folder), folder, 0, outside_of_roots(folder), ""};
    bool weights = false;
    for (const fs::path& file : entries) {
      if (file.extension() != ".safetensors") continue;
      weights = true;
      note_part(file, entry);
    }
    if (weights) found_.push_back(std::move(entry));
  }

  void note_part(const fs::path& file, ModelEntry& entry) const {
    entry.bytes += std::max<Bytes>(0, bytes_of(file));
    if (entry.outside.empty()) entry.outside = outside_of_roots(file);
    if (bytes_of(file) < 0 && entry.problem.empty()) entry.problem = missing_link(file);
  }

  /// Where `path` really is when that is below none of the scanned folders, else empty.
  fs::path outside_of_roots(const fs::path& path) const {
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    if (failed) return {};
    const bool inside =
        std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) { return is_below(real, root); });
    return inside ? fs::path() : real;
  }

  std::vector<fs::path> roots_;
  std::set<fs::path> seen_;
  std::vector<ModelEntry> found_;
};

}  // namespace

std::vector<ModelEntry> scan_models(const std::vector<fs::path>& folders) {
  auto out = Scan(folders).found();
  std::sort(out.begin(), out.end(), [](const ModelEntry& a, const ModelEntry& b) {
    return a.name != b.name ? a.name < b.name : a.path < b.path;
  });
  return out;
}

}  // namespace pitwall
