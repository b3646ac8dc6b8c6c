// SPDX-License-Identifier: GPL-3.0-or-later
// A model with random weights in a real model's shape: for speed and memory, where weights need not mean
// anything. No vocabulary and no chat template: prompts are token ids.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/model/model.h"

namespace pitwall {

enum class SyntheticWeights : std::uint8_t {
  bf16,
  awq_g128,  ///< linears of the layers in 4 bits, groups of 128 with zeros; embedding and output in bfloat16
  q4_0,      ///< all matrices
};
std::optional<SyntheticWeights> find_synthetic_weights(
    std::string_view name);  ///< "bf16", "awq-g128", "q4_0"

/// Tensors are windows into one pattern of random numbers that is mapped again and again: a model of any size
/// takes the memory of the pattern. Errors name a shape that the format cannot store.
Result<std::shared_ptr<const Model>> make_synthetic_model(const ModelSpec& spec, SyntheticWeights weights,
                                                          std::uint64_t seed);

}  // namespace pitwall
