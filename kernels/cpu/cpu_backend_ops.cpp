// SPDX-License-Identifier: GPL-3.0-or-later
// The forward's operations on the CPU: work is shared out over tiles, rows or kv heads, and the kernel table
// does it.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "engine/execute/logit_change.h"
#include "engine/execute/logprobs.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/packed_weight.h"

namespace pitwall {

namespace {

constexpr int kRowGrain = 4;         // rows of elementwise work that are worth a part of their own
constexpr int kTileGrain = 1 << 16;  // multiply-adds that are

}  // namespace

bool CpuBackend::uses_quantized(const PackedMatrix& matrix) const {
  return quantized_activations_ && is_quantised(matrix.type);
}

void CpuBackend::embed(Weight table, float scale, Tensor out) {
  const PackedMatrix& matrix = at(table).matrix;
  team_.run(rows_of(out), kRowGrain, [&](int begin, int end, int) {
    for (int row = begin; row < end; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const TokenId given = state_.tokens[r];
      const TokenId token =
          given == kPreviousToken ? state_.last_token[static_cast<std::size_t>(state_.row_slots[r])] : given;
      float* x = at(out).row(row);
      unpack_row(matrix, token, x);
      if (scale == 1) continue;
      for (int i = 0; i < matrix.columns; ++i) x[i] *= scale;
    }
  });
}

void CpuBackend::normalise(const NormPrologue& norm, const float* x, int columns, float* out) const {
  const auto kernel = norm.kind == NormSpec::Kind::rms ? kernels_.rms_norm : kernels_.layer_norm;
  kernel(x, at(norm.weight).vector, norm.epsilon, columns, out);
}

CpuBackend::Input CpuBackend::prepare_input(Tensor in, const NormPrologue& norm,
                                            std::span<const PackedMatrix* const> matrices, int slot) {
  const StoredTensor& tensor = at(in);
  const std::int32_t* order = matrices[0]->order;
  const int inputs = matrices[0]->inputs, columns = matrices[0]->columns, groups = columns / kQuantBlock;
  bool as_float = false, as_quantized = false;
  for (const PackedMatrix* matrix : matrices) (uses_quantized(*matrix) ? as_quantized : as_float) = true;

  auto* blocks = quantised_[slot].as<ActivationBlock>();
  Input input{tensor.row(0), tensor.columns, blocks, rows_of(in)};
  const float* weight = norm.weight.valid() ? at(norm.weight).vector : nullptr;
  const bool changed = weight != nullptr || order != nullptr;  // the rows that linears see are no tensor's
  if (changed && as_float) input.floats = normed_[slot].as<float>(), input.stride = columns;
  if (!changed && !as_quantized) return input;

  team_.run(input.rows, kRowGrain, [&](int begin, int end, int thread) {
    for (int row = begin; row < end; ++row) {
      const float* x = tensor.row(row);
      float* target = as_float ? normed_[slot].as<float>() + std::int64_t{row} * columns : scratch(thread);
      if (weight != nullptr) {
        float* normed = order == nullptr ? target : scratch(thread) + columns;
        normalise(norm, x, inputs, normed);
        x = normed;
      }
      if (order != nullptr) {
        for (int k = 0; k < columns; ++k) target[k] = order[k] < 0 ? 0.0f : x[order[k]];
        x = target;
      }
      if (as_quantized) kernels_.quantize(x, columns, blocks + std::int64_t{row} * groups);
    }
  });
  return input;
}

/// body(matrix index, tile, first row, rows) for every tile of the matrices and every block of rows.
template <class Body>
void CpuBackend::over_tiles(const PackedMatrix* const* matrices, int count, int rows, const Body& body) {
  const int row_blocks = (rows + kRowBlock - 1) / kRowBlock;
  int items = 0;
  for (int i = 0; i < count; ++i) items += matrices[i]->tiles() * row_blocks;
  const int item_work = kTileRows * matrices[0]->columns * std::min(rows, kRowBlock);
  team_.run(items, std::max(1, kTileGrain / item_work), [&](int begin, int end, int) {
    int matrix = 0, first = 0;  // first: the item at which `matrix` starts
    for (int item = begin; item < end; ++item) {
      while (item - first >= matrices[matrix]->tiles() * row_blocks)
        first += matrices[matrix++]->tiles() * row_blocks;
      const int first_row = (item - first) % row_blocks * kRowBlock;
      body(matrix, (item - first) / row_blocks, first_row, std::min(kRowBlock, rows - first_row));
    }
  });
}

void CpuBackend::multiply(const PackedMatrix& matrix, const Input& input, int tile, int first_row, int rows,
                          float* out) const {
  if (uses_quantized(matrix)) {
    const std::int64_t groups = matrix.columns / kQuantBlock;
    kernels_.linear_quantized(matrix, tile, input.blocks + first_row * groups, rows, out);
  } else {
    kernels_.linear_float(matrix, tile, input.floats + first_row * input.stride, input.stride, rows, out);
  }
}

void CpuBackend::linear(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs) {
  while (!outputs.empty()) {
    const auto* order = at(outputs[0].weight).matrix.order;
    std::size_t same = 1;
    while (same < outputs.size() && at(outputs[same].weight).matrix.order == order) ++same;
    linear_of_one_order(in, norm, outputs.first(same));
    outputs = outputs.subspan(same);
  }
}

void CpuBackend::linear_of_one_order(Tensor in, const NormPrologue& norm,
                                     std::span<const LinearOutput> outputs) {
  constexpr std::size_t kMostOutputs = 8;
  assert(!outputs.empty() && outputs.size() <= kMostOutputs);
  if (rows_of(in) == 0) return;
  const PackedMatrix* matrices[kMostOutputs];
  for (std::size_t i = 0; i < outputs.size(); ++i) matrices[i] = &at(outputs[i].weight).matrix;
  const Input input = prepare_input(in, norm, {matrices, outputs.size()});

  over_tiles(matrices, static_cast<int>(outputs.size()), input.rows,
             [&](int index, int tile, int first_row, int rows) {
               const LinearOutput& output = outputs[static_cast<std::size_t>(index)];
               const PackedMatrix& matrix = *matrices[index];
               alignas(64) TileResults results;
               multiply(matrix, input, tile, first_row, rows, results);

               const int column = tile * kTileRows, width = std::min(kTileRows, matrix.rows - column);
               add_bias(output.bias, column, width, rows, results);
               for (int r = 0; r < rows; ++r) {
                 float* result = results + r * kTileRows;
                 for (int i = 0; i < width && output.scale != 1; ++i) result[i] *= output.scale;
                 if (output.softcap > 0) kernels_.softcap(result, width, output.softcap);
                 if (output.gate.valid()) {
                   const float opened = 1 / (1 + std::exp(-*at(output.gate).row(first_row + r)));
                   for (int i = 0; i < width; ++i) result[i] *= opened;
                 }
                 if (output.residual.valid()) {
                   const float* residual = at(output.residual).row(first_row + r) + column;
                   for (int i = 0; i < width; ++i) result[i] += residual[i];
                 }
                 std::copy_n(result, width, at(output.output).row(first_row + r) + column);
               }
             });
}

void CpuBackend::store_tile(const float* results, int tile, int first, int rows, std::int64_t stride,
                            int columns, float* out) {
  const int column = tile * kTileRows, width = std::min(kTileRows, columns - column);
  for (int r = 0; r < rows; ++r)
    std::copy_n(results + r * kTileRows, width, out + (first + r) * stride + column);
}

void CpuBackend::add_bias(Weight bias, int column, int width, int rows, float* results) const {
  if (!bias.valid()) return;
  const float* numbers = at(bias).vector + column;
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < width; ++i) results[r * kTileRows + i] += numbers[i];
  }
}

