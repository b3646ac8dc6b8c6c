// SPDX-License-Identifier: GPL-3.0-or-later
// KV blocks and the longest sequence, from what is asked and what is free.
#include <QTest>

#include "engine/plan/memory_plan.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

/// One layer, one head of 64, float16: 256 bytes a token, 8 KiB a block of 32 tokens.
KvWish wish() {
  KvWish result;
  result.layout.dtype = KvDtype::float16;
  result.layout.block_size = 32;
  result.layout.layers = {{1, 64}};
  result.context_length = 4096;
  result.max_num_seqs = 4;
  return result;
}
constexpr Bytes kBlock = 8 * kKiB;

}  // namespace

class MemoryPlanTest : public QObject {
  Q_OBJECT

 private slots:
  void automatic_takes_enough_for_all_sequences() {
    const auto plan = plan_kv(wish(), kGiB);
    PW_VERIFY(plan);
    QCOMPARE(plan->max_model_len, 4096);
    QCOMPARE(plan->blocks, 4 * 4096 / 32);
  }

  void automatic_takes_at_most_half() {
    const auto plan = plan_kv(wish(), 300 * kBlock);
    PW_VERIFY(plan);
    QCOMPARE(plan->blocks, 150);
    QCOMPARE(plan->max_model_len, 4096);  // 128 blocks
  }

  void an_automatic_length_shrinks_to_half_of_what_is_free() {
    const auto plan = plan_kv(wish(), 100 * kBlock);
    PW_VERIFY(plan);
    QCOMPARE(plan->blocks, 50);
    QCOMPARE(plan->max_model_len, 50 * 32);
  }

  void a_device_of_its_own_is_taken_whole() {
    KvWish own = wish();
    own.own_device = true;
    const auto plan = plan_kv(own, 300 * kBlock);
    PW_VERIFY(plan);
    QCOMPARE(plan->blocks, 300);
    QCOMPARE(plan_kv(own, kGiB)->blocks, 4 * 4096 / 32);  // no more than the sequences need
    QCOMPARE(device_margin(24 * kGiB), kGiB);
    QCOMPARE(device_margin(141 * kGiB), 141 * kGiB / 50);
  }

  void one_asked_sequence_may_take_more_than_half() {
    KvWish asked = wish();
    asked.max_model_len = 2048;  // 64 blocks
    const auto plan = plan_kv(asked, 70 * kBlock);
    PW_VERIFY(plan);
    QCOMPARE(plan->blocks, 64);
    QCOMPARE(plan->max_model_len, 2048);
  }

  void the_smallest_automatic_length_may_take_more_than_half() {
    const auto plan = plan_kv(wish(), 9 * kBlock);
    PW_VERIFY(plan);
    QCOMPARE(plan->max_model_len, 256);
    QCOMPARE(plan->blocks, 8);
  }

  void a_length_that_cannot_fit_is_refused_with_both_numbers() {
    KvWish asked = wish();
    asked.max_model_len = 4096;
    const auto plan = plan_kv(asked, 100 * kBlock);
    QVERIFY(!plan);
    QCOMPARE(plan.error().kind, Error::Kind::out_of_memory);
    for (const Bytes number : {kMiB, 100 * kBlock}) {
      QVERIFY2(plan.error().what.find(format_bytes(number)) != std::string::npos, plan.error().what.c_str());
    }
  }

  void asked_bytes_are_taken_and_bound_the_length() {
    KvWish asked = wish();
    asked.bytes = 10 * kBlock + 5;
    const auto plan = plan_kv(asked, kGiB);
    PW_VERIFY(plan);
    QCOMPARE(plan->blocks, 10);
    QCOMPARE(plan->max_model_len, 320);
    asked.max_model_len = 321;
    QVERIFY(!plan_kv(asked, kGiB));
    asked.max_model_len = 320;
    PW_VERIFY(plan_kv(asked, kGiB));
  }

  /// Case 058: what 8 bits buy in the same bytes.
  void eight_bits_hold_twice_the_tokens_less_their_scales() {
    const auto blocks = [](KvDtype dtype) {
      KvWish asked = wish();
      asked.layout.layers.assign(30, {3, 64});  // SmolLM2-135M
      asked.layout.dtype = dtype;
      asked.bytes = kGiB;
      return plan_kv(asked, kGiB)->blocks;
    };
    const Bytes numbers = Bytes{30} * 2 * 3 * 64 * 32, scales = Bytes{30} * 2 * 3 * 4 * 32;  // of a block
    QCOMPARE(blocks(KvDtype::bfloat16), static_cast<int>(kGiB / (2 * numbers)));
    QCOMPARE(blocks(KvDtype::fp8_e4m3), static_cast<int>(kGiB / numbers));
    QCOMPARE(blocks(KvDtype::int8), static_cast<int>(kGiB / (numbers + scales)));
    KvWish even = wish();
    even.bytes = 1000 * kBlock;
    even.layout.dtype = KvDtype::bfloat16;
    const int bfloat = plan_kv(even, kGiB)->blocks;
    even.layout.dtype = KvDtype::fp8_e4m3;
    QCOMPARE(plan_kv(even, kGiB)->blocks, 2 * bfloat);
  }

  /// A GPU maps whole pages for each layer, and may store wider heads than the model has.
  void what_the_device_rounds_up_is_left_free() {
    KvWish own = wish();
    own.own_device = true;
    own.rank_block_bytes = 2 * kBlock;
    own.pool_rounding = 3 * kBlock;
    QCOMPARE(plan_kv(own, 303 * kBlock)->blocks, 150);
    QCOMPARE(plan_kv(own, 302 * kBlock)->blocks, 149);
    own.bytes = 300 * kBlock;
    QCOMPARE(plan_kv(own, 303 * kBlock)->blocks, 150);
    QVERIFY(!plan_kv(own, 302 * kBlock));
    QVERIFY(!plan_kv(own, 2 * kBlock));
  }

  void asked_bytes_beyond_the_room_are_refused() {
    KvWish asked = wish();
    asked.bytes = kGiB;
    const auto plan = plan_kv(asked, kGiB - 1);
    QVERIFY(!plan);
    QCOMPARE(plan.error().param, "kv-cache-memory-bytes");
    asked.bytes = kBlock - 1;  // not one block
    QVERIFY(!plan_kv(asked, kGiB));
  }

  void no_room_is_refused_and_nothing_overflows() {
    QVERIFY(!plan_kv(wish(), 0));
    KvWish huge = wish();
    huge.max_num_seqs = 4096;
    huge.context_length = 1 << 24;
    const auto plan = plan_kv(huge, Bytes{1} << 50);
    PW_VERIFY(plan);
    QVERIFY(plan->blocks > 0 && plan->max_model_len == 1 << 24);
  }

  void the_check_before_loading_names_weights_cache_and_room() {
    PW_VERIFY(check_room(wish(), 100 * kMiB, 100 * kMiB + 8 * kBlock));
    const auto refused = check_room(wish(), 100 * kMiB, 64 * kMiB);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::out_of_memory);
    QCOMPARE(refused.error().param, "memory-limit");
    QVERIFY2(refused.error().what.find(format_bytes(100 * kMiB)) != std::string::npos,
             refused.error().what.c_str());
    QVERIFY2(refused.error().what.find(format_bytes(64 * kMiB)) != std::string::npos,
             refused.error().what.c_str());
  }
};

QTEST_APPLESS_MAIN(MemoryPlanTest)
#include "memory_plan_test.moc"
