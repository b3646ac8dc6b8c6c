// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/step_history.h"

#include <algorithm>

#include "ui/serve/step_members.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

void StepHistory::take(const Snapshot& snapshot, const Recorder& recorder) {
  if (snapshot.started_utc != started_) {
    steps_.clear();
    started_ = snapshot.started_utc;
  }
  const std::uint64_t known = steps_.empty() ? 0 : steps_.back().step;
  const std::uint64_t newest = snapshot.steps.empty() ? 0 : snapshot.steps.back().step;
  if (newest <= known) return;
  const Nanos to_utc = snapshot.utc - snapshot.steady;
  const auto seconds = [to_utc](Nanos steady) { return static_cast<double>(steady + to_utc) / 1e9; };
  const auto fresh =
      recorder.last_steps(steps_.empty() ? kAllSteps : std::min(kAllSteps, newest - known + 64));
  for (const StepRecord& step : fresh) {
    if (step.step <= known) continue;
    StepSpan span{step.step, seconds(step.started), seconds(step.finished)};
    span.prefill = step.prefill_tokens;
    span.decode = step.decode_tokens;
    span.waiting = step.waiting;
    span.gap = std::max<double>(step.gap_ns, 0) / 1e9;
    span.preempted = step.preempted;
    span.evicted = step.evicted;
    span.joined = step.joined;
    span.left = step.left;
    steps_.push_back(span);
  }
  if (steps_.size() > kMost + kMost / 8)  // seldom, as the rest moves
    steps_.erase(steps_.begin(), steps_.end() - static_cast<std::ptrdiff_t>(kMost));
}

QString step_text(std::uint64_t step, const Recorder& recorder) {
  const auto kept = recorder.last_steps(kAllSteps);
  const auto found =
      std::find_if(kept.rbegin(), kept.rend(), [step](const StepRecord& each) { return each.step == step; });
  if (found == kept.rend()) return {};
  QStringList words{tr("Step %1: %2 decode and %3 prefill tokens in %4, sequences: %5, waiting: %6, "
                       "KV blocks used: %7, cached: %8")
                        .arg(count_text(static_cast<qint64>(step)), count_text(found->decode_tokens),
                             count_text(found->prefill_tokens),
                             ms_text(static_cast<double>(found->finished - found->started) / 1e6),
                             count_text(found->sequences), count_text(found->waiting),
                             count_text(found->kv_used_blocks), count_text(found->kv_cached_blocks))};
  if (found->gap_ns > 0)
    words << tr("the device waited %1 before it").arg(ms_text(static_cast<double>(found->gap_ns) / 1e6));
  if (found->predicted_ns > 0)
    words << tr("expected %1").arg(ms_text(static_cast<double>(found->predicted_ns) / 1e6));
  if (found->evicted > 0) words << tr("%1 cached blocks evicted").arg(count_text(found->evicted));
  for (const StepEvent& event : recorder.events_of(*found))
    words << QStringLiteral("%1 %2").arg(count_text(static_cast<qint64>(event.request.value)),
                                         event_text(event));
  return words.join(QStringLiteral(" · "));
}

}  // namespace pitwall::ui
