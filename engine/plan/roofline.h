// SPDX-License-Identifier: GPL-3.0-or-later
// RooflineStepTime: how long a step takes on a GPU, from what it reads and multiplies.
#pragma once
#include <string>
#include <vector>

#include "engine/plan/gpu_profile.h"
#include "engine/plan/kv_format.h"
#include "engine/plan/model_outline.h"
#include "engine/step/step_time_model.h"

namespace pitwall {

/// How a model lies on GPUs, as far as a step's time depends on it.
struct StepLayout {
  int tensor_parallel = 1;    ///< ranks that share each layer
  int expert_parallel = 1;    ///< ranks that share the experts, where those are more: of several replicas
  int pipeline_parallel = 1;  ///< stages that share the layers; a step passes through all of them
  KvFormat kv;                ///< 16 bits unless said otherwise
  int block_size = 32;        ///< tokens, of blocks that are swapped
  bool draft_layers = false;  ///< layers of a multi-token prediction head run too
  std::string engine{kOwnEngine};  ///< whose kernels
};

/// What a block of `block_size` tokens takes on one rank, all its layers at full length; states of fixed size
/// and cross attention left out.
double kv_block_bytes(const ModelOutline& model, const StepLayout& layout);

/// A StepShape, or the mean of several: parts of rows and of prompts are possible.
struct MeanStep {
  double sequences = 0, prefill_tokens = 0, decode_tokens = 0, padding_tokens = 0;
  double decode_context = 0, prefill_context = 0, prefill_pairs = 0;
  double logit_rows = 0, logit_steps = 0;  ///< logit_steps: share of the steps that have such rows
  double swapped_blocks = 0;
  MeanStep() = default;
  MeanStep(const StepShape& shape);
  double rows() const { return prefill_tokens + decode_tokens + padding_tokens; }
};

/// What one rank reads, multiplies and sends in a step, all stages together.
struct StepWork {
  double weight_bytes = 0, weight_flops = 0;  ///< layers; of experts, those expected to be visited
  double unpacked_bytes =
      0;  ///< what writing weights as 16 bits ahead of the products and reading them takes
  double output_bytes = 0, output_flops = 0;    ///< output layer, for rows with logits
  double decode_bytes = 0, decode_flops = 0;    ///< attention of decode rows
  double prefill_bytes = 0, prefill_flops = 0;  ///< attention of prompt rows
  double state_bytes = 0;                       ///< recurrent states, read and written
  double sum_bytes = 0;                         ///< of one all-reduce: rows · hidden, 16 bits
  double swap_bytes = 0;
  double bytes() const { return weight_bytes + output_bytes + decode_bytes + prefill_bytes + state_bytes; }
  double flops() const { return weight_flops + output_flops + decode_flops + prefill_flops; }
};

/// Where a step's time goes, in seconds; the parts run one after the other.
struct StepTimeParts {
  double overhead = 0;
  double linear = 0;  ///< max(weights read, multiplied), or the same with weights unpacked before, if shorter
  double output = 0;  ///< the same for the output layer and the rows with logits
  double decode_attention = 0;   ///< max(KV of the attended positions read once, query-key products)
  double prefill_attention = 0;  ///< the same
  double state = 0;
  double communication = 0;  ///< two all-reduces a layer, and from stage to stage
  double swaps = 0;          ///< blocks over the link
  double multiplying = 0;    ///< of the five above communication: what multiplying, not reading, takes
  double total() const {
    return overhead + linear + output + decode_attention + prefill_attention + state + communication + swaps;
  }
};

/// Roofline (Williams, Waterman, Patterson 2009) with the profile's efficiencies. Weights are read at their
/// packed size and multiplied at the rate of 16 bits, of FP8 where both weights and GPU are. A window bounds
/// what a row attends to. Latent attention (MLA) reads a token's latent once for all heads; decode rows
/// multiply with the latent itself, prompt rows with keys and values made of it. More of anything in a step
/// never makes it shorter.
class RooflineStepTime final : public StepTimeModel {
 public:
  RooflineStepTime(const ModelOutline& model, const GpuProfile& gpu, const StepLayout& layout);

  Nanos predict(const StepShape& shape) const override;
  StepTimeParts parts(const MeanStep& step) const;
  StepWork work(const MeanStep& step) const;
  double peak_rate() const { return peak_rate_; }  ///< FLOP/s of the vendor for these weights

 private:
  /// Layers that bound attention alike are counted together; of one rank.
  struct AttentionGroup {
    double window = 0;                           ///< infinity = none
    double bytes = 0;                            ///< of one attended position
    double decode_flops = 0, prefill_flops = 0;  ///< of one query-key pair
    double cross_bytes = 0;                      ///< of one row: positions that no step computes
    double cross_flops = 0;
  };
  void add_attention(const LayerState& layer, const ModelOutline& model, const StepLayout& layout);
  void add_weights(const ModelOutline& model, const StepLayout& layout);
  AttentionGroup& group_of(double window);

  GpuProfile gpu_;
  EngineRates rates_;
  int ranks_, sharing_, stages_, layers_ = 0;  ///< sharing: ranks that share the experts
  double dense_bytes_ = 0, dense_parameters_ = 0;
  double expert_bytes_ = 0, expert_parameters_ = 0, visited_ = 0;  ///< visited: share that one row visits
  double peers_ = 1;  ///< replicas whose rows visit the experts of a rank
  double output_bytes_ = 0, output_parameters_ = 0;
  double unpacked_bytes_ = 0;  ///< written and read again where packed weights are unpacked
  double weight_read_ = 0, weight_rate_ = 0, output_read_ = 0, peak_rate_ = 0;  ///< bytes/s, FLOP/s
  double unpacked_rate_ = 0;  ///< FLOP/s where weights were unpacked
  double kv_read_ = 0, block_bytes_ = 0, state_bytes_ = 0, row_bytes_ = 0;
  std::vector<AttentionGroup> groups_;
};

}  // namespace pitwall
