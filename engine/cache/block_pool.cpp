// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/block_pool.h"

#include <algorithm>
#include <cassert>

namespace pitwall {

namespace {

Error broken(std::int32_t block, const std::string& what) {
  return {.kind = Error::Kind::internal,
          .what = "block " + std::to_string(block) + ' ' + what,
          .cause = {},
          .action = {},
          .param = {}};
}

}  // namespace

void BlockPool::insert_after(List& list, std::int32_t previous, std::int32_t block) {
  const std::int32_t next = previous < 0 ? list.first : blocks_[static_cast<std::size_t>(previous)].next;
  Block& inserted = blocks_[static_cast<std::size_t>(block)];
  inserted.previous = previous;
  inserted.next = next;
  (previous < 0 ? list.first : blocks_[static_cast<std::size_t>(previous)].next) = block;
  (next < 0 ? list.last : blocks_[static_cast<std::size_t>(next)].previous) = block;
  ++list.count;
}

void BlockPool::remove(List& list, std::int32_t block) {
  Block& removed = blocks_[static_cast<std::size_t>(block)];
  (removed.previous < 0 ? list.first : blocks_[static_cast<std::size_t>(removed.previous)].next) =
      removed.next;
  (removed.next < 0 ? list.last : blocks_[static_cast<std::size_t>(removed.next)].previous) =
      removed.previous;
  removed.previous = removed.next = -1;
  --list.count;
}

void BlockPool::begin() {
  assert(!open_);
  open_ = true;
}

void BlockPool::roll_back(std::size_t savepoint) {
  assert(open_);
  while (changes_.size() > savepoint) {
    undo(changes_.back());
    changes_.pop_back();
  }
}

std::vector<BlockId> BlockPool::keep() {
  assert(open_);
  std::vector<BlockId> evicted;
  for (const Undo& change : changes_) {
    if (change.change == Change::evicted) evicted.push_back(BlockId{change.block});
  }
  changes_.clear();
  open_ = false;
  return evicted;
}

void BlockPool::cancel() {
  roll_back(0);
  open_ = false;
}

int BlockPool::evictions() const {
  return static_cast<int>(std::count_if(changes_.begin(), changes_.end(),
                                        [](const Undo& change) { return change.change == Change::evicted; }));
}

bool BlockPool::allocate(int count, BlockTable& table) {
  assert(open_);
  if (count > available()) return false;
  for (int i = 0; i < count; ++i) {
    std::int32_t block = 0;
    if (!free_.empty()) {
      block = free_.back();
      free_.pop_back();
      take(block, Change::took_free);
    } else if (fresh_ < total_) {
      block = fresh_++;
      blocks_.touch(static_cast<std::size_t>(block));
      take(block, Change::took_fresh);
    } else {
      block = cached_.first;
      remove(cached_, block);
      take(block, Change::evicted);
    }
    table.push_back(BlockId{block});
  }
  return true;
}

void BlockPool::take(std::int32_t block, Change change) {
  Block& taken = blocks_[static_cast<std::size_t>(block)];
  taken.references = 1;
  ++taken.generation;
  taken.place = Place::used;
  taken.retained = false;
  changes_.push_back({change, Place::free, block, -1});
}

void BlockPool::reference(BlockId id) {
  Block& block = blocks_[index_of(id)];
  if (block.references++ > 0) {
    if (open_) changes_.push_back({Change::shared, Place::used, id.value, -1});
    return;
  }
  assert(block.retained);
  const std::int32_t previous = block.previous;
  if (open_) changes_.push_back({Change::revived, block.place, id.value, previous});
  remove(list(block.place), id.value);
  block.place = Place::used;
}

void BlockPool::undo(const Undo& change) {
  Block& block = blocks_[static_cast<std::size_t>(change.block)];
  --block.references;
  switch (change.change) {
    case Change::shared:
      return;
    case Change::revived:
      block.place = change.from;
      insert_after(list(change.from), change.previous, change.block);
      return;
    case Change::evicted:
      block.place = Place::cached;
      block.retained = true;
      insert_after(cached_, -1, change.block);
      break;
    case Change::took_free:
      block.place = Place::free;
      free_.push_back(change.block);
      break;
    case Change::took_fresh:
      block.place = Place::free;
      --fresh_;
      break;
  }
  --block.generation;
}

void BlockPool::free(std::span<const BlockId> blocks, std::uint64_t fence) {
  assert(!open_);
  for (std::size_t i = blocks.size(); i-- > 0;) {  // tail before head, here and in the order of eviction
    Block& block = blocks_[index_of(blocks[i])];
    assert(block.references > 0);
    block.fence = std::max(block.fence, fence);
    if (--block.references > 0) continue;
    if (block.fence > released_) {
      block.place = Place::quarantined;
      insert_after(quarantined_, quarantined_.last, blocks[i].value);
    } else if (block.retained) {
      block.place = Place::cached;
      insert_after(cached_, cached_.last, blocks[i].value);
    } else {
      block.place = Place::free;
      free_.push_back(blocks[i].value);
    }
  }
}

void BlockPool::release(std::uint64_t step) {
  assert(!open_);
  released_ = std::max(released_, step);
  for (std::int32_t id = quarantined_.first; id >= 0;) {
    Block& block = blocks_[static_cast<std::size_t>(id)];
    const std::int32_t next = block.next;
    if (block.fence <= released_) {
      remove(quarantined_, id);
      if (block.retained) {
        block.place = Place::cached;
        insert_after(cached_, cached_.last, id);
      } else {
        block.place = Place::free;
        free_.push_back(id);
      }
    }
    id = next;
  }
}

void BlockPool::forget_cached() {
  assert(!open_);
  while (cached_.first >= 0) {
    const std::int32_t id = cached_.last;
    remove(cached_, id);
    Block& block = blocks_[static_cast<std::size_t>(id)];
    block.retained = false;
    block.place = Place::free;
    free_.push_back(id);
  }
  for (std::int32_t id = quarantined_.first; id >= 0; id = blocks_[static_cast<std::size_t>(id)].next) {
    blocks_[static_cast<std::size_t>(id)].retained = false;
  }
}

int BlockPool::references(BlockId block) const {
  return block.value < fresh_ ? blocks_[index_of(block)].references : 0;
}

std::uint32_t BlockPool::generation(BlockId block) const {
  return block.value < fresh_ ? blocks_[index_of(block)].generation : 0;
}

std::vector<BlockId> BlockPool::cached() const {
  std::vector<BlockId> out;
  for (std::int32_t id = cached_.first; id >= 0; id = blocks_[static_cast<std::size_t>(id)].next)
    out.push_back(BlockId{id});
  return out;
}

Result<void> BlockPool::check_lists(std::vector<Place>& places) const {
  const auto put = [&](std::int32_t id, Place place) -> Result<void> {
    if (id < 0 || id >= fresh_) return broken(id, "is listed but was never handed out");
    const Block& block = blocks_[static_cast<std::size_t>(id)];
    if (places[static_cast<std::size_t>(id)] != Place::used) return broken(id, "is listed twice");
    if (block.references != 0) return broken(id, "is listed as unused but has references");
    if (block.place != place) return broken(id, "is in another list than it says");
    places[static_cast<std::size_t>(id)] = place;
    return {};
  };
  for (const std::int32_t id : free_) {
    if (auto ok = put(id, Place::free); !ok) return ok;
    if (blocks_[static_cast<std::size_t>(id)].retained) return broken(id, "is free but retained");
  }
  const auto walk = [&](const List& list, Place place) -> Result<void> {
    int count = 0;
    for (std::int32_t id = list.first, before = -1; id >= 0;
         before = id, id = blocks_[static_cast<std::size_t>(id)].next, ++count) {
      if (auto ok = put(id, place); !ok) return ok;
      const Block& block = blocks_[static_cast<std::size_t>(id)];
      if (block.previous != before) return broken(id, "is linked wrongly");
      if (place == Place::cached && !block.retained) return broken(id, "is cached but not retained");
      if ((block.fence > released_) != (place == Place::quarantined))
        return broken(id, "is on the wrong side of its fence");
    }
    if (count != list.count) return broken(list.last, "ends a list of the wrong length");
    return {};
  };
  if (auto ok = walk(cached_, Place::cached); !ok) return ok;
  return walk(quarantined_, Place::quarantined);
}

Result<void> BlockPool::check() const {
  std::vector<Place> places(static_cast<std::size_t>(fresh_), Place::used);
  if (auto ok = check_lists(places); !ok) return ok;
  for (std::int32_t id = 0; id < fresh_; ++id) {
    if (places[static_cast<std::size_t>(id)] != Place::used) continue;
    const Block& block = blocks_[static_cast<std::size_t>(id)];
    if (block.references <= 0 || block.place != Place::used)
      return broken(id, "is neither free, cached, quarantined nor used");
  }
  return {};
}

Result<void> BlockPool::check(const std::unordered_map<BlockId, int>& owners) const {
  if (auto ok = check(); !ok) return ok;
  if (static_cast<int>(owners.size()) != used_count()) {
    return broken(static_cast<std::int32_t>(owners.size()),
                  "is how many blocks are owned; the pool counts " + std::to_string(used_count()));
  }
  for (const auto& [block, count] : owners) {
    if (references(block) != count) {
      return broken(block.value, "has " + std::to_string(references(block)) + " references and " +
                                     std::to_string(count) + " owners");
    }
  }
  return {};
}

std::string BlockPool::dump() const {
  std::string text = "pool fresh " + std::to_string(fresh_) + " released " + std::to_string(released_);
  text += "\nfree";
  for (const std::int32_t id : free_) text += ' ' + std::to_string(id);
  for (const auto& [name, list] : {std::pair{"cached", &cached_}, std::pair{"quarantined", &quarantined_}}) {
    text += '\n' + std::string(name);
    for (std::int32_t id = list->first; id >= 0; id = blocks_[static_cast<std::size_t>(id)].next)
      text += ' ' + std::to_string(id);
  }
  for (std::int32_t id = 0; id < fresh_; ++id) {
    const Block& block = blocks_[static_cast<std::size_t>(id)];
    text += '\n' + std::to_string(id) + ": references " + std::to_string(block.references) + " generation " +
            std::to_string(block.generation) + " fence " + std::to_string(block.fence) + " place " +
            std::to_string(static_cast<int>(block.place)) + (block.retained ? " retained" : "");
  }
  return text + '\n';
}

}  // namespace pitwall
