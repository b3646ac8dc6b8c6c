// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/process_mark.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace pitwall {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Field 22 of /proc/PID/stat, in ticks since boot; empty when there is no such process, or it is dead and
/// its parent has not asked for it yet. The name before it stands in brackets and may hold anything, so
/// counting starts after the last one.
std::string start_ticks(const std::string& pid) {
  constexpr int kFieldsBetween = 18;
  const std::string stat = first_line("/proc/" + pid + "/stat");
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream fields(stat.substr(bracket + 1));
  std::string state, field;
  fields >> state;
  if (state == "Z" || state == "X" || state == "x") return {};
  for (int i = 0; i <= kFieldsBetween; ++i) fields >> field;
  return field;
}

std::string mark_of(const std::string& pid) {
  return first_line("/proc/sys/kernel/random/boot_id") + ":" + pid + ":" + start_ticks(pid);
}

}  // namespace

std::string own_process_mark() {
  return mark_of(std::to_string(getpid()));
}

bool process_lives(const std::string& mark) {
  const std::size_t begin = mark.find(':');
  const std::size_t end = mark.rfind(':');
  if (begin == std::string::npos || end <= begin) return false;
  const std::string pid = mark.substr(begin + 1, end - begin - 1);
  return !start_ticks(pid).empty() && mark_of(pid) == mark;
}

}  // namespace pitwall
