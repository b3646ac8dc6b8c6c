// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of logits and asked-for logprobs: what StepState takes over or refuses, and what the buffer holds
// that kernels read.
#include <QTest>

#include "kernels/cuda/staged_changes.h"

using namespace pitwall;
using namespace pitwall::cuda;

namespace {

constexpr int kVocabulary = 100;

StepState prepared() {
  StepState state;
  state.prepare({.max_tokens = 16,
                 .max_logit_rows = 12,
                 .max_slots = 4,
                 .max_blocks_per_sequence = 4,
                 .vocabulary = kVocabulary});
  return state;
}

/// Four tokens of a prompt that goes on with token 25; a decode with a mask and two changed tokens whose
/// logprobs are asked for; one that nothing changes; one with a bias, without logprobs.
StepPlan mixed_plan() {
  StepPlan plan;
  plan.number = 3;
  plan.tokens = {21, 22, 23, 24, kPreviousToken, kPreviousToken, 7};
  plan.slices = {{.request = RequestId{1},
                  .slot = SlotId{3},
                  .first_position = 10,
                  .count = 4,
                  .prompt_logprobs = 2,
                  .following = 25},
                 {.request = RequestId{2},
                  .slot = SlotId{0},
                  .first_position = 30,
                  .count = 1,
                  .token_offset = 4,
                  .samples = true,
                  .logprobs = 5},
                 {.request = RequestId{3},
                  .slot = SlotId{1},
                  .first_position = 40,
                  .count = 1,
                  .token_offset = 5,
                  .samples = true},
                 {.request = RequestId{4},
                  .slot = SlotId{2},
                  .first_position = 50,
                  .count = 1,
                  .token_offset = 6,
                  .samples = true}};
  LogitChange first, second;
  first.slice = 1;
  first.repetition = 1.5f;
  first.tokens = {{9, -0.5f, true}, {99, 2.0f, false}};
  first.mask = std::make_shared<TokenMask>(TokenMask{{0xF0F0F0F0u, 0x12345678u}});
  second.slice = 3;
  second.tokens = {{0, -100.0f, false}};
  plan.logit_changes = {first, second};
  return plan;
}

template <class Item>
std::vector<Item> items(const std::vector<std::byte>& buffer, std::int64_t offset, std::size_t count) {
  std::vector<Item> result(count);
  std::memcpy(result.data(), buffer.data() + offset, count * sizeof(Item));
  return result;
}

}  // namespace

class StagedChangesTest : public QObject {
  Q_OBJECT

