// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/kv_pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace pitwall {

namespace {

constexpr std::int64_t kPiece = 64 * kKiB;    // of a block that moves whole
constexpr std::int64_t kShared = 256 * kKiB;  // less is moved by one thread

Result<void> check_scales(std::size_t layer, const char* which, const std::vector<float>& scales,
                          int kv_heads) {
  const auto bad = [&](const std::string& what) {
    return Error{Error::Kind::invalid_input,
                 "layer " + std::to_string(layer) + " has " + what + " for " + which,
                 "one finite scale above 0 is needed for each kv head", "check the checkpoint's KV scales",
                 "kv-cache-dtype"};
  };
  if (scales.empty()) return {};
  if (std::ssize(scales) != kv_heads) {
    return bad(std::to_string(scales.size()) + " scales of " + std::to_string(kv_heads) + " kv heads");
  }
  for (float scale : scales) {
    if (!(scale > 0) || !std::isfinite(scale)) return bad("the scale " + std::to_string(scale));
  }
  return {};
}

std::vector<float> scales_or_one(const KvLayout& layout, const std::vector<float>& scales, int kv_heads) {
  if (layout.dtype == KvDtype::fp8_e4m3 && !scales.empty()) return scales;
  return std::vector<float>(static_cast<std::size_t>(kv_heads), 1.0f);
}

}  // namespace

Result<void> KvPool::allocate(Ledger& ledger, const KvLayout& layout, int blocks) {
  if (blocks < 1 || layout.block_size < 16 || layout.block_size % 16 != 0) {
    return Error{Error::Kind::invalid_input,
                 std::to_string(blocks) + " KV blocks of " + std::to_string(layout.block_size) + " tokens",
                 "blocks hold 16, 32 or 64 tokens and there must be one at least",
                 "choose another block size", "block-size"};
  }
  std::vector<Layer> layers;
  std::int64_t offset = 0;
  for (const KvLayout::Layer& layer : layout.layers) {
    for (const auto& [which, scales] :
         {std::pair{"keys", &layer.k_scales}, std::pair{"values", &layer.v_scales}}) {
      if (auto ok = check_scales(layers.size(), which, *scales, layer.kv_heads); !ok) return ok;
    }
    const Bytes head_bytes = layout.bytes_per_head(layer.head_dim);
    layers.push_back({layer.kv_heads, layer.head_dim, offset, head_bytes,
                      scales_or_one(layout, layer.k_scales, layer.kv_heads),
                      scales_or_one(layout, layer.v_scales, layer.kv_heads)});
    offset += 2 * layer.kv_heads * head_bytes;
  }
  auto memory = BookedMemory::take(
      ledger, Category::kv, layout.bytes_per_block() * blocks,
      std::to_string(blocks) + " KV blocks of " + std::to_string(layout.block_size) + " tokens",
      Residence::on_first_use);
  if (!memory) return std::move(memory).error();
  memory_ = std::move(*memory);
  swap_ = {};
  dtype_ = layout.dtype;
  block_size_ = layout.block_size;
  block_bytes_ = layout.bytes_per_block();
  blocks_ = blocks;
  layers_ = std::move(layers);
  counters_ = std::make_unique<Counters[]>(layers_.size());
  return {};
}

Result<void> KvPool::allocate_swap(Ledger& ledger, int host_blocks) {
  if (blocks_ == 0 || host_blocks < 0) {
    return Error{Error::Kind::internal,
                 std::to_string(host_blocks) + " blocks of swap space beside " + std::to_string(blocks_) +
                     " KV blocks",
                 "swap space follows the KV pool", "report this", "swap-space"};
  }
  auto memory =
      BookedMemory::take(ledger, Category::swap, block_bytes_ * host_blocks,
                         std::to_string(host_blocks) + " blocks of swap space", Residence::on_first_use);
  if (!memory) return std::move(memory).error();
  swap_ = std::move(*memory);
  return {};
}

/// int8: a head's block_size scales, behind its numbers.
float* KvPool::scales(const Layer& layer, std::byte* head) const {
  return reinterpret_cast<float*>(head + std::int64_t{layer.head_dim} * block_size_);
}

/// narrow(x, out, head, scale) turns head_dim floats into Numbers; `head` is the start of the head's keys or
/// values, `scale` its fixed scale.
template <class Number, class Narrow>
void KvPool::append_as(const Layer& layer, std::byte* block, int column, const float* k, const float* v,
                       float* scratch, const Narrow& narrow) const {
  auto* row = reinterpret_cast<Number*>(scratch);
  for (int head = 0; head < layer.kv_heads; ++head, k += layer.head_dim, v += layer.head_dim) {
    const auto h = static_cast<std::size_t>(head);
    std::byte* keys = block + layer.key_offset(head);
    std::byte* values = block + layer.value_offset(head);
    narrow(k, row, keys, layer.k_scales[h]);
    Number* key_column = reinterpret_cast<Number*>(keys) + column;
    for (int d = 0; d < layer.head_dim; ++d) key_column[std::ptrdiff_t{d} * block_size_] = row[d];
    narrow(v, reinterpret_cast<Number*>(values) + std::ptrdiff_t{column} * layer.head_dim, values,
           layer.v_scales[h]);
  }
}

