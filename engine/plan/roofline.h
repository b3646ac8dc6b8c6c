// SPDX-License-Identifier: GPL-3.0-or-later
// RooflineStepTime: how long a step takes on a GPU, from what it reads and multiplies.
#pragma once
#include <vector>

#include "engine/cache/kv_layout.h"
#include "engine/model/model_spec.h"
#include "engine/plan/gpu_profile.h"
#include "engine/step/step_time_model.h"

namespace pitwall {

/// Where a step's time goes, in seconds; the parts run one after the other.
struct StepTimeParts {
  double overhead = 0;
  double linear = 0;             ///< max(weights read, 2·parameters·rows multiplied)
  double output = 0;             ///< the same for the output layer and the rows with logits
  double decode_attention = 0;   ///< KV of the positions that decode rows attend to, read once
  double prefill_attention = 0;  ///< max(KV read, 4·heads·head_dim FLOPs a query-key pair)
  double swaps = 0;              ///< blocks over the link
  double total() const { return overhead + linear + output + decode_attention + prefill_attention + swaps; }
};

/// Roofline (Williams, Waterman, Patterson 2009) with the profile's efficiencies; weights and arithmetic of
/// 16 bits. A sliding window bounds what a row attends to.
class RooflineStepTime final : public StepTimeModel {
 public:
  /// `kv` has the spec's layers.
  RooflineStepTime(const ModelSpec& spec, const GpuProfile& gpu, const KvLayout& kv);

  Nanos predict(const StepShape& shape) const override;
  StepTimeParts parts(const StepShape& shape) const;

 private:
  /// Layers that cost the same for the same positions are counted together.
  struct AttentionGroup {
    double kv_bytes = 0;    // of one position, all layers of the group
    double pair_flops = 0;  // of one query-key pair, all layers of the group
    double window = 0;      // infinity = full attention
  };
  double matrix_product(double read, double multiplied, double rows) const;
  double linear_time(double rows) const;

  GpuProfile gpu_;
  double dense_parameters_ = 0, expert_parameters_ = 0, visited_parameters_ = 0, output_parameters_ = 0;
  double block_bytes_ = 0;
  std::vector<AttentionGroup> groups_;
};

}  // namespace pitwall
