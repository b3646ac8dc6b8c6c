// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/step_link.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "engine/base/clock.h"

namespace pitwall::cuda {

namespace {

/// The device is asked whether it is still well this often while a step is waited for.
constexpr auto kHealthCheck = std::chrono::milliseconds(100);
/// A step that is about to end is polled without giving the processor away.
constexpr int kSpins = 4000;
/// Blocks that one step may give to its sequences.
constexpr std::int64_t kMostAppends = 1 << 20;

/// Bytes of pinned memory that the first change of logits takes; more where a step has more.
constexpr Bytes kLeastChanges = Bytes{256} << 10;

PositionLogprobs logprobs_of(const ReportedRow& row) {
  PositionLogprobs result{{row.token, row.logprob, row.rank}, {}};
  for (std::int32_t i = 0; i < row.top; ++i)
    result.top.push_back({row.likeliest[i].token, row.likeliest[i].logprob, i + 1});
  return result;
}

std::uint64_t load_acquire(const std::uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

Result<void> all_of(std::initializer_list<Result<void>> results) {
  for (const Result<void>& result : results)
    if (!result) return result;
  return {};
}

}  // namespace

Result<void> StepLink::prepare(DeviceMemory& memory, const StepLimits& limits, cudaStream_t stream) {
  stream_ = stream;
  limits_ = limits;
  state_.bounds.segment_rows = std::numeric_limits<int>::max();  // kernels cut segments to their own tiles
  state_.prepare(limits);
  // Rows are written up to the bound of a bucket, and products read whole tiles of rows.
  const std::int64_t rows = padded_rows(limits.max_tokens), logit_rows = padded_rows(limits.max_logit_rows);
  const std::int64_t table = std::int64_t{limits.max_slots} * limits.max_blocks_per_sequence;
  const auto take = [&memory](auto*& place, std::int64_t count) {
    return memory.take(place, Category::activations, count, "step state");
  };
  targets_.max_blocks = limits.max_blocks_per_sequence;
  auto taken = all_of({take(targets_.counts, 1), take(targets_.tokens, rows), take(targets_.positions, rows),
                       take(targets_.slots, rows), take(targets_.decode_rows, rows),
                       take(targets_.segments, rows), take(targets_.logit_rows, logit_rows),
                       take(targets_.samples, logit_rows), take(targets_.block_tables, table),
                       take(targets_.long_rope, limits.max_slots), take(targets_.sampling, limits.max_slots),
                       take(clock_, 1), take(last_token_, limits.max_slots), take(sampled_, logit_rows)});
  if (!taken) return taken;
  auto sampling = memory.take(
      Category::logits,
      static_cast<Bytes>(sampling_workspace_bytes(limits.max_logit_rows, limits.vocabulary)), "sampling");
  if (!sampling) return std::move(sampling).error();
  sampling_memory_ = *sampling;
  view_ = {targets_.counts,       targets_.tokens,    targets_.positions,  targets_.slots,
           targets_.decode_rows,  targets_.segments,  targets_.logit_rows, targets_.samples,
           targets_.block_tables, targets_.long_rope, targets_.max_blocks};

  StagedStepLimits staged;
  staged.max_tokens = limits.max_tokens;
  staged.max_logit_rows = limits.max_logit_rows;
  staged.max_joins = limits.max_slots;
  staged.max_appends = static_cast<int>(std::min<std::int64_t>(table, kMostAppends));
  writer_.emplace(staged);
  auto staged_memory = PinnedMemory::take(writer_->layout().bytes * kEntries, "staged steps");
  if (!staged_memory) return std::move(staged_memory).error();
  staged_memory_ = *std::move(staged_memory);
  staged_ = {staged_memory_.device(), kEntries, writer_->layout()};
  const std::int64_t entry = published_step_bytes(limits.max_logit_rows);
  auto published_memory = PinnedMemory::take(entry * kEntries, "published steps");
  if (!published_memory) return std::move(published_memory).error();
  published_memory_ = *std::move(published_memory);
  published_ = {published_memory_.device(), kEntries, entry};
  return prepare_changes(memory);
}

Result<void> StepLink::prepare_changes(DeviceMemory& memory) {
  const int samples = std::min(limits_.max_slots, limits_.max_logit_rows);
  auto rows = memory.take_wide_rows(Category::logits, samples, limits_.vocabulary, "changed logits");
  if (!rows) return std::move(rows).error();
  changed_ = *rows;
  reported_bytes_ = Bytes{limits_.max_logit_rows} * Bytes{sizeof(ReportedRow)};
  auto reported = PinnedMemory::take(reported_bytes_ * kEntries, "logprobs");
  if (!reported) return std::move(reported).error();
  reported_memory_ = *std::move(reported);
  return memory.take(changed_samples_, Category::activations, samples, "step state");
}

Result<void> StepLink::load_kernels() {
  return check(load_change_kernels(), "Loading the kernels of changed logits");
}

Result<void> StepLink::stage(const StepPlan& plan) {
  host_segments_.clear();
  changes_ = {};
  if (auto ok = state_.stage(plan); !ok) return ok;
  const auto entry = static_cast<Bytes>(staged_steps_ % kEntries) * writer_->layout().bytes;
  if (!writer_->write(state_, plan, staged_memory_.host() + entry)) {
    state_.clear_rows();
    return Error{
        Error::Kind::internal,
        "step " + std::to_string(plan.number) + " changes more than can be staged",
        std::to_string(plan.joins.size()) + " joins and " + std::to_string(plan.appends.size()) + " blocks",
        "report this with the run's record",
        {}};
  }
  for (const StepState::Segment& segment : state_.segments) {
    if (segment.rows < 2) continue;
    const auto row = static_cast<std::size_t>(segment.first_row);
    host_segments_.push_back({segment.first_row, segment.rows, state_.positions[row], state_.row_slots[row]});
  }
  return stage_changes();
}

/// Into memory that grows with what steps ask for.
Result<void> StepLink::stage_changes() {
  const StagedChanges changes(state_);
  if (changes.bytes() == 0) return {};
  PinnedMemory& memory = changes_memory_[staged_steps_ % kEntries];
  if (changes.bytes() > memory.bytes()) {
    const auto bytes = std::bit_ceil(static_cast<std::uint64_t>(std::max(changes.bytes(), kLeastChanges)));
    auto taken = PinnedMemory::take(static_cast<Bytes>(bytes), "changes of logits");
    if (!taken) {
      state_.clear_rows();
      return std::move(taken).error();
    }
    memory = *std::move(taken);
  }
  changes.write(state_, memory.host());
  changes_ = changes;
  return {};
}

bool StepLink::has_segments() const {
  return !host_segments_.empty();
}

void StepLink::ingest(int rows) {
  cuda::ingest(staged_, targets_, last_token_, clock_, rows, stream_);
}

void StepLink::sample(Rows32 logits, int rows) {
  sample_rows(view_, logits, targets_.sampling, rows, sampling_memory_, sampled_, last_token_, stream_);
}

void StepLink::publish(std::uint64_t step, std::optional<Error> error, bool replayed, Rows32 logits) {
  Submitted submitted;
  submitted.step = step;
  submitted.replayed = replayed;
  submitted.entry = static_cast<int>(staged_steps_ % kEntries);
  submitted.error = std::move(error);
  if (!submitted.error) {
    StagedChanges::over_samples(state_, [&](std::size_t i, std::int32_t report) {
      const StepState::Sampling& sample = state_.samples[i];
      submitted.samples.push_back({sample.request, sample.slot, report, sample.report >= 0});
    });
    submitted.asked = state_.asked;
    submitted.prompt_reports = state_.prompt_reports;
    if (!submitted.asked.empty() && logits.data != nullptr)
      submitted.error = copy_asked(logits, submitted.entry);
    finish_sampling(logits);
    cuda::publish(published_, view_, sampled_, clock_, stream_);
    ++staged_steps_;
    if (auto ok = check(cudaGetLastError(), "Launching step " + std::to_string(step)); !ok)
      submitted.error = std::move(ok).error();
  }
  {
    const std::lock_guard lock(mutex_);
    submitted_[step % kEntries] = std::move(submitted);
  }
  submitted_changed_.notify_all();
}

/// Logits that are asked for, into pinned memory.
std::optional<Error> StepLink::copy_asked(Rows32 logits, int entry) {
  const Bytes bytes = Bytes{limits_.max_logit_rows} * logits.columns * Bytes{sizeof(float)};
  if (asked_memory_.bytes() == 0) {
    auto memory = PinnedMemory::take(bytes * kEntries, "asked-for logits");
    if (!memory) return std::move(memory).error();
    asked_memory_ = *std::move(memory);
    asked_bytes_ = bytes;
  }
  const std::size_t width = static_cast<std::size_t>(logits.columns) * sizeof(float);
  cudaMemcpy2DAsync(asked_memory_.host() + entry * asked_bytes_, width, logits.data,
                    static_cast<std::size_t>(logits.stride) * sizeof(float), width, state_.logit_rows.size(),
                    cudaMemcpyDeviceToHost, stream_);
  return std::nullopt;
}

/// Tokens are chosen anew from changed logits, which lie beside those that the model gave; then logprobs of
/// the latter.
void StepLink::finish_sampling(Rows32 logits) {
  if (changes_.bytes() == 0) return;
  const std::size_t entry = staged_steps_ % kEntries;
  const std::byte* buffer = changes_memory_[entry].device();
  if (const int samples = changes_.samples(); samples > 0) {
    change_rows(view_, logits, changes_view(changes_, buffer), samples, changed_, changed_samples_, stream_);
    StepView changed = view_;
    changed.samples = changed_samples_;
    sample_rows(changed, changed_, targets_.sampling, samples, sampling_memory_, sampled_, last_token_,
                stream_);
  }
  auto* reported = reported_memory_.device() + static_cast<Bytes>(entry) * reported_bytes_;
  report_rows(logits, reinterpret_cast<const ReportRow*>(buffer + changes_.reports_at), changes_.reports(),
              sampled_, reinterpret_cast<ReportedRow*>(reported), stream_);
}

StepLink::Submitted StepLink::take_submitted(std::uint64_t step) {
  std::unique_lock lock(mutex_);
  Submitted& place = submitted_[step % kEntries];
  submitted_changed_.wait(lock, [&] { return place.step == step; });
  return std::exchange(place, {});
}

/// Polls the published ring; a device that has failed publishes nothing.
std::optional<Error> StepLink::wait_for_device(const Submitted& submitted) const {
  const auto* header = reinterpret_cast<const PublishedStep*>(published_memory_.host() +
                                                              submitted.entry * published_.entry_bytes);
  auto next_check = std::chrono::steady_clock::now() + kHealthCheck;
  for (int polls = 0; load_acquire(&header->ready) != submitted.step; ++polls) {
    if (polls < kSpins) continue;
    std::this_thread::yield();
    if (polls % 256 != 0 || std::chrono::steady_clock::now() < next_check) continue;
    next_check += kHealthCheck;
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state != cudaErrorNotReady && load_acquire(&header->ready) != submitted.step) {
      auto failed = check(state, "Step " + std::to_string(submitted.step));
      if (!failed) return std::move(failed).error();
      return Error{Error::Kind::internal,
                   "Step " + std::to_string(submitted.step) + " was not published",
                   "the GPU has nothing left to do",
                   "report this with the run's record",
                   {}};
    }
  }
  return std::nullopt;
}

/// Logprobs of the step's samples and prompt tokens. One that is not finite stays: nothing was chosen there.
void StepLink::take_reports(const Submitted& submitted, StepResult& result) const {
  const auto* rows =
      reinterpret_cast<const ReportedRow*>(reported_memory_.host() + submitted.entry * reported_bytes_);
  for (std::size_t i = 0; i < submitted.samples.size(); ++i) {
    const Sample& sample = submitted.samples[i];
    if (sample.report < 0) continue;
    SampledToken& token = result.sampled[i];
    if (!std::isnan(token.logprob)) token.logprob = rows[sample.report].logprob;
    if (sample.asks) token.logprobs = logprobs_of(rows[sample.report]);
  }
  for (const StepState::PromptReport& prompt : submitted.prompt_reports) {
    result.prompt_logprobs.push_back({prompt.request, prompt.first_position, {}});
    for (std::int32_t i = 0; i < prompt.rows; ++i)
      result.prompt_logprobs.back().positions.push_back(logprobs_of(rows[prompt.first_report + i]));
  }
}

StepResult StepLink::wait(std::uint64_t step) {
  Submitted submitted = take_submitted(step);
  StepResult result;
  result.number = step;
  result.replayed = submitted.replayed;
  result.error = std::move(submitted.error);
  if (!result.error) result.error = wait_for_device(submitted);
  if (result.error) return result;

  const Nanos now = RealClock().now();
  const std::byte* entry = published_memory_.host() + submitted.entry * published_.entry_bytes;
  const auto* header = reinterpret_cast<const PublishedStep*>(entry);
  const auto* rows = reinterpret_cast<const SampledRow*>(entry + sizeof(PublishedStep));
  {
    const std::lock_guard lock(mutex_);
    gpu_clock_.seen(header->finished, now);
    result.started = gpu_clock_.steady(header->started);
    result.finished = gpu_clock_.steady(header->finished);
    if (header->cut > 0 && !std::exchange(has_warned_, true)) {
      spdlog::warn(
          "{} activations lay beyond 65504, where float16 ends, and were held there: replies may get worse; "
          "use "
          "--dtype bfloat16 for this model",
          header->cut);
    }
  }
  for (std::size_t i = 0; i < submitted.samples.size(); ++i) {
    result.sampled.push_back(
        {submitted.samples[i].request, submitted.samples[i].slot, rows[i].token, rows[i].logprob});
  }
  take_reports(submitted, result);
  for (const SampledToken& token : result.sampled) {
    if (std::isnan(token.logprob)) result.arithmetic = arithmetic_;
  }
  for (const StepState::AskedLogits& asked : submitted.asked) {
    const auto columns = static_cast<std::size_t>(limits_.vocabulary);
    const auto* first =
        reinterpret_cast<const float*>(asked_memory_.host() + submitted.entry * asked_bytes_) +
        static_cast<std::size_t>(asked.first_logit_row) * columns;
    result.logits.push_back({asked.request,
                             asked.first_position,
                             asked.rows,
                             {first, first + static_cast<std::size_t>(asked.rows) * columns}});
  }
  return result;
}

}  // namespace pitwall::cuda
