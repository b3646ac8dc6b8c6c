// SPDX-License-Identifier: GPL-3.0-or-later
// Which build this is: for /version, run records and the about box.
#pragma once
#include <string>

namespace pitwall {

struct BuildInfo {
  std::string version;     ///< "0.1.0"
  std::string git_commit;  ///< twelve digits, "-dirty" where the tree differed; empty outside a git checkout
  std::string flags;       ///< build type, compiler, processor, checkers and sanitizers
};
const BuildInfo& build_info();

}  // namespace pitwall
