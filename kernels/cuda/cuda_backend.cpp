// SPDX-License-Identifier: GPL-3.0-or-later
// Memory and steps of the CUDA back end; the forward's operations are in cuda_backend_ops.cpp.
#include "kernels/cuda/cuda_backend.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/cuda/launch.cuh"

namespace pitwall::cuda {

namespace {

/// Compute capability from which kernels may overlap their neighbours in a stream.
constexpr int kOverlapMajor = 9;

/// Smaller chunks of prompts are not measured.
constexpr int kLeastChunk = 256;

/// Δ of what the driver has given away, around a phase of start-up that takes memory on its own.
Bytes used_memory() {
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? static_cast<Bytes>(total - free) : 0;
}

}  // namespace

CudaBackend::CudaBackend(const CudaBackendOptions& options, std::unique_ptr<GpuMemoryMeter> meter,
                         const CudaDevice& device, const VirtualMemoryApi& api)
    : options_(options),
      meter_(std::move(meter)),
      ledger_(options.memory_limit, [meter = meter_.get()] { return meter->read(); }),
      memory_(device, api, ledger_),
      uploads_(memory_, options.threads, options.half ? TensorType::f16 : TensorType::bf16) {}

CudaBackend::~CudaBackend() {
  if (stream_ == nullptr) return;
  cudaStreamSynchronize(stream_);
  for (auto& [bucket, recorded] : recorded_)
    if (recorded.graph != nullptr) cudaGraphExecDestroy(recorded.graph);
  cudaStreamDestroy(stream_);
}

Result<std::unique_ptr<CudaBackend>> CudaBackend::open(const CudaBackendOptions& options) {
  auto meter = std::make_unique<GpuMemoryMeter>();
  auto device = open_device();
  if (!device) return std::move(device).error();
  meter->context_opened(*device);
  auto api = virtual_memory_api();
  if (!api) return std::move(api).error();
  std::unique_ptr<CudaBackend> self(new CudaBackend(options, std::move(meter), *device, *api));
  if (auto ok = self->start(); !ok) return std::move(ok).error();
  return self;
}

Result<void> CudaBackend::start() {
  overlap_launches = memory_.device().major >= kOverlapMajor;
  if (auto ok = ledger_.take(Category::context, meter_->context_bytes(), "the CUDA context"); !ok) return ok;
  if (auto ok = check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "Opening a stream"); !ok)
    return ok;
  const Bytes before = used_memory();
  if (auto ok = products_.prepare(memory_, stream_, options_.cache); !ok) return ok;
  if (!products_.notice().empty()) spdlog::warn("{}; own kernels multiply", products_.notice());
  const Bytes library = used_memory() - before - ledger_.snapshot().of(Category::library_workspace);
  return ledger_.take(Category::library_workspace, std::max<Bytes>(library, 0), "cuBLASLt");
}

DeviceInfo CudaBackend::device() const {
  const CudaDevice& device = memory_.device();
  return {device.name, "cuda", device.memory, options_.threads};
}

Result<Weight> CudaBackend::upload(const TensorView& tensor) {
  auto matrix = uploads_.matrix(tensor);
  if (!matrix) return std::move(matrix).error();
  if (auto ok = products_.expect(*matrix); !ok) return std::move(ok).error();
  weights_.push_back({*matrix, nullptr, 0});
  return Weight{static_cast<std::int32_t>(weights_.size()) - 1};
}

Result<Weight> CudaBackend::upload_vector(const TensorView& tensor, float offset) {
  auto vector = uploads_.vector(tensor, offset);
  if (!vector) return std::move(vector).error();
  weights_.push_back({{}, *vector, static_cast<int>(tensor.rows * tensor.columns)});
  return Weight{static_cast<std::int32_t>(weights_.size()) - 1};
}

