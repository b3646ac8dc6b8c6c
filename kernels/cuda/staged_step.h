// SPDX-License-Identifier: GPL-3.0-or-later
// A step as the host stages it for the device: one entry of a ring in pinned memory, a header and arrays at
// offsets that depend on limits alone. What stays on the device from step to step travels as changes. No CUDA
// here.
#pragma once
#include <cstddef>
#include <cstring>

#include "engine/execute/step_state.h"
#include "kernels/cuda/step_types.h"

namespace pitwall::cuda {

struct StagedStepLimits {
  int max_tokens = 0, max_logit_rows = 0;
  int max_joins = 0;
  int max_appends = 0;
};

struct StagedStepHeader {
  std::uint64_t number;  ///< StepPlan::number
  StepCounts counts;
  std::int32_t joins, appends;
};

struct StagedJoin {
  SlotSampling sampling;
  std::int32_t slot, long_rope;
};

struct StagedAppend {
  std::int32_t slot, index, block;
};

/// Where the arrays begin, in bytes from the entry's start; each a multiple of 16.
struct StagedStepLayout {
  std::int64_t tokens = 0, positions = 0, row_slots = 0;  ///< int32, [max_tokens]
  std::int64_t decode_rows = 0;                           ///< int32, [max_tokens]
  std::int64_t segments = 0;                              ///< Segment, [max_tokens / 2]
  std::int64_t logit_rows = 0;                            ///< int32, [max_logit_rows]
  std::int64_t samples = 0;                               ///< SampleRow, [max_logit_rows]
  std::int64_t joins = 0;                                 ///< StagedJoin, [max_joins]
  std::int64_t appends = 0;                               ///< StagedAppend, [max_appends]
  std::int64_t bytes = 0;                                 ///< of an entry

  StagedStepLayout() = default;
  explicit StagedStepLayout(const StagedStepLimits& limits) {
    const auto take = [this](std::int64_t count, std::size_t size) {
      const std::int64_t place = bytes;
      bytes += (count * static_cast<std::int64_t>(size) + 15) / 16 * 16;
      return place;
    };
    take(1, sizeof(StagedStepHeader));
    tokens = take(limits.max_tokens, sizeof(std::int32_t));
    positions = take(limits.max_tokens, sizeof(std::int32_t));
    row_slots = take(limits.max_tokens, sizeof(std::int32_t));
    decode_rows = take(limits.max_tokens, sizeof(std::int32_t));
    segments = take(limits.max_tokens / 2, sizeof(Segment));
    logit_rows = take(limits.max_logit_rows, sizeof(std::int32_t));
    samples = take(limits.max_logit_rows, sizeof(SampleRow));
    joins = take(limits.max_joins, sizeof(StagedJoin));
    appends = take(limits.max_appends, sizeof(StagedAppend));
  }
};

/// Fills entries from a plan that StepState has taken over.
class StagedStepWriter {
 public:
  explicit StagedStepWriter(const StagedStepLimits& limits) : limits_(limits), layout_(limits) {}

  const StagedStepLayout& layout() const { return layout_; }

  /// `entry` is aligned to 16 bytes. False, with nothing written, where the plan has more joins or appends
  /// than an entry holds.
  bool write(const StepState& state, const StepPlan& plan, std::byte* entry) const {
    if (std::ssize(plan.joins) > limits_.max_joins || std::ssize(plan.appends) > limits_.max_appends)
      return false;
    StagedStepHeader header{plan.number, {}, count(plan.joins), count(plan.appends)};
    header.counts.rows = copy(state.tokens, entry + layout_.tokens);
    copy(state.positions, entry + layout_.positions);
    copy(state.row_slots, entry + layout_.row_slots);
    header.counts.logit_rows = copy(state.logit_rows, entry + layout_.logit_rows);
    write_slices(state, header.counts, entry);
    write_samples(state, header.counts, entry);
    write_changes(state, plan, entry);
    put(header, entry, 0);
    return true;
  }

 private:
  template <class Item>
  static std::int32_t count(const std::vector<Item>& items) {
    return static_cast<std::int32_t>(items.size());
  }

  template <class Item>
  static void put(const Item& item, std::byte* array, std::int64_t index) {
    std::memcpy(array + index * static_cast<std::int64_t>(sizeof(Item)), &item, sizeof(Item));
  }

  template <class Item>
  static std::int32_t copy(const std::vector<Item>& items, std::byte* array) {
    if (!items.empty()) std::memcpy(array, items.data(), items.size() * sizeof(Item));
    return count(items);
  }

  void write_slices(const StepState& state, StepCounts& counts, std::byte* entry) const {
    for (const StepState::Segment& segment : state.segments) {
      const auto row = static_cast<std::size_t>(segment.first_row);
      if (segment.rows == 1) {
        put(segment.first_row, entry + layout_.decode_rows, counts.decode_rows++);
      } else {
        put(Segment{segment.first_row, segment.rows, state.positions[row], state.row_slots[row]},
            entry + layout_.segments, counts.segments++);
      }
    }
  }

  void write_samples(const StepState& state, StepCounts& counts, std::byte* entry) const {
    for (const StepState::Sampling& sample : state.samples)
      put(SampleRow{sample.logit_row, sample.slot.value, sample.position}, entry + layout_.samples,
          counts.samples++);
  }

  /// With what stands in StepState after the plan, so that the device may apply the changes in any order.
  void write_changes(const StepState& state, const StepPlan& plan, std::byte* entry) const {
    for (std::size_t i = 0; i < plan.joins.size(); ++i) {
      const std::int32_t slot = plan.joins[i].slot.value;
      const auto s = static_cast<std::size_t>(slot);
      put(StagedJoin{state.sampling[s], slot, state.long_rope[s]}, entry + layout_.joins,
          static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < plan.appends.size(); ++i) {
      const BlockAppend& append = plan.appends[i];
      put(StagedAppend{append.slot.value, append.index, state.block_table(append.slot.value)[append.index]},
          entry + layout_.appends, static_cast<std::int64_t>(i));
    }
  }

  StagedStepLimits limits_;
  StagedStepLayout layout_;
};

}  // namespace pitwall::cuda
