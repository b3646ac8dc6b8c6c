// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cdf_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/report/cdf.h"
#include "engine/report/svg_chart.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/plot_scale.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSeen = 0.002;  // of a nine: less is within a pixel
constexpr double kQuantiles[] = {50, 90, 99, 99.9, 99.99, 99.999};

/// Of the samples up to and with this value, in percent; the last one would lie at infinity, so that a curve
/// ends one sample below.
double share_at_most(const CdfCurve& curve, std::int64_t at_most) {
  const std::int64_t n = curve.samples();
  return 100 * static_cast<double>(std::min(at_most, n - 1)) / static_cast<double>(n);
}

/// NaN where fewer than one sample lies above, and for a p90 of a few.
double quantile(const CdfCurve& curve, double percent) {
  const auto n = static_cast<double>(curve.samples());
  if (n * (1 - percent / 100) < 1 - 1e-9 || (percent > 50 && n < kSamplesForP90)) return kNone;
  const auto found = std::lower_bound(curve.at_most.begin(), curve.at_most.end(), n * percent / 100,
                                      [](std::int64_t a, double b) { return static_cast<double>(a) < b; });
  return curve
      .values[static_cast<std::size_t>(std::min(found, curve.at_most.end() - 1) - curve.at_most.begin())];
}

/// A staircase: what is between two samples happened to nobody.
ChartSeries series_of(const CdfCurve& curve) {
  ChartSeries series{curve.name, curve.colour, curve.stroke, curve.width, {}, {}};
  double before = 0;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const double share = share_at_most(curve, curve.at_most[i]);
    for (const double y : {before, share}) {
      series.x.push_back(curve.values[i]);
      series.y.push_back(y);
      series.n.push_back(curve.samples());
    }
    before = share;
  }
  return series;
}

LineChart::Spec spec_of(const CdfChart::Words& words, bool names_at_lines) {
  LineChart::Spec spec{words.id, words.title, QStringLiteral("%"), words.question};
  spec.x = XAxis::log;
  spec.x_name = words.unit;
  spec.names_at_lines = names_at_lines;
  spec.tail = true;
  return spec;
}

}  // namespace

CdfCurve cdf_of(std::vector<double> samples) {
  CdfCurve curve;
  std::erase_if(samples, [](double value) { return !std::isfinite(value); });
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double kept = -1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool last = i + 1 == samples.size();
    if (!last && samples[i + 1] == samples[i]) continue;
    const double at = to_scale(ValueScale::tail, 100 * static_cast<double>(i + 1) / n);
    const bool seen = i < 1 || last || at - kept >= kSeen;
    if (!seen) continue;
    kept = at;
    curve.values.push_back(samples[i]);
    curve.at_most.push_back(static_cast<std::int64_t>(i + 1));
  }
  return curve;
}

CdfCurve cdf_of(const QuantileSketch& sketch) {
  CdfCurve curve;
  for (const QuantileSketch::Step& step : sketch.steps()) {
    curve.values.push_back(step.value);
    curve.at_most.push_back(step.at_most);
  }
  return curve;
}

CdfChart::CdfChart(const Words& words, bool names_at_lines, QWidget* parent)
    : LineChart(spec_of(words, names_at_lines), parent) {}

void CdfChart::set_curves(std::vector<CdfCurve> curves) {
  curves_ = std::move(curves);
  std::vector<ChartSeries> series;
  bool any = false;
  for (const CdfCurve& curve : curves_) {
    series.push_back(series_of(curve));
    any = any || curve.samples() > 0;
  }
  set_series(std::move(series));
  set_note(any ? QString() : tr("No sample yet"));
}

void CdfChart::set_limit(const QString& label, double value) {
  std::vector<ChartMark> marks;
  if (!label.isEmpty()) marks.push_back({ChartMark::Shape::guide, value, 0, Colour::bad, label});
  set_marks(std::move(marks));
}

QString CdfChart::summary() const {
  QStringList parts;
  for (const CdfCurve& curve : curves_) {
    if (curve.samples() == 0) continue;
    QStringList figures;
    for (const double percent : kQuantiles)
      if (const double value = quantile(curve, percent); std::isfinite(value))
        figures << tr("p%1 %2").arg(QString::number(percent), three_digits(value));
    figures << tr("largest %1").arg(three_digits(curve.values.back()));
    parts << tr("%1 %2 of %3 samples").arg(curve.name, listed(figures), count_text(curve.samples()));
  }
  if (parts.isEmpty()) return tr("%1: no sample yet.").arg(spec().title);
  return tr("%1, %2: %3.").arg(spec().title, spec().x_name, parts.join(tr("; ")));
}

std::vector<TableColumn> CdfChart::table_columns() const {
  std::vector<TableColumn> columns{{tr("At most")}};
  for (const ChartSeries& one : series())
    columns.push_back({QStringLiteral("%1 %2").arg(one.name, spec().x_name), true});
  return columns;
}

std::vector<TableRow> CdfChart::table_rows() const {
  std::vector<TableRow> rows;
  const auto add = [&](const QString& name, auto&& figure) {
    TableRow row{std::ssize(rows), {{name}}};
    for (const CdfCurve& curve : curves_) {
      const double value = curve.samples() > 0 ? figure(curve) : kNone;
      row.cells.push_back({three_digits(value), value});
    }
    rows.push_back(std::move(row));
  };
  for (const double percent : kQuantiles)
    add(QStringLiteral("p%1").arg(percent),
        [percent](const CdfCurve& curve) { return quantile(curve, percent); });
  add(tr("all"), [](const CdfCurve& curve) { return curve.values.back(); });
  return rows;
}

QByteArray CdfChart::svg() const {
  SvgChart chart;
  chart.title = spec().title.toStdString();
  chart.unit = spec().unit.toStdString();
  chart.question = spec().question.toStdString();
  chart.log_x = chart.nines_y = true;
  QString below = spec().x_name;
  if (!source().isEmpty()) below += QStringLiteral(", ") + source();
  chart.x_label = below.toStdString();
  for (const ChartSeries& one : series()) {
    SvgSeries line{one.name.toStdString(),
                   Theme::colour(one.colour, false).name().toStdString(),
                   svg_dash(one.stroke),
                   one.x,
                   {}};
    for (const double share : one.y) line.y.push_back(nines_of(share / 100));
    chart.series.push_back(std::move(line));
  }
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace pitwall::ui
