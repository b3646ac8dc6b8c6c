// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_strip.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QTimer>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kWidth = 80;  // units; longer names are cut

QString left_text(double seconds) {
  const int minutes = static_cast<int>(std::ceil(seconds / 60));
  if (seconds <= 60) return JobStrip::tr("%1 s left").arg(std::max(1, static_cast<int>(std::ceil(seconds))));
  if (minutes <= 90) return JobStrip::tr("%1 min left").arg(minutes);
  return JobStrip::tr("%1 h left").arg(real_text(seconds / 3600, 1));
}

}  // namespace

QString job_text(const JobList& jobs) {
  const Job& job = jobs.oldest();
  const QString share =
      std::isnan(job.share) ? QString() : JobStrip::tr("%1 %").arg(static_cast<int>(job.share * 100));
  const double left = jobs.seconds_left();
  QString text = job.name;
  if (!share.isEmpty() && std::isnan(left)) text = JobStrip::tr("%1, %2").arg(job.name, share);
  if (!std::isnan(left)) text = JobStrip::tr("%1, %2, %3").arg(job.name, share, left_text(left));
  return jobs.count() > 1 ? JobStrip::tr("%1, %n more", nullptr, jobs.count() - 1).arg(text) : text;
}

JobStrip::JobStrip(QWidget* parent) : QWidget(parent), jobs_(clock_) {
  setObjectName(QStringLiteral("shell.jobs"));
  said_ = new ElidedLabel({}, FontRole::small, Colour::text, this);
  said_->setObjectName(QStringLiteral("shell.jobs.text"));
  said_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  cancel_ = new QPushButton(tr("Cancel"), this);
  cancel_->setObjectName(QStringLiteral("shell.jobs.cancel"));
  cancel_->setFlat(true);
  cancel_->setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
  cancel_->setProperty("compact", true);
  cancel_->setFont(Theme::current().font(FontRole::small));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(units(2));
  row->addWidget(said_, 1);
  row->addWidget(cancel_);
  setMaximumWidth(units(kWidth));
  connect(&jobs_, &JobList::changed, this, &JobStrip::show_jobs);
  ticks_ = new QTimer(this);  // the time left goes by without news, too
  ticks_->setInterval(1000);
  connect(ticks_, &QTimer::timeout, this, &JobStrip::show_jobs);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (const auto cancel = jobs_.oldest().cancel) cancel();
  });
  hide();
}

void JobStrip::show_jobs() {
  setVisible(!jobs_.empty());
  jobs_.empty() ? ticks_->stop() : ticks_->start();
  if (jobs_.empty()) return;
  said_->setText(job_text(jobs_));
  cancel_->setVisible(jobs_.oldest().cancel != nullptr);
  cancel_->setAccessibleName(tr("Cancel %1").arg(jobs_.oldest().name));
}

}  // namespace pitwall::ui
