// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/event_log.h"

#include <algorithm>

#include "ui/serve/laps.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kSpikeFactor = 10, kShortestSpike = 0.01;  // s: less nobody sees
constexpr std::size_t kMedianSteps = 128, kFewestSteps = 16;

double duration(const StepSpan& step) {
  return step.to - step.from;
}

/// As the streams feel it.
double felt(const StepSpan& step) {
  return duration(step) + step.gap;
}

double median_before(const std::vector<StepSpan>& steps, std::size_t end) {
  std::vector<double> durations;
  for (std::size_t i = end - std::min(end, kMedianSteps); i < end; ++i)
    if (steps[i].decode > 0) durations.push_back(duration(steps[i]));
  if (durations.size() < kFewestSteps) return 0;
  const auto middle = durations.begin() + std::ssize(durations) / 2;
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

ServeEvent spike_of(const StepSpan& step, double ms) {
  ServeEvent event{ServeEvent::Kind::spike, step.from, tr("Spike %1").arg(ms_text(ms)), {}, step.step, ms};
  QStringList words{
      tr("step %1 made %2 wait").arg(count_text(static_cast<qint64>(step.step)), count_text(step.decode))};
  if (step.prefill > 0) words << tr("%1 prefill tokens").arg(count_text(step.prefill));
  if (step.preempted > 0) words << tr("%1 preempted").arg(count_text(step.preempted));
  event.detail = listed(words);
  return event;
}

ServeEvent event_of(const ChartLap& lap) {
  return {ServeEvent::Kind::lap, lap.at, tr("Lap %1").arg(lap.number), lap.text};
}

}  // namespace

/// A spike is known when the step that follows is seen, a lap at once: each takes its place in time.
void EventLog::add(ServeEvent event) {
  const auto place = std::upper_bound(events_.begin(), events_.end(), event.at,
                                      [](double at, const ServeEvent& known) { return at < known.at; });
  events_.insert(place, std::move(event));
  if (events_.size() > kMost) events_.erase(events_.begin());
}

void EventLog::take(const Snapshot& snapshot, const std::vector<StepSpan>& steps) {
  if (snapshot.started_utc != started_) {
    started_ = snapshot.started_utc;
    last_lap_ = 0;
    last_step_ = 0;
  }
  for (const ChartLap& lap : laps_of(snapshot.changes, snapshot.first_lap)) {
    if (lap.at <= last_lap_) continue;
    last_lap_ = lap.at;
    add(event_of(lap));
  }
  auto first = std::upper_bound(steps.begin(), steps.end(), last_step_,
                                [](std::uint64_t known, const StepSpan& step) { return known < step.step; });
  for (; first != steps.end(); ++first) {
    last_step_ = first->step;
    if (first->decode == 0) continue;
    const auto at = static_cast<std::size_t>(first - steps.begin());
    const double usual = median_before(steps, at), took = felt(*first);
    if (usual > 0 && took > std::max(kSpikeFactor * usual, kShortestSpike))
      add(spike_of(*first, took * 1000));
  }
}

}  // namespace pitwall::ui
