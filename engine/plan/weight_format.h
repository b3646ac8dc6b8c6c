// SPDX-License-Identifier: GPL-3.0-or-later
// The formats that checkpoints keep weights in: bytes of a number with its share of scales and zeros, and
// which matrices have it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct WeightFormat {
  std::string name;   ///< "awq"
  std::string title;  ///< "AWQ 4-bit g128"
  double bits = 16;   ///< of a linear's number, scales and zeros included
  enum class Reach {
    linears,  ///< matrices of the layers; embedding, output, router and norms keep 16 bits
    mlps,     ///< linears but those of attention
    experts,  ///< routed experts alone
    all       ///< embedding and output too
  };
  Reach reach = Reach::linears;
  int group = 0;          ///< inputs that share a scale and may not be cut between ranks; 0 = any
  bool fills_up = false;  ///< engines fill each rank's part up to whole groups instead
  Bytes of(std::int64_t numbers) const;
  bool in_gguf() const;  ///< there are .gguf files with it
};

/// "bfloat16", "fp8", "awq", "gptq", "awq-g64", "q4_k" … The error lists the names.
Result<WeightFormat> find_weight_format(std::string_view name);
std::vector<std::string> weight_format_names();

/// What config.json says: `quantization_config` or `compression_config`, else its dtype. The KV format of the
/// checkpoint, where it states one, goes to `kv_format`. Methods that are not understood are an error.
Result<WeightFormat> weight_format_of(const nlohmann::json& config, std::string& kv_format);

}  // namespace pitwall
