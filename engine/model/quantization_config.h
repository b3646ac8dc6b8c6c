// SPDX-License-Identifier: GPL-3.0-or-later
// What a hub checkpoint says about its quantised linears: config.json's `quantization_config` or
// `compression_config`, and the files that older tools left beside it.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct QuantizationConfig {
  enum class Method { none, awq, gptq, fp8, compressed_tensors };
  Method method = Method::none;
  int bits = 4;  ///< awq, gptq
  /// That a checkpoint may use; −1: one group of all inputs. One for awq and gptq.
  std::vector<int> group_sizes = {};
  int zero_shift = 0;                             ///< gptq: 1 where zeros are stored less one
  bool needs_zeros = false, needs_index = false;  ///< the numbers mean nothing without them
  int block_rows = 0, block_columns = 0;          ///< fp8 with a scale for each block; 0: none
};

/// Refused by name: methods, formats and widths that are not read; and a second statement in the folder
/// (quantize_config.json, quant_config.json) that disagrees, with both values.
Result<QuantizationConfig> read_quantization_config(const nlohmann::json& config,
                                                    const std::filesystem::path& folder);

}  // namespace pitwall
