// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <limits>

#include "engine/cache/kv_cache.h"
#include "engine/cache/kv_layout.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Tokens = std::vector<TokenId>;

std::uint64_t always_the_same(std::uint64_t, std::span<const TokenId>) {
  return 42;
}

/// A cache and what the scheduler does with it for one text.
struct Cached {
  KvCache cache;
  PrefixNode root;
  std::uint64_t fence = 0;

  explicit Cached(int blocks, BlockHash hash = &chained_hash)
      : cache({.blocks = blocks, .block_size = 4, .swap_blocks = 3, .hash_seed = 7, .hash = hash}),
        root(cache.index().acquire_root({})) {}

  std::vector<std::uint64_t> keys(const Tokens& tokens, PrefixNode under) const {
    std::vector<std::uint64_t> out;
    cache.index().extend_keys(under, tokens, out);
    return out;
  }
  PrefixMatch match(const Tokens& tokens) { return match(tokens, root); }
  PrefixMatch match(const Tokens& tokens, PrefixNode under) {
    return cache.match(under, tokens, keys(tokens, under));
  }
  /// Blocks for all of `tokens`, computed and published; the last partly filled one too.
  BlockTable hold(const Tokens& tokens) { return hold(tokens, root); }
  BlockTable hold(const Tokens& tokens, PrefixNode under) {
    BlockTable table;
    cache.pool().begin();
    const PrefixMatch found = match(tokens, under);
    for (const BlockId block : found.blocks) cache.pool().reference(block);
    table = found.blocks;
    const bool allocated = cache.pool().allocate(
        cache.blocks_for(static_cast<int>(tokens.size())) - static_cast<int>(table.size()), table);
    cache.keep();
    if (!allocated) return {};
    publish(table, found.blocks.size(), tokens, under);
    return table;
  }
  void publish(BlockTable& table, std::size_t from, const Tokens& tokens, PrefixNode under) {
    const auto key = keys(tokens, under);
    const std::span<const TokenId> all(tokens);
    for (std::size_t i = from; i < key.size(); ++i)
      cache.publish(under, table, i, key[i], all.subspan(i * 4, 4), fence);
    const std::size_t full = key.size();
    if (full * 4 < tokens.size())
      cache.publish_tail(full == 0 ? under : table[full - 1].value, all.subspan(full * 4), table[full]);
  }
  void keep_cached(const Tokens& tokens) { cache.pool().free(hold(tokens), fence); }
};

Tokens range(int from, int to) {
  Tokens out;
  for (int i = from; i < to; ++i) out.push_back(i);
  return out;
}

}  // namespace

class CacheTest : public QObject {
  Q_OBJECT

