// SPDX-License-Identifier: GPL-3.0-or-later
// A profile of this computer's processor, from its measured floors: what `--gpu this-machine` means.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "engine/plan/gpu_profile.h"

namespace pitwall {

inline constexpr std::string_view kThisMachine = "this-machine";

struct MachineFloors {
  std::string device;  ///< processor, threads, vector instructions
  Bytes memory = 0;
  double read_gbps = 0, copy_gbps = 0;         ///< 1e9 bytes/s
  double float32_tflops = 0, int8_tflops = 0;  ///< 1e12 operations/s
  std::string measured = {};                   ///< when, "2026-11-30T12:00:00Z"
  double busy = 0;                             ///< share of the cores that others kept busy meanwhile, [0, 1]
};

/// Others' work makes floors worse than the machine is: of two measurements the better of each figure holds,
/// with the time and the load of the latest.
MachineFloors better_of(const MachineFloors& before, const MachineFloors& now);

/// Measured while others were busy, the profile's error share is larger. Efficiencies are those that our CPU
/// back end reached on the machine of kernels/cpu/README.md.
GpuProfile profile_of(const MachineFloors& floors);

/// What is kept of a measurement, and the way back: none where the text is no such record, one without a
/// date, or one of another device or amount of memory.
std::string floors_record(const MachineFloors& floors);
std::optional<MachineFloors> floors_from(std::string_view record, std::string_view device, Bytes memory);

}  // namespace pitwall
