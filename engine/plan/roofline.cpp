// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/plan/kv_demand.h"

namespace pitwall {

namespace {

constexpr double kHalfBytes = 2;     // bfloat16, float16
constexpr int kReducesPerLayer = 2;  // behind attention and behind the MLP
constexpr double kNoWindow = std::numeric_limits<double>::infinity();

/// Fewer than 16 bits a number: kernels that unpack, with another efficiency.
bool packed(double bytes, double numbers) {
  return bytes < 0.95 * kHalfBytes * numbers;
}

/// Bytes that arrive and FLOPs that are done meanwhile.
struct Bound {
  double reading = 0, multiplying = 0;
  Bound(double bytes, double read_rate, double flops, double rate)
      : reading(bytes > 0 ? bytes / read_rate : 0), multiplying(flops > 0 ? flops / rate : 0) {}
  double seconds() const { return std::max(reading, multiplying); }
  double compute() const { return multiplying > reading ? multiplying : 0; }
};

/// One token's KV in one layer on one rank.
double position_bytes(const LayerState& layer, const StepLayout& layout) {
  return static_cast<double>(layer_kv(layer, layout.kv, std::max(1, layout.tensor_parallel)).token);
}

}  // namespace

double kv_block_bytes(const ModelOutline& model, const StepLayout& layout) {
  using Kind = LayerState::Kind;
  double bytes = 0;
  for (const LayerState& layer : model.layers) {
    const bool grows = layer.kind != Kind::recurrent && layer.kind != Kind::cross && layer.kind != Kind::none;
    if (grows && (layout.draft_layers || !layer.draft)) bytes += position_bytes(layer, layout);
  }
  return bytes * layout.block_size;
}

MeanStep::MeanStep(const StepShape& shape)
    : sequences(shape.sequences),
      prefill_tokens(shape.prefill_tokens),
      decode_tokens(shape.decode_tokens),
      padding_tokens(shape.padding_tokens),
      decode_context(static_cast<double>(shape.decode_context)),
      prefill_context(static_cast<double>(shape.prefill_context)),
      prefill_pairs(static_cast<double>(shape.prefill_pairs)),
      logit_rows(shape.logit_rows),
      logit_steps(shape.logit_rows > 0 ? 1 : 0),
      swapped_blocks(static_cast<double>(shape.swapped_blocks)) {}

RooflineStepTime::RooflineStepTime(const ModelOutline& model, const GpuProfile& gpu, const StepLayout& layout)
    : gpu_(gpu),
      rates_(gpu.rates(layout.engine)),
      ranks_(std::max(1, layout.tensor_parallel)),
      sharing_(model.experts > 0 ? std::max(ranks_, layout.expert_parallel) : ranks_),
      stages_(std::max(1, layout.pipeline_parallel)) {
  for (const LayerState& layer : model.layers) {
    if (layer.draft && !layout.draft_layers) continue;
    ++layers_;
    add_attention(layer, model, layout);
  }
  add_weights(model, layout);
  const double share = layout.kv.bits < 8 * kHalfBytes ? rates_.byte_kv_read : rates_.kv_read;
  kv_read_ = gpu_.memory_bandwidth * share;
  row_bytes_ = kHalfBytes * model.hidden;
  block_bytes_ = kv_block_bytes(model, layout);
}

RooflineStepTime::AttentionGroup& RooflineStepTime::group_of(double window) {
  for (AttentionGroup& group : groups_) {
    if (group.window == window) return group;
  }
  groups_.push_back({});
  groups_.back().window = window;
  return groups_.back();
}

void RooflineStepTime::add_attention(const LayerState& layer, const ModelOutline& model,
                                     const StepLayout& layout) {
  using Kind = LayerState::Kind;
  const bool bounded = layer.kind == Kind::sliding || layer.kind == Kind::chunked;
  AttentionGroup& group = group_of(bounded && layer.window > 0 ? layer.window : kNoWindow);
  const double heads = static_cast<double>(model.heads) / ranks_;
  if (layer.kind == Kind::latent) {
    const double latent = layer.latent_dim, row = latent + layer.latent_rope_dim;
    group.bytes += position_bytes(layer, layout);
    group.decode_flops += 2 * heads * (row + latent);
    const double made = layer.key_dim + layer.value_dim;
    group.prefill_flops += 2 * heads * (made > 0 ? made : row + latent);
    return;
  }
  if (layer.kind == Kind::recurrent) {
    state_bytes_ += 2 * static_cast<double>(layer_kv(layer, layout.kv, ranks_).state);  // read and written
    return;
  }
  const double position = position_bytes(layer, layout);
  const double pair = 2 * heads * (layer.key_dim + layer.value_dim);
  if (layer.kind == Kind::cross) {
    group.cross_bytes += position * layer.window;
    group.cross_flops += pair * layer.window;
    return;
  }
  group.bytes += position;
  group.decode_flops += pair;
  group.prefill_flops += pair;
}

void RooflineStepTime::add_weights(const ModelOutline& model, const StepLayout& layout) {
  const auto add = [&](const std::vector<LayerWeightCounts>& counts, double& dense, double& experts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const LayerState& layer = model.layers[i];
      if (layer.draft && !layout.draft_layers) continue;
      const double kv_share = layer.kv_heads > 0
                                  ? std::ceil(static_cast<double>(layer.kv_heads) / ranks_) / layer.kv_heads
                                  : 1.0 / ranks_;
      dense += static_cast<double>(counts[i].attention + counts[i].mlp) / ranks_ +
               static_cast<double>(counts[i].kv) * kv_share + static_cast<double>(counts[i].replicated);
      experts += static_cast<double>(counts[i].experts) / sharing_;
    }
  };
  add(model.layer_parameters, dense_parameters_, expert_parameters_);
  add(model.layer_bytes, dense_bytes_, expert_bytes_);
  peers_ = static_cast<double>(sharing_) / ranks_;
  if (model.experts > 0) visited_ = std::min(1.0, static_cast<double>(model.top_k) / model.experts);
  const bool tied = model.output_parameters == 0;
  output_parameters_ =
      static_cast<double>(tied ? model.embedding_parameters : model.output_parameters) / ranks_;
  output_bytes_ = static_cast<double>(tied ? model.embedding_bytes : model.output_bytes) / ranks_;

