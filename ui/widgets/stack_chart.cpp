// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stack_chart.h"

#include <QDateTime>
#include <cmath>

#include "engine/report/svg_chart.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stack_plot.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

StackChart::StackChart(const QString& id, const QString& title, const QString& question, QWidget* parent)
    : ChartCard({id, title, {}, question}, parent), plot_(new StackPlot(this)) {
  plot_->setObjectName(id + QStringLiteral(".plot"));
  plot_->setAccessibleName(title);
  set_drawing(plot_);
  connect(plot_, &StackPlot::crosshair_moved, this, &StackChart::crosshair_moved);
  connect(plot_, &StackPlot::span_chosen, this, &StackChart::span_chosen);
}

void StackChart::set_data(StackData data, const QString& unit) {
  const bool same = unit == unit_ && data.layers.size() == data_.layers.size() &&
                    data.line_name == data_.line_name && data.line.empty() == data_.line.empty();
  data_ = std::move(data);
  unit_ = unit;
  if (!same) {
    set_unit(unit);
    std::vector<TableColumn> columns{{tr("Time"), false}};
    for (const StackLayer& layer : data_.layers)
      columns.push_back({QStringLiteral("%1 %2").arg(layer.name, unit), true});
    if (!data_.line.empty()) columns.push_back({QStringLiteral("%1 %2").arg(data_.line_name, unit), true});
    set_columns(std::move(columns));
    if (!data_.line.empty()) set_legend({{data_.line_name, Colour::text, Stroke::solid, 2}});
  }
  plot_->set_data(&data_);
  plot_->setAccessibleDescription(summary());
  refresh_table();
}

void StackChart::set_limits(std::vector<ChartLimit> limits) {
  plot_->set_limits(std::move(limits));
}
void StackChart::set_laps(const std::vector<ChartLap>& laps) {
  plot_->set_laps(laps);
}
void StackChart::set_time_range(double from, double to) {
  plot_->set_time_range(from, to);
}
void StackChart::set_crosshair(double x) {
  plot_->set_crosshair(x);
}
double StackChart::crosshair() const {
  return plot_->crosshair();
}

QString StackChart::summary() const {
  if (data_.x.empty()) return tr("%1: no data yet.").arg(words().title);
  QStringList parts;
  for (const StackLayer& layer : data_.layers) {
    QString part = QStringLiteral("%1 %2").arg(layer.name, three_digits(layer.y.back()));
    if (layer.y.back() != layer.y.front()) part += tr(" (was %1)").arg(three_digits(layer.y.front()));
    parts << part;
  }
  if (!data_.line.empty())
    parts << QStringLiteral("%1 %2").arg(data_.line_name, three_digits(data_.line.back()));
  return tr("%1, %2: %3.").arg(words().title, unit_, listed(parts));
}

std::vector<TableRow> StackChart::table_rows() const {
  std::vector<TableRow> rows;
  for (std::size_t i = data_.x.size(); i-- > 0;) {
    const Nanos at = std::llround(data_.x[i] * 1e9);
    TableRow row{at, {{time_text(at), data_.x[i]}}};
    for (const StackLayer& layer : data_.layers) row.cells.push_back({three_digits(layer.y[i]), layer.y[i]});
    if (!data_.line.empty()) row.cells.push_back({three_digits(data_.line[i]), data_.line[i]});
    rows.push_back(std::move(row));
  }
  return rows;
}

QByteArray StackChart::csv() const {
  QStringList lines{QStringLiteral("# ") + QStringList{words().title, unit_, words().question, source()}.join(
                                               QStringLiteral(" | "))};
  QStringList head{QStringLiteral("time_utc")};
  for (const StackLayer& layer : data_.layers) head << layer.name;
  if (!data_.line.empty()) head << data_.line_name;
  lines << head.join(QLatin1Char(','));
  for (std::size_t i = 0; i < data_.x.size(); ++i) {
    QStringList fields{
        QDateTime::fromMSecsSinceEpoch(std::llround(data_.x[i] * 1000), Qt::UTC).toString(Qt::ISODateWithMs)};
    for (const StackLayer& layer : data_.layers) fields << QString::number(layer.y[i], 'g', 10);
    if (!data_.line.empty()) fields << QString::number(data_.line[i], 'g', 10);
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

/// The writer knows lines alone: each layer's is its upper edge.
QByteArray StackChart::svg() const {
  SvgChart chart;
  chart.title = words().title.toStdString();
  chart.unit = unit_.toStdString();
  chart.question = words().question.toStdString();
  const double start = data_.x.empty() ? 0 : data_.x.front();
  QString below =
      tr("s since %1").arg(QDateTime::fromMSecsSinceEpoch(std::llround(start * 1000)).toString(Qt::ISODate));
  if (!source().isEmpty()) below += QStringLiteral(", ") + source();
  chart.x_label = below.toStdString();
  std::vector<double> x, edge(data_.x.size(), 0);
  for (const double at : data_.x) x.push_back(at - start);
  for (const StackLayer& layer : data_.layers) {
    for (std::size_t i = 0; i < edge.size(); ++i) edge[i] += layer.y[i];
    const QString name = chart.series.empty() ? layer.name : QStringLiteral("+ ") + layer.name;
    chart.series.push_back(
        {name.toStdString(), Theme::colour(layer.colour, false).name().toStdString(), {}, x, edge});
  }
  if (!data_.line.empty())
    chart.series.push_back({data_.line_name.toStdString(),
                            Theme::colour(Colour::text, false).name().toStdString(), "6 3", x, data_.line});
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace pitwall::ui