 private slots:
  void a_block_holds_keys_and_values_of_every_layer() {
    // SmolLM2-135M: 30 layers, 3 KV heads of 64: 2·3·64·2 B · 30 = 23,040 B a token in 16 bits.
    KvLayout layout{KvDtype::bfloat16, 32, std::vector<KvLayout::Layer>(30, {3, 64, {}, {}})};
    QCOMPARE(layout.bytes_per_token(), Bytes{23'040});
    QCOMPARE(layout.bytes_per_block(), Bytes{737'280});
    layout.dtype = KvDtype::float32;
    QCOMPARE(layout.bytes_per_token(), Bytes{46'080});
  }

  void sizes_that_cannot_be_are_refused() {
    const KvCacheConfig good{.blocks = 4, .block_size = 32};
    PW_VERIFY(good.check());
    for (const int size : {0, -1, 3, 48, 2048}) {
      const auto bad = KvCacheConfig{.blocks = 4, .block_size = size}.check();
      QVERIFY(!bad && bad.error().param == "block-size");
    }
    for (const int blocks : {0, -5, std::numeric_limits<int>::max()})
      QVERIFY(!(KvCacheConfig{.blocks = blocks, .block_size = 32}.check()));
    QVERIFY(!(KvCacheConfig{.blocks = 1, .swap_blocks = -1}.check()));
  }

  void blocks_round_up() {
    const KvCache cache({.blocks = 1});
    QCOMPARE(cache.blocks_for(0), 0);
    QCOMPARE(cache.blocks_for(1), 1);
    QCOMPARE(cache.blocks_for(32), 1);
    QCOMPARE(cache.blocks_for(33), 2);
  }

  // Property 18.
  void allocation_is_all_or_nothing() {
    BlockPool pool(4);
    BlockTable table;
    pool.begin();
    QVERIFY(pool.allocate(3, table));
    const std::string before = pool.dump();
    QVERIFY(!pool.allocate(2, table));
    QCOMPARE(pool.dump(), before);
    QCOMPARE(table.size(), std::size_t{3});
    pool.keep();
    QCOMPARE(pool.free_count(), 1);
    PW_VERIFY(pool.check());
  }

  // Properties 13 and 18: what is found is not free for the same plan, and a plan that fails leaves no trace.
  void a_plan_that_fails_leaves_no_trace() {
    Cached c(6);
    c.keep_cached(range(0, 10));     // three blocks, the last one partly filled
    c.keep_cached(range(100, 106));  // two
    BlockPool& pool = c.cache.pool();
    QCOMPARE(pool.cached_count(), 5);
    const std::string before = c.cache.dump();
    pool.begin();
    const PrefixMatch found = c.match(range(0, 9));
    QCOMPARE(found.blocks.size(), std::size_t{2});
    for (const BlockId block : found.blocks) pool.reference(block);
    BlockTable table;
    QVERIFY(pool.allocate(2, table));  // the free one, and an eviction
    const std::size_t savepoint = pool.savepoint();
    const std::string middle = c.cache.dump();
    QVERIFY(!pool.allocate(3, table));  // the two that were found are not there for it
    QVERIFY(pool.allocate(2, table));
    QCOMPARE(pool.available(), 0);
    pool.roll_back(savepoint);
    QCOMPARE(c.cache.dump(), middle);
    pool.cancel();
    QCOMPARE(c.cache.dump(), before);
    PW_VERIFY(c.cache.check());
  }

  // Property 6.
  void a_fenced_block_is_quarantined_until_its_step_is_over() {
    BlockPool pool(2);
    BlockTable table;
    pool.begin();
    QVERIFY(pool.allocate(2, table));
    pool.keep();
    pool.free(table, 7);
    QCOMPARE(pool.quarantined_count(), 2);
    QCOMPARE(pool.free_count() + pool.used_count(), 0);
    pool.release(6);
    QCOMPARE(pool.quarantined_count(), 2);
    pool.release(7);
    QCOMPARE(pool.free_count(), 2);
    PW_VERIFY(pool.check());
    BlockTable again;
    pool.begin();
    QVERIFY(pool.allocate(1, again));
    pool.keep();
    pool.free(again, 7);  // step 7 is over: free at once
    QCOMPARE(pool.free_count(), 2);
  }

  // Property 6: findable all the while, and not evicted.
  void a_fenced_cached_block_can_be_found_but_not_evicted() {
    Cached c(2);
    c.fence = 5;
    c.keep_cached(range(0, 8));
    QCOMPARE(c.cache.pool().quarantined_count(), 2);
    QCOMPARE(c.cache.pool().available(), 0);
    QCOMPARE(c.match(range(0, 9)).tokens, 8);
    c.cache.pool().release(5);
    QCOMPARE(c.cache.pool().available(), 2);
    PW_VERIFY(c.cache.check());
  }

  // Properties 2 and 3.
  void check_sees_wrong_owners() {
    Cached c(4);
    const BlockTable table = c.hold(range(0, 8));
    PW_VERIFY(c.cache.check({{table[0], 1}, {table[1], 1}}));
    QVERIFY(!c.cache.check({{table[0], 2}, {table[1], 1}}));
    QVERIFY(!c.cache.check({{table[0], 1}}));
  }

  // Property 3.
  void check_sees_a_double_free() {
    Cached c(4);
    const BlockTable table = c.hold(range(0, 8));
    c.cache.pool().begin();
    c.cache.pool().reference(table[0]);
    c.cache.keep();
    const BlockId twice[] = {table[0], table[0]};
    c.cache.pool().free(twice, 0);
    // Its owner still has it: whoever checks against the owners sees a block that is used and not used.
    QVERIFY(!c.cache.check({{table[0], 1}, {table[1], 1}}));
  }

  // Property 19.
  void a_block_that_was_handed_out_again_shows() {
    Cached c(1);
    const BlockId block = c.hold(range(0, 4))[0];
    const std::uint32_t generation = c.cache.pool().generation(block);
    c.cache.pool().free({&block, 1}, 0);
    QCOMPARE(c.cache.pool().generation(block), generation);  // cached, still the same content
    c.keep_cached(range(50, 54));
    QCOMPARE(c.cache.pool().generation(block), generation + 1);
    QCOMPARE(c.match(range(0, 5)).tokens, 0);  // case 043: the recycled block's old key misses
  }

  // Property 7.
  void the_same_tokens_after_another_prefix_never_match() {
    Cached c(8);
    Tokens first = range(0, 8), second = range(100, 104);
    second.insert(second.end(), first.begin() + 4, first.end());
    c.keep_cached(first);
    second.push_back(1);
    QCOMPARE(c.match(second).tokens, 0);
    first.push_back(1);
    QCOMPARE(c.match(first).tokens, 8);
  }

  // Property 8, case 044.
  void another_salt_or_adapter_never_shares() {
    Cached c(8);
    c.keep_cached(range(0, 8));
    for (const CacheKey& key : {CacheKey{"", "tenant"}, CacheKey{"lora", ""}, CacheKey{"tenant", ""}}) {
      const PrefixNode other = c.cache.index().acquire_root(key);
      const PrefixMatch found = c.match(range(0, 9), other);
      QCOMPARE(found.tokens, 0);
      QCOMPARE(found.miss, MissReason::different_salt);
      QCOMPARE(found.miss_token, 0);
      c.cache.index().release_root(other);
    }
    QVERIFY(hash_text(hash_text(1, "a"), "bc") != hash_text(hash_text(1, "ab"), "c"));
  }

  // Property 9: every key is the same, and every answer still right.
  void a_hash_collision_never_serves_wrong_kv() {
    Cached c(32, &always_the_same);
    const Tokens texts[] = {range(0, 12), range(100, 112), range(4, 16), range(200, 206)};
    std::vector<BlockTable> tables;
    for (const Tokens& text : texts) tables.push_back(c.hold(text));
    for (std::size_t i = 0; i < std::size(texts); ++i) {
      Tokens longer = texts[i];
      longer.push_back(999);
      const PrefixMatch found = c.match(longer);
      QCOMPARE(found.tokens, static_cast<int>(texts[i].size()));
      for (std::size_t b = 0; b < found.blocks.size(); ++b) QVERIFY(found.blocks[b] == tables[i][b]);
    }
    QCOMPARE(c.match({0, 1, 2, 3, 104, 105, 106, 107, 1}).tokens, 4);
    PW_VERIFY(c.cache.check());
  }

  // Property 11.
  void a_full_hit_leaves_one_token_to_compute() {
    Cached c(8);
    c.keep_cached(range(0, 8));
    const PrefixMatch found = c.match(range(0, 8));
    QCOMPARE(found.tokens, 7);
    QCOMPARE(found.blocks.size(), std::size_t{1});
    QCOMPARE(found.tail_tokens, 3);
    QCOMPARE(found.miss, MissReason::none);
    QCOMPARE(found.miss_token, -1);
  }

  void the_longest_common_part_of_a_block_is_found() {
    Cached c(32);
    c.keep_cached({1, 2, 3, 4, 5, 6, 7, 8});
    c.keep_cached({1, 2, 3, 4, 5, 6, 9, 9});
    c.keep_cached({1, 2, 3, 4, 5, 1, 1, 1});
    c.keep_cached({1, 2, 3, 4, 9, 9});
    const auto common = [&](const Tokens& tokens) { return c.match(tokens).tokens; };
    QCOMPARE(common({1, 2, 3, 4, 5, 6, 7, 0, 0}), 7);
    QCOMPARE(common({1, 2, 3, 4, 5, 6, 9, 0, 0}), 7);
    QCOMPARE(common({1, 2, 3, 4, 5, 6, 8, 0, 0}), 6);
    QCOMPARE(common({1, 2, 3, 4, 5, 0, 0, 0, 0}), 5);
    QCOMPARE(common({1, 2, 3, 4, 9, 9, 9, 9, 9}), 6);
    QCOMPARE(common({1, 2, 3, 4, 0, 0, 0, 0, 0}), 4);
    QCOMPARE(common({1, 2, 0, 0, 0, 0, 0, 0, 0}), 2);
    const PrefixMatch found = c.match({1, 2, 3, 4, 5, 6, 8, 0, 0});
    QCOMPARE(found.miss, MissReason::diverged);
    QCOMPARE(found.miss_token, 6);
    QCOMPARE(c.match({1, 2, 3, 4, 9, 9, 9, 9, 9}).miss, MissReason::cold);  // nothing goes on there
  }

  void every_miss_has_its_reason() {
    Cached c(3);
    QCOMPARE(c.match(range(0, 3)).miss, MissReason::below_one_block);
    QCOMPARE(c.match(range(0, 9)).miss, MissReason::cold);
    c.keep_cached(range(0, 12));
    QCOMPARE(c.match(range(0, 20)).miss, MissReason::cold);
    QCOMPARE(c.match(range(0, 20)).miss_token, 12);
    c.keep_cached(range(50, 54));  // takes the block of 8 … 11
    QCOMPARE(c.match(range(0, 20)).miss, MissReason::evicted);
    QCOMPARE(c.match(range(0, 20)).miss_token, 8);
    QCOMPARE(c.match(range(50, 53)).miss, MissReason::none);
  }

  // Property 14, case 042.
  void eviction_takes_the_least_recent_first_and_tails_before_heads() {
    Cached c(6);
    c.keep_cached(range(0, 12));
    c.keep_cached(range(100, 112));
    c.keep_cached(range(0, 12));  // used again, its tail computed anew: the other text is older now
    c.keep_cached(range(200, 204));
    QCOMPARE(c.cache.counts().evicted, 2);
    QCOMPARE(c.match(range(100, 113)).blocks.size(), std::size_t{2});
    QCOMPARE(c.match(range(0, 13)).blocks.size(), std::size_t{3});
    c.keep_cached(range(204, 212));
    QCOMPARE(c.cache.counts().evicted, 4);
    QCOMPARE(c.match(range(100, 113)).blocks.size(), std::size_t{0});
    c.keep_cached(range(300, 304));
    QCOMPARE(c.match(range(0, 13)).blocks.size(), std::size_t{2});
    PW_VERIFY(c.cache.check());
  }

  // Property 14.
  void a_block_in_use_is_never_evicted() {
    Cached c(4);
    const BlockTable used = c.hold(range(0, 8));
    c.keep_cached(range(100, 108));
    BlockTable table;
    c.cache.pool().begin();
    QVERIFY(!c.cache.pool().allocate(3, table));
    QVERIFY(c.cache.pool().allocate(2, table));
    QCOMPARE(c.cache.pool().evictions(), 2);
    c.cache.keep();
    QCOMPARE(c.match(range(0, 9)).tokens, 8);
    QCOMPARE(c.match(range(100, 109)).tokens, 0);
    PW_VERIFY(c.cache.check());
  }

  // Property 10: whoever publishes second takes the block that is there.
  void two_that_compute_the_same_share_afterwards() {
    Cached c(8);
    BlockTable first, second;
    c.cache.pool().begin();
    QVERIFY(c.cache.pool().allocate(3, first) && c.cache.pool().allocate(3, second));
    c.cache.keep();
    const BlockId own = second[0];
    c.fence = 9;
    c.publish(first, 0, range(0, 10), c.root);
    c.publish(second, 0, range(0, 9), c.root);
    QVERIFY(first[0] == second[0] && first[1] == second[1] && first[2] != second[2]);
    QCOMPARE(c.cache.counts().merged, std::int64_t{2});
    QCOMPARE(c.cache.pool().references(first[0]), 2);
    QCOMPARE(c.cache.pool().references(own), 0);
    QCOMPARE(c.cache.counts().quarantined, 2);  // a step in flight may still read them
    PW_VERIFY(c.cache.check({{first[0], 2}, {first[1], 2}, {first[2], 1}, {second[2], 1}}));
  }

  // Property 34.
  void prefixes_are_not_forgotten_while_blocks_are_in_use() {
    Cached c(8);
    const BlockTable table = c.hold(range(0, 8));
    const auto refused = c.cache.reset_prefixes();
    QVERIFY(!refused && refused.error().what.find("2 of 8") != std::string::npos);
    QCOMPARE(c.match(range(0, 9)).tokens, 8);
    c.cache.pool().free(table, 0);
    PW_VERIFY(c.cache.reset_prefixes());
    QCOMPARE(c.match(range(0, 9)).tokens, 0);
    QCOMPARE(c.cache.counts().free, 8);
    PW_VERIFY(c.cache.check());
    c.keep_cached(range(0, 8));
    QCOMPARE(c.match(range(0, 9)).tokens, 8);
  }

  // Case 043: the last block of an exact multiple is full.
  void an_exact_multiple_of_the_block_size_is_whole_blocks() {
    Cached c(8);
    c.keep_cached(range(0, 8));
    QCOMPARE(c.cache.counts().cached, 2);
    QCOMPARE(c.match(range(0, 9)).blocks.size(), std::size_t{2});
  }

  void the_swap_space_hands_out_all_or_nothing() {
    SwapSpace swap(3);
    std::vector<HostBlockId> taken;
    QVERIFY(swap.allocate(2, taken));
    QVERIFY(!swap.allocate(2, taken));
    QCOMPARE(swap.used_count(), 2);
    swap.free(taken);
    QCOMPARE(swap.free_count(), 3);
    PW_VERIFY(swap.check());
    swap.free(taken);
    QVERIFY(!swap.check());
  }

  void an_enormous_pool_costs_nothing_until_it_is_used() {
    Cached c(25'000'000);
    QCOMPARE(c.cache.counts().free, 25'000'000);
    c.keep_cached(range(0, 8));
    QCOMPARE(c.cache.pool().handed_out(), 2);
    PW_VERIFY(c.cache.check());
  }
};

QTEST_APPLESS_MAIN(CacheTest)
#include "cache_test.moc"
