// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/roofline.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "engine/plan/model_memory.h"

namespace pitwall {

namespace {

constexpr double kWeightBytes = 2;  // bfloat16, float16

}  // namespace

RooflineStepTime::RooflineStepTime(const ModelSpec& spec, const GpuProfile& gpu, const KvLayout& kv)
    : gpu_(gpu), block_bytes_(static_cast<double>(kv.bytes_per_block())) {
  assert(kv.layers.size() == spec.layers.size());
  const ParameterCount count = count_parameters(spec);
  dense_parameters_ = static_cast<double>(count.linear - count.experts);
  expert_parameters_ = static_cast<double>(count.experts);
  visited_parameters_ = static_cast<double>(count.visited);
  output_parameters_ = static_cast<double>(count.output);
  for (const LayerSpec& layer : spec.layers) {
    const AttentionSpec& attention = layer.attention;
    const double window = attention.window ? *attention.window : std::numeric_limits<double>::infinity();
    auto group =
        std::find_if(groups_.begin(), groups_.end(), [&](const auto& one) { return one.window == window; });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), AttentionGroup{0, 0, window});
    const double head_bytes = attention.head_dim * kv_dtype_bytes(kv.dtype) + kv_dtype_scale_bytes(kv.dtype);
    group->kv_bytes += 2 * attention.kv_heads * head_bytes;
    group->pair_flops += 4.0 * attention.heads * attention.head_dim;
  }
}

double RooflineStepTime::matrix_product(double read, double multiplied, double rows) const {
  if (rows <= 0) return 0;
  const double read_time = read * kWeightBytes / (gpu_.memory_bandwidth * gpu_.weight_read_efficiency);
  return std::max(read_time, 2 * multiplied * rows / (gpu_.matrix_rate * gpu_.matrix_efficiency));
}

/// Experts that nobody visits are not read: each row leaves one out with the same odds.
double RooflineStepTime::linear_time(double rows) const {
  const double visited = expert_parameters_ > 0 ? visited_parameters_ / expert_parameters_ : 0;
  const double read = dense_parameters_ + expert_parameters_ * (1 - std::pow(1 - visited, rows));
  return matrix_product(read, dense_parameters_ + visited_parameters_, rows);
}

StepTimeParts RooflineStepTime::parts(const StepShape& shape) const {
  StepTimeParts parts;
  parts.overhead = static_cast<double>(gpu_.step_overhead) / kNanosPerSecond;
  parts.linear = linear_time(shape.rows());
  parts.output = matrix_product(output_parameters_, output_parameters_, shape.logit_rows);
  const double kv_rate = gpu_.memory_bandwidth * gpu_.kv_read_efficiency;
  const double attention_rate = gpu_.matrix_rate * gpu_.attention_efficiency;
  for (const AttentionGroup& group : groups_) {
    const auto within_window = [&](std::int64_t positions, std::int32_t rows) {
      return rows == 0 ? 0.0 : std::min(static_cast<double>(positions), rows * group.window);
    };
    parts.decode_attention +=
        within_window(shape.decode_context, shape.decode_tokens) * group.kv_bytes / kv_rate;
    parts.prefill_attention += std::max(
        within_window(shape.prefill_context, shape.prefill_tokens) * group.kv_bytes / kv_rate,
        within_window(shape.prefill_pairs, shape.prefill_tokens) * group.pair_flops / attention_rate);
  }
  parts.swaps =
      static_cast<double>(shape.swapped_blocks) * block_bytes_ / (gpu_.link_bandwidth * gpu_.link_efficiency);
  return parts;
}

Nanos RooflineStepTime::predict(const StepShape& shape) const {
  return static_cast<Nanos>(std::llround(parts(shape).total() * kNanosPerSecond));
}

}  // namespace pitwall
