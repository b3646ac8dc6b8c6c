// SPDX-License-Identifier: GPL-3.0-or-later
// Rotary embedding of a hub checkpoint: `rope_parameters`, flat or by layer type, or the older `rope_theta` +
// `rope_scaling`.
#pragma once
#include "engine/model/hf_keys.h"
#include "engine/model/rope_spec.h"

namespace pitwall {

struct HfRopeDefaults {
  const char* layer_type = "";           ///< which part of a `rope_parameters` by layer type counts
  const char* theta_key = "rope_theta";  ///< of the older style
  double theta = 10000;
  bool scaled = true;             ///< the older `rope_scaling` counts
  bool partial = true;            ///< `partial_rotary_factor` counts for rope without scaling too
  int original_context = 0;       ///< where the configuration does not say; 0 = the model's context
  bool yarn_is_longrope = false;  ///< early Phi-3 files say "su" or "yarn" for longrope
};

/// Follows transformers 5 (modeling_rope_utils) in what is assumed where a key is missing. Errors stay in the
/// keys.
RopeSpec read_hf_rope(const HfKeys& keys, int head_dim, int context, const HfRopeDefaults& defaults);

}  // namespace pitwall
