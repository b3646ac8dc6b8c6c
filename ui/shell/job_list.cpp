// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_list.h"

#include <algorithm>
#include <cmath>

namespace pitwall::ui {

namespace {

constexpr double kTellingShare = 0.03;          // before it the pace is that of the start
constexpr Nanos kNoTime = kNanosPerSecond / 2;  // what is done by then was done before

}  // namespace

JobList::JobList(const Clock& clock, QObject* parent) : QObject(parent), clock_(clock) {}

void JobList::post(const Job& job) {
  const auto known = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Running& running) { return running.job.id == job.id; });
  const Nanos now = clock_.now();
  if (known == jobs_.end()) {
    jobs_.push_back({job, now, now, job.share});
  } else {
    if (known->job.share != job.share) known->told = now;
    known->job = job;
    if (now - known->began < kNoTime) known->from = job.share;
  }
  Q_EMIT changed();
}

void JobList::end(const QString& id) {
  if (std::erase_if(jobs_, [&](const Running& running) { return running.job.id == id; }) > 0)
    Q_EMIT changed();
}

double JobList::seconds_left() const {
  const Running& oldest = jobs_.front();
  const double from = std::isnan(oldest.from) ? 0 : oldest.from, share = std::min(oldest.job.share, 1.0);
  if (!(share - from >= kTellingShare * (1 - from))) return std::numeric_limits<double>::quiet_NaN();
  const auto seconds = [](Nanos begin, Nanos end) {
    return static_cast<double>(end - begin) / static_cast<double>(kNanosPerSecond);
  };
  const double left =
      seconds(oldest.began, oldest.told) * (1 - share) / (share - from) - seconds(oldest.told, clock_.now());
  return left > 0 ? left : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pitwall::ui
