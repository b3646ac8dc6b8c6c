// SPDX-License-Identifier: GPL-3.0-or-later
// What a share of GPU memory means: each engine takes it of something else. All bytes are of one GPU.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct DeploymentPlan;
struct EngineProfile;
struct EngineSettings;

/// What the meanings lean on; from a plan, or stated.
struct MemoryTerms {
  Bytes total = 0;         ///< of the GPU
  Bytes weights = 0;       ///< once loaded
  Bytes working = 0;       ///< all else but KV: activations, graphs, communicator, context
  Bytes kv_per_token = 0;  ///< of one rank; 0 = not known
  Bytes loaded() const { return weights + working; }
};

/// Of the plan's worst rank.
MemoryTerms memory_terms_of(const DeploymentPlan& plan);

/// The settings that say how large KV is, the most exact first.
const std::vector<std::string_view>& memory_settings();

/// Bytes of KV that one of those settings gives; none when it takes what `terms` do not know. Negative: it
/// does not even start. `block_size` in tokens.
std::optional<Bytes> kv_bytes_of(std::string_view setting, std::string_view value, const MemoryTerms& terms,
                                 int block_size);

/// Of all that the settings say: a cap and a share together give the smaller. None when nothing is said.
std::optional<Bytes> kv_bytes_of(const EngineSettings& settings, const MemoryTerms& terms, int block_size);

/// The value that gives at most `kv` bytes: shares are rounded down to four digits, tokens and blocks to
/// whole ones. None when no legal value does.
std::optional<std::string> memory_value_for(std::string_view setting, Bytes kv, const MemoryTerms& terms,
                                            int block_size);

/// "of the GPU's total, for everything: 0.9 × 80.00 GiB = 72.00 GiB; less 30.00 GiB loaded leaves 42.00 GiB
/// for KV": the value in bytes, as far as `terms` go; without them, what it is a share of.
std::string memory_meaning(std::string_view setting, std::string_view value,
                           const std::optional<MemoryTerms>& terms, int block_size);

}  // namespace pitwall
