// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/ingest.h: a prompt step and a decode step go through both rings.
#include <array>
#include <cstring>

#include "kernels/cuda/ingest.h"
#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

constexpr int kRingEntries = 3;

struct Size {
  int slots, prompt;  ///< tokens of each slot's prompt
};

StepLimits step_limits(const Size& size) {
  return {.max_tokens = size.slots * size.prompt,
          .max_logit_rows = size.slots,
          .max_slots = size.slots,
          .max_blocks_per_sequence = size.prompt / 16 + 2,
          .vocabulary = 1000};
}

/// Every slot joins with its prompt.
StepPlan prompt_step(const Size& size) {
  StepPlan plan;
  plan.number = 41;
  for (std::int32_t slot = 0; slot < size.slots; ++slot) {
    const RequestId request{static_cast<std::uint64_t>(slot) + 1};
    SlotSampling sampling;
    sampling.top_k = slot + 5;
    plan.joins.push_back({SlotId{slot}, request, sampling, slot % 2 == 1});
    for (std::int32_t index = 0; index <= size.prompt / 16; ++index)
      plan.appends.push_back({SlotId{slot}, index, BlockId{slot * 1000 + index}});
    SequenceSlice slice;
    slice.request = request;
    slice.slot = SlotId{slot};
    slice.count = size.prompt;
    slice.token_offset = static_cast<std::int32_t>(plan.tokens.size());
    slice.samples = true;
    plan.slices.push_back(slice);
    for (std::int32_t i = 0; i < size.prompt; ++i) plan.tokens.push_back((slot * 31 + i) % 1000);
  }
  return plan;
}

/// All but the first slot go on with what they sampled.
StepPlan decode_step(const Size& size) {
  StepPlan plan;
  plan.number = 42;
  for (std::int32_t slot = 1; slot < size.slots; ++slot) {
    SequenceSlice slice;
    slice.request = RequestId{static_cast<std::uint64_t>(slot) + 1};
    slice.slot = SlotId{slot};
    slice.first_position = size.prompt;
    slice.count = 1;
    slice.token_offset = slot - 1;
    slice.samples = true;
    plan.slices.push_back(slice);
    plan.tokens.push_back(kPreviousToken);
  }
  return plan;
}

/// Both rings in pinned memory.
class Rings {
 public:
  explicit Rings(const Size& size)
      : limits_(step_limits(size)),
        writer_({limits_.max_tokens, limits_.max_logit_rows, limits_.max_slots,
                 limits_.max_slots * limits_.max_blocks_per_sequence}) {
    state_.prepare(limits_);
    state_.prepare_blocks(limits_.max_slots * 1000, 0);
    state_.bounds.block_size = 16;
    state_.bounds.segment_rows = limits_.max_tokens;
    published_bytes_ = published_step_bytes(limits_.max_logit_rows);
    staged_ = pinned(writer_.layout().bytes * kRingEntries);
    published_ = pinned(published_bytes_ * kRingEntries);
  }

  bool stage(int entry, const StepPlan& plan) {
    return state_.stage(plan).ok() &&
           writer_.write(state_, plan, staged_.get() + entry * writer_.layout().bytes);
  }

  StagedRing staged(int entries) const { return {staged_.get(), entries, writer_.layout()}; }
  PublishedRing published(int entries) const { return {published_.get(), entries, published_bytes_}; }
  const std::byte* published_entry(int entry) const { return published_.get() + entry * published_bytes_; }

 private:
  static std::shared_ptr<std::byte> pinned(std::int64_t bytes) {
    void* place = nullptr;
    cudaHostAlloc(&place, static_cast<std::size_t>(bytes), cudaHostAllocMapped | cudaHostAllocPortable);
    if (place != nullptr) std::memset(place, 0, static_cast<std::size_t>(bytes));
    return {static_cast<std::byte*>(place), [](std::byte* taken) { cudaFreeHost(taken); }};
  }

  StepLimits limits_;
  StagedStepWriter writer_;
  StepState state_;
  std::int64_t published_bytes_ = 0;
  std::shared_ptr<std::byte> staged_, published_;
};

