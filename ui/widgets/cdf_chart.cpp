// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cdf_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/report/svg_chart.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuantiles[] = {50, 90, 99, 99.9, 99.99, 99.999};

/// NaN where fewer than one sample lies above, and for a p90 of a few.
double quantile(const Cdf& cdf, double percent) {
  const auto n = static_cast<double>(cdf.samples());
  if (n * (1 - percent / 100) < 1 - 1e-9 || (percent > 50 && n < kSamplesForP90)) return kNone;
  const auto found = std::lower_bound(cdf.at_most.begin(), cdf.at_most.end(), n * percent / 100,
                                      [](std::int64_t a, double b) { return static_cast<double>(a) < b; });
  return cdf.values[static_cast<std::size_t>(std::min(found, cdf.at_most.end() - 1) - cdf.at_most.begin())];
}

ChartSeries series_of(const CdfCurve& curve) {
  ChartSeries series{curve.name, curve.colour, curve.stroke, curve.width, {}, {}};
  for (const CdfCorner& corner : staircase(curve.cdf)) {
    series.x.push_back(corner.value);
    series.y.push_back(100 * corner.share);
    series.n.push_back(curve.cdf.samples());
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

CdfChart::CdfChart(const Words& words, bool names_at_lines, QWidget* parent)
    : LineChart(spec_of(words, names_at_lines), parent) {}

void CdfChart::set_curves(std::vector<CdfCurve> curves) {
  curves_ = std::move(curves);
  std::vector<ChartSeries> series;
  bool any = false;
  for (const CdfCurve& curve : curves_) {
    series.push_back(series_of(curve));
    any = any || curve.cdf.samples() > 0;
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
    if (curve.cdf.samples() == 0) continue;
    QStringList figures;
    for (const double percent : kQuantiles)
      if (const double value = quantile(curve.cdf, percent); std::isfinite(value))
        figures << tr("p%1 %2").arg(QString::number(percent), three_digits(value));
    figures << tr("largest %1").arg(three_digits(curve.cdf.values.back()));
    parts << tr("%1 %2 of %3 samples").arg(curve.name, listed(figures), count_text(curve.cdf.samples()));
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
      const double value = curve.cdf.samples() > 0 ? figure(curve) : kNone;
      row.cells.push_back({three_digits(value), value});
    }
    rows.push_back(std::move(row));
  };
  for (const double percent : kQuantiles)
    add(QStringLiteral("p%1").arg(percent),
        [percent](const CdfCurve& curve) { return quantile(curve.cdf, percent); });
  add(tr("all"), [](const CdfCurve& curve) { return curve.cdf.values.back(); });
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
