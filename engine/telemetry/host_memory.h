// SPDX-License-Identifier: GPL-3.0-or-later
// What Linux says about memory: of the machine, or of the control group that holds this process when that is
// smaller.
#pragma once
#include <filesystem>

#include "engine/base/units.h"

namespace pitwall {

struct HostMemory {
  Bytes total = 0;     ///< of the machine, or the smallest limit of the control groups above this process
  Bytes resident = 0;  ///< of this process, mapped files included
  Bytes others = 0;    ///< held by other processes and not reclaimable; never negative
};

/// `root` holds proc/ and sys/; tests give their own. What cannot be read is 0.
HostMemory read_host_memory(const std::filesystem::path& root = "/");

}  // namespace pitwall
