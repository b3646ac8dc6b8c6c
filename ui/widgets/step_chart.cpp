// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/step_chart.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>

#include "engine/report/svg_chart.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/step_plot.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kMostRows = 2000;  // of the table: the newest of the span

double ms_of(const StepSpan& step) {
  return (step.to - step.from) * 1000;
}

}  // namespace

StepChart::StepChart(const QString& id, const QString& title, const QString& question, QWidget* parent)
    : ChartCard({id, title, tr("tokens"), question}, parent), plot_(new StepPlot(this)) {
  plot_->setObjectName(id + QStringLiteral(".plot"));
  plot_->setAccessibleName(title);
  set_drawing(plot_);
  set_legend({{tr("decode"), Colour::itl, Stroke::solid, 1.3, LegendEntry::Sample::fill},
              {tr("prefill"), Colour::ttft, Stroke::solid, 1.3, LegendEntry::Sample::frame}});
  set_columns({{tr("Step"), true},
               {tr("Began"), false},
               {tr("Took ms"), true},
               {tr("Prefill"), true, tr("Tokens.")},
               {tr("Decode"), true, tr("Tokens.")},
               {tr("Waiting"), true, tr("Requests in the queue.")},
               {tr("Joined"), true},
               {tr("Left"), true},
               {tr("Preempted"), true, tr("Sequences that gave their KV blocks back.")},
               {tr("Evicted"), true, tr("Cached blocks that gave way.")}});
  connect(plot_, &StepPlot::step_chosen, this, &StepChart::step_chosen);
  connect(plot_, &StepPlot::span_changed, this, &StepChart::refresh_table);
}

void StepChart::set_steps(const std::vector<StepSpan>* steps, std::size_t last) {
  plot_->set_steps(steps, last);
  plot_->setAccessibleDescription(summary());
  refresh_table();
}

void StepChart::set_laps(const std::vector<ChartLap>& laps) {
  plot_->set_laps(laps);
}
void StepChart::show_span(double from, double to) {
  plot_->zoom_to(from, to);
}
void StepChart::choose(std::uint64_t step) {
  plot_->choose(step);
}
std::pair<double, double> StepChart::span() const {
  return {plot_->span().low, plot_->span().high};
}

QString StepChart::summary() const {
  const auto steps = plot_->shown();
  if (steps.empty()) return tr("%1: no step yet.").arg(words().title);
  qint64 preempted = 0, evicted = 0;
  for (const StepSpan& step : steps) preempted += step.preempted, evicted += step.evicted;
  const auto longest = std::max_element(steps.begin(), steps.end(),
                                        [](const auto& a, const auto& b) { return ms_of(a) < ms_of(b); });
  const StepSpan& last = steps.back();
  return tr("%1: %2 steps; the last, %3, had %4 decode and %5 prefill tokens; the longest, %6, took %7; %8 "
            "preempted, %9 evicted.")
      .arg(words().title, count_text(std::ssize(steps)), count_text(static_cast<qint64>(last.step)),
           count_text(last.decode), count_text(last.prefill), count_text(static_cast<qint64>(longest->step)),
           ms_text(ms_of(*longest)), count_text(preempted), count_text(evicted));
}

std::vector<TableRow> StepChart::table_rows() const {
  const auto steps = plot_->shown();
  std::vector<TableRow> rows;
  const auto count = [](qint64 value) { return TableCell{count_text(value), static_cast<double>(value)}; };
  for (std::size_t i = steps.size(); i-- > 0 && rows.size() < kMostRows;) {
    const StepSpan& step = steps[i];
    const qint64 number = static_cast<qint64>(step.step);
    rows.push_back({number,
                    {count(number),
                     {time_text(std::llround(step.from * 1e9)), step.from},
                     {ms_number(ms_of(step)), ms_of(step)},
                     count(step.prefill),
                     count(step.decode),
                     count(step.waiting),
                     count(step.joined),
                     count(step.left),
                     count(step.preempted),
                     count(step.evicted)}});
  }
  return rows;
}

QByteArray StepChart::csv() const {
  QString text = QStringLiteral("# %1\n").arg(
      QStringList{words().title, words().unit, words().question, source()}.join(QStringLiteral(" | ")));
  text += QStringLiteral(
      "step,began_utc,took_ms,prefill_tokens,decode_tokens,waiting,joined,left,preempted,evicted\n");
  for (const StepSpan& step : plot_->shown())
    text += QStringLiteral("%1,%2,%3,%4,%5,%6,%7,%8,%9,%10\n")
                .arg(step.step)
                .arg(QDateTime::fromMSecsSinceEpoch(std::llround(step.from * 1000), Qt::UTC)
                         .toString(Qt::ISODateWithMs))
                .arg(ms_of(step), 0, 'g', 10)
                .arg(step.prefill)
                .arg(step.decode)
                .arg(step.waiting)
                .arg(step.joined)
                .arg(step.left)
                .arg(step.preempted)
                .arg(step.evicted);
  return text.toUtf8();
}

QByteArray StepChart::svg() const {
  SvgChart chart;
  chart.title = words().title.toStdString();
  chart.unit = words().unit.toStdString();
  chart.question = words().question.toStdString();
  const auto steps = plot_->shown();
  const double start = steps.empty() ? 0 : steps.front().from;
  QString below =
      tr("s since %1").arg(QDateTime::fromMSecsSinceEpoch(std::llround(start * 1000)).toString(Qt::ISODate));
  if (!source().isEmpty()) below += QStringLiteral(", ") + source();
  chart.x_label = below.toStdString();
  const auto line = [&](const QString& name, Colour colour, std::int32_t StepSpan::*tokens) {
    SvgSeries series{name.toStdString(), Theme::colour(colour, false).name().toStdString(), {}, {}, {}};
    for (const StepSpan& step : steps) {
      series.x.push_back(step.from - start);
      series.y.push_back(step.*tokens);
    }
    chart.series.push_back(std::move(series));
  };
  line(tr("decode"), Colour::itl, &StepSpan::decode);
  line(tr("prefill"), Colour::ttft, &StepSpan::prefill);
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace pitwall::ui
