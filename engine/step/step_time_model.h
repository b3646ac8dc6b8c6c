// SPDX-License-Identifier: GPL-3.0-or-later
// StepTimeModel: how long a step takes, from what is in it. Measured while serving (schedule/) or computed
// from a GPU's profile (plan/).
#pragma once
#include <cstdint>

#include "engine/base/clock.h"

namespace pitwall {

/// What a step computes, as far as its duration depends on it.
struct StepShape {
  std::int32_t sequences = 0;       ///< slices, padding left out
  std::int32_t prefill_tokens = 0;  ///< rows of prompts and recomputes
  std::int32_t decode_tokens = 0;   ///< rows of one-token slices
  std::int32_t padding_tokens = 0;  ///< rows computed and thrown away; cost as much as others
  std::int64_t decode_context = 0;  ///< Σ over decode rows of the positions they attend to: KV read
  std::int64_t prefill_context =
      0;  ///< Σ over prefill slices of the positions before them and their own: KV read
  std::int64_t prefill_pairs =
      0;                        ///< Σ over prefill rows of the positions they attend to: query-key products
  std::int32_t logit_rows = 0;  ///< rows that go through the output layer
  std::int64_t swapped_blocks = 0;  ///< out and in together

  std::int32_t rows() const { return prefill_tokens + decode_tokens + padding_tokens; }
};

/// Thread-safe for concurrent calls of predict.
class StepTimeModel {
 public:
  virtual ~StepTimeModel() = default;
  /// Duration of such a step; 0 while nothing is known.
  virtual Nanos predict(const StepShape& shape) const = 0;
};

}  // namespace pitwall