Result<Experts> CudaBackend::group_experts(const TensorView& router, std::span<const ExpertWeights> experts,
                                           const MoeSpec& spec, Activation activation) {
  std::vector<DeviceMatrix> gate, up, down;
  for (const ExpertWeights& expert : experts) {
    gate.push_back(at(expert.gate).matrix);
    up.push_back(at(expert.up).matrix);
    down.push_back(at(expert.down).matrix);
  }
  auto layer = make_moe_layer(uploads_, router, gate, up, down, spec, activation);
  if (!layer) return std::move(layer).error();
  moe_layers_.push_back(*std::move(layer));
  return Experts{static_cast<std::int32_t>(moe_layers_.size()) - 1};
}

Result<RopeTable> CudaBackend::upload_rope(const RopeSpec& rope, int positions) {
  if (auto ok = check_rope(rope, rope.rotary_dim); !ok) return std::move(ok).error();
  const int switch_length = rope.switch_length();
  const bool switches = switch_length > 0 && switch_length < positions;
  const auto table = [&](int count, int longest) {
    std::vector<float> numbers(static_cast<std::size_t>(count) * static_cast<std::size_t>(rope.rotary_dim));
    fill_rope_table(rope, count, longest, numbers.data());
    return uploads_.items(numbers, "rotary tables");
  };
  RopeView view;
  view.rotary_dim = rope.rotary_dim;
  view.pairing = rope.pairing;
  const int first = switches ? switch_length : positions;
  auto short_table = table(first, first);
  if (!short_table) return std::move(short_table).error();
  view.table = *short_table;
  if (switches) {
    auto long_table = table(positions, positions);
    if (!long_table) return std::move(long_table).error();
    view.long_table = *long_table;
  }
  ropes_.push_back(view);
  link_.state().bounds.positions = std::min(link_.state().bounds.positions, positions);
  return RopeTable{static_cast<std::int32_t>(ropes_.size()) - 1};
}

Result<void> CudaBackend::prepare_steps(const StepLimits& limits) {
  limits_ = limits;
  if (auto ok = link_.prepare(memory_, limits, stream_); !ok) return ok;
  if (options_.half) {
    memory_.use_half(link_.cut());
    link_.name_arithmetic("float16");
  }
  return {};
}

Result<Tensor> CudaBackend::allocate(Category category, RowSet rows, int columns, Precision precision) {
  const std::int64_t count =
      padded_rows(rows == RowSet::tokens ? limits_.max_tokens : limits_.max_logit_rows);
  const std::string purpose =
      std::string(category_name(category)) + " of " + std::to_string(columns) + " columns";
  StoredTensor tensor{rows, {}, {}};
  if (precision == Precision::wide) {
    auto taken = memory_.take_wide_rows(category, count, columns, purpose);
    if (!taken) return std::move(taken).error();
    tensor.wide = *taken;
  } else {
    auto taken = memory_.take_rows(category, count, columns, purpose);
    if (!taken) return std::move(taken).error();
    tensor.narrow = *taken;
  }
  tensors_.push_back(tensor);
  return Tensor{static_cast<std::int32_t>(tensors_.size()) - 1};
}

Result<std::vector<Tensor>> CudaBackend::allocate_together(std::span<const int> columns) {
  int total = 0;
  for (const int count : columns) total += count;
  auto whole = memory_.take_rows(Category::activations, padded_rows(limits_.max_tokens), total,
                                 "activations of " + std::to_string(total) + " columns");
  if (!whole) return std::move(whole).error();
  std::vector<Tensor> tensors;
  int first = 0;
  for (const int count : columns) {
    tensors_.push_back({RowSet::tokens, {whole->data + first, whole->stride, count, whole->cut}, {}});
    tensors.push_back({static_cast<std::int32_t>(tensors_.size()) - 1});
    first += count;
  }
  return tensors;
}