  const auto read_rate = [&](double bytes, double parameters) {
    return gpu_.memory_bandwidth * (packed(bytes, parameters) ? rates_.packed_read : rates_.weight_read);
  };
  const double bytes = dense_bytes_ + expert_bytes_, parameters = dense_parameters_ + expert_parameters_;
  weight_read_ = read_rate(bytes, parameters);
  if (rates_.unpacks && packed(bytes, parameters)) unpacked_bytes_ = 2 * kHalfBytes * dense_parameters_;
  output_read_ = read_rate(output_bytes_, output_parameters_);
  const bool fp8 = gpu_.fp8_rate > 0 && model.weight_format.starts_with("FP8");
  peak_rate_ = fp8 ? gpu_.fp8_rate : gpu_.matrix_rate;
  unpacked_rate_ = peak_rate_ * rates_.matrix;
  weight_rate_ = peak_rate_ * (!fp8 && packed(bytes, parameters) ? rates_.packed_matrix : rates_.matrix);
}

StepWork RooflineStepTime::work(const MeanStep& step) const {
  const double rows = step.rows(), decodes = step.decode_tokens, prompts = step.prefill_tokens;
  StepWork work;
  if (rows > 0) {
    // Experts that nobody visits are not read: each row leaves one out with the same odds.
    work.weight_bytes = dense_bytes_ + expert_bytes_ * (1 - std::pow(1 - visited_, rows * peers_));
    work.unpacked_bytes = unpacked_bytes_;
    work.weight_flops = 2 * rows * (dense_parameters_ + peers_ * visited_ * expert_parameters_);
  }
  work.output_bytes = output_bytes_ * step.logit_steps;
  work.output_flops = 2 * step.logit_rows * output_parameters_;
  const double slices = std::max(0.0, step.sequences - decodes);
  for (const AttentionGroup& group : groups_) {
    const auto seen = [&](double positions, double by_rows) {
      return by_rows > 0 ? std::min(positions, by_rows * group.window) : 0.0;
    };
    const double decode = seen(step.decode_context, decodes);
    work.decode_bytes += decode * group.bytes + decodes * group.cross_bytes;
    work.decode_flops += decode * group.decode_flops + decodes * group.cross_flops;
    // A slice of a prompt reads what its first row attends to, and its own rows.
    const double sliced = group.window < kNoWindow ? slices * group.window + prompts : kNoWindow;
    work.prefill_bytes += std::min(seen(step.prefill_context, prompts), sliced) * group.bytes;
    work.prefill_flops +=
        seen(step.prefill_pairs, prompts) * group.prefill_flops + prompts * group.cross_flops;
  }
  work.state_bytes = step.sequences * state_bytes_;
  work.sum_bytes = rows * row_bytes_;
  work.swap_bytes = step.swapped_blocks * block_bytes_;
  return work;
}

StepTimeParts RooflineStepTime::parts(const MeanStep& step) const {
  const StepWork work = this->work(step);
  const double attention_rate = gpu_.matrix_rate * rates_.attention;
  const Bound in_place(work.weight_bytes, weight_read_, work.weight_flops, weight_rate_);
  const Bound unpacked(work.weight_bytes, weight_read_, work.weight_flops, unpacked_rate_);
  const double unpacking = work.unpacked_bytes / (gpu_.memory_bandwidth * rates_.weight_read);
  const bool unpacks = unpacking > 0 && unpacking + unpacked.seconds() < in_place.seconds();
  const Bound& linear = unpacks ? unpacked : in_place;
  const Bound output(work.output_bytes, output_read_, work.output_flops, gpu_.matrix_rate * rates_.matrix);
  const Bound decode(work.decode_bytes, kv_read_, work.decode_flops, attention_rate);
  const Bound prefill(work.prefill_bytes, kv_read_, work.prefill_flops, attention_rate);
  StepTimeParts parts;
  parts.overhead =
      static_cast<double>(stages_ * rates_.step_overhead + layers_ * rates_.layer_overhead) / kNanosPerSecond;
  parts.linear = linear.seconds() + (unpacks ? unpacking : 0);
  parts.output = output.seconds();
  parts.decode_attention = decode.seconds();
  parts.prefill_attention = prefill.seconds();
  parts.state = work.state_bytes / (gpu_.memory_bandwidth * rates_.kv_read);
  parts.multiplying = linear.compute() + output.compute() + decode.compute() + prefill.compute();
  if (step.rows() > 0) {
    parts.communication = kReducesPerLayer * layers_ * gpu_.all_reduce_s(work.sum_bytes, ranks_) +
                          (stages_ - 1) * gpu_.send_s(work.sum_bytes);
    // Rows of all replicas go to the experts and come back.
    if (sharing_ > ranks_)
      parts.communication += layers_ * gpu_.all_reduce_s(peers_ * work.sum_bytes, sharing_);
  }
  parts.swaps = work.swap_bytes / (gpu_.link_bandwidth * gpu_.link_efficiency);
  return parts;
}

Nanos RooflineStepTime::predict(const StepShape& shape) const {
  return static_cast<Nanos>(std::llround(parts(shape).total() * kNanosPerSecond));
}

}  // namespace pitwall
