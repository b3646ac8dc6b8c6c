// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/load_strip.h"

#include <algorithm>
#include <limits>

#include "ui/serve/load_dialog.h"
#include "ui/shell/engine_controller.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr QLatin1String kJob("serve.load");

}  // namespace

LoadStrip::LoadStrip(EngineController& engine, QWidget* parent)
    : ProgressStrip(
          {QStringLiteral("serve.load"), tr("Load test, share that has ended"), tr("Cancel load test")},
          parent),
      engine_(engine),
      loads_(new LoadRunner(engine, this)) {
  connect(this, &ProgressStrip::cancelled, loads_, &LoadRunner::cancel);
  connect(loads_, &LoadRunner::progress, this, &LoadStrip::show_load);
  connect(loads_, &LoadRunner::finished, this, &LoadStrip::show_end);
}

void LoadStrip::ask(const Objectives& objectives) {
  const auto snapshot = engine_.snapshot();
  if (!snapshot) return;
  const bool on_cpu = engine_.settings().text("device") == "cpu";
  LoadDialog dialog(last_, snapshot->max_num_seqs, on_cpu, this);
  if (dialog.exec() != QDialog::Accepted) return;
  LoadWish wish = dialog.wish();
  wish.objectives = objectives;
  start(wish);
}

void LoadStrip::start(const LoadWish& wish) {
  if (auto started = loads_->start(wish); !started)
    return Q_EMIT banner_requested(banner_of(started.error()));
  last_ = wish;
  show_load({}, true);
  Q_EMIT began(tr("Load %1").arg(QString::fromStdString(wish.workload)),
               tr("%n requests", nullptr, wish.requests));
}

void LoadStrip::show_end(const Result<LoadReport>& report) {
  hide();
  Q_EMIT ended();
  Q_EMIT job_ended(kJob);
  if (!report) {
    if (report.error().kind != Error::Kind::cancelled) Q_EMIT banner_requested(banner_of(report.error()));
    return;
  }
  std::int64_t failed = 0;
  for (const auto& [how, count] : report->failures) failed += count;
  Banner banner;
  banner.finished = true;
  banner.severity = failed > 0 ? Banner::Severity::warn : Banner::Severity::good;
  banner.text =
      tr("Load %1: %2 tok/s, TTFT p50 %3, TPOT p50 %4, %5 failed.")
          .arg(QString::fromStdString(report->setup.workload), rate_number(report->output_throughput),
               ms_text(report->ttft.p50), ms_text(report->tpot.p50), count_text(failed));
  if (!report->run_ids.empty()) {
    banner.verb = tr("Open %1").arg(run_name(report->run_ids.front()));
    banner.action = [this, run = report->run_ids.front()] { Q_EMIT run_requested(run); };
  }
  Q_EMIT banner_requested(banner);
}

void LoadStrip::show_load(const PlayProgress& progress, bool warming_up) {
  const auto count = [](std::size_t n) { return count_text(static_cast<qint64>(n)); };
  const QString workload = QString::fromStdString(last_.workload);
  // How long a warm-up takes is not known: it is the first of its kind.
  const bool counted = warming_up && progress.total > 0;
  QString text = counted ? tr("Load %1: warming up, %2 of %3 requests ended")
                               .arg(workload, count(progress.ended), count(progress.total))
                 : warming_up ? tr("Load %1: warming up").arg(workload)
                              : tr("Load %1: %2 of %3 ended, %4 running")
                                    .arg(workload, count(progress.ended), count(progress.total),
                                         count(progress.sent - progress.ended));
  if (progress.failed > 0) text += tr(", △ %1 failed").arg(count(progress.failed));
  const auto total = static_cast<std::int64_t>(std::max<std::size_t>(progress.total, 1));
  const auto ended = static_cast<std::int64_t>(progress.ended);
  show_progress(text, ended, warming_up ? 0 : total);
  if (warming_up) {
    Q_EMIT job_went_on({kJob, tr("Load %1, warming up").arg(workload),
                        std::numeric_limits<double>::quiet_NaN(), [this] { loads_->cancel(); }});
    return;
  }
  Q_EMIT job_went_on({kJob, tr("Load %1").arg(workload),
                      static_cast<double>(ended) / static_cast<double>(total), [this] { loads_->cancel(); }});
}

}  // namespace pitwall::ui
