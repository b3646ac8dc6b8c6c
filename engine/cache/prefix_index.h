// SPDX-License-Identifier: GPL-3.0-or-later
// PrefixIndex: finds blocks by the tokens they hold and everything before them. A tree: the root stands for
// model, adapter and salt; each entry is one block, a child of the entry for the block before it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/cache/block_hash.h"
#include "engine/cache/cache_key.h"
#include "engine/cache/lazy_array.h"

namespace pitwall {

/// An entry of the tree: a block's number, or below −1 a root.
using PrefixNode = std::int32_t;
inline constexpr PrefixNode kNoNode = -1;

/// Engine thread only. An entry is looked up by a 64-bit key chained over the keys before it, and is the
/// right one only if its parent is the entry matched before and its tokens are equal: a collision of keys
/// costs time, never the wrong KV.
class PrefixIndex {
 public:
  PrefixIndex(int block_size, std::uint64_t seed, const std::string& model_identity, BlockHash hash);
  ~PrefixIndex();

  /// The root for a key; lives while somebody holds it or it has entries.
  PrefixNode acquire_root(const CacheKey& key);
  void release_root(PrefixNode root);

  std::uint64_t key(PrefixNode node) const;
  /// Keys of all full blocks of `tokens` under `root`, appended behind those that `keys` has already.
  void extend_keys(PrefixNode root, std::span<const TokenId> tokens, std::vector<std::uint64_t>& keys) const;

  /// The child of `parent` that holds exactly `tokens`, a full block. O(1).
  std::optional<BlockId> find(PrefixNode parent, std::uint64_t key, std::span<const TokenId> tokens) const;

  struct Nearest {
    std::optional<BlockId> block;  ///< the child that shares most leading tokens, if any shares one
    std::int32_t common = 0;       ///< how many
    bool goes_on = false;          ///< something cached stands at the position after them
  };
  /// O(log children).
  Nearest nearest(PrefixNode parent, std::span<const TokenId> tokens) const;

  /// `block` holds `tokens`, one block or less, after `parent`. It must be in no entry yet, and no child of
  /// `parent` may hold the same tokens.
  void insert(PrefixNode parent, std::span<const TokenId> tokens, BlockId block);
  /// Without children; its key is remembered among the last 65,536 evicted ones, newer ones over older ones.
  void evict(BlockId block);
  void clear();  ///< forgets all entries, without remembering them

  bool contains(BlockId block) const;
  PrefixNode parent(BlockId block) const { return entries_[index_of(block.value)].parent; }
  bool was_evicted(std::uint64_t key) const;
  /// Whether a first block with these tokens is there, under any root.
  bool first_block_anywhere(std::span<const TokenId> tokens) const;
  int size() const { return size_; }

  /// Links, keys and order of the tree agree.
  Result<void> check() const;
  std::string dump() const;

 private:
  struct ByTokens {
    using is_transparent = void;
    const PrefixIndex* index;
    bool operator()(std::int32_t a, std::int32_t b) const;
    bool operator()(std::int32_t a, std::span<const TokenId> b) const;
    bool operator()(std::span<const TokenId> a, std::int32_t b) const;
  };
  /// The children of a node in the order of their tokens. Most have one at most: it needs no set.
  struct Children {
    std::int32_t only = -1;
    std::unique_ptr<std::set<std::int32_t, ByTokens>> many;
    bool empty() const { return only < 0 && !many; }
  };
  struct Entry {
    std::uint64_t key = 0;
    PrefixNode parent = kNoNode;
    std::int32_t next = -1;   // in the bucket
    std::int32_t tokens = 0;  // 0 = no entry
    Children children;
  };
  struct Root {
    std::uint64_t key = 0;
    int holders = 0;
    Children children;
    std::map<CacheKey, PrefixNode>::iterator name;
  };

  static std::size_t index_of(std::int32_t block) { return static_cast<std::size_t>(block); }
  Root& root(PrefixNode node) { return roots_[static_cast<std::size_t>(-2 - node)]; }
  const Root& root(PrefixNode node) const { return roots_[static_cast<std::size_t>(-2 - node)]; }
  Children& children(PrefixNode node);
  const Children& children(PrefixNode node) const;
  void insert_child(Children& children, std::int32_t block);
  void erase_child(Children& children, std::int32_t block);
  std::span<const TokenId> tokens_of(std::int32_t block) const;
  std::size_t bucket(std::uint64_t key) const;
  void link(std::int32_t block);
  void unlink(std::int32_t block);
  void drop_root_if_unused(PrefixNode node);

  int block_size_;
  std::uint64_t seed_, model_;
  BlockHash hash_;
  int size_ = 0;
  LazyArray<Entry> entries_;
  LazyArray<TokenId> tokens_;  // block · block_size + offset
  // Linear hashing: one bucket is split at each growth, so that no single insertion pays for all entries.
  std::vector<std::int32_t> buckets_;
  std::size_t half_ = 1;  // buckets [0, half_) are addressed by the low bits, those above by one bit more
  std::vector<Root> roots_;
  std::vector<PrefixNode> free_roots_;
  std::map<CacheKey, PrefixNode> root_of_;
  std::vector<std::uint64_t> evicted_;                   // direct-mapped by key; made when first needed
  std::unordered_map<std::uint64_t, int> first_blocks_;  // tokens-only key → entries under roots
};

}  // namespace pitwall
