// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "kernels/cuda/staged_step.h"

using namespace pitwall;
using namespace pitwall::cuda;

namespace {

constexpr int kVocabulary = 100;
constexpr StagedStepLimits kLimits{.max_tokens = 13, .max_logit_rows = 5, .max_joins = 3, .max_appends = 7};

StepState prepared(int segment_rows) {
  StepState state;
  state.prepare({.max_tokens = kLimits.max_tokens,
                 .max_logit_rows = kLimits.max_logit_rows,
                 .max_slots = 3,
                 .max_blocks_per_sequence = 4,
                 .vocabulary = kVocabulary});
  state.prepare_blocks(50, 0);
  state.bounds.block_size = 16;
  state.bounds.segment_rows = segment_rows;
  return state;
}

/// A prompt of five tokens in slot 2, a decode in slot 0, and all logits of two tokens in slot 1.
StepPlan mixed_plan() {
  StepPlan plan;
  plan.number = 77;
  plan.joins = {{SlotId{2}, RequestId{1}, {.temperature = 0.5f, .top_k = 4, .seed = 9}, true},
                {SlotId{0}, RequestId{2}, {.temperature = 0.25f}, false},
                {SlotId{1}, RequestId{3}, {}, false}};
  plan.appends = {{SlotId{2}, 0, BlockId{31}},
                  {SlotId{0}, 0, BlockId{32}},
                  {SlotId{0}, 1, BlockId{33}},
                  {SlotId{1}, 0, BlockId{34}},
                  {SlotId{2}, 0, BlockId{35}}};
  plan.tokens = {10, 11, 12, 13, 14, kPreviousToken, 20, 21};
  plan.slices = {
      {.request = RequestId{1}, .slot = SlotId{2}, .first_position = 0, .count = 5, .samples = true},
      {.request = RequestId{2},
       .slot = SlotId{0},
       .first_position = 20,
       .count = 1,
       .token_offset = 5,
       .samples = true},
      {.request = RequestId{3},
       .slot = SlotId{1},
       .first_position = 3,
       .count = 2,
       .token_offset = 6,
       .all_logits = true}};
  return plan;
}

/// What the kernel reads.
class Entry {
 public:
  explicit Entry(const StagedStepLayout& layout)
      : layout_(layout), words_(static_cast<std::size_t>(layout.bytes / 8), ~std::uint64_t{0}) {}

  std::byte* place() { return reinterpret_cast<std::byte*>(words_.data()); }
  StagedStepHeader header() { return items<StagedStepHeader>(0, 1)[0]; }

  template <class Item>
  std::vector<Item> items(std::int64_t offset, std::int32_t count) {
    std::vector<Item> result(static_cast<std::size_t>(count));
    std::memcpy(result.data(), place() + offset, result.size() * sizeof(Item));
    return result;
  }
  std::vector<std::int32_t> numbers(std::int64_t offset, std::int32_t count) {
    return items<std::int32_t>(offset, count);
  }

 private:
  StagedStepLayout layout_;
  std::vector<std::uint64_t> words_;
};

using Numbers = std::vector<std::int32_t>;

}  // namespace

class StagedStepTest : public QObject {
  Q_OBJECT

 private slots:
  void arrays_are_aligned_and_apart() {
    const StagedStepLayout layout(kLimits);
    const std::int64_t offsets[] = {layout.tokens,      layout.positions, layout.row_slots,
                                    layout.decode_rows, layout.segments,  layout.logit_rows,
                                    layout.samples,     layout.joins,     layout.appends};
    const std::int64_t sizes[] = {52, 52, 52, 52, 6 * 16, 20, 5 * 12, 3 * 32, 7 * 12};
    std::int64_t end = sizeof(StagedStepHeader);
    for (std::size_t i = 0; i < std::size(offsets); ++i) {
      QVERIFY(offsets[i] >= end);
      QVERIFY(offsets[i] < end + 16);
      QCOMPARE(offsets[i] % 16, std::int64_t{0});
      end = offsets[i] + sizes[i];
    }
    QVERIFY(layout.bytes >= end);
    QCOMPARE(layout.bytes % 16, std::int64_t{0});
  }

