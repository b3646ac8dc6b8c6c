// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_list.h"

#include <algorithm>

namespace pitwall::ui {

namespace {

constexpr double kTellingShare = 0.03;  // before it the pace is that of the start

}  // namespace

JobList::JobList(const Clock& clock, QObject* parent) : QObject(parent), clock_(clock) {}

void JobList::post(const Job& job) {
  const auto known = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Running& running) { return running.job.id == job.id; });
  if (known != jobs_.end())
    known->job = job;
  else
    jobs_.push_back({job, clock_.now()});
  Q_EMIT changed();
}

void JobList::end(const QString& id) {
  if (std::erase_if(jobs_, [&](const Running& running) { return running.job.id == id; }) > 0)
    Q_EMIT changed();
}

double JobList::seconds_left() const {
  const Running& oldest = jobs_.front();
  const double share = oldest.job.share;
  if (!(share >= kTellingShare)) return std::numeric_limits<double>::quiet_NaN();
  const double so_far =
      static_cast<double>(clock_.now() - oldest.began) / static_cast<double>(kNanosPerSecond);
  return so_far * (1 - std::min(share, 1.0)) / share;
}

}  // namespace pitwall::ui
