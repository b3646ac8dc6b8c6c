// SPDX-License-Identifier: GPL-3.0-or-later
// KvDemand: what sequences take of one rank's KV memory under an engine's law: fixed + slope·length by group
// of equal layers, in the units that the engine hands out.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/kv_format.h"

namespace pitwall {

struct KvDemandOptions {
  KvLaw law = KvLaw::needed;
  KvFormat format;
  int tensor_parallel = 1;
  int block_size = 32;
  int step_tokens = 2048;  ///< vLLM's windows hold a chunk more
  bool draft_layers = false;
  double window_share = 1;  ///< window_pool: its tokens of those of the other layers
};

/// What one layer keeps on a rank.
struct LayerKv {
  Bytes token = 0;   ///< of each token that it holds
  Bytes scales = 0;  ///< of token
  Bytes state = 0;   ///< whatever the length
};
/// KV heads are replicated once there are more ranks than heads; a latent row is whole on each rank; states
/// are divided.
LayerKv layer_kv(const LayerState& layer, const KvFormat& format, int tensor_parallel);

/// Tokens of `length` that a layer holds under a law, rounded to blocks.
std::int64_t held_tokens(const LayerState& layer, const KvDemandOptions& options, std::int64_t length);

class KvDemand {
 public:
  /// Of layers [first, last) of the model: a pipeline stage.
  KvDemand(const ModelOutline& model, const KvDemandOptions& options, std::size_t first, std::size_t last);

  Bytes sequence(std::int64_t tokens) const;     ///< KV and states of one, rounded to blocks
  Bytes tokens_part(std::int64_t tokens) const;  ///< the same without states
  Bytes state() const { return state_; }
  Bytes per_token() const { return per_token_; }  ///< at length 1
  /// Bytes that are handed out together: a block of all layers, or of vLLM's groups; 0 = layers differ.
  Bytes unit() const { return unit_; }
  std::int64_t units(std::int64_t tokens) const;  ///< of one sequence; unit() > 0
  bool uniform() const { return uniform_; }       ///< every layer grows with each token
  const std::vector<KvGroup>& groups() const { return groups_; }

  /// Sequences of `tokens` that fit into `pool` bytes, their first `shared` tokens held once.
  std::int64_t most(Bytes pool, std::int64_t tokens, std::int64_t shared) const;
  Bytes of_requests(std::int64_t requests, std::int64_t tokens, std::int64_t shared) const;
  std::int64_t longest(Bytes pool) const;  ///< tokens of one sequence
  /// What llama.cpp takes for `slots` that share a context of `tokens`: windows and states are each one's
  /// own.
  Bytes shared_context(std::int64_t slots, std::int64_t tokens) const;

 private:
  struct Group {
    LayerState layer;
    LayerKv kv;
    int layers = 0;
  };
  void add_groups(const ModelOutline& model, std::size_t first, std::size_t last);
  void equalise();
  void describe();
  Bytes paired_unit() const;
  std::int64_t paired_units(std::int64_t tokens) const;
  std::int64_t group_size() const;
  Bytes shared_bytes(std::int64_t tokens, std::int64_t shared) const;

  KvDemandOptions options_;
  std::vector<Group> layers_;
  std::vector<KvGroup> groups_;
  Bytes state_ = 0, per_token_ = 0, unit_ = 0;
  std::int64_t unit_layers_ = 0;  ///< of vLLM's groups
  bool uniform_ = true;
};

}  // namespace pitwall