  void a_plan_becomes_an_entry() {
    StepState state = prepared(kLimits.max_tokens);
    const StepPlan plan = mixed_plan();
    QVERIFY(state.stage(plan));
    const StagedStepWriter writer(kLimits);
    const StagedStepLayout& layout = writer.layout();
    Entry entry(layout);
    QVERIFY(writer.write(state, plan, entry.place()));

    const StagedStepHeader header = entry.header();
    QCOMPARE(header.number, std::uint64_t{77});
    QCOMPARE(header.counts.rows, 8);
    QCOMPARE(header.counts.logit_rows, 4);
    QCOMPARE(header.counts.samples, 2);
    QCOMPARE(header.counts.decode_rows, 1);
    QCOMPARE(header.counts.segments, 2);
    QCOMPARE(entry.numbers(layout.tokens, 8), (Numbers{10, 11, 12, 13, 14, kPreviousToken, 20, 21}));
    QCOMPARE(entry.numbers(layout.positions, 8), (Numbers{0, 1, 2, 3, 4, 20, 3, 4}));
    QCOMPARE(entry.numbers(layout.row_slots, 8), (Numbers{2, 2, 2, 2, 2, 0, 1, 1}));
    QCOMPARE(entry.numbers(layout.decode_rows, 1), (Numbers{5}));
    QCOMPARE(entry.numbers(layout.logit_rows, 4), (Numbers{4, 5, 6, 7}));
    QCOMPARE(entry.numbers(layout.segments, 2 * 4), (Numbers{0, 5, 0, 2, 6, 2, 3, 1}));
    QCOMPARE(entry.numbers(layout.samples, 2 * 3), (Numbers{0, 2, 5, 1, 0, 21}));
  }

  void changes_carry_what_stands_after_the_plan() {
    StepState state = prepared(kLimits.max_tokens);
    const StepPlan plan = mixed_plan();
    QVERIFY(state.stage(plan));
    const StagedStepWriter writer(kLimits);
    Entry entry(writer.layout());
    QVERIFY(writer.write(state, plan, entry.place()));

    QCOMPARE(entry.header().joins, 3);
    const auto joins = entry.items<StagedJoin>(writer.layout().joins, 3);
    QCOMPARE(joins[0].slot, 2);
    QCOMPARE(joins[0].long_rope, 1);
    QCOMPARE(joins[0].sampling.temperature, 0.5f);
    QCOMPARE(joins[0].sampling.top_k, 4);
    QCOMPARE(joins[0].sampling.seed, std::uint64_t{9});
    QCOMPARE(joins[1].slot, 0);
    QCOMPARE(joins[1].long_rope, 0);
    QCOMPARE(joins[1].sampling.temperature, 0.25f);
    QCOMPARE(entry.header().appends, 5);
    QCOMPARE(entry.numbers(writer.layout().appends, 5 * 3),
             (Numbers{2, 0, 35, 0, 0, 32, 0, 1, 33, 1, 0, 34, 2, 0, 35}));
  }

  void the_last_row_of_a_cut_slice_may_stand_alone() {
    StepState state = prepared(2);
    const StepPlan plan = mixed_plan();
    QVERIFY(state.stage(plan));
    const StagedStepWriter writer(kLimits);
    Entry entry(writer.layout());
    QVERIFY(writer.write(state, plan, entry.place()));
    QCOMPARE(entry.header().counts.decode_rows, 2);
    QCOMPARE(entry.numbers(writer.layout().decode_rows, 2), (Numbers{4, 5}));
    QCOMPARE(entry.header().counts.segments, 3);
    QCOMPARE(entry.numbers(writer.layout().segments, 3 * 4), (Numbers{0, 2, 0, 2, 2, 2, 2, 2, 6, 2, 3, 1}));
  }

  void a_plan_with_more_changes_than_an_entry_holds_is_refused() {
    StepState state = prepared(kLimits.max_tokens);
    StepPlan plan = mixed_plan();
    const StagedStepWriter writer(kLimits);
    Entry entry(writer.layout());
    plan.appends.resize(static_cast<std::size_t>(kLimits.max_appends) + 1, plan.appends.back());
    QVERIFY(state.stage(plan));
    QVERIFY(!writer.write(state, plan, entry.place()));
    QCOMPARE(entry.header().number, ~std::uint64_t{0});
    plan.appends.pop_back();
    QVERIFY(writer.write(state, plan, entry.place()));
    plan.joins.push_back(plan.joins.back());
    QVERIFY(!writer.write(state, plan, entry.place()));
  }
};

QTEST_APPLESS_MAIN(StagedStepTest)
#include "staged_step_test.moc"