void CpuBackend::gated_linear(Tensor in, const NormPrologue& norm, const GatedWeights& weights, Tensor out) {
  if (rows_of(in) == 0) return;
  const PackedMatrix& gates = at(weights.gate).matrix;
  const PackedMatrix& ups = at(weights.up).matrix;
  const PackedMatrix* both[] = {&gates, &ups};
  const bool one_order = gates.order == ups.order;
  const Input input = prepare_input(in, norm, std::span(both).first(one_order ? 2 : 1));
  const Input up_input = one_order ? input : prepare_input(in, norm, std::span(both).last(1), 1);
  const PackedMatrix* tiled[] = {&gates};
  over_tiles(tiled, 1, input.rows, [&](int, int tile, int first_row, int rows) {
    alignas(64) TileResults gate_results, up_results;
    multiply(gates, input, tile, first_row, rows, gate_results);
    multiply(ups, up_input, tile, first_row, rows, up_results);
    const int column = tile * kTileRows, width = std::min(kTileRows, gates.rows - column);
    add_bias(weights.gate_bias, column, width, rows, gate_results);
    add_bias(weights.up_bias, column, width, rows, up_results);
    kernels_.gate(weights.activation, gate_results, up_results, rows * kTileRows, gate_results);
    store_tile(gate_results, tile, first_row, rows, at(out).columns, gates.rows, at(out).row(0));
  });
}

