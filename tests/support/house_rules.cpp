// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/house_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace pitwall::test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostLines = 600;
constexpr std::string_view kSpdx = "// SPDX-License-Identifier: GPL-3.0-or-later";
const std::vector<std::string> kLawFolders{"engine", "kernels", "ui", "app"};
const std::vector<std::string> kAllFolders{"engine", "kernels", "ui", "app", "tests"};

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One target of the house: the folder whose sources it compiles, and whom it links.
struct Target {
  fs::path folder;
  std::set<std::string> public_links;
  std::set<std::string> private_links;
};
using Targets = std::map<std::string, Target>;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The arguments of each call of `command` in a CMakeLists.txt, comments left out.
std::vector<std::vector<std::string>> calls_of(const std::string& command, const std::string& cmake) {
  static const std::regex comment("#[^\n]*");
  const std::string text = std::regex_replace(cmake, comment, "");
  const std::regex call(command + R"(\s*\(([^)]*)\))");
  std::vector<std::vector<std::string>> out;
  for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it)
    out.push_back(words_of((*it)[1]));
  return out;
}

/// Adds the words after the target's name: PUBLIC, INTERFACE and LINKS ones are seen by whoever links the
/// target.
void add_links(Target& target, const std::vector<std::string>& words) {
  bool seen_by_others = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "PUBLIC" || words[i] == "INTERFACE" || words[i] == "LINKS") {
      seen_by_others = true;
    } else if (words[i] == "PRIVATE" || words[i] == "PRIVATE_LINKS") {
      seen_by_others = false;
    } else {
      (seen_by_others ? target.public_links : target.private_links).insert(words[i]);
    }
  }
}

Targets read_targets(const fs::path& root) {
  Targets targets;
  for (const std::string& top : kLawFolders) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      const fs::path folder = entry.path().lexically_relative(root).parent_path();
      const std::string cmake = content_of(entry.path());
      for (const auto& words : calls_of("pitwall_module", cmake)) {
        Target& target = targets["pitwall_" + words.at(0)];
        target.folder = folder;
        add_links(target, words);
      }
      for (const char* declaration : {"add_library", "add_executable"}) {
        for (const auto& words : calls_of(declaration, cmake)) targets[words.at(0)].folder = folder;
      }
      for (const auto& words : calls_of("target_link_libraries", cmake))
        add_links(targets[words.at(0)], words);
    }
  }
  return targets;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// The target of the innermost folder that holds `file`; empty where none does.
std::string target_of(const fs::path& file, const Targets& targets) {
  std::string best;
  std::size_t best_length = 0;
  for (const auto& [name, target] : targets) {
    const std::size_t length = target.folder.native().size();
    if (length > best_length && is_below(file, target.folder)) {
      best = name;
      best_length = length;
    }
  }
  return best;
}

void add_public(const std::string& name, const Targets& targets, std::set<std::string>& seen) {
  const auto found = targets.find(name);
  if (found == targets.end() || !seen.insert(name).second) return;
  for (const std::string& link : found->second.public_links) add_public(link, targets, seen);
}

/// The targets whose headers a source of `name` may include.
std::set<std::string> visible_from(const std::string& name, const Targets& targets) {
  std::set<std::string> seen;
  add_public(name, targets, seen);
  for (const std::string& link : targets.at(name).private_links) add_public(link, targets, seen);
  return seen;
}

bool in_law_folder(const std::string& include) {
  return std::any_of(kLawFolders.begin(), kLawFolders.end(),
                     [&](const std::string& folder) { return include.starts_with(folder + "/"); });
}

class Walk {
 public:
  explicit Walk(const fs::path& root) : root_(root), targets_(read_targets(root)) {
    for (const auto& [name, target] : targets_) visible_[name] = visible_from(name, targets_);
  }

  std::vector<std::string> breaches() {
    check_links();
    for (const fs::path& file : source_files(root_, kAllFolders)) check_file(file);
    return std::move(breaches_);
  }

 private:
  void check_links() {
    for (const auto& [name, target] : targets_) {
      if (!is_below(target.folder, "engine") && !is_below(target.folder, "kernels")) continue;
      for (const auto* links : {&target.public_links, &target.private_links}) {
        for (const std::string& link : *links) {
          if (link.starts_with("Qt"))
            breach(target.folder / "CMakeLists.txt", 0, "links " + link + "; no Qt here");
        }
      }
    }
  }

  void check_file(const fs::path& file) {
    std::istringstream lines(content_of(root_ / file));
    std::string line;
    std::size_t number = 0;
    const bool under_law = in_law_folder(file.string());
    while (std::getline(lines, line)) {
      ++number;
      if (number == 1 && line != kSpdx) breach(file, 1, "does not begin with the SPDX line");
      if (under_law && line.starts_with("#include ")) check_include(file, number, line.substr(9));
    }
    if (number == 0) breach(file, 1, "does not begin with the SPDX line");
    if (number > kMostLines) breach(file, number, "is above " + std::to_string(kMostLines) + " lines");
  }

  void check_include(const fs::path& file, std::size_t line, const std::string& text) {
    const std::string name = text.substr(1, text.find_first_of("\">", 1) - 1);
    const bool no_qt = is_below(file, "engine") || is_below(file, "kernels");
    if (no_qt && name.starts_with('Q')) breach(file, line, "includes " + name + "; no Qt here");
    const bool header = file.extension() == ".h" || file.extension() == ".cuh";
    if (header && (name == "nlohmann/json.hpp" || name.starts_with("boost/"))) {
      breach(file, line, "includes " + name + " in a header");
    }
    if (text.front() == '"') check_arrow(file, line, name);
  }

  void check_arrow(const fs::path& file, std::size_t line, const std::string& include) {
    if (!in_law_folder(include)) {
      // A generated file may be named alone; one of the tree may not.
      if (fs::exists(root_ / file.parent_path() / include))
        breach(file, line, "write " + include + " from the root");
      return;
    }
    if (!fs::exists(root_ / include))
      return breach(file, line, "includes " + include + ", which does not exist");
    const std::string from = target_of(file, targets_);
    const std::string to = target_of(include, targets_);
    if (from.empty() || to.empty())
      return breach(file, line, "includes " + include + "; no target compiles one of them");
    if (!visible_[from].contains(to)) {
      breach(file, line, "includes " + include + ", but " + from + " does not link " + to);
    }
  }

  void breach(const fs::path& file, std::size_t line, const std::string& what) {
    breaches_.push_back(file.string() + ":" + std::to_string(line) + ": " + what);
  }

  const fs::path root_;
  const Targets targets_;
  std::map<std::string, std::set<std::string>> visible_;
  std::vector<std::string> breaches_;
};

}  // namespace

std::vector<fs::path> source_files(const fs::path& root, const std::vector<std::string>& folders) {
  static constexpr std::array<std::string_view, 4> kExtensions{".h", ".cpp", ".cu", ".cuh"};
  std::vector<fs::path> out;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end()) continue;
      out.push_back(entry.path().lexically_relative(root));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> house_breaches(const fs::path& root) {
  return Walk(root).breaches();
}

}  // namespace pitwall::test
