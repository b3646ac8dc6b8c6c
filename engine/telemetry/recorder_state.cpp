// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/recorder_state.h"

#include <algorithm>

#include "engine/telemetry/step_table.h"

namespace pitwall {

void RateWindow::add(Nanos at, std::int64_t tokens) {
  const std::int64_t index = at / kSlot;
  Slot& slot = slots_[static_cast<std::size_t>(index) % kSlots];
  if (slot.index != index) slot = {index, 0};
  slot.tokens += tokens;
}

double RateWindow::per_second(Nanos now) const {
  const std::int64_t newest = now / kSlot;
  std::int64_t tokens = 0;
  for (const Slot& slot : slots_) {
    if (slot.index > newest - static_cast<std::int64_t>(kSlots)) tokens += slot.tokens;
  }
  return static_cast<double>(tokens) * kSecond / kWindow;
}

void Recorder::State::advance_to(Nanos at) {
  const std::int64_t second = (at - origin) / kSecond;
  // Seconds that nobody rolled are kept as long as the history is, then lost.
  constexpr auto kKept = static_cast<std::int64_t>(kHistorySeconds);
  if (second - open_second > kKept) {
    tallies.clear();
    open_second = second - kKept;
    tallies.emplace_back();
  }
  for (; open_second < second; ++open_second) push_bounded(tallies, SecondTally(), kHistorySeconds + 1);
}

Nanos Recorder::State::Live::preempted_until(Nanos at) {
  Nanos total = 0;
  std::erase_if(preemptions, [&](const Preempted& preemption) {
    if (preemption.to > at) return false;
    total += preemption.to - preemption.from;
    return true;
  });
  return total;
}

std::vector<StepRecord> Recorder::State::take_new_steps() {
  const auto kept = static_cast<std::int64_t>(kRunSteps);
  const std::int64_t fresh = totals.steps - rolled_steps, wanted = std::min(fresh, kept - rolled_steps);
  std::vector<StepRecord> taken;
  if (wanted > 0) taken = steps.newest(static_cast<std::size_t>(fresh));
  if (wanted < std::ssize(taken)) taken.resize(static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0)));
  rolled_steps = totals.steps;
  return taken;
}

Nanos Recorder::State::utc_of(Nanos steady, const Clock& clock) {
  const Nanos ahead = clock.utc_now() - clock.now();
  if (ahead > utc_ahead + kSecond) utc_ahead = ahead;  // less is between the two calls
  return steady + utc_ahead;
}

SecondTally& Recorder::State::tally_at(Nanos at) {
  advance_to(at);
  const std::int64_t second = std::max((at - origin) / kSecond, next_to_roll);
  const std::int64_t back = std::min(open_second - second, static_cast<std::int64_t>(tallies.size()) - 1);
  return tallies[tallies.size() - 1 - static_cast<std::size_t>(std::max<std::int64_t>(back, 0))];
}

LatencySketches Recorder::State::merged(std::int64_t last_second, std::int64_t seconds) const {
  const std::int64_t oldest = open_second - static_cast<std::int64_t>(tallies.size()) + 1;
  std::int64_t first = std::max(last_second - seconds + 1, oldest);
  const auto lap = std::upper_bound(lap_starts.begin(), lap_starts.end(), last_second);
  if (lap != lap_starts.begin()) first = std::max(first, *(lap - 1));
  LatencySketches sum;
  for (std::int64_t second = first; second <= last_second; ++second)
    sum.merge(tallies[static_cast<std::size_t>(second - oldest)].latency);
  return sum;
}

void Recorder::State::count(Measure measure, double value, std::int64_t count) {
  HistogramCounts& counts = histograms[static_cast<std::size_t>(measure)];
  const std::vector<double>& limits = edges(measure);
  const auto edge = std::lower_bound(limits.begin(), limits.end(), value) - limits.begin();
  if (edge < static_cast<std::ptrdiff_t>(limits.size()))
    counts.per_edge[static_cast<std::size_t>(edge)] += count;
  counts.count += count;
  counts.sum += value * static_cast<double>(count);
}

void Recorder::State::observe(Measure measure, QuantileSketch* sketch, Nanos duration, std::int64_t number) {
  count(measure, static_cast<double>(duration) / kSecond, number);
  if (sketch != nullptr) sketch->add(static_cast<double>(duration) / kNanosPerMs, number);
}

void Recorder::State::observe_ended(const RequestRecord& record, SecondTally& tally) {
  count(Measure::prompt_tokens, record.prompt_tokens);
  count(Measure::computed_tokens, record.prompt_tokens - record.cached_tokens);
  count(Measure::output_tokens, record.output_tokens);
  if (!record.ended_well() || record.output_tokens == 0) return;
  const Nanos preempted_after = record.preempted_ns - record.preempted_before_first_ns;
  const Nanos decoding = record.last_token - record.first_token;
  observe(Measure::e2e, nullptr, record.last_token - record.arrival);
  observe(Measure::prefill, nullptr,
          record.first_token - record.scheduled - record.preempted_before_first_ns);
  observe(Measure::decode, nullptr, decoding - preempted_after);
  observe(Measure::inference, nullptr, record.last_token - record.scheduled);
  if (record.output_tokens >= 2)
    observe(Measure::tpot, &tally.latency.tpot, decoding / (record.output_tokens - 1));
}

void Recorder::State::show_changes(Snapshot& snapshot) const {
  std::size_t from = 0;
  while (from < changes.size() && !changes[from].first) ++from;
  if (from == changes.size()) from = 0;  // one lap of more changes than are kept
  if (from < changes.size()) snapshot.first_lap = changes[from].lap;
  for (std::size_t i = from; i < changes.size(); ++i) snapshot.changes.push_back(changes[i].change);
}

std::vector<RequestRecord> Recorder::State::newest_requests(std::size_t ended_limit) const {
  std::vector<RequestRecord> result;
  result.reserve(live.size() + std::min(ended_limit, ended.size()));
  for (const auto& [id, request] : live) result.push_back(request.record);
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.id > b.id; });
  const std::size_t oldest = ended.size() - std::min(ended_limit, ended.size());
  for (std::size_t i = ended.size(); i > oldest; --i) result.push_back(ended[i - 1]);
  return result;
}

}  // namespace pitwall
