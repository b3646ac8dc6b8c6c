// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/backend.h"

namespace pitwall {

Result<std::vector<Tensor>> Backend::allocate_together(std::span<const int> columns) {
  std::vector<Tensor> tensors;
  for (const int count : columns) {
    auto tensor = allocate(Category::activations, RowSet::tokens, count);
    if (!tensor) return std::move(tensor).error();
    tensors.push_back(*tensor);
  }
  return tensors;
}

Result<void> Backend::prepare_attention(const KvLayout&, int) {
  return {};
}

Result<void> Backend::warm_up(const std::function<void()>&, std::span<const int>) {
  return {};
}

KvFootprint Backend::kv_footprint(const KvLayout& layout) const {
  return {layout.bytes_per_block(), 0};
}

}  // namespace pitwall
