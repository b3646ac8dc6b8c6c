// SPDX-License-Identifier: GPL-3.0-or-later
// The base of back ends without a model: memory is booked for KV alone, and no operation does anything.
#pragma once
#include "engine/execute/backend.h"

namespace pitwall::test {

class ModellessBackend : public Backend {
 public:
  DeviceInfo device() const override { return {.name = "none", .kind = "cpu", .memory = 0, .threads = 1}; }
  Ledger& ledger() override { return ledger_; }

  Result<Weight> upload(const TensorView&) override { return Weight{0}; }
  Result<Weight> upload_vector(const TensorView&, float) override { return Weight{0}; }
  Result<Experts> group_experts(const TensorView&, std::span<const ExpertWeights>, const MoeSpec&,
                                Activation) override {
    return Experts{0};
  }
  Result<RopeTable> upload_rope(const RopeSpec&, int) override { return RopeTable{0}; }
  Result<Tensor> allocate(Category, RowSet, int, Precision) override { return Tensor{0}; }
  Result<void> prepare_steps(const StepLimits&) override { return {}; }
  Result<void> allocate_kv(const KvLayout& layout, int blocks) override {
    return ledger_.take(Category::kv, layout.bytes_per_block() * blocks, "KV that nobody writes");
  }
  Result<void> allocate_swap(int) override { return {}; }

  void move_blocks(const StepPlan&) override {}
  void record(int, std::function<void()>) override {}
  bool recorded(int) const override { return true; }
  void replay(int) override {}

  std::vector<KvSaturation> kv_saturation() const override { return {}; }
  void embed(Weight, float, Tensor) override {}
  void linear(Tensor, const NormPrologue&, std::span<const LinearOutput>) override {}
  void gated_linear(Tensor, const NormPrologue&, const GatedWeights&, Tensor) override {}
  void moe(Tensor, const NormPrologue&, Experts, float, Tensor, Tensor) override {}
  void norm_add(Tensor, const NormPrologue&, float, Tensor) override {}
  void rope_append(const RopeAppendOp&, const AttentionSpec&, Tensor, Tensor, Tensor) override {}
  void attention(const AttentionOp&, Tensor, Tensor) override {}
  void gather_logit_rows(Tensor, Tensor) override {}
  void sample(Tensor) override {}

 private:
  Ledger ledger_;
};

}  // namespace pitwall::test
