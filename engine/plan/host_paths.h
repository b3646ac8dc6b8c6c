// SPDX-License-Identifier: GPL-3.0-or-later
// Files and folders of the host that a container reads, and where it finds them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pitwall {

struct HostPath {
  std::string told;    ///< as the flags name it on the host: absolute, relative, of Windows, with variables
  std::string inside;  ///< in the container; the same where every format takes that
};

class HostPaths {
 public:
  /// The word as the container has to be told it: paths that it is, names behind "=", or holds as JSON are
  /// mounted. Names of repositories stay. Paths within others that came before are left to them.
  std::string mount(const std::string& word);

  const std::vector<HostPath>& list() const { return list_; }

 private:
  std::string mount_path(std::string_view path);

  std::vector<HostPath> list_;
};

/// Kubernetes mounts such paths of the host, as they are.
bool is_absolute_path(std::string_view path);

}  // namespace pitwall