void KvPool::append(const KernelTable& kernels, int layer_index, int block_index, int column, const float* k,
                    const float* v, float* scratch) {
  const Layer& layer = layers_[static_cast<std::size_t>(layer_index)];
  std::byte* to = block(BlockId{block_index});
  switch (dtype_) {
    case KvDtype::float32:
      return append_as<float>(
          layer, to, column, k, v, scratch,
          [&](const float* x, float* out, std::byte*, float) { std::copy_n(x, layer.head_dim, out); });
    case KvDtype::bfloat16:
      return append_as<std::uint16_t>(layer, to, column, k, v, scratch,
                                      [&](const float* x, std::uint16_t* out, std::byte*, float) {
                                        kernels.to_bfloat(x, layer.head_dim, out);
                                      });
    case KvDtype::float16:
      return append_as<std::uint16_t>(layer, to, column, k, v, scratch,
                                      [&](const float* x, std::uint16_t* out, std::byte*, float) {
                                        kernels.to_half(x, layer.head_dim, out);
                                      });
    case KvDtype::int8:
      return append_as<std::int8_t>(layer, to, column, k, v, scratch,
                                    [&](const float* x, std::int8_t* out, std::byte* head, float) {
                                      scales(layer, head)[column] = kernels.to_int8(x, layer.head_dim, out);
                                    });
    case KvDtype::fp8_e4m3: {
      int saturated = 0;
      append_as<std::uint8_t>(layer, to, column, k, v, scratch,
                              [&](const float* x, std::uint8_t* out, std::byte*, float scale) {
                                saturated += kernels.to_fp8(x, layer.head_dim, scale, out);
                              });
      Counters& counters = counters_[static_cast<std::size_t>(layer_index)];
      counters.values.fetch_add(std::int64_t{2} * layer.kv_heads * layer.head_dim, std::memory_order_relaxed);
      if (saturated > 0) counters.saturated.fetch_add(saturated, std::memory_order_relaxed);
      return;
    }
  }
}

std::vector<KvSaturation> KvPool::saturation() const {
  std::vector<KvSaturation> by_layer;
  if (dtype_ != KvDtype::fp8_e4m3) return by_layer;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    by_layer.push_back({counters_[i].values.load(std::memory_order_relaxed),
                        counters_[i].saturated.load(std::memory_order_relaxed)});
  }
  return by_layer;
}

/// ends(i) gives the pointers {from, to} of move i.
template <class Move>
void KvPool::move_whole(std::size_t count, ThreadTeam& team, const Move& ends) const {
  const auto pieces = static_cast<int>((block_bytes_ + kPiece - 1) / kPiece);
  team.run(static_cast<int>(count) * pieces, kShared / kPiece, [&](int begin, int end, int) {
    for (int item = begin; item < end; ++item) {
      const auto [from, to] = ends(static_cast<std::size_t>(item / pieces));
      const std::int64_t start = item % pieces * kPiece;
      std::memcpy(to + start, from + start, static_cast<std::size_t>(std::min(kPiece, block_bytes_ - start)));
    }
  });
}

void KvPool::move(const StepPlan& plan, ThreadTeam& team) {
  if (blocks_ == 0) return;
  move_whole(plan.swaps_out.size(), team, [&](std::size_t i) {
    return std::pair{block(plan.swaps_out[i].block), host_block(plan.swaps_out[i].host)};
  });
  move_whole(plan.swaps_in.size(), team, [&](std::size_t i) {
    return std::pair{host_block(plan.swaps_in[i].host), block(plan.swaps_in[i].block)};
  });
  const auto layers = static_cast<int>(layers_.size());
  const auto grain = static_cast<int>(std::max<std::int64_t>(1, kShared * layers / block_bytes_));
  team.run(static_cast<int>(plan.copies.size()) * layers, grain, [&](int begin, int end, int) {
    for (int item = begin; item < end; ++item) {
      copy_layer(layers_[static_cast<std::size_t>(item % layers)],
                 plan.copies[static_cast<std::size_t>(item / layers)]);
    }
  });
}

void KvPool::copy_layer(const Layer& layer, const BlockCopy& copy) const {
  for (int head = 0; head < layer.kv_heads; ++head) {
    copy_head(layer, layer.key_offset(head), layer.value_offset(head), copy);
  }
}

/// Positions are a key's columns, a value's rows, and what scales go by.
void KvPool::copy_head(const Layer& layer, std::int64_t keys, std::int64_t values,
                       const BlockCopy& copy) const {
  std::byte* from = block(copy.from);
  std::byte* to = block(copy.to);
  const auto number = static_cast<std::size_t>(kv_dtype_bytes(dtype_));
  const auto tokens = static_cast<std::size_t>(copy.tokens),
             head_dim = static_cast<std::size_t>(layer.head_dim);
  for (std::size_t d = 0; d < head_dim; ++d) {
    const std::int64_t row = keys + static_cast<std::int64_t>(d * number) * block_size_;
    std::memcpy(to + row, from + row, tokens * number);
  }
  std::memcpy(to + values, from + values, tokens * head_dim * number);
  if (kv_dtype_scale_bytes(dtype_) == 0) return;
  for (const std::int64_t head : {keys, values}) {
    std::copy_n(scales(layer, from + head), tokens, scales(layer, to + head));
  }
}

}  // namespace pitwall
