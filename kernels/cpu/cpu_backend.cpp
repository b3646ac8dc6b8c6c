// SPDX-License-Identifier: GPL-3.0-or-later
// Memory and steps of the CPU back end; the forward's operations are in cpu_backend_ops.cpp.
#include "kernels/cpu/cpu_backend.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "engine/base/threads.h"
#include "engine/model/quantized_linear.h"
#include "kernels/cpu/packed_weight.h"

namespace pitwall {

namespace {

Error bad_tensor(const TensorView& tensor, const std::string& what) {
  return {Error::Kind::invalid_input, "tensor " + tensor.name + " " + what,
          "the checkpoint is damaged or of another kind", "fetch the model again", tensor.name};
}

Error not_prepared(const std::string& what) {
  return {Error::Kind::internal, what + " before prepare_steps", {}, "report this", {}};
}

Result<void> check_tensor(const TensorView& tensor) {
  const int block = tensor_type_info(tensor.type).block_elements;
  if (!tensor.valid() || tensor.rows < 1 || tensor.columns < 1) return bad_tensor(tensor, "is empty");
  if (tensor.rows > std::numeric_limits<int>::max() || tensor.columns > std::numeric_limits<int>::max()) {
    return bad_tensor(tensor, "has " + std::to_string(tensor.rows) + " rows of " +
                                  std::to_string(tensor.columns) + ", more than can be counted");
  }
  if (tensor.quantized) return tensor.quantized->check_numbers();
  if (tensor.columns % block != 0) {
    return bad_tensor(tensor, "has rows of " + std::to_string(tensor.columns) +
                                  " numbers, not a multiple of the " + std::to_string(block) +
                                  " that share a block");
  }
  return {};
}

}  // namespace

CpuBackend::CpuBackend(const CpuBackendOptions& options)
    : ledger_(options.memory_limit),
      isa_(options.isa),
      kernels_(kernel_table(options.isa)),
      quantized_activations_(options.quantized_activations),
      team_(options.threads > 0 ? options.threads : usable_cores()),
      weight_memory_(ledger_, Category::weights),
      sampler_scratch_(static_cast<std::size_t>(team_.threads())) {
  state_.bounds.segment_rows =
      16;  // queries enough to pay for widening a tile of KV, few enough for the cache
}

CpuBackend::~CpuBackend() {
  ledger_.give_back(Category::activations, state_bytes_);
}

DeviceInfo CpuBackend::device() const {
  const Bytes memory = Bytes{sysconf(_SC_PHYS_PAGES)} * Bytes{sysconf(_SC_PAGESIZE)};
  const int threads = team_.threads();
  return {processor_name() + " (" + std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") +
              std::string(isa_name(isa_)) + ")",
          "cpu", memory, threads};
}

Result<Weight> CpuBackend::upload(const TensorView& tensor) {
  if (auto ok = check_tensor(tensor); !ok) return std::move(ok).error();
  if (!tensor.quantized && !is_weight_type(tensor.type)) {
    return bad_tensor(tensor, "is stored as " + std::string(tensor_type_info(tensor.type).name) +
                                  ", which is no format of weights");
  }
  const PackedLayout layout = packed_layout(tensor);
  const std::int32_t* order = known_order(layout.order);
  const auto order_bytes = static_cast<Bytes>(layout.order.size() * sizeof(std::int32_t));
  auto memory = weight_memory_.take(layout.values + layout.scales + (order == nullptr ? order_bytes : 0),
                                    "weight " + tensor.name);
  if (!memory) return std::move(memory).error();
  std::byte* values = *memory;
  std::byte* scales = values + layout.values;
  StoredWeight stored;
  stored.matrix = layout.matrix;
  stored.matrix.values = values;
  stored.matrix.scales = scales;
  if (order == nullptr && !layout.order.empty()) {
    auto* own = reinterpret_cast<std::int32_t*>(scales + layout.scales);
    std::copy(layout.order.begin(), layout.order.end(), own);
    order = own;
  }
  stored.matrix.order = order;
  team_.run(stored.matrix.tiles(), 8, [&](int begin, int end, int) {
    for (int tile = begin; tile < end; ++tile) pack_tile(tensor, layout, tile, values, scales);
  });
  weights_.push_back(stored);
  if (auto ok = fit_workspace(); !ok) {
    weights_.pop_back();
    return std::move(ok).error();
  }
  return Weight{static_cast<std::int32_t>(weights_.size()) - 1};
}

const std::int32_t* CpuBackend::known_order(const std::vector<std::int32_t>& order) const {
  if (order.empty()) return nullptr;
  for (const StoredWeight& weight : weights_) {
    const PackedMatrix& matrix = weight.matrix;
    if (matrix.order != nullptr && matrix.columns == static_cast<int>(order.size()) &&
        std::equal(order.begin(), order.end(), matrix.order))
      return matrix.order;
  }
  return nullptr;
}

Result<Weight> CpuBackend::upload_vector(const TensorView& tensor, float offset) {
  if (auto ok = check_tensor(tensor); !ok) return std::move(ok).error();
  const std::int64_t count = tensor.rows * tensor.columns;
  auto memory = weight_memory_.take(count * Bytes{sizeof(float)}, "weight " + tensor.name);
  if (!memory) return std::move(memory).error();
  auto* values = reinterpret_cast<float*>(*memory);
  dequantize_rows(tensor, 0, tensor.rows, values);
  for (std::int64_t i = 0; i < count; ++i) values[i] += offset;
  StoredWeight stored;
  stored.vector = values;
  stored.count = static_cast<int>(count);
  weights_.push_back(stored);
  return Weight{static_cast<std::int32_t>(weights_.size()) - 1};
}

Result<RopeTable> CpuBackend::upload_rope(const RopeSpec& rope, int positions) {
  if (auto ok = check_rope(rope, rope.rotary_dim); !ok) return std::move(ok).error();
  if (positions < 1) {
    return Error{Error::Kind::invalid_input, "a rotary table for " + std::to_string(positions) + " positions",
                 "there must be at least 1", "serve at least one token", "max-model-len"};
  }
  const int switch_length = rope.switch_length();
  const bool switches = switch_length > 0 && switch_length < positions;
  StoredRope stored;
  stored.half = rope.rotary_dim / 2;
  auto table = rope_table(rope, switches ? switch_length : positions, switches ? switch_length : positions);
  if (!table) return std::move(table).error();
  stored.memory = std::move(*table);
  if (switches) {
    auto long_table = rope_table(rope, positions, positions);
    if (!long_table) return std::move(long_table).error();
    stored.long_memory = std::move(*long_table);
  }
  ropes_.push_back(std::move(stored));
  state_.bounds.positions = std::min(state_.bounds.positions, positions);
  return RopeTable{static_cast<std::int32_t>(ropes_.size()) - 1};
}

/// Cosines and sines of `positions` positions, in sequences of up to `longest` tokens.
Result<BookedMemory> CpuBackend::rope_table(const RopeSpec& rope, int positions, int longest) {
  const Bytes bytes = Bytes{positions} * rope.rotary_dim * Bytes{sizeof(float)};
  auto memory = BookedMemory::take(ledger_, Category::library_workspace, bytes, "rotary tables");
  if (!memory) return memory;
  fill_rope_table(rope, positions, longest, memory->as<float>());
  return memory;
}

Result<Tensor> CpuBackend::allocate(Category category, RowSet rows, int columns, Precision) {
  const StepLimits& limits = state_.bounds.limits;
  if (limits.max_tokens == 0) return not_prepared("a tensor was asked for");
  const Bytes count = rows == RowSet::tokens ? limits.max_tokens : limits.max_logit_rows;
  auto memory = BookedMemory::take(
      ledger_, category, count * columns * Bytes{sizeof(float)},
      std::string(category_name(category)) + " of " + std::to_string(columns) + " columns");
  if (!memory) return std::move(memory).error();
  tensors_.push_back({std::move(*memory), rows, columns});
  if (auto ok = fit_workspace(); !ok) {
    tensors_.pop_back();
    return std::move(ok).error();
  }
  return Tensor{static_cast<std::int32_t>(tensors_.size()) - 1};
}

Result<void> CpuBackend::prepare_steps(const StepLimits& limits) {
  const Bytes bytes = StepState::bytes_for(limits) + Bytes{limits.max_logit_rows} * Bytes{sizeof(Sampled)};
  if (auto ok = ledger_.take(Category::activations, bytes, "step state"); !ok) return ok;
  state_bytes_ += bytes;
  const Bytes sampler_bytes = Bytes{limits.vocabulary} *
                              static_cast<Bytes>(sizeof(SamplerScratch{}.candidates[0]) + sizeof(float)) *
                              team_.threads();
  if (auto ok = ledger_.take(Category::activations, sampler_bytes, "sampler scratch"); !ok) return ok;
  state_bytes_ += sampler_bytes;
  state_.prepare(limits);
  sampled_.resize(static_cast<std::size_t>(limits.max_logit_rows));
  for (SamplerScratch& scratch : sampler_scratch_) {
    scratch.candidates.reserve(static_cast<std::size_t>(limits.vocabulary));
    scratch.changed.reserve(static_cast<std::size_t>(limits.vocabulary));
  }
  return fit_workspace();
}

Result<void> CpuBackend::allocate_kv(const KvLayout& layout, int blocks) {
  if (auto ok = kv_.allocate(ledger_, layout, blocks); !ok) return ok;
  state_.bounds.block_size = layout.block_size;
  if (auto ok = prepare_blocks(blocks, 0); !ok) return ok;
  return fit_workspace();
}

Result<void> CpuBackend::allocate_swap(int host_blocks) {
  if (auto ok = kv_.allocate_swap(ledger_, host_blocks); !ok) return ok;
  return prepare_blocks(kv_.blocks(), host_blocks);
}

Result<void> CpuBackend::prepare_blocks(int pool_blocks, int swap_blocks) {
  const Bytes grown = StepState::bytes_for_blocks(pool_blocks, swap_blocks) -
                      StepState::bytes_for_blocks(state_.bounds.pool_blocks, state_.bounds.swap_blocks);
  if (grown > 0) {
    if (auto ok = ledger_.take(Category::activations, grown, "marks of blocks"); !ok) return ok;
    state_bytes_ += grown;
  }
  state_.prepare_blocks(pool_blocks, swap_blocks);
  return {};
}

/// Brings the workspaces to what weights, tensors, KV and limits known so far need. Sizes only grow, before
/// the first step.
Result<void> CpuBackend::fit_workspace() {
  const StepLimits& limits = state_.bounds.limits;
  if (limits.max_tokens == 0) return {};  // prepare_steps() comes back once all weights are there
  const Bytes rows = std::max(limits.max_tokens, limits.max_logit_rows);
  Bytes float_columns = 0, block_columns = 0, tensor_columns = 0;
  bool ordered = false;
  for (const StoredWeight& weight : weights_) {
    ordered = ordered || weight.matrix.order != nullptr;
    Bytes& columns = uses_quantized(weight.matrix) ? block_columns : float_columns;
    columns = std::max<Bytes>(columns, weight.matrix.columns);
  }
  for (const ExpertGroup& group : expert_groups_)
    float_columns = std::max<Bytes>(float_columns, group.hidden());
  for (const StoredTensor& tensor : tensors_) {
    if (tensor.rows == RowSet::tokens) tensor_columns = std::max<Bytes>(tensor_columns, tensor.columns);
  }
  // A row may be normed, then put in a weight's order, before it is quantised.
  Bytes scratch_floats = std::max(block_columns, tensor_columns) + (ordered ? block_columns : 0);
  for (const KvPool::Layer& layer : kv_.layers()) {
    const Bytes most_heads = tensor_columns / (Bytes{layer.head_dim} * layer.kv_heads) + 1;  // per kv head
    const auto queries = static_cast<int>(most_heads * state_.bounds.segment_rows);
    scratch_floats = std::max(scratch_floats, attention_scratch_floats(queries, layer.head_dim));
  }
  scratch_floats_ = (scratch_floats + 63) / 64 * 64;

  const Bytes float_bytes = rows * float_columns * Bytes{sizeof(float)};
  const Bytes block_bytes = rows * (block_columns / kQuantBlock) * Bytes{sizeof(ActivationBlock)};
  for (int slot = 0; slot < (ordered ? 2 : 1); ++slot) {
    if (auto ok = fit(normed_[slot], Category::activations, float_bytes, "normed activations"); !ok)
      return ok;
    if (auto ok = fit(quantised_[slot], Category::activations, block_bytes, "quantised activations"); !ok)
      return ok;
  }
  if (auto ok = fit(scratch_, Category::attention_workspace,
                    scratch_floats_ * Bytes{sizeof(float)} * team_.threads(), "scratch of the threads");
      !ok) {
    return ok;
  }
  return fit_moe_workspace();
}

Result<void> CpuBackend::fit(BookedMemory& memory, Category category, Bytes bytes, const char* purpose) {
  if (bytes <= memory.bytes()) return {};
  auto grown = BookedMemory::take(ledger_, category, bytes, purpose);
  if (!grown) return std::move(grown).error();
  memory = std::move(*grown);
  return {};
}

float* CpuBackend::scratch(int thread) const {
  return scratch_.as<float>() + thread * scratch_floats_;
}

void CpuBackend::move_blocks(const StepPlan& plan) {
  if (auto ok = state_.check_moves(plan); !ok) {
    step_error_ = std::move(ok).error();
  } else {
    kv_.move(plan, team_);
  }
}

void CpuBackend::stage(const StepPlan& plan) {
  sampled_from_ = {};
  state_.clear_rows();
  if (step_error_) return;
  if (auto ok = state_.stage(plan); !ok) step_error_ = std::move(ok).error();
}

void CpuBackend::record(int bucket, std::function<void()> forward) {
  recorded_[bucket] = std::move(forward);
}

bool CpuBackend::recorded(int bucket) const {
  return recorded_.contains(bucket);
}

void CpuBackend::replay(int bucket) {
  const auto forward = recorded_.find(bucket);
  assert(forward != recorded_.end());
  if (!step_error_) forward->second();
}

void CpuBackend::publish(std::uint64_t step) {
  StepResult result;
  result.number = step;
  result.error = std::exchange(step_error_, std::nullopt);
  for (std::size_t i = 0; i < state_.samples.size(); ++i) {
    const StepState::Sampling& sample = state_.samples[i];
    result.sampled.push_back({sample.request, sample.slot, sampled_[i].token, sampled_[i].logprob});
    if (sample.report >= 0)
      result.sampled.back().logprobs = std::move(reported_[static_cast<std::size_t>(sample.report)]);
    if (std::isnan(sampled_[i].logprob))
      result.arithmetic = "float32, KV in " + std::string(kv_dtype_name(kv_.dtype()));
  }
  for (const StepState::PromptReport& report : state_.prompt_reports) {
    const auto first = reported_.begin() + report.first_report;
    result.prompt_logprobs.push_back(
        {report.request,
         report.first_position,
         {std::make_move_iterator(first), std::make_move_iterator(first + report.rows)}});
  }
  for (const StepState::AskedLogits& asked : state_.asked) {
    if (!sampled_from_.valid()) break;
    const float* first = at(sampled_from_).row(asked.first_logit_row);
    result.logits.push_back({asked.request,
                             asked.first_position,
                             asked.rows,
                             {first, first + std::ptrdiff_t{asked.rows} * at(sampled_from_).columns}});
  }
  {
    std::lock_guard lock(published_mutex_);
    published_[step % published_.size()] = {step, std::move(result)};
  }
  published_changed_.notify_all();
}

StepResult CpuBackend::wait(std::uint64_t step) {
  std::unique_lock lock(published_mutex_);
  Published& entry = published_[step % published_.size()];
  published_changed_.wait(lock, [&] { return entry.step == step; });
  entry.step = 0;
  return std::move(entry.result);
}

}  // namespace pitwall
