// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/working_memory.h"

#include <algorithm>
#include <cmath>

#include "engine/execute/executor.h"
#include "engine/execute/sampler.h"
#include "engine/execute/step_state.h"
#include "engine/model/model_spec.h"
#include "engine/plan/amounts.h"

namespace pitwall {

namespace {

constexpr Bytes kFloat = 4, kHalf = 2;

/// Rows that a prompt's logprobs take of a step, so that they come in chunks.
constexpr int kPromptLogprobRows = 32;

// An engine's own kernels take 10 to 100 MB of a GPU: an estimate until the engine's ledger has measured
// them.
constexpr Bytes kModules = 64 * kMiB;
constexpr Bytes kOtherGraph = 12 * kMiB;  // vLLM's piecewise and full graphs of one size together

Bytes& at(CategoryBytes& bytes, Category category) {
  return bytes[static_cast<std::size_t>(category)];
}

/// Widths of the forward's tensors, as Transformer::allocate_activations asks for them.
struct Widths {
  std::int64_t hidden = 0, query = 0, stored = 0, gated = 0, branch = 0, shared_gate = 0;
  std::int64_t widest() const { return std::max({hidden, query, stored, gated, branch, shared_gate}); }
};

Widths widths_of(const ModelSpec& spec) {
  Widths widths{.hidden = spec.hidden};
  for (const LayerSpec& layer : spec.layers) {
    const AttentionSpec& attention = layer.attention;
    widths.query = std::max(widths.query, std::int64_t{attention.heads} * attention.head_dim);
    widths.stored = std::max(widths.stored, std::int64_t{attention.kv_heads} * attention.head_dim);
    const MlpSpec& mlp = layer.mlp;
    widths.gated =
        std::max<std::int64_t>(widths.gated, mlp.moe ? mlp.moe->shared_intermediate : mlp.intermediate);
    if (layer.post_norms) widths.branch = spec.hidden;
    if (mlp.moe && mlp.moe->shared_gate) widths.shared_gate = 1;
  }
  return widths;
}

StepLimits limits_of(const ModelOutline& model, const WorkingShape& shape) {
  StepLimits limits;
  limits.max_tokens = shape.step_tokens;
  limits.max_logit_rows = logit_rows(shape.sequences, shape.step_tokens);
  limits.max_slots = shape.sequences;
  limits.max_blocks_per_sequence = static_cast<int>(divided_up(shape.positions, shape.block_size));
  limits.vocabulary = model.vocabulary;
  return limits;
}

Bytes rope_tables(const ModelSpec& spec, std::int64_t positions) {
  std::vector<RopeSpec> tables;  // layers share equal ones
  Bytes total = 0;
  for (const LayerSpec& layer : spec.layers) {
    const std::optional<RopeSpec>& rope = layer.attention.rope;
    if (!rope || std::find(tables.begin(), tables.end(), *rope) != tables.end()) continue;
    tables.push_back(*rope);
    const std::int64_t change = rope->switch_length();
    const std::int64_t rows = change > 0 && change < positions ? change + positions : positions;
    total += rows * rope->rotary_dim * kFloat;
  }
  return total;
}

// kernels/cpu.

constexpr std::int64_t kActivationBlock = 80;  // bytes for 32 numbers in two digits (kernel_table.h)
constexpr int kSegmentRows = 16;               // queries that attention takes at once
constexpr int kScratchUnit = 64;

std::int64_t attention_scratch(std::int64_t queries, std::int64_t head_dim) {
  constexpr int kTile = 32;
  const std::int64_t width = rounded_up(head_dim, 16);
  return kTile * (head_dim + width) + queries * (width + 2);
}

/// Of a checkpoint that is not at hand: every matrix in its format.
PackedWeights columns_of(const ModelOutline& model, const Widths& widths) {
  PackedWeights packed = model.packed;
  if (packed.bytes > 0) return packed;
  std::int64_t widest = std::max({widths.hidden, widths.query, widths.gated});
  for (const LayerSpec& layer : model.spec->layers) {
    if (layer.mlp.moe) widest = std::max<std::int64_t>(widest, layer.mlp.moe->intermediate);
  }
  const bool quantised = model.weight_bits < 16;
  packed.float_columns = static_cast<int>(quantised ? widths.hidden : widest);
  packed.block_columns = static_cast<int>(quantised ? widest : 0);
  return packed;
}

/// MoeWorkspace: rows of at most 256 tokens at their experts.
Bytes expert_rows(const ModelSpec& spec, int step_tokens) {
  constexpr int kMost = 256;
  const std::int64_t rows = std::min(step_tokens, kMost);
  Bytes router = 0, inputs = 0, blocks = 0, gated = 0, results = 0;
  for (const LayerSpec& layer : spec.layers) {
    if (!layer.mlp.moe) continue;
    const MoeSpec& moe = *layer.mlp.moe;
    const std::int64_t visits = rows * moe.top_k, columns = std::max(spec.hidden, moe.intermediate);
    router = std::max(router, rows * moe.experts * kFloat);
    inputs = std::max(inputs, visits * columns * kFloat);
    blocks = std::max(blocks, visits * (columns / 32) * kActivationBlock);
    gated = std::max(gated, visits * moe.intermediate * kFloat);
    results = std::max(results, visits * spec.hidden * kFloat);
  }
  return router + inputs + blocks + gated + results;
}

}  // namespace

int logit_rows(int sequences, int step_tokens) {
  return std::max(sequences, std::min(step_tokens, kPromptLogprobRows));
}

int captured_sizes(bool here, int sequences) {
  if (here) return static_cast<int>(decode_buckets(sequences).size());
  constexpr int kMost = 512, kStep = 8, kSmall = 3;  // vLLM: 1, 2, 4, then every eighth up to 512
  return kSmall + std::min(sequences, kMost) / kStep;
}

CategoryBytes cpu_working_memory(const ModelOutline& model, const WorkingShape& shape) {
  CategoryBytes bytes{};
  const ModelSpec& spec = *model.spec;
  const Widths widths = widths_of(spec);
  const StepLimits limits = limits_of(model, shape);
  const std::int64_t tokens = limits.max_tokens, logits = limits.max_logit_rows, threads = shape.threads;
  const PackedWeights packed = columns_of(model, widths);

  constexpr auto kCandidate = static_cast<Bytes>(sizeof(std::pair<float, TokenId>) + sizeof(float));
  Bytes& activations = at(bytes, Category::activations);
  activations = StepState::bytes_for(limits) + logits * static_cast<Bytes>(sizeof(Sampled)) +
                std::int64_t{limits.vocabulary} * kCandidate * threads;
  if (shape.with_kv) {
    activations +=
        StepState::bytes_for_blocks(static_cast<int>(shape.pool_blocks), static_cast<int>(shape.swap_blocks));
  }
  const std::int64_t columns = 2 * widths.query + widths.hidden + 2 * widths.stored + widths.gated +
                               widths.branch + widths.shared_gate;
  activations += tokens * columns * kFloat + logits * widths.hidden * kFloat;
  const std::int64_t rows = std::max(tokens, logits);
  const std::int64_t float_columns =
      std::max<std::int64_t>(packed.float_columns, model.experts > 0 ? widths.hidden : 0);
  const std::int64_t inputs =
      rows * float_columns * kFloat + rows * (packed.block_columns / 32) * kActivationBlock;
  activations += (packed.ordered ? 2 : 1) * inputs + expert_rows(spec, shape.step_tokens);
  at(bytes, Category::logits) = logits * limits.vocabulary * kFloat;
  at(bytes, Category::library_workspace) = rope_tables(spec, shape.positions);

  std::int64_t scratch = std::max<std::int64_t>(packed.block_columns, widths.widest()) +
                         (packed.ordered ? packed.block_columns : 0);
  for (const LayerSpec& layer : spec.layers) {
    if (!shape.with_kv) break;
    const AttentionSpec& attention = layer.attention;
    const std::int64_t heads = widths.widest() / (std::int64_t{attention.head_dim} * attention.kv_heads) + 1;
    scratch = std::max(scratch, attention_scratch(heads * kSegmentRows, attention.head_dim));
  }
  at(bytes, Category::attention_workspace) = rounded_up(scratch, kScratchUnit) * kFloat * threads;
  return bytes;
}

namespace {

constexpr Bytes kPage = 2 * kMiB;  // of an arena
constexpr std::int64_t kRowUnit = 64;
constexpr std::int64_t kUnitColumns = 8;

std::int64_t padded(std::int64_t rows) {
  return rounded_up(rows, kRowUnit);
}
std::int64_t stride(std::int64_t columns) {
  return rounded_up(columns, kUnitColumns);
}

}  // namespace

CategoryBytes cuda_working_memory(const ModelOutline& model, const GpuProfile& gpu,
                                  const WorkingShape& shape) {
  CategoryBytes bytes{};
  const ModelSpec& spec = *model.spec;
  const std::int64_t ranks = shape.tensor_parallel;
  const Widths widths = widths_of(spec);
  const StepLimits limits = limits_of(model, shape);
  const std::int64_t tokens = padded(limits.max_tokens), logits = padded(limits.max_logit_rows),
                     rows = std::max(tokens, logits);
  const std::int64_t query = divided_up(widths.query, ranks), stored = divided_up(widths.stored, ranks),
                     gated = divided_up(widths.gated, ranks);
  Bytes activations = tokens * stride(widths.hidden) * kFloat + logits * stride(widths.hidden) * kFloat +
                      tokens *
                          (stride(query) + stride(query + 2 * stored) + stride(gated) +
                           stride(widths.branch) + stride(widths.shared_gate)) *
                          kHalf;
  std::int64_t outputs = std::max({widths.hidden, query, gated}), moe = 0;
  for (const LayerSpec& layer : spec.layers) {
    if (!layer.mlp.moe) continue;
    const MoeSpec& experts = *layer.mlp.moe;
    const std::int64_t inner = divided_up(experts.intermediate, ranks);
    outputs = std::max(outputs, inner);
    moe = std::max(moe, padded(tokens * experts.top_k) * (3 * stride(inner) + stride(widths.hidden)) * kHalf +
                            tokens * stride(experts.experts) * kFloat);
  }
  activations += rows * stride(widths.hidden) * kHalf + rows * 2 * stride(outputs) * kHalf + moe;
  activations += StepState::bytes_for(limits);
  at(bytes, Category::activations) = rounded_up(activations, kPage);
  const std::int64_t vocabulary = divided_up(limits.vocabulary, ranks);
  const std::int64_t changed = std::min(limits.max_slots, limits.max_logit_rows);
  at(bytes, Category::logits) = rounded_up((logits + changed) * stride(vocabulary) * kFloat, kPage);
  // Partial results of as many pairs of row and head as keep every multiprocessor busy twice.
  constexpr std::int64_t kParts = 2 * 2 * 132;
  at(bytes, Category::attention_workspace) = rounded_up(
      kParts * divided_up(model.heads, ranks) * (rounded_up(model.head_dim, 16) + 4) * kFloat, kPage);
  std::int64_t unpacked = 0;
  if (model.weight_bits < 16) unpacked = std::max(gated, query) * widths.hidden * kHalf;
  at(bytes, Category::library_workspace) = rounded_up(unpacked, kPage) + gpu.library_workspace;
  at(bytes, Category::graphs) = shape.graphs * gpu.graph_memory + kModules;
  at(bytes, Category::communicator) = gpu.communicator(shape.tensor_parallel);
  at(bytes, Category::context) = gpu.context_memory;
  return bytes;
}

Bytes cuda_kv_rounding(std::size_t layers, bool has_token_scales) {
  return static_cast<Bytes>(layers) * (has_token_scales ? 2 : 1) * kPage;
}

CategoryBytes other_working_memory(const ModelOutline& model, const GpuProfile& gpu,
                                   const WorkingShape& shape) {
  CategoryBytes bytes{};
  const std::int64_t ranks = shape.tensor_parallel, tokens = shape.step_tokens;
  std::int64_t stored = 0;
  for (const LayerState& layer : model.layers) {
    stored = std::max(stored, std::int64_t{layer.kv_heads} * (std::int64_t{layer.key_dim} + layer.value_dim) +
                                  layer.latent_dim + layer.latent_rope_dim);
  }
  const std::int64_t query = std::int64_t{model.heads} * model.head_dim;
  const std::int64_t experts = model.experts > 0 ? std::int64_t{model.top_k} * model.hidden : 0;
  const std::int64_t columns = 2 * std::int64_t{model.hidden} + divided_up(query + stored, ranks) +
                               2 * divided_up(model.intermediate, ranks) + experts;
  at(bytes, Category::activations) = capped_product(tokens, columns, kHalf);
  const std::int64_t rows =
      shape.prompt_logprobs ? std::max<std::int64_t>(tokens, shape.sequences) : shape.sequences;
  at(bytes, Category::logits) = capped_product(rows, std::int64_t{model.vocabulary}, kFloat);
  at(bytes, Category::library_workspace) = gpu.library_workspace;
  at(bytes, Category::graphs) = shape.graphs * kOtherGraph;
  at(bytes, Category::communicator) = gpu.communicator(std::max(shape.tensor_parallel, shape.communicating));
  at(bytes, Category::context) = gpu.context_memory;
  return bytes;
}

}  // namespace pitwall
