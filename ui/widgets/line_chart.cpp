// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/line_chart.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/report/svg_chart.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

Nanos nanos_of(double utc_seconds) {
  return std::llround(utc_seconds * 1e9);
}

/// All x of all series, ascending, with one value a series (NaN where it has none).
std::map<double, std::vector<double>> joined(const std::vector<ChartSeries>& series) {
  std::map<double, std::vector<double>> rows;
  for (std::size_t s = 0; s < series.size(); ++s)
    for (std::size_t i = 0; i < series[s].x.size(); ++i) {
      auto [row, added] = rows.try_emplace(series[s].x[i]);
      if (added) row->second.assign(series.size(), std::nan(""));
      row->second[s] = series[s].y[i];
    }
  return rows;
}

/// "tok/s against requests, log": what the two axes are.
QString unit_text(const LineChart::Spec& spec) {
  QString text = spec.unit;
  if (spec.x != XAxis::time) text = LineChart::tr("%1 against %2").arg(text, spec.x_name);
  return spec.log ? LineChart::tr("%1, log").arg(text) : text;
}

}  // namespace

LineChart::LineChart(const Spec& spec, QWidget* parent)
    : ChartCard({spec.id, spec.title, spec.unit, spec.question}, parent),
      spec_(spec),
      plot_(new ChartPlot(spec.tail  ? ValueScale::tail
                          : spec.log ? ValueScale::log
                                     : ValueScale::linear,
                          spec.x, this)) {
  set_unit(unit_text(spec));
  plot_->setObjectName(spec.id + QStringLiteral(".plot"));
  plot_->setAccessibleName(spec.title);
  plot_->set_names_at_lines(spec.names_at_lines);
  set_drawing(plot_);
  connect(plot_, &ChartPlot::crosshair_moved, this, &LineChart::crosshair_moved);
  connect(plot_, &ChartPlot::span_chosen, this, &LineChart::span_chosen);
  connect(plot_, &ChartPlot::mark_chosen, this, &LineChart::mark_chosen);
}

void LineChart::set_series(std::vector<ChartSeries> series) {
  const bool same_lines =
      std::equal(series.begin(), series.end(), series_.begin(), series_.end(),
                 [](const ChartSeries& a, const ChartSeries& b) { return a.name == b.name; });
  series_ = std::move(series);
  if (!same_lines) {
    std::vector<LegendEntry> legend;
    for (const ChartSeries& one : series_) legend.push_back({one.name, one.colour, one.stroke, one.width});
    if (!spec_.names_at_lines) set_legend(legend);
    set_columns(table_columns());
  }
  plot_->set_series(&series_);
  plot_->setAccessibleDescription(summary());
  refresh_table();
}

void LineChart::set_limits(std::vector<ChartLimit> limits) {
  plot_->set_limits(std::move(limits));
}

void LineChart::set_marks(std::vector<ChartMark> marks) {
  marks_ = std::move(marks);
  plot_->set_marks(&marks_);
  plot_->setAccessibleDescription(summary());
}

void LineChart::set_time_range(double from, double to) {
  plot_->set_time_range(from, to);
}
void LineChart::set_laps(const std::vector<ChartLap>& laps) {
  if (laps == laps_) return;
  laps_ = laps;
  plot_->set_laps(laps);
}
void LineChart::forget_limits() {
  plot_->forget_limits();
}
void LineChart::set_note(const QString& note) {
  plot_->set_note(note);
}
void LineChart::set_crosshair(double x) {
  plot_->set_crosshair(x);
}
double LineChart::crosshair() const {
  return plot_->crosshair();
}

QString LineChart::x_text(double x) const {
  return spec_.x == XAxis::time ? time_text(nanos_of(x)) : three_digits(x);
}

