// SPDX-License-Identifier: GPL-3.0-or-later
// How many numbers a model holds, from its description alone.
#pragma once
#include <cstdint>

#include "engine/model/model_spec.h"

namespace pitwall {

struct ParameterCount {
  std::int64_t linear = 0;     ///< matrices of all layers: read once a step, multiplied with every row
  std::int64_t experts = 0;    ///< of linear: experts, of which a row visits some
  std::int64_t visited = 0;    ///< of experts: those that one row visits
  std::int64_t output = 0;     ///< vocabulary × hidden: multiplied with rows that yield logits
  std::int64_t embedding = 0;  ///< 0 where the output shares it
  std::int64_t vectors = 0;    ///< norms and biases
  std::int64_t total() const { return linear + output + embedding + vectors; }
};
ParameterCount count_parameters(const ModelSpec& spec);

}  // namespace pitwall
