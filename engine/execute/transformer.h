// SPDX-License-Identifier: GPL-3.0-or-later
// The forward, written once over Backend's operations and ModelSpec.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "engine/execute/backend.h"

namespace pitwall {

struct LoadProgress {
  std::string phase;  ///< "Reading weights", "Allocating KV" …
  Bytes done = 0, total = 0;
};

class Transformer {
 public:
  /// Uploads all weights and allocates activations. `on_progress` false = cancel.
  static Result<std::unique_ptr<Transformer>> load(
      const Model& model, Backend& backend, const StepLimits& limits, int max_positions,
      RopeSpec::Frequencies frequencies, const std::function<bool(const LoadProgress&)>& on_progress);

  void forward();  ///< one step over what is staged: embedding to sampled tokens

 private:
  struct Mlp {
    GatedWeights gated;
    Weight down, down_bias;
  };
  struct Layer {
    Weight attention_norm, q, k, v, o, q_bias, k_bias, v_bias, o_bias, q_norm, k_norm;
    Weight post_attention_norm, mlp_norm, post_mlp_norm;
    Mlp mlp;  ///< or the shared expert
    Weight shared_gate;
    Experts experts;
    RopeTable rope;
  };
  explicit Transformer(Backend& backend) : backend_(backend) {}
  Result<void> upload_weights(const Model& model,
                              const std::function<bool(const LoadProgress&)>& on_progress);
  Result<void> upload_ropes(int max_positions);
  Result<void> allocate_activations();
  NormPrologue norm(Weight weight) const { return {weight, spec_.norm.epsilon, spec_.norm.kind}; }
  void attend(int index);
  /// `next`: under which products read hidden after this part, where nothing else writes it before.
  void project_attention(int index, NormPrologue next);
  void gate_mlp(int index, NormPrologue input);
  void project_mlp(int index, NormPrologue input, NormPrologue next);

  Backend& backend_;
  ModelSpec spec_;
  Weight embedding_, output_norm_, output_;
  std::vector<Layer> layers_;
  Tensor hidden_, q_, k_, v_, attended_, gated_, last_, logits_;
  Tensor branch_;       ///< a layer's result before its post norm
  Tensor shared_gate_;  ///< one column
};

}  // namespace pitwall