constexpr int kCountWords = sizeof(StepCounts) / 4;
constexpr int kSegmentWords = sizeof(Segment) / 4;
constexpr int kSampleWords = sizeof(SampleRow) / 4;
constexpr int kSamplingWords = sizeof(SlotSampling) / 4;

std::int32_t sampled_token(int slot) {
  return 700 + slot;
}

/// What ingest and publish work on. Where it is `compared`, its arrays are outputs, in the order of
/// expected_of().
class Steps {
 public:
  Steps(const Size& size, RowsCase& made, bool compared) {
    const StepLimits limits = step_limits(size);
    const auto ints = [&](int count) {
      return compared ? made.output_ints(count)
                      : static_cast<std::int32_t*>(made.memory.take(static_cast<std::size_t>(count) * 4));
    };
    to_.counts = reinterpret_cast<StepCounts*>(ints(kCountWords));
    to_.tokens = ints(limits.max_tokens);
    to_.positions = ints(limits.max_tokens);
    to_.slots = ints(limits.max_tokens);
    to_.decode_rows = ints(limits.max_tokens);
    to_.segments = reinterpret_cast<Segment*>(ints(limits.max_tokens / 2 * kSegmentWords));
    to_.logit_rows = ints(limits.max_logit_rows);
    to_.samples = reinterpret_cast<SampleRow*>(ints(limits.max_logit_rows * kSampleWords));
    to_.block_tables = ints(limits.max_slots * limits.max_blocks_per_sequence);
    to_.max_blocks = limits.max_blocks_per_sequence;
    to_.long_rope = reinterpret_cast<std::uint8_t*>(ints((limits.max_slots + 3) / 4));
    to_.sampling = reinterpret_cast<SlotSampling*>(ints(limits.max_slots * kSamplingWords));
    published_ = ints(2 + 2 * limits.max_logit_rows);
    std::vector<std::int32_t> last;
    std::vector<SampledRow> results;
    for (int slot = 0; slot < limits.max_slots; ++slot) {
      last.push_back(sampled_token(slot));
      results.push_back({sampled_token(slot + 1), 0});
    }
    last_token_ = made.memory.upload(last);
    results_ = made.memory.upload(results);
    clock_ = static_cast<StepClock*>(made.memory.take(sizeof(StepClock)));
    row_bytes_ = results.size() * sizeof(SampledRow);
  }

  void restart(cudaStream_t stream) const { cudaMemsetAsync(clock_, 0, sizeof(StepClock), stream); }

  void run(const StagedRing& staged, const PublishedRing& published, int rows, cudaStream_t stream) const {
    StepView step{};
    step.counts = to_.counts;
    ingest(staged, to_, last_token_, clock_, rows, stream);
    publish(published, step, results_, clock_, stream);
  }