 private slots:
  void rows_and_reports_are_those_of_the_slices() {
    StepState state = prepared();
    const StepPlan plan = mixed_plan();
    QVERIFY(state.stage(plan));
    QCOMPARE(state.logit_rows, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6}));
    QCOMPARE(state.samples.size(), std::size_t{3});
    QCOMPARE(state.samples[0].change, &plan.logit_changes[0]);
    QVERIFY(state.samples[1].change == nullptr && state.samples[1].report == -1);
    QCOMPARE(state.samples[2].change, &plan.logit_changes[1]);
    QCOMPARE(state.prompt_reports.size(), std::size_t{1});
    QCOMPARE(state.prompt_reports[0].rows, 4);
    QCOMPARE(state.reports.size(), std::size_t{5});
    for (std::size_t i = 0; i < 4; ++i) {
      QCOMPARE(state.reports[i].token, static_cast<TokenId>(22 + i));  // the one that follows
      QCOMPARE(state.reports[i].logit_row, static_cast<std::int32_t>(i));
      QCOMPARE(state.reports[i].top, 2);
    }
    QCOMPARE(state.samples[0].report, 4);
    QCOMPARE(state.reports[4].sample, 0);
  }

  void a_buffer_holds_what_kernels_read() {
    StepState state = prepared();
    const StepPlan plan = mixed_plan();
    QVERIFY(state.stage(plan));
    const StagedChanges staged(state);
    std::vector<std::byte> buffer(static_cast<std::size_t>(staged.bytes()), std::byte{0xFF});
    staged.write(state, buffer.data());
    for (const std::int64_t place : {staged.samples_at, staged.reports_at, staged.tokens_at, staged.masks_at})
      QCOMPARE(place % 16, std::int64_t{0});

    QCOMPARE(staged.samples(), 3);
    const auto samples = items<ChangedSample>(buffer, staged.samples_at, 3);
    QCOMPARE(samples[0].first_token, 0);
    QCOMPARE(samples[0].tokens, 2);
    QCOMPARE(samples[0].repetition, 1.5f);
    QCOMPARE(samples[0].first_word, 0);
    QVERIFY(samples[1].tokens == 0 && samples[1].first_word == -1);
    QVERIFY(samples[2].first_token == 2 && samples[2].tokens == 1 && samples[2].first_word == -1);
    const auto tokens = items<ChangedToken>(buffer, staged.tokens_at, 3);
    QVERIFY(tokens[0].token == 9 && tokens[0].add == -0.5f && tokens[0].is_penalised == 1);
    QVERIFY(tokens[1].token == 99 && tokens[1].add == 2.0f && tokens[1].is_penalised == 0);
    QVERIFY(tokens[2].token == 0 && tokens[2].add == -100.0f && tokens[2].is_penalised == 0);
    QCOMPARE(items<std::uint32_t>(buffer, staged.masks_at, 4),
             (std::vector<std::uint32_t>{0xF0F0F0F0u, 0x12345678u, 0, 0}));

    QCOMPARE(staged.reports(), 6);  // the last one for a changed sample that nobody asks about
    const auto reports = items<ReportRow>(buffer, staged.reports_at, 6);
    QVERIFY(reports[3].logit_row == 3 && reports[3].top == 2 && reports[3].token == 25 &&
            reports[3].sample == -1);
    QVERIFY(reports[4].logit_row == 4 && reports[4].top == 5 && reports[4].sample == 0);
    QVERIFY(reports[5].logit_row == 6 && reports[5].top == 0 && reports[5].sample == 2);
    std::vector<std::int32_t> of_samples;
    StagedChanges::over_samples(state,
                                [&](std::size_t, std::int32_t report) { of_samples.push_back(report); });
    QCOMPARE(of_samples, (std::vector<std::int32_t>{4, -1, 5}));
  }

  void a_step_without_any_needs_nothing() {
    StepState state = prepared();
    StepPlan plan = mixed_plan();
    plan.logit_changes.clear();
    for (SequenceSlice& slice : plan.slices) slice.logprobs = slice.prompt_logprobs = slice.following = -1;
    QVERIFY(state.stage(plan));
    QCOMPARE(StagedChanges(state).bytes(), std::int64_t{0});
    QCOMPARE(state.logit_rows.size(), std::size_t{3});
  }

  void logprobs_without_changes_leave_samples_alone() {
    StepState state = prepared();
    StepPlan plan = mixed_plan();
    plan.logit_changes.clear();
    QVERIFY(state.stage(plan));
    const StagedChanges staged(state);
    QCOMPARE(staged.samples(), 0);
    QCOMPARE(staged.reports(), 5);
  }

  void plans_that_break_the_bounds_are_refused() {
    const auto refused = [](const auto& change) {
      StepState state = prepared();
      StepPlan plan = mixed_plan();
      change(plan);
      const auto ok = state.stage(plan);
      return !ok && state.tokens.empty() && state.samples.empty();
    };
    QVERIFY(!refused([](StepPlan&) {}));
    QVERIFY(refused([](StepPlan& p) { p.logit_changes[0].tokens[1].token = kVocabulary; }));
    QVERIFY(refused([](StepPlan& p) { p.logit_changes[0].tokens[1].token = -1; }));
    QVERIFY(refused([](StepPlan& p) { p.logit_changes[0].slice = 0; }));  // samples nothing
    QVERIFY(refused([](StepPlan& p) { p.logit_changes[1].slice = 4; }));
    QVERIFY(refused([](StepPlan& p) { std::swap(p.logit_changes[0], p.logit_changes[1]); }));
    QVERIFY(refused([](StepPlan& p) { p.slices[1].logprobs = 21; }));
    QVERIFY(refused([](StepPlan& p) { p.slices[0].prompt_logprobs = 21; }));
    QVERIFY(refused([](StepPlan& p) { p.slices[0].following = kVocabulary; }));
    QVERIFY(refused([](StepPlan& p) { p.slices[0].samples = true; }));  // and the prompt goes on behind it
    QVERIFY(refused([](StepPlan& p) { p.tokens[2] = kPreviousToken; }));
    QVERIFY(refused([](StepPlan& p) { p.slices[0].padding = true; }));
  }
};

QTEST_APPLESS_MAIN(StagedChangesTest)
#include "staged_changes_test.moc"