Result<void> CudaBackend::prepare_attention(const KvLayout& layout, int heads) {
  if (auto ok = kv_.prepare(memory_, layout); !ok) return ok;
  link_.state().bounds.block_size = layout.block_size;
  DecodeShape shape{decode_bound(limits_.max_tokens), heads, 0, 0};
  for (const KvLayout::Layer& layer : layout.layers) {
    shape.kv_heads = std::max(shape.kv_heads, layer.kv_heads);
    shape.head_dim = std::max(shape.head_dim, layer.head_dim);
  }
  const auto bytes = static_cast<Bytes>(decode_workspace_bytes(shape, memory_.device().multiprocessors));
  auto memory = memory_.take(Category::attention_workspace, bytes, "decode attention");
  if (!memory) return std::move(memory).error();
  decode_.memory = *memory;
  return fit_workspaces();
}

/// Once weights, tensors and limits are known: what lies between a forward's operations.
Result<void> CudaBackend::fit_workspaces() {
  int outputs = 0;
  for (const StoredWeight& weight : weights_) {
    // The output projection goes to its tensor; everything else may need an epilogue or stand beside its
    // twin.
    if (weight.matrix.rows < limits_.vocabulary) outputs = std::max(outputs, weight.matrix.rows);
  }
  const std::int64_t rows = padded_rows(std::max(limits_.max_tokens, limits_.max_logit_rows));
  for (const StoredTensor& tensor : tensors_) {
    const int columns = tensor.wide.columns;
    if (!tensor.is_wide() || columns == limits_.vocabulary || twins_.contains(columns)) continue;
    const int parts = moe_layers_.empty() ? 1 : 2;  // routers read what rounding left out, too
    auto normed = memory_.take_rows(Category::activations, parts * rows, columns, "normed activations");
    if (!normed) return std::move(normed).error();
    Twin& twin = twins_[columns];
    twin.rows = *normed;
    twin.squares.stride = skinny_parts(columns);
    const std::int64_t folded = std::min<std::int64_t>(rows, kMostFoldedRows);
    if (auto ok = memory_.take(twin.squares.parts, Category::activations, folded * twin.squares.stride,
                               "sums of squares");
        !ok) {
      return ok;
    }
  }
  auto products = memory_.take_rows(Category::activations, rows, 2 * stride_of(outputs), "products");
  if (!products) return std::move(products).error();
  products16_ = *products;
  products32_ = {reinterpret_cast<float*>(products16_.data), stride_of(outputs), outputs};
  auto moe = take_moe_workspace(memory_, moe_layers_, limits_.max_tokens);
  if (!moe) return std::move(moe).error();
  moe_ = *moe;
  return check(cudaDeviceSynchronize(), "Uploading the weights");
}

Result<void> CudaBackend::allocate_kv(const KvLayout& layout, int blocks) {
  if (kv_.layers().empty() && !layout.layers.empty()) {
    return Error{
        Error::Kind::internal, "KV was asked for before attention was prepared", "", "report this", {}};
  }
  if (auto ok = kv_.allocate(blocks); !ok) return ok;
  link_.state().prepare_blocks(blocks, 0);
  return {};
}

Result<void> CudaBackend::allocate_swap(int host_blocks) {
  if (auto ok = kv_.allocate_swap(ledger_, host_blocks); !ok) return ok;
  link_.state().prepare_blocks(kv_.blocks(), host_blocks);
  return {};
}