void CpuBackend::norm_add(Tensor in, const NormPrologue& norm, float scale, Tensor residual) {
  const int columns = at(residual).columns;
  team_.run(rows_of(in), kRowGrain, [&](int begin, int end, int thread) {
    for (int row = begin; row < end; ++row) {
      float* normed = scratch(thread);
      normalise(norm, at(in).row(row), columns, normed);
      float* target = at(residual).row(row);
      for (int i = 0; i < columns; ++i) target[i] += scale * normed[i];
    }
  });
}

void CpuBackend::normalise_heads(const NormPrologue& norm, int heads, int head_dim, float* x) const {
  if (!norm.weight.valid()) return;
  const StoredWeight& weight = at(norm.weight);
  const int step = weight.count > head_dim ? head_dim : 0;  // heads with weights of their own
  const auto kernel = norm.kind == NormSpec::Kind::rms ? kernels_.rms_norm : kernels_.layer_norm;
  for (int head = 0; head < heads; ++head, x += head_dim)
    kernel(x, weight.vector + head * step, norm.epsilon, head_dim, x);
}

void CpuBackend::rope_append(const RopeAppendOp& op, const AttentionSpec& spec, Tensor q, Tensor k,
                             Tensor v) {
  const StoredRope* rope = op.table.valid() ? &ropes_[static_cast<std::size_t>(op.table.id)] : nullptr;
  team_.run(rows_of(q), kRowGrain, [&](int begin, int end, int thread) {
    for (int row = begin; row < end; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const int position = state_.positions[r];
      normalise_heads(op.q_norm, spec.heads, spec.head_dim, at(q).row(row));
      normalise_heads(op.k_norm, spec.kv_heads, spec.head_dim, at(k).row(row));
      if (rope != nullptr) {
        const bool long_sequence = state_.long_rope[static_cast<std::size_t>(state_.row_slots[r])] != 0;
        RopeTask task{at(q).row(row),
                      spec.heads,
                      spec.head_dim,
                      2 * rope->half,
                      spec.rope->pairing,
                      rope->cosine(position, long_sequence),
                      rope->sine(position, long_sequence)};
        kernels_.rope(task);
        task.x = at(k).row(row);
        task.heads = spec.kv_heads;
        kernels_.rope(task);
      }
      const std::int32_t block = state_.block_table(state_.row_slots[r])[position / kv_.block_size()];
      kv_.append(kernels_, op.layer, block, position % kv_.block_size(), at(k).row(row), at(v).row(row),
                 scratch(thread));
    }
  });
}

