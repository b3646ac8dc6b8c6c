// SPDX-License-Identifier: GPL-3.0-or-later
// StepState in host memory: what the forward reads instead of lengths on the host.
#pragma once
#include <limits>
#include <vector>

#include "engine/execute/backend.h"

namespace pitwall {

/// What a plan must keep to.
struct StepBounds {
  StepLimits limits;
  int pool_blocks = 0;  ///< 0 = no KV yet: block tables are not looked at
  int swap_blocks = 0;
  int block_size = 1;
  int positions = std::numeric_limits<int>::max();  ///< of the shortest rope table
  int segment_rows = 1;                             ///< longer slices are cut into several segments
};

struct StepState {
  // By slot, kept from step to step.
  std::vector<TokenId> last_token;
  std::vector<SlotSampling> sampling;
  std::vector<std::int32_t> block_tables;  ///< slot-major, max_blocks_per_sequence each
  std::vector<std::int32_t> blocks_held;
  std::vector<std::uint8_t> long_rope;  ///< 1: the sequence has the rotary frequencies of long ones

  // By row of RowSet::tokens, of the staged step.
  std::vector<TokenId> tokens;  ///< kPreviousToken = last_token of the row's slot
  std::vector<std::int32_t> positions, row_slots;

  std::vector<std::int32_t> logit_rows;  ///< by row of RowSet::logits: its row of RowSet::tokens

  struct Segment {  ///< neighbouring rows of one sequence: their positions are consecutive
    std::int32_t first_row, rows;
  };
  std::vector<Segment> segments;

  struct Sampling {
    RequestId request;
    SlotId slot;
    std::int32_t logit_row;
    std::int32_t position;                ///< that the token will have
    const LogitChange* change = nullptr;  ///< the plan's; null: logits as the model gave them
    std::int32_t report = -1;             ///< index in reports, where its logprobs are asked for
  };
  std::vector<Sampling> samples;  ///< in slice order

  struct Report {  ///< logprobs of a row of RowSet::logits
    std::int32_t logit_row;
    std::int32_t top;     ///< likeliest tokens beside the one that came
    TokenId token;        ///< the prompt's; −1: the sampled one
    std::int32_t sample;  ///< index in samples, or −1
  };
  std::vector<Report> reports;

  struct PromptReport {
    RequestId request;
    std::int32_t first_position, rows, first_report;
  };
  std::vector<PromptReport> prompt_reports;

  struct AskedLogits {
    RequestId request;
    std::int32_t first_position, rows, first_logit_row;
  };
  std::vector<AskedLogits> asked;

  StepBounds bounds;

  /// Sizes everything for the limits; staging allocates nothing afterwards.
  void prepare(const StepLimits& limits);
  static Bytes bytes_for(const StepLimits& limits);

  /// The same for the marks that check_moves() sets.
  void prepare_blocks(int pool_blocks, int swap_blocks);
  static Bytes bytes_for_blocks(int pool_blocks, int swap_blocks);

  /// Swaps and copies: every block is there, none is written twice by a list, and no copy reads what another
  /// one writes, so that a list may run in any order.
  Result<void> check_moves(const StepPlan& plan);

  void clear_rows();

  /// Takes a plan over, which stays where it is until the step is published. One that breaks the bounds is
  /// refused and leaves no rows.
  Result<void> stage(const StepPlan& plan);

  int rows(RowSet set) const {
    return static_cast<int>(set == RowSet::tokens ? tokens.size() : logit_rows.size());
  }
  const std::int32_t* block_table(std::int32_t slot) const {
    return block_tables.data() + std::ptrdiff_t{slot} * bounds.limits.max_blocks_per_sequence;
  }

 private:
  Result<void> check_slots(const StepPlan& plan) const;
  Result<void> check_slices(const StepPlan& plan);
  Result<void> check_order(const StepPlan& plan, const SequenceSlice& slice);
  Result<void> check_logprobs(const StepPlan& plan, const SequenceSlice& slice) const;
  Result<void> check_changes(const StepPlan& plan) const;
  void add_slice(const StepPlan& plan, const SequenceSlice& slice);
  void add_prompt_reports(const StepPlan& plan, const SequenceSlice& slice, std::int32_t first_logit_row);
  void add_sample(const SequenceSlice& slice);
  bool mark(std::int64_t block);

  /// By block, those of the pool first: the list that named it last.
  std::vector<std::int64_t> marks_;
  std::int64_t list_ = 0;
  std::vector<std::int32_t> slice_ends_;  ///< by slot, while a plan is checked: 0 = no slice yet
};

}  // namespace pitwall