QString LineChart::summary() const {
  QStringList parts;
  double largest = -std::numeric_limits<double>::infinity(), at = 0;
  for (const ChartSeries& one : series_) {
    double last = std::nan("");
    for (std::size_t i = 0; i < one.y.size(); ++i) {
      if (!std::isfinite(one.y[i])) continue;
      last = one.y[i];
      if (last > largest) {
        largest = last;
        at = one.x[i];
      }
    }
    if (std::isfinite(last)) parts << QStringLiteral("%1 %2").arg(one.name, three_digits(last));
  }
  if (parts.isEmpty()) return tr("%1: no data yet.").arg(spec_.title);
  QStringList sentences{
      tr("%1, %2: %3; largest %4 at %5.")
          .arg(spec_.title, spec_.unit, listed(parts), three_digits(largest),
               spec_.x == XAxis::time ? x_text(at) : tr("%1 %2").arg(x_text(at), spec_.x_name))};
  for (const ChartMark& mark : marks_)
    if (!mark.text.isEmpty()) sentences << tr("%1.").arg(mark.text);
  for (const ChartLap& lap : laps_) sentences << tr("Lap %1 at %2.").arg(lap.number).arg(x_text(lap.at));
  return told(sentences);
}

std::vector<TableColumn> LineChart::table_columns() const {
  std::vector<TableColumn> columns{
      {spec_.x == XAxis::time ? tr("Time") : spec_.x_name, spec_.x != XAxis::time}};
  for (const ChartSeries& one : series_)
    columns.push_back({QStringLiteral("%1 %2").arg(one.name, spec_.unit), true});
  return columns;
}

std::vector<TableRow> LineChart::table_rows() const {
  std::vector<TableRow> rows;
  for (const auto& [x, values] : joined(series_)) {
    TableRow row{nanos_of(x), {{x_text(x), x}}};
    for (const double value : values) row.cells.push_back({three_digits(value), value});
    rows.push_back(std::move(row));
  }
  if (spec_.x == XAxis::time) std::reverse(rows.begin(), rows.end());
  return rows;
}

QByteArray LineChart::csv() const {
  const bool time = spec_.x == XAxis::time;
  QStringList lines{
      QStringLiteral("# ") +
      QStringList{spec_.title, spec_.unit, spec_.question, source()}.join(QStringLiteral(" | "))};
  QStringList head{time ? QStringLiteral("time_utc") : spec_.x_name};
  for (const ChartSeries& one : series_) head << one.name;
  lines << head.join(QLatin1Char(','));
  for (const auto& [x, values] : joined(series_)) {
    QStringList fields{
        time ? QDateTime::fromMSecsSinceEpoch(std::llround(x * 1000), Qt::UTC).toString(Qt::ISODateWithMs)
             : QString::number(x, 'g', 10)};
    for (const double value : values)
      fields << (std::isfinite(value) ? QString::number(value, 'g', 10) : QString());
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

QByteArray LineChart::svg() const {
  const bool time = spec_.x == XAxis::time;
  SvgChart chart;
  chart.title = spec_.title.toStdString();
  chart.unit = spec_.unit.toStdString();
  chart.question = spec_.question.toStdString();
  chart.log_x = spec_.x == XAxis::log;
  chart.log_y = spec_.log;
  double start = std::numeric_limits<double>::infinity();
  for (const ChartSeries& one : series_)
    if (!one.x.empty()) start = std::min(start, one.x.front());
  QString below = spec_.x_name;
  if (time)
    below = tr("s since %1")
                .arg(QDateTime::fromMSecsSinceEpoch(std::isfinite(start) ? std::llround(start * 1000) : 0)
                         .toString(Qt::ISODate));
  if (!source().isEmpty()) below += QStringLiteral(", ") + source();
  chart.x_label = below.toStdString();
  for (const ChartSeries& one : series_) {
    SvgSeries line;
    line.name = one.name.toStdString();
    line.colour = Theme::colour(one.colour, false).name().toStdString();
    line.dash = svg_dash(one.stroke);
    line.y = one.y;
    for (const double x : one.x) line.x.push_back(time ? x - start : x);
    chart.series.push_back(std::move(line));
  }
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace pitwall::ui