  /// Times differ from run to run; the number, the count and the rows do not.
  void take_published(const std::byte* entry, cudaStream_t stream) const {
    cudaMemcpyAsync(published_, entry + offsetof(PublishedStep, ready), 4, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(published_ + 1, entry + offsetof(PublishedStep, samples), 4, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(published_ + 2, entry + sizeof(PublishedStep), row_bytes_, cudaMemcpyDefault, stream);
  }

 private:
  IngestTargets to_;
  std::int32_t *published_ = nullptr, *last_token_ = nullptr;
  SampledRow* results_ = nullptr;
  StepClock* clock_ = nullptr;
  std::size_t row_bytes_ = 0;
};

/// What stands in the outputs after both steps; −1 where nothing was written.
std::vector<double> expected_of(const Size& size) {
  const StepLimits limits = step_limits(size);
  const int live = size.slots - 1, padding = limits.max_tokens;
  std::vector<double> result;
  const auto add = [&](std::initializer_list<int> numbers) {
    result.insert(result.end(), numbers.begin(), numbers.end());
  };
  const auto fill = [&](std::size_t first, int count) {
    result.resize(first + static_cast<std::size_t>(count), -1);
  };
  const auto rows = [&](int count, const auto& of) {
    const std::size_t first = result.size();
    for (int row = 0; row < live; ++row) result.push_back(of(row));
    fill(first, count);
  };
  add({live, live, live, live, 0});
  rows(padding, [](int row) { return sampled_token(row + 1); });
  rows(padding, [&](int) { return size.prompt; });
  rows(padding, [](int row) { return row + 1; });
  rows(padding, [](int row) { return row; });
  for (int slot = 0; slot < size.slots; ++slot) add({slot * size.prompt, size.prompt, 0, slot});
  fill(result.size(), (limits.max_tokens / 2 - size.slots) * kSegmentWords);
  for (int row = 0; row < live; ++row) add({row});
  add({size.slots * size.prompt - 1});  // of the step before
  for (int row = 0; row < live; ++row) add({row, row + 1, size.prompt + 1});
  add({live, live, size.prompt});
  for (int slot = 0; slot < size.slots; ++slot) {
    const std::size_t first = result.size();
    for (int index = 0; index <= size.prompt / 16; ++index) add({slot * 1000 + index});
    fill(first, limits.max_blocks_per_sequence);
  }
  for (int first = 0; first < size.slots; first += 4) {  // long_rope: four slots a word
    std::array<std::uint8_t, 4> flags{};
    std::int32_t word = 0;
    for (int i = 0; i < 4; ++i)
      flags[static_cast<std::size_t>(i)] =
          first + i < size.slots ? static_cast<std::uint8_t>((first + i) % 2) : 0xFF;
    std::memcpy(&word, flags.data(), sizeof(word));
    result.push_back(static_cast<double>(static_cast<float>(word)));
  }
  for (int slot = 0; slot < size.slots; ++slot) {
    std::array<std::int32_t, kSamplingWords> words{};
    SlotSampling sampling;
    sampling.top_k = slot + 5;
    std::memcpy(words.data(), &sampling, sizeof(sampling));
    for (const std::int32_t word : words) result.push_back(static_cast<double>(static_cast<float>(word)));
  }
  add({42, live});
  for (int row = 0; row < live; ++row) add({sampled_token(row + 1), 0});
  add({0, 0});
  return result;
}

KernelCase ring_case(const Size& size) {
  RowsCaseWords words{"ingest, publish", std::to_string(size.slots) + " prompts of " +
                                             std::to_string(size.prompt) + ", then decode"};
  words.tolerance = 1e-12;
  return rows_case(words, [=](RowsCase& made) {
    const auto rings = std::make_shared<Rings>(size);
    const bool is_staged = rings->stage(0, prompt_step(size)) && rings->stage(1, decode_step(size));
    const Steps steps(size, made, true);
    made.run = [=](int, cudaStream_t stream) {
      steps.restart(stream);
      for (int i = 0; i < 2; ++i)
        steps.run(rings->staged(kRingEntries), rings->published(kRingEntries), step_limits(size).max_tokens,
                  stream);
      steps.take_published(rings->published_entry(1), stream);
    };
    made.expected = [=] { return is_staged ? expected_of(size) : std::vector<double>{}; };
  });
}

/// A decode step, read again at each launch. What it writes is compared in the other cases.
KernelCase timed_case(int slots) {
  RowsCaseWords words{"ingest, publish", std::to_string(slots) + " decode rows"};
  words.tolerance = 1e-12;
  words.timed = true;
  return rows_case(words, [=](RowsCase& made) {
    const Size size{slots + 1, 16};
    const auto rings = std::make_shared<Rings>(size);
    rings->stage(0, prompt_step(size));
    rings->stage(0, decode_step(size));
    const Steps steps(size, made, false);
    made.run = [=](int, cudaStream_t stream) {
      steps.run(rings->staged(1), rings->published(1), slots, stream);
    };
    made.expected = [] { return std::vector<double>{}; };
  });
}

}  // namespace

std::vector<KernelCase> step_ring_cases(CaseScale scale) {
  if (scale == CaseScale::small) return {ring_case({3, 18})};
  return {ring_case({2, 3}),    ring_case({7, 40}), ring_case({64, 33}),
          ring_case({5, 1500}), timed_case(1),      timed_case(64)};
}

}  // namespace pitwall::cuda
