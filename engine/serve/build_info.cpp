// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/build_info.h"

namespace pitwall {

const BuildInfo& build_info() {
  static const BuildInfo info{PITWALL_VERSION,
#include "git_commit.inc"
                              , PITWALL_BUILD_FLAGS};
  return info;
}

}  // namespace pitwall
