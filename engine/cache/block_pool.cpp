// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/block_pool.h"

#include <algorithm>
#include <cassert>

namespace pitwall {

namespace {

std::size_t index_of(BlockId block) {
  return static_cast<std::size_t>(block.value);
}

Error broken(std::string what) {
  return {.kind = Error::Kind::internal, .what = std::move(what), .cause = {}, .action = {}, .param = {}};
}

}  // namespace

BlockPool::BlockPool(int blocks, int block_size) : block_size_(block_size) {
  assert(blocks >= 0 && block_size > 0);
  references_.assign(static_cast<std::size_t>(blocks), 0);
  generations_.assign(static_cast<std::size_t>(blocks), 0);
  free_.reserve(static_cast<std::size_t>(blocks));
  for (int i = blocks - 1; i >= 0; --i) free_.push_back(BlockId{i});
}

bool BlockPool::allocate(int count, BlockTable& table) {
  if (count > free_count()) return false;
  for (int i = 0; i < count; ++i) {
    const BlockId block = free_.back();
    free_.pop_back();
    references_[index_of(block)] = 1;
    ++generations_[index_of(block)];
    table.push_back(block);
  }
  return true;
}

void BlockPool::undo_allocate(int count, BlockTable& table) {
  for (int i = 0; i < count; ++i) {
    const BlockId block = table.back();
    table.pop_back();
    references_[index_of(block)] = 0;
    --generations_[index_of(block)];
    free_.push_back(block);
  }
}

void BlockPool::free(std::span<const BlockId> blocks, std::uint64_t fence) {
  for (std::size_t i = blocks.size(); i-- > 0;) {  // the last taken is the first given again
    const BlockId block = blocks[i];
    std::int32_t& references = references_[index_of(block)];
    assert(references > 0);
    if (--references > 0) continue;
    if (fence > released_) {
      quarantined_.push_back({fence, block});
    } else {
      free_.push_back(block);
    }
  }
}

void BlockPool::release(std::uint64_t step) {
  released_ = std::max(released_, step);
  std::erase_if(quarantined_, [this](const Fenced& fenced) {
    if (fenced.step > released_) return false;
    free_.push_back(fenced.block);
    return true;
  });
}

std::uint32_t BlockPool::generation(BlockId block) const {
  return generations_[index_of(block)];
}

Result<void> BlockPool::check() const {
  enum class Place : std::uint8_t { owned, free, quarantined };
  std::vector<Place> places(references_.size(), Place::owned);
  auto put = [&](BlockId block, Place place) -> Result<void> {
    const std::string name = "block " + std::to_string(block.value);
    if (block.value < 0 || index_of(block) >= references_.size())
      return broken(name + " is outside the pool");
    if (places[index_of(block)] != Place::owned)
      return broken(name + " is listed twice as free or quarantined");
    if (references_[index_of(block)] != 0) return broken(name + " is listed as free but has references");
    places[index_of(block)] = place;
    return {};
  };
  for (BlockId block : free_) {
    if (auto ok = put(block, Place::free); !ok) return ok;
  }
  for (const Fenced& fenced : quarantined_) {
    if (auto ok = put(fenced.block, Place::quarantined); !ok) return ok;
    if (fenced.step <= released_)
      return broken("block " + std::to_string(fenced.block.value) + " waits for a step that is over");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == Place::owned && references_[i] <= 0) {
      return broken("block " + std::to_string(i) + " is neither free, quarantined nor owned");
    }
  }
  return {};
}

}  // namespace pitwall
