// SPDX-License-Identifier: GPL-3.0-or-later
// DeploymentPlan: where every byte of each rank goes, how many requests fit, what would make more fit, and
// how fast it should be. Everything in it is predicted, nothing measured.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "engine/plan/deployment.h"
#include "engine/plan/engine_refusals.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/prediction.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

struct RankPlan {
  int rank = 0, stage = 0;
  std::array<Bytes, kCategoryCount> bytes{};  ///< by Category; kv = the whole pool
  Bytes kv_needed = 0;                        ///< by the stated demand at p95; above kv = does not fit
  Bytes other_processes = 0;
  Bytes device_total = 0, limit = 0;
  Bytes kv_bytes_per_token = 0;  ///< what one more token adds at length 1
  Bytes of(Category category) const { return bytes[static_cast<std::size_t>(category)]; }
  Bytes total() const;                                             ///< Σ bytes
  Bytes over() const { return total() - limit; }                   ///< > 0: does not even start
  Bytes kv_short() const { return kv_needed - of(Category::kv); }  ///< > 0: the demand does not fit
};

/// KV of one sequence = fixed + slope·tokens, by group of equal layers; windows end the slope at `until`.
struct KvGroup {
  std::string title;  ///< "10 full layers", "52 layers, window 1,024"
  int layers = 0;
  Bytes fixed = 0, slope = 0;  ///< of a rank
  std::int64_t until = 0;      ///< tokens from which the group no longer grows; 0 = never
  Bytes scales = 0;            ///< of slope: scales
  Bytes padding = 0;           ///< of slope or fixed: what equalises groups, and holds nothing
};

struct Fix {
  std::string setting, from, to;  ///< "max-num-seqs", "48", "43"; "requests" where those are asked for apart
  Bytes frees = 0;                ///< bytes freed on the worst rank, or of KV no longer needed
  bool fits = false;              ///< this change alone is enough
  std::string cost;               ///< what it costs, for people
  /// Goes with the change where max-model-len is found by the engine: the length that the plan settled on. A
  /// longer one would take what the change frees.
  std::optional<std::int64_t> max_model_len;
};

enum class Verdict { fits, fits_with_less, fails };
std::string_view verdict_name(Verdict verdict);  ///< "fits", "fits_with_less", "fails"

struct DeploymentPlan {
  Deployment asked;
  ModelOutline model;
  GpuProfile gpu;
  int replicas = 1;
  std::int64_t max_model_len = 0;
  std::string engine;  ///< whose plan it is: of find_engine_choice; "auto" became "pitwall" or "needed"
  KvLaw law = KvLaw::needed;     ///< in force
  MemoryBudget budget;           ///< in force: what was asked, else the engine's own
  std::vector<RankPlan> ranks;   ///< of one replica
  int worst = 0;                 ///< rank with the fewest blocks: it rules
  std::vector<KvGroup> groups;   ///< of the worst rank
  LengthMix lengths;             ///< as planned for: every length filled in
  std::string kv_format;         ///< in force
  Bytes kv_bytes_per_token = 0;  ///< all layers at TP 1, length 1
  /// All layers at TP 1, of p95 tokens, rounded to blocks, as the model needs it; states of fixed size apart.
  Bytes kv_bytes_per_sequence = 0, state_bytes_per_sequence = 0;
  Bytes law_bytes_per_sequence = 0;  ///< KV and states together as the engine's law allocates them
  Bytes kv_block_bytes = 0;          ///< of the worst rank, all layers; 0 where blocks differ between layers
  std::int64_t kv_blocks = 0;        ///< of kv_block_bytes
  std::int64_t kv_tokens = 0;        ///< 0 for hybrids, where no one number exists: see most_*
  std::int64_t longest = 0;          ///< tokens of one sequence that fits alone
  /// Requests of that length which fit at once, whatever max-num-seqs is; full-length ones last.
  std::int64_t most_at_p50 = 0, most_at_p95 = 0, most_at_max = 0;
  double full_length_requests = 0;  ///< pool over one full-length request: vLLM's "maximum concurrency"
  Bytes waste_per_sequence = 0;     ///< expected unused end of the last block
  Verdict verdict = Verdict::fails;
  std::optional<EngineRefusal> refusal;  ///< its engine would not start, however much memory there is
  std::string hindrance;                 ///< why it fails; empty otherwise. Stands first among the notes too
  std::vector<Fix> fixes;                ///< smallest single changes; enough ones first
  std::vector<Fix> fix_pair;             ///< of find_fix_pair
  Prediction predicted;
  std::vector<std::string> notes;  ///< fall-backs, laws that differ, what is estimated

  const RankPlan& worst_rank() const { return ranks[static_cast<std::size_t>(worst)]; }
};

/// Requests at once that the plan is for.
int demanded_requests(const DeploymentPlan& plan);

/// < 50 ms. An Error names the setting that makes no sense (Error::param), the values and what would be
/// legal; a plan that does not fit is no error.
Result<DeploymentPlan> plan_deployment(const Deployment& deployment, const ModelOutline& model,
                                       const GpuProfile& gpu);

/// The same without fixes and prediction: what sliders ask for while they move.
Result<DeploymentPlan> plan_memory(const Deployment& deployment, const ModelOutline& model,
                                   const GpuProfile& gpu);

/// Of the typical request, which is no longer than what the plan serves where nobody stated its length. None
/// of a plan that fails: what does not start takes no time.
Prediction predict_times(const DeploymentPlan& plan);

/// Of the requests asked for, those that run at once: what memory holds at p95, and no more than max-num-seqs
/// of each replica. Fewer than asked is what "fits with less" means.
std::int64_t requests_at_once(const DeploymentPlan& plan);
/// Memory holds all that are asked for, and max-num-seqs alone keeps some waiting.
bool waits_for_slots(const DeploymentPlan& plan);

/// Single changes that would make an unfitting plan fit, or come nearer; none where it fits. Where requests
/// wait for slots alone there is that one change.
std::vector<Fix> find_fixes(const DeploymentPlan& plan);
/// Two changes, the second planned on top of the first, that are enough where no single one of `fixes` is:
/// the fewest GPUs, then the fewest bytes. Empty where one is enough, and where no two are.
std::vector<Fix> find_fix_pair(const DeploymentPlan& plan, const std::vector<Fix>& fixes);
/// The deployment with that one change; an error names a setting that is no change of a plan.
Result<Deployment> with_fix(Deployment deployment, const Fix& fix);

/// Requests of `tokens` each that fit at once, whatever max-num-seqs is, with max-model-len raised to them
/// where it is less: the frontier of the page.
std::int64_t requests_that_fit(const DeploymentPlan& plan, std::int64_t tokens);

/// TP sizes that engines can do: they divide the heads, share out KV heads evenly and cut the MLP and, unless
/// these are dealt out whole, the experts in equal parts of whole quantisation groups. Others are refused
/// with this list.
std::vector<int> legal_tensor_parallel(const ModelOutline& model, bool whole_experts);

/// "2 × 80 layers × 8 KV heads × 128 × 2 B = 327,680 B": a line for each group, at TP 1.
std::vector<std::string> kv_formula(const DeploymentPlan& plan);

}  // namespace pitwall
