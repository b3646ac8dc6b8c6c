// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/kv_pool.h"

#include <cmath>
#include <string>

namespace pitwall::cuda {

namespace {

constexpr int kDimUnit = 16;
constexpr int kLargestHead = 256;

Error bad_layout(std::string what, std::string action, std::string param) {
  return {Error::Kind::unsupported, std::move(what), "the CUDA kernels do not have it", std::move(action),
          std::move(param)};
}

Bytes number_bytes(const KvView& view) {
  return view.block_numbers() * kv_dtype_bytes(view.dtype);
}
Bytes scale_bytes(const KvView& view) {
  if (view.dtype != KvDtype::int8) return 0;
  return Bytes{2} * view.kv_heads * view.block_size * Bytes{sizeof(float)};
}

Result<void> upload_scales(DeviceMemory& memory, std::vector<float> scales, int kv_heads,
                           const float*& place) {
  if (scales.empty()) scales.assign(static_cast<std::size_t>(kv_heads), 1.0f);
  for (const float scale : scales) {
    if (std::ssize(scales) == kv_heads && std::isfinite(scale) && scale > 0) continue;
    return Error{Error::Kind::invalid_input,
                 "A KV scale is " + std::to_string(scale) + ", of " + std::to_string(scales.size()) +
                     " for " + std::to_string(kv_heads) + " heads",
                 "scales are finite and above 0, one for each kv head", "Fetch the checkpoint again",
                 "kv-cache-dtype"};
  }
  float* on_device = nullptr;
  if (auto ok = memory.take(on_device, Category::kv, std::ssize(scales), "KV scales"); !ok) return ok;
  place = on_device;
  return check(cudaMemcpy(on_device, scales.data(), scales.size() * sizeof(float), cudaMemcpyHostToDevice),
               "Uploading KV scales");
}

/// As many addresses as the device has bytes.
Result<DeviceArena> reserve(DeviceMemory& memory) {
  return DeviceArena::reserve(memory.api(), memory.device(), memory.ledger(), Category::kv,
                              memory.device().memory);
}

}  // namespace

CudaKvPool::~CudaKvPool() {
  if (copies_ != nullptr) cudaStreamDestroy(copies_);
  if (swap_ledger_ != nullptr) swap_ledger_->give_back(Category::swap, swap_.bytes());
}

Result<void> CudaKvPool::prepare(DeviceMemory& memory, const KvLayout& layout) {
  if (layout.dtype == KvDtype::float32) {
    return bad_layout("kv-cache-dtype float32 is not there on the GPU",
                      "Choose auto, bfloat16, float16, fp8_e4m3 or int8", "kv-cache-dtype");
  }
  layout_ = layout;
  views_.clear();
  numbers_.clear();
  scales_.clear();
  if (auto ok = memory.take(counters_, Category::kv, 2 * std::ssize(layout.layers), "KV counters"); !ok)
    return ok;
  if (copies_ == nullptr) {
    if (auto ok = check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "Opening a stream"); !ok)
      return ok;
  }
  for (const KvLayout::Layer& layer : layout.layers) {
    if (layer.head_dim > kLargestHead) {
      return bad_layout(
          "Heads of " + std::to_string(layer.head_dim) + " numbers are above " + std::to_string(kLargestHead),
          "Use --device cpu", "device");
    }
    KvView& view = views_.emplace_back();
    view.dtype = layout.dtype;
    view.kv_heads = layer.kv_heads;
    view.head_dim = layer.head_dim;
    view.padded_dim = (layer.head_dim + kDimUnit - 1) / kDimUnit * kDimUnit;
    view.block_size = layout.block_size;
    if (layout.dtype == KvDtype::fp8_e4m3) {
      if (auto ok = upload_scales(memory, layer.k_scales, layer.kv_heads, view.k_scales); !ok) return ok;
      if (auto ok = upload_scales(memory, layer.v_scales, layer.kv_heads, view.v_scales); !ok) return ok;
      view.saturation = counters_ + 2 * (std::ssize(views_) - 1);
    }
    auto numbers = reserve(memory);
    if (!numbers) return std::move(numbers).error();
    view.numbers = numbers->next();
    numbers_.push_back(*std::move(numbers));
    if (layout.dtype != KvDtype::int8) continue;
    auto scales = reserve(memory);
    if (!scales) return std::move(scales).error();
    view.token_scales = reinterpret_cast<float*>(scales->next());
    scales_.push_back(*std::move(scales));
  }
  return {};
}

KvFootprint CudaKvPool::footprint() const {
  KvFootprint footprint;
  for (const KvView& view : views_) footprint.block += number_bytes(view) + scale_bytes(view);
  for (const std::vector<DeviceArena>* arenas : {&numbers_, &scales_}) {
    for (const DeviceArena& arena : *arenas) footprint.rounding += arena.page();
  }
  return footprint;
}

Result<void> CudaKvPool::allocate(int blocks) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const std::string purpose = "KV of layer " + std::to_string(i);
    auto numbers = numbers_[i].take(blocks * number_bytes(views_[i]), purpose);
    if (!numbers) return std::move(numbers).error();
    if (scales_.empty()) continue;
    auto scales = scales_[i].take(blocks * scale_bytes(views_[i]), purpose);
    if (!scales) return std::move(scales).error();
  }
  blocks_ = blocks;
  return {};
}

Result<void> CudaKvPool::allocate_swap(Ledger& ledger, int host_blocks) {
  const Bytes bytes = host_blocks * host_block_bytes(views_);
  auto memory = PinnedMemory::take(bytes, "swap space");
  if (!memory) return std::move(memory).error();
  if (auto ok = ledger.take(Category::swap, bytes, "swap space"); !ok) return ok;
  swap_ledger_ = &ledger;
  swap_ = *std::move(memory);
  return {};
}

void CudaKvPool::move(const StepPlan& plan, cudaStream_t stream) const {
  const MoveSpace space{views_, swap_.host(), views_.empty() ? 0 : host_block_bytes(views_)};
  swap_out(space, plan.swaps_out, stream);
  swap_in(space, plan.swaps_in, stream);
  copy_blocks(space, plan.copies, stream);
}

std::vector<KvSaturation> CudaKvPool::saturation() const {
  std::vector<KvSaturation> result;
  if (layout_.dtype != KvDtype::fp8_e4m3) return result;
  std::vector<unsigned long long> counts(2 * views_.size());
  if (cudaMemcpyAsync(counts.data(), counters_, counts.size() * sizeof(counts[0]), cudaMemcpyDeviceToHost,
                      copies_) != cudaSuccess ||
      cudaStreamSynchronize(copies_) != cudaSuccess) {
    return result;
  }
  for (std::size_t i = 0; i < views_.size(); ++i) {
    result.push_back(
        {static_cast<std::int64_t>(counts[2 * i]), static_cast<std::int64_t>(counts[2 * i + 1])});
  }
  return result;
}

}  // namespace pitwall::cuda
