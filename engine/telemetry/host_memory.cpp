// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace pitwall {
namespace {

namespace fs = std::filesystem;

// Plain streams: files of /proc and /sys have no size, so they cannot be mapped or sized beforehand.
std::string read_text(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

std::optional<Bytes> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  Bytes number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

/// The number after `key` at the start of a line: "MemTotal:   16 kB", "anon 4096". 0 when absent.
Bytes field(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(key)) return leading_number(line.substr(key.size())).value_or(0);
    at += line.size() + 1;
  }
  return 0;
}

struct ControlGroup {
  Bytes limit = 0;  // 0 = none
  Bytes unreclaimable = 0;
};

/// Where the two versions of control groups keep the same facts.
struct Hierarchy {
  std::string_view marker;  // before the group's path in /proc/self/cgroup
  const char* top;
  const char* limit_file;  // "max" or a number above the machine's memory = none
  std::string_view anonymous, shared;
};
constexpr Hierarchy kHierarchies[] = {
    {"0::/", "sys/fs/cgroup", "memory.max", "anon ", "shmem "},
    {":memory:/", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss ", "total_shmem "},
};

/// The smallest memory limit on the way from this process's group up to the root.
ControlGroup tightest_group(const fs::path& root) {
  const std::string groups = read_text(root / "proc/self/cgroup");
  ControlGroup tightest;
  for (const Hierarchy& hierarchy : kHierarchies) {
    const std::size_t marker = groups.find(hierarchy.marker);
    if (marker == std::string::npos) continue;
    const std::size_t path = marker + hierarchy.marker.size();
    for (fs::path own = groups.substr(path, groups.find('\n', path) - path);; own = own.parent_path()) {
      const fs::path folder = root / hierarchy.top / own;
      const auto limit = leading_number(read_text(folder / hierarchy.limit_file));
      if (limit && (tightest.limit == 0 || *limit < tightest.limit)) {
        const std::string stat = read_text(folder / "memory.stat");
        tightest = {*limit, field(stat, hierarchy.anonymous) + field(stat, hierarchy.shared)};
      }
      if (own.empty()) break;
    }
  }
  return tightest;
}

}  // namespace

HostMemory read_host_memory(const fs::path& root) {
  const std::string machine = read_text(root / "proc/meminfo");
  const std::string process = read_text(root / "proc/self/status");
  // The kernel counts mapped model files as available, so only the rest of this process is taken from what is
  // in use.
  const Bytes own = (field(process, "RssAnon:") + field(process, "RssShmem:")) * kKiB;

  HostMemory memory;
  memory.total = field(machine, "MemTotal:") * kKiB;
  memory.resident = field(process, "VmRSS:") * kKiB;
  memory.others = memory.total - field(machine, "MemAvailable:") * kKiB - own;
  if (const ControlGroup group = tightest_group(root); group.limit > 0 && group.limit < memory.total) {
    memory.total = group.limit;
    memory.others = group.unreclaimable - own;
  }
  memory.others = std::max<Bytes>(memory.others, 0);
  return memory;
}

}  // namespace pitwall
