// SPDX-License-Identifier: GPL-3.0-or-later
// What a share of GPU memory means: each engine takes it of something else. All bytes are of one GPU.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/plan/deployment.h"

namespace pitwall {

struct DeploymentPlan;
struct EnginePlace;
struct EngineProfile;
struct EngineSettings;
struct GpuProfile;
struct ModelOutline;

/// What the meanings lean on; from a plan, or stated.
struct MemoryTerms {
  Bytes total = 0;         ///< of the GPU
  Bytes weights = 0;       ///< once loaded
  Bytes working = 0;       ///< all else but KV: activations, graphs, communicator, context
  Bytes kv_per_token = 0;  ///< of one rank; 0 = not known
  Bytes kv_block = 0;      ///< of one rank: a pool holds whole ones; 0 = not known, or no one size
  Bytes kv = 0;            ///< the pool of one rank; 0 = not known
  std::string gpu = {};    ///< name of its profile; empty = not known
  std::optional<double> full_length = {};  ///< sequences of max-model-len that the pool holds
  std::int64_t max_model_len = 0;          ///< tokens of the longest sequence; 0 = not known
  bool has_experts = false;                ///< false also where the model is not known
  Bytes loaded() const { return weights + working; }
};

/// Of the plan's worst rank.
MemoryTerms memory_terms_of(const DeploymentPlan& plan);

/// What the planner makes of the settings on their engine, on at least `gpus` GPUs. `model` has its weights'
/// format already.
Result<DeploymentPlan> plan_settings(const EngineSettings& settings, const EngineProfile& engine,
                                     const ModelOutline& model, const GpuProfile& gpu, int gpus);

/// The same deployment on another engine, as far as that can be told it: what its flags are worked out from.
/// None where that engine cannot be planned.
std::optional<MemoryTerms> memory_terms_on(const EngineProfile& engine, const DeploymentPlan& plan);

/// A budget as one of memory_settings() and its value; none where it is automatic.
std::optional<std::pair<std::string, std::string>> memory_setting_of(const MemoryBudget& budget);

/// The budget that one of those settings gives alone; none for tokens and blocks of KV.
std::optional<MemoryBudget> budget_of(std::string_view setting, std::string_view value);

EnginePlace place_of(const Deployment& deployment, const GpuProfile& gpu);

/// What `engine` takes unasked, by its profile; automatic where that knows no rule.
MemoryBudget default_budget(const EngineProfile& engine, const Deployment& deployment,
                            const EnginePlace& place);

/// The settings that say how large KV is, the most exact first.
const std::vector<std::string_view>& memory_settings();

/// Bytes of KV that one of those settings gives; none when it takes what `terms` do not know. Negative: it
/// does not even start. `block_size` in tokens.
std::optional<Bytes> kv_bytes_of(std::string_view setting, std::string_view value, const MemoryTerms& terms,
                                 int block_size);

/// Of all that the settings say: a cap and a share together give the smaller. None when nothing is said.
std::optional<Bytes> kv_bytes_of(const EngineSettings& settings, const MemoryTerms& terms, int block_size);

/// The value that gives `kv` bytes: of a share the shortest that keeps its whole blocks (terms.kv_block),
/// else rounded down to four digits; of a margin whole MiB, rounded down; tokens and blocks are rounded down
/// to whole ones. None when no legal value does.
std::optional<std::string> memory_value_for(std::string_view setting, Bytes kv, const MemoryTerms& terms,
                                            int block_size);

/// "a share of the GPU's total, for everything: 0.9 × 80.00 GiB = 72.00 GiB; less 30.00 GiB leaves 42.00 GiB
/// for KV": the value in bytes, as far as `terms` go; without them, what it is a share of.
std::string memory_meaning(std::string_view setting, std::string_view value,
                           const std::optional<MemoryTerms>& terms, int block_size);

}  // namespace pitwall
