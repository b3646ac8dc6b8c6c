// SPDX-License-Identifier: GPL-3.0-or-later
// GPU profiles by name, this computer among them: measured once, and kept in the cache folder.
#pragma once
#include "engine/plan/gpu_profile.h"
#include "kernels/backends.h"

namespace pitwall {

/// "this-machine", of which there is one, or a profile. Measuring takes about two seconds; the record of
/// another processor, or of another number of threads, is not taken. Error::param is "gpu".
Result<GpuProfile> find_gpu_or_this_machine(const GpuCount& gpus);

/// "H200x8", of GPUs that have a profile, or "this-machine", of which nothing is measured.
Result<GpuCount> parse_known_gpus(std::string_view text);

/// Measures now. What is measured of the device that "this-machine" means renews its record, in which the
/// better of each figure stays.
Result<Floors> renew_floors(const BackendOptions& options);

}  // namespace pitwall
