// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "engine/cache/block_pool.h"
#include "engine/cache/kv_layout.h"
#include "tests/support/test_support.h"

using namespace pitwall;

class CacheTest : public QObject {
  Q_OBJECT

 private slots:
  void a_block_holds_keys_and_values_of_every_layer() {
    // SmolLM2-135M: 30 layers, 3 KV heads of 64: 2·3·64·2 B · 30 = 23,040 B a token in 16 bits.
    KvLayout layout{KvDtype::bfloat16, 32, std::vector<KvLayout::Layer>(30, {3, 64})};
    QCOMPARE(layout.bytes_per_token(), Bytes{23'040});
    QCOMPARE(layout.bytes_per_block(), Bytes{737'280});
    layout.dtype = KvDtype::float32;
    QCOMPARE(layout.bytes_per_token(), Bytes{46'080});
  }

  void allocation_is_all_or_nothing() {
    BlockPool pool(4, 32);
    BlockTable table;
    QVERIFY(pool.allocate(3, table));
    QVERIFY(!pool.allocate(2, table));
    QCOMPARE(table.size(), std::size_t{3});
    QCOMPARE(pool.free_count(), 1);
    PW_VERIFY(pool.check());
  }

  void undo_restores_order_and_generations() {
    BlockPool pool(5, 32);
    BlockTable first;
    QVERIFY(pool.allocate(2, first));
    const std::uint32_t generation = pool.generation(BlockId{2});
    BlockTable second;
    QVERIFY(pool.allocate(2, second));
    QCOMPARE(pool.generation(second[0]), generation + 1);
    const BlockTable taken = second;
    pool.undo_allocate(2, second);
    QVERIFY(second.empty());
    QCOMPARE(pool.generation(BlockId{2}), generation);
    QVERIFY(pool.allocate(2, second));
    QVERIFY(second == taken);
    PW_VERIFY(pool.check());
  }

  void a_fenced_block_is_quarantined_until_its_step_is_over() {
    BlockPool pool(2, 32);
    BlockTable table;
    QVERIFY(pool.allocate(2, table));
    pool.free(table, 7);
    QCOMPARE(pool.quarantined_count(), 2);
    QCOMPARE(pool.free_count(), 0);
    QCOMPARE(pool.used_count(), 0);
    pool.release(6);
    QCOMPARE(pool.quarantined_count(), 2);
    pool.release(7);
    QCOMPARE(pool.free_count(), 2);
    PW_VERIFY(pool.check());
    BlockTable again;
    QVERIFY(pool.allocate(1, again));
    pool.free(again, 7);  // step 7 is over: free at once
    QCOMPARE(pool.free_count(), 2);
  }

  void blocks_round_up() {
    const BlockPool pool(1, 32);
    QCOMPARE(pool.blocks_for(0), 0);
    QCOMPARE(pool.blocks_for(1), 1);
    QCOMPARE(pool.blocks_for(32), 1);
    QCOMPARE(pool.blocks_for(33), 2);
  }
};

QTEST_APPLESS_MAIN(CacheTest)
#include "cache_test.moc"
