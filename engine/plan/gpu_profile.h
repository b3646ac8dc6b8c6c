// SPDX-License-Identifier: GPL-3.0-or-later
// GpuProfile: what a GPU can do, as profiles/gpus says. Each figure has its source in the file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct GpuProfile {
  std::string name;  ///< "H200"
  std::string title;
  Bytes memory = 0;             ///< as the driver reports it
  double reserve_share = 0;     ///< of memory: what is neither weights nor KV
  double memory_bandwidth = 0;  ///< bytes/s, the vendor's figure
  double matrix_rate = 0;       ///< FLOP/s of dense 16-bit matrices, the vendor's figure
  double link_bandwidth = 0;    ///< bytes/s between GPU and host, each way, the vendor's figure
  // What real work reaches, as shares of those, (0, 1].
  double weight_read_efficiency = 0, kv_read_efficiency = 0;
  double matrix_efficiency = 0, attention_efficiency = 0;
  double link_efficiency = 0;
  Nanos step_overhead = 0;  ///< of each step, whatever is in it

  Bytes reserve() const { return static_cast<Bytes>(static_cast<double>(memory) * reserve_share); }
};

/// The error names the key that is missing, out of range, or without a source.
Result<GpuProfile> parse_gpu_profile(std::string_view json);

const std::vector<GpuProfile>& gpu_profiles();  ///< the embedded ones

/// The error lists the profiles that exist.
Result<GpuProfile> find_gpu(std::string_view name);

}  // namespace pitwall