/// Every kernel that a step may need runs once over padding, so that nothing is loaded, chosen or taken
/// later.
Result<void> CudaBackend::warm_up(const std::function<void()>& forward, std::span<const int> buckets) {
  const Bytes before = used_memory() - ledger_.booked();
  StepPlan nothing;
  if (auto ok = link_.stage(nothing); !ok) return ok;
  if (auto ok = link_.load_kernels(); !ok) return ok;
  if (auto ok = products_.begin_tuning(); !ok) return ok;
  // Prompts come in chunks of any size: those that a full budget is cut into are measured.
  for (int rows = limits_.max_tokens; rows >= kLeastChunk; rows /= 2) {
    bind_rows(rows, std::min(rows, limits_.max_logit_rows));
    run(forward);
    link_.publish(0, std::nullopt, false, {});
    if (auto ok = check(cudaStreamSynchronize(stream_), "The first step"); !ok) return ok;
  }
  for (const int bucket : buckets) {
    Recorded& recorded = recorded_[bucket];
    recorded.forward = forward;
    bind_rows(bucket, std::min(bucket, limits_.max_logit_rows));
    run(forward);  // measures the products of this many rows
    link_.publish(0, std::nullopt, false, {});
    if (auto ok = check(cudaStreamSynchronize(stream_), "Preparing a step"); !ok) return ok;
    if (auto ok = capture(bucket, recorded); !ok) return ok;
  }
  if (auto kept = products_.end_tuning(); !kept) spdlog::warn("{}", kept.error().text());
  const Bytes grown = used_memory() - ledger_.booked() - before;
  return ledger_.take(Category::graphs, std::max<Bytes>(grown, 0), "captured steps and loaded kernels");
}

Result<void> CudaBackend::capture(int bucket, Recorded& recorded) {
  bind_rows(bucket, std::min(bucket, limits_.max_logit_rows));
  const std::string what = "Capturing a step of " + std::to_string(bucket) + " rows";
  if (auto ok = check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), what); !ok)
    return ok;
  run(recorded.forward);
  cudaGraph_t graph = nullptr;
  if (auto ok = check(cudaStreamEndCapture(stream_, &graph), what); !ok) return ok;
  const auto made = cudaGraphInstantiate(&recorded.graph, graph, 0);
  cudaGraphDestroy(graph);
  if (auto ok = check(made, what); !ok) return ok;
  return check(cudaGraphUpload(recorded.graph, stream_), what);
}

/// A slot has one decode row and, in a static batch, one of padding behind it.
int CudaBackend::decode_bound(int rows) const {
  return std::min(rows, 2 * limits_.max_slots);
}

void CudaBackend::bind_rows(int tokens, int logits) {
  token_bound_ = tokens;
  logit_bound_ = logits;
}

void CudaBackend::run(const std::function<void()>& forward) {
  planned_ = {0, -1};
  for (auto& [columns, twin] : twins_) twin.of = {};
  link_.ingest(token_bound_);
  forward();
}

void CudaBackend::move_blocks(const StepPlan& plan) {
  if (auto ok = link_.state().check_moves(plan); !ok) {
    step_error_ = std::move(ok).error();
  } else {
    kv_.move(plan, stream_);
  }
}

void CudaBackend::stage(const StepPlan& plan) {
  link_.state().clear_rows();
  if (step_error_) return;
  if (auto ok = link_.stage(plan); !ok) step_error_ = std::move(ok).error();
}

void CudaBackend::record(int bucket, std::function<void()> forward) {
  recorded_[bucket].forward = std::move(forward);
}

bool CudaBackend::recorded(int bucket) const {
  return recorded_.contains(bucket);
}

void CudaBackend::replay(int bucket) {
  if (step_error_) return;
  const Recorded& recorded = recorded_.at(bucket);
  const int rows = link_.state().rows(RowSet::tokens), logits = link_.state().rows(RowSet::logits);
  const bool fits = rows <= bucket && logits <= std::min(bucket, limits_.max_logit_rows);
  replayed_ = recorded.graph != nullptr && fits && !link_.has_segments();
  if (replayed_) {
    if (auto ok = check(cudaGraphLaunch(recorded.graph, stream_), "Launching a captured step"); !ok)
      step_error_ = std::move(ok).error();
  } else {
    bind_rows(rows, logits);
    run(recorded.forward);
  }
}

void CudaBackend::publish(std::uint64_t step) {
  link_.publish(step, std::exchange(step_error_, std::nullopt), replayed_, sampled_from_);
}

}  // namespace pitwall::cuda
