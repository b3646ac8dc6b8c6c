// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace pitwall::test {

std::string on_a_small_disk(const std::filesystem::path& folder, const std::function<std::string()>& look) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said;
    const bool alone = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (alone && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") == 0)
      said = look();
    (void)!::write(ends[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string heard;
  char part[512];
  for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
    heard.append(part, static_cast<std::size_t>(n));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return heard;
}

void fill_disk(const std::filesystem::path& filler) {
  std::ofstream file(filler);
  while (file << std::string(4096, 'x') << std::flush) {
  }
}

}  // namespace pitwall::test
