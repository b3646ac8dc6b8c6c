// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/prefix_index.h"

#include <algorithm>
#include <cassert>

namespace pitwall {

namespace {

constexpr std::size_t kEvictedKeys = 65'536;

std::int32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::int32_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

bool before(std::span<const TokenId> a, std::span<const TokenId> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

Error broken(std::int32_t block, const std::string& what) {
  return {.kind = Error::Kind::internal,
          .what = "prefix entry of block " + std::to_string(block) + ' ' + what,
          .cause = {},
          .action = {},
          .param = {}};
}

}  // namespace

bool PrefixIndex::ByTokens::operator()(std::int32_t a, std::int32_t b) const {
  return before(index->tokens_of(a), index->tokens_of(b));
}
bool PrefixIndex::ByTokens::operator()(std::int32_t a, std::span<const TokenId> b) const {
  return before(index->tokens_of(a), b);
}
bool PrefixIndex::ByTokens::operator()(std::span<const TokenId> a, std::int32_t b) const {
  return before(a, index->tokens_of(b));
}

PrefixIndex::PrefixIndex(int block_size, std::uint64_t seed, const std::string& model_identity,
                         BlockHash hash)
    : block_size_(block_size),
      seed_(seed),
      model_(hash_text(seed, model_identity)),
      hash_(hash),
      buckets_(1, -1) {}

PrefixIndex::~PrefixIndex() = default;

PrefixNode PrefixIndex::acquire_root(const CacheKey& key) {
  const auto [name, added] = root_of_.try_emplace(key, kNoNode);
  if (added) {
    if (free_roots_.empty()) {
      free_roots_.push_back(-2 - static_cast<PrefixNode>(roots_.size()));
      roots_.emplace_back();
    }
    name->second = free_roots_.back();
    free_roots_.pop_back();
    Root& made = root(name->second);
    made.key = hash_text(hash_text(model_, key.adapter), key.salt);
    made.name = name;
  }
  ++root(name->second).holders;
  return name->second;
}

void PrefixIndex::release_root(PrefixNode node) {
  --root(node).holders;
  drop_root_if_unused(node);
}

void PrefixIndex::drop_root_if_unused(PrefixNode node) {
  Root& unused = root(node);
  if (unused.holders > 0 || !unused.children.empty()) return;
  root_of_.erase(unused.name);
  free_roots_.push_back(node);
}

std::uint64_t PrefixIndex::key(PrefixNode node) const {
  return node < kNoNode ? root(node).key : entries_[index_of(node)].key;
}

void PrefixIndex::extend_keys(PrefixNode node, std::span<const TokenId> tokens,
                              std::vector<std::uint64_t>& keys) const {
  const auto size = static_cast<std::size_t>(block_size_);
  while ((keys.size() + 1) * size <= tokens.size()) {
    keys.push_back(hash_(keys.empty() ? key(node) : keys.back(), tokens.subspan(keys.size() * size, size)));
  }
}

std::optional<BlockId> PrefixIndex::find(PrefixNode parent, std::uint64_t key,
                                         std::span<const TokenId> tokens) const {
  for (std::int32_t block = buckets_[bucket(key)]; block >= 0; block = entries_[index_of(block)].next) {
    const Entry& entry = entries_[index_of(block)];
    if (entry.key != key || entry.parent != parent) continue;
    const auto held = tokens_of(block);
    if (std::equal(held.begin(), held.end(), tokens.begin(), tokens.end())) return BlockId{block};
  }
  return std::nullopt;
}

PrefixIndex::Nearest PrefixIndex::nearest(PrefixNode parent, std::span<const TokenId> tokens) const {
  Nearest out;
  const Children& all = children(parent);
  // In the order of tokens, whoever shares most with `tokens` stands beside the place where it would be.
  const auto consider = [&](std::int32_t block) {
    const auto held = tokens_of(block);
    const std::int32_t common = common_prefix(held, tokens);
    const bool goes_on = static_cast<std::int32_t>(held.size()) > common;
    if (common > out.common) {
      out = {BlockId{block}, common, goes_on};
    } else if (common == out.common) {
      out.goes_on |= goes_on;
    }
  };
  if (all.only >= 0) consider(all.only);
  if (!all.many) return out;
  const auto at = all.many->lower_bound(tokens);
  if (at != all.many->end()) consider(*at);
  if (at != all.many->begin()) consider(*std::prev(at));
  return out;
}

void PrefixIndex::insert(PrefixNode parent, std::span<const TokenId> tokens, BlockId block) {
  Entry& entry = entries_.touch(index_of(block.value));
  assert(entry.tokens == 0 && !tokens.empty() && tokens.size() <= static_cast<std::size_t>(block_size_));
  entry.key = hash_(key(parent), tokens);
  entry.parent = parent;
  entry.tokens = static_cast<std::int32_t>(tokens.size());
  const std::size_t first = index_of(block.value) * static_cast<std::size_t>(block_size_);
  tokens_.touch(first);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens_[first + i] = tokens[i];
  insert_child(children(parent), block.value);
  link(block.value);
  if (parent < kNoNode && entry.tokens == block_size_) ++first_blocks_[hash_(seed_, tokens)];
}

void PrefixIndex::evict(BlockId block) {
  Entry& entry = entries_[index_of(block.value)];
  assert(entry.tokens > 0 && entry.children.empty());
  const PrefixNode parent = entry.parent;
  if (entry.tokens == block_size_) {
    if (evicted_.empty()) evicted_.assign(kEvictedKeys, 0);
    evicted_[entry.key % kEvictedKeys] = entry.key;
    if (parent < kNoNode) {
      const auto count = first_blocks_.find(hash_(seed_, tokens_of(block.value)));
      if (--count->second == 0) first_blocks_.erase(count);
    }
  }
  erase_child(children(parent), block.value);
  unlink(block.value);
  entry.tokens = 0;
  entry.parent = kNoNode;
  if (parent < kNoNode) drop_root_if_unused(parent);
}

void PrefixIndex::clear() {
  for (std::int32_t& first : buckets_) {
    for (std::int32_t block = first; block >= 0;) {
      Entry& entry = entries_[index_of(block)];
      block = entry.next;
      entry = Entry{};
    }
    first = -1;
  }
  size_ = 0;
  first_blocks_.clear();
  for (auto at = root_of_.begin(); at != root_of_.end();) {
    const PrefixNode node = at++->second;
    root(node).children = {};
    drop_root_if_unused(node);
  }
}

bool PrefixIndex::contains(BlockId block) const {
  return entries_.has(index_of(block.value)) && entries_[index_of(block.value)].tokens > 0;
}

bool PrefixIndex::was_evicted(std::uint64_t key) const {
  return !evicted_.empty() && evicted_[key % kEvictedKeys] == key;
}

bool PrefixIndex::first_block_anywhere(std::span<const TokenId> tokens) const {
  return first_blocks_.contains(hash_(seed_, tokens));
}

PrefixIndex::Children& PrefixIndex::children(PrefixNode node) {
  return node < kNoNode ? root(node).children : entries_[index_of(node)].children;
}

const PrefixIndex::Children& PrefixIndex::children(PrefixNode node) const {
  return node < kNoNode ? root(node).children : entries_[index_of(node)].children;
}

void PrefixIndex::insert_child(Children& children, std::int32_t block) {
  if (children.empty()) {
    children.only = block;
    return;
  }
  if (!children.many) {
    children.many = std::make_unique<std::set<std::int32_t, ByTokens>>(ByTokens{this});
    children.many->insert(children.only);
    children.only = -1;
  }
  const bool added = children.many->insert(block).second;
  assert(added);
  static_cast<void>(added);
}

void PrefixIndex::erase_child(Children& children, std::int32_t block) {
  if (children.only == block) {
    children.only = -1;
    return;
  }
  children.many->erase(children.many->find(block));
  if (children.many->size() > 1) return;
  children.only = *children.many->begin();
  children.many.reset();
}

std::span<const TokenId> PrefixIndex::tokens_of(std::int32_t block) const {
  return {&tokens_[index_of(block) * static_cast<std::size_t>(block_size_)],
          static_cast<std::size_t>(entries_[index_of(block)].tokens)};
}

std::size_t PrefixIndex::bucket(std::uint64_t key) const {
  const std::size_t wide = key & (2 * half_ - 1);
  return wide < buckets_.size() ? wide : key & (half_ - 1);
}

void PrefixIndex::link(std::int32_t block) {
  ++size_;
  if (static_cast<std::size_t>(size_) > buckets_.size()) {
    const std::size_t split = buckets_.size() - half_, added = buckets_.size();
    buckets_.push_back(-1);
    std::int32_t* stays = &buckets_[split];
    while (*stays >= 0) {
      const std::int32_t moving = *stays;
      Entry& entry = entries_[index_of(moving)];
      if ((entry.key & (2 * half_ - 1)) != added) {
        stays = &entry.next;
        continue;
      }
      *stays = entry.next;
      entry.next = buckets_[added];
      buckets_[added] = moving;
    }
    if (buckets_.size() == 2 * half_) half_ *= 2;
  }
  Entry& entry = entries_[index_of(block)];
  std::int32_t& first = buckets_[bucket(entry.key)];
  entry.next = first;
  first = block;
}

void PrefixIndex::unlink(std::int32_t block) {
  --size_;
  std::int32_t* at = &buckets_[bucket(entries_[index_of(block)].key)];
  while (*at != block) at = &entries_[index_of(*at)].next;
  *at = entries_[index_of(block)].next;
}

Result<void> PrefixIndex::check() const {
  int linked = 0;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    for (std::int32_t block = buckets_[b]; block >= 0; block = entries_[index_of(block)].next) {
      const Entry& entry = entries_[index_of(block)];
      if (++linked > size_) return broken(block, "makes the chains longer than there are entries");
      if (bucket(entry.key) != b) return broken(block, "is in the wrong bucket");
      if (entry.tokens < 1) return broken(block, "holds no tokens");
      const bool parent_lives = entry.parent < kNoNode ||
                                (entry.parent >= 0 && entries_[index_of(entry.parent)].tokens == block_size_);
      if (!parent_lives) return broken(block, "has no parent");
      if (entry.key != hash_(key(entry.parent), tokens_of(block))) return broken(block, "has the wrong key");
      const Children& siblings = children(entry.parent);
      if (siblings.only != block && !(siblings.many && siblings.many->contains(block)))
        return broken(block, "is not among its parent's children");
    }
  }
  if (linked != size_) return broken(linked, "is where the chains end, not all entries are in them");
  return {};
}

std::string PrefixIndex::dump() const {
  std::string text = "index " + std::to_string(size_);
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    text += "\nbucket " + std::to_string(b);
    for (std::int32_t block = buckets_[b]; block >= 0; block = entries_[index_of(block)].next) {
      text +=
          " [" + std::to_string(block) + " after " + std::to_string(entries_[index_of(block)].parent) + ':';
      for (const TokenId token : tokens_of(block)) text += ' ' + std::to_string(token);
      text += ']';
    }
  }
  for (const auto& [key, node] : root_of_) {
    text += "\nroot " + std::to_string(node) + " holders " + std::to_string(root(node).holders);
  }
  for (const std::uint64_t key : evicted_) {
    if (key != 0) text += "\nevicted " + std::to_string(key);
  }
  return text + '\n';
}

}  // namespace pitwall
