// SPDX-License-Identifier: GPL-3.0-or-later
// Planner: one deployment on one GPU, from bytes of a rank to a verdict. Fixes are planners of changed
// deployments.
#pragma once
#include <optional>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/kv_demand.h"
#include "engine/plan/memory_plan.h"
#include "engine/plan/working_memory.h"

namespace pitwall {

class Planner {
 public:
  /// The model and the GPU outlive it.
  static Result<Planner> make(const Deployment& asked, const ModelOutline& model, const GpuProfile& gpu);

  DeploymentPlan plan() const;
  std::int64_t most(std::int64_t tokens) const;  ///< requests of so many tokens that fit at once

 private:
  struct Stage {
    std::size_t first = 0, last = 0;  ///< layers
    Bytes weights = 0;
    KvDemand demand;
  };
  struct Pool {
    Bytes limit = 0, bytes = 0, other = 0;  ///< other: all that is not KV
    CategoryBytes categories{};
    int max_model_len = 0;  ///< that the engine would serve
    std::string problem;    ///< why there is no pool
  };

  Planner(const Deployment& asked, const ModelOutline& model, const GpuProfile& gpu)
      : asked_(asked), model_(&model), gpu_(&gpu) {}
  Result<void> prepare();
  Result<void> take_weights();
  Result<void> check_ranks() const;
  void choose_law();
  double window_share() const;
  Result<void> choose_format();
  std::string unasked_format() const;  // of KV
  Result<void> check_words() const;
  EngineQuestion question(const EngineProfile& engine) const;
  void cut_stages();
  int sharing() const { return model_->experts > 0 ? expert_ranks(asked_) : asked_.tensor_parallel; }
  Bytes expert_share(const ModelOutline& model, std::size_t layer, std::int64_t ranks) const;
  Bytes stage_weights(std::size_t first, std::size_t last, bool first_stage, bool last_stage) const;
  std::int64_t shared() const { return asked_.prefix_caching ? asked_.shared_prefix : 0; }
  std::int64_t wanted_length() const;
  bool one_context() const { return law_ == KvLaw::llama_cpp && asked_.shared_context; }
  int graphs(int sequences) const;
  WorkingShape shape(int sequences) const;
  CategoryBytes working(const WorkingShape& shape) const;
  Bytes device_limit(Bytes other, Bytes weights) const;
  Pool pool(const Stage& stage, int sequences) const;
  void decide_own_pool(const Stage& stage, const WorkingShape& shape, Pool& pool) const;
  Bytes context_bytes(const KvDemand& demand, std::int64_t slots, std::int64_t tokens) const;
  std::int64_t served_length(const KvDemand& demand, std::int64_t slots, Bytes room) const;
  void decide_pool(const Stage& stage, const WorkingShape& shape, Pool& pool) const;
  void choose_budget();
  const EngineProfile& budget_engine() const;  ///< whose default the budget is
  bool on_host() const;
  bool own() const;  ///< as this engine allocates
  std::int64_t part_of_context(std::int64_t tokens) const;
  LengthMix lengths(std::int64_t max_model_len) const;
  void add_ranks(DeploymentPlan& plan, std::vector<Pool>& pools) const;
  void add_capacity(DeploymentPlan& plan) const;
  void add_sequence_figures(DeploymentPlan& plan) const;
  void add_notes(DeploymentPlan& plan) const;
  void note_engine(DeploymentPlan& plan) const;
  void note_budget(DeploymentPlan& plan) const;
  void note_lengths(DeploymentPlan& plan) const;
  void note_heads(DeploymentPlan& plan) const;
  void note_settings(DeploymentPlan& plan) const;
  std::string hindrance(const DeploymentPlan& plan, const std::vector<Pool>& pools) const;
  bool holds_demand(const DeploymentPlan& plan, const std::vector<Pool>& pools) const;

  Deployment asked_;
  const ModelOutline* model_;
  const GpuProfile* gpu_;
  std::optional<ModelOutline> reformatted_;
  EngineChoice choice_;
  MemoryBudget budget_;  ///< in force: what was asked, else the engine's own
  KvLaw law_ = KvLaw::needed;
  KvFormat format_;
  std::vector<Stage> stages_;
};

}  // namespace pitwall