void CpuBackend::attention(const AttentionOp& op, Tensor q, Tensor out) {
  const KvPool::Layer& layer = kv_.layers()[static_cast<std::size_t>(op.layer)];
  const int segments = static_cast<int>(state_.segments.size());
  const int heads = op.heads / op.kv_heads;  // that share a kv head
  team_.run(segments * op.kv_heads, 1, [&](int begin, int end, int thread) {
    for (int item = begin; item < end; ++item) {
      const int kv_head = item / segments;
      const StepState::Segment& segment = state_.segments[static_cast<std::size_t>(item % segments)];
      const auto first_row = static_cast<std::size_t>(segment.first_row);
      const int first_column = kv_head * heads * op.head_dim;
      AttentionTask task;
      task.q = at(q).row(segment.first_row) + first_column;
      task.out = at(out).row(segment.first_row) + first_column;
      task.q_stride = at(q).columns;
      task.out_stride = at(out).columns;
      task.rows = segment.rows;
      task.heads = heads;
      task.head_dim = op.head_dim;
      task.first_position = state_.positions[first_row];
      task.scale = op.scale;
      task.window = op.window;
      task.softcap = op.softcap;
      task.dtype = kv_.dtype();
      task.block_size = kv_.block_size();
      task.block_table = state_.block_table(state_.row_slots[first_row]);
      task.pool = kv_.data();
      task.block_bytes = kv_.block_bytes();
      task.key_offset = layer.key_offset(kv_head);
      task.value_offset = layer.value_offset(kv_head);
      task.key_scale = layer.k_scales[static_cast<std::size_t>(kv_head)];
      task.value_scale = layer.v_scales[static_cast<std::size_t>(kv_head)];
      task.scratch = scratch(thread);
      kernels_.attention(task);
    }
  });
}

void CpuBackend::gather_logit_rows(Tensor in, Tensor out) {
  const auto columns = static_cast<std::size_t>(at(out).columns);
  for (int row = 0; row < rows_of(out); ++row) {
    const float* from = at(in).row(state_.logit_rows[static_cast<std::size_t>(row)]);
    std::memcpy(at(out).row(row), from, columns * sizeof(float));
  }
}

void CpuBackend::sample(Tensor logits) {
  sampled_from_ = logits;
  const auto row = [&](std::int32_t index) {
    return std::span<const float>(at(logits).row(index), static_cast<std::size_t>(at(logits).columns));
  };
  team_.run(static_cast<int>(state_.samples.size()), 1, [&](int begin, int end, int thread) {
    for (int i = begin; i < end; ++i) {
      const StepState::Sampling& sample = state_.samples[static_cast<std::size_t>(i)];
      const Sampled sampled =
          choose(sample, row(sample.logit_row), sampler_scratch_[static_cast<std::size_t>(thread)]);
      sampled_[static_cast<std::size_t>(i)] = sampled;
      state_.last_token[static_cast<std::size_t>(sample.slot.value)] = sampled.token;
    }
  });
  if (state_.reports.empty()) return;
  reported_.resize(state_.reports.size());
  team_.run(static_cast<int>(state_.reports.size()), 1, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) {
      const StepState::Report& report = state_.reports[static_cast<std::size_t>(i)];
      const TokenId token =
          report.sample < 0 ? report.token : sampled_[static_cast<std::size_t>(report.sample)].token;
      reported_[static_cast<std::size_t>(i)] = position_logprobs(row(report.logit_row), token, report.top);
    }
  });
}

/// The logprob is of the logits as the model gave them, whatever is done to them before the choice.
Sampled CpuBackend::choose(const StepState::Sampling& sample, std::span<const float> logits,
                           SamplerScratch& scratch) const {
  const SlotSampling& sampling = state_.sampling[static_cast<std::size_t>(sample.slot.value)];
  if (sample.change == nullptr) return sample_token(logits, sampling, sample.position, scratch.candidates);
  scratch.changed.assign(logits.begin(), logits.end());
  change_logits(*sample.change, scratch.changed);
  Sampled sampled = sample_token(scratch.changed, sampling, sample.position, scratch.candidates);
  if (!std::isnan(sampled.logprob))
    sampled.logprob = position_logprobs(logits, sampled.token, 0).chosen.logprob;
  return sampled;
}

}  // namespace pitwall
