// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/scatter_chart.h"

#include <QComboBox>
#include <cmath>

#include "engine/bench/pareto.h"
#include "engine/report/svg_chart.h"
#include "ui/tune/tune_session.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

/// What a measurement is called: the change, and that it was not kept.
QString point_text(const Item& item, const QString& value, double throughput, bool own) {
  QString text = ScatterChart::tr("%1 tok/s, %2 %3")
                     .arg(rate_number(throughput), qs(item.changes.front().setting), value);
  if (own && item.verdict == ItemVerdict::revert) text += ScatterChart::tr(", reverted");
  return text;
}

ScatterData data_of(const TuneSession& session, int current) {
  const Checklist& checklist = *session.checklist();
  ScatterData data;
  data.x_title = figure_title(checklist.latency);
  data.current = current;
  const auto add = [&](const TunePoint& measured, int item, const QString& number, const QString& text) {
    const auto x = measured.figures.find(checklist.latency), y = measured.figures.find("output_throughput");
    if (x == measured.figures.end() || y == measured.figures.end()) return;
    if (!number.isEmpty()) data.path.push_back(data.points.size());
    data.points.push_back({number, text, x->second, y->second, item});
  };
  const auto throughput = [](const TunePoint& measured) {
    const auto found = measured.figures.find("output_throughput");
    return found == measured.figures.end() ? std::nan("") : found->second.mean;
  };
  add(session.base(), -1, QStringLiteral("0"),
      ScatterChart::tr("%1 tok/s, baseline").arg(rate_number(throughput(session.base()))));
  for (std::size_t i = 0; i < checklist.items.size(); ++i) {
    const Item& item = checklist.items[i];
    const ItemResult& result = session.result(i);
    if (item.changes.empty()) continue;
    const bool on_path = item.verdict == ItemVerdict::keep;
    for (const TunePoint& point : result.also)
      if (point.value != item.changes.front().from && point.value != item.changes.front().to)
        add(point, static_cast<int>(i), {}, point_text(item, qs(point.value), throughput(point), false));
    add(result.after, static_cast<int>(i), on_path ? QString::number(i + 1) : QString(),
        point_text(item, qs(item.changes.front().to), throughput(result.after), true));
  }
  std::vector<TradeOff> trades;
  for (const ScatterPoint& point : data.points) trades.push_back({point.x.mean, point.y.mean});
  data.front = pareto_front(trades);
  if (const auto limits = parse_limits(checklist.limits))
    for (const FigureLimit& limit : *limits)
      if (limit.figure == checklist.latency) {
        data.limit = limit.most;
        data.limit_text = ScatterChart::tr("limit %1 ms").arg(three_digits(limit.most));
      }
  return data;
}

QString interval_text(const Interval& value) {
  if (!std::isfinite(value.low)) return three_digits(value.mean);
  return QStringLiteral("%1 ± %2").arg(three_digits(value.mean), three_digits(value.high - value.mean));
}

}  // namespace

ScatterChart::ScatterChart(QWidget* parent)
    : ChartCard({QStringLiteral("tune.chart.scatter"), tr("Throughput against latency"), tr("tok/s"),
                 tr("Did each item pay?")},
                parent),
      view_(new ScatterView(this)),
      latency_(new QComboBox(this)) {
  view_->setObjectName(QStringLiteral("tune.chart.scatter.plot"));
  view_->setAccessibleName(tr("Throughput against latency"));
  latency_->setObjectName(QStringLiteral("tune.latency"));
  latency_->setAccessibleName(tr("Latency"));
  latency_->setAccessibleDescription(tr("The latency that throughput is shown against"));
  for (const std::string& figure : latency_figures()) latency_->addItem(figure_title(figure), qs(figure));
  add_header_widget(latency_);
  set_legend({{tr("○ item, 95 % CI"), Colour::accent, Stroke::solid, 1.6},
              {tr("◇ tried"), Colour::text, Stroke::solid, 1.2},
              {tr("Pareto front"), Colour::muted, Stroke::dash, 1.2}});
  set_drawing(view_);
  set_columns({{tr("Point")},
               {tr("Latency"), true},
               {tr("± latency")},
               {tr("tok/s"), true},
               {tr("± tok/s")},
               {tr("On the front")}});
  connect(latency_, &QComboBox::activated, this,
          [this] { Q_EMIT latency_chosen(latency_->currentData().toString().toStdString()); });
  connect(view_, &ScatterView::chosen, this, &ScatterChart::chosen);
}

void ScatterChart::show_checklist(const TuneSession& session, int current_item) {
  latency_->setCurrentIndex(latency_->findData(qs(session.checklist()->latency)));
  latency_->setEnabled(!session.running());
  set_source(engine_words(session.checklist()->name));
  view_->set_data(data_of(session, current_item));
  view_->setAccessibleDescription(summary());
  refresh_table();
}

QString ScatterChart::summary() const {
  if (data().points.empty()) return tr("Nothing is measured yet.");
  QStringList words;
  for (const ScatterPoint& point : data().points)
    words << tr("%1 at %2 %3").arg(point.text, data().x_title, three_digits(point.x.mean));
  return tr("%1.").arg(listed(words));
}

std::vector<TableRow> ScatterChart::table_rows() const {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < data().points.size(); ++i) {
    const ScatterPoint& point = data().points[i];
    const bool front = std::find(data().front.begin(), data().front.end(), i) != data().front.end();
    rows.push_back(
        {static_cast<qint64>(i),
         {{(point.number.isEmpty() ? QStringLiteral("◇ ") : point.number + QLatin1Char(' ')) + point.text},
          {three_digits(point.x.mean), point.x.mean},
          {interval_text(point.x)},
          {rate_number(point.y.mean), point.y.mean},
          {interval_text(point.y)},
          {front ? tr("yes") : tr("no")}}});
  }
  return rows;
}

QByteArray ScatterChart::csv() const {
  QStringList lines{
      QStringLiteral("# %1 | %2 | %3").arg(words().title, words().question, source()),
      QStringLiteral("point,%1,low,high,output_throughput,low,high").arg(latency_->currentData().toString())};
  const auto number = [](double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 10) : QString();
  };
  for (const ScatterPoint& point : data().points) {
    QStringList fields{QLatin1Char('"') +
                       QString(point.text).replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
                       QLatin1Char('"')};
    for (const Interval& value : {point.x, point.y})
      fields << number(value.mean) << number(value.low) << number(value.high);
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

QByteArray ScatterChart::svg() const {
  SvgChart chart;
  chart.title = words().title.toStdString();
  chart.unit = words().unit.toStdString();
  chart.question = words().question.toStdString();
  chart.x_label = (data().x_title + QStringLiteral(", ") + source()).toStdString();
  SvgSeries front{tr("Pareto front").toStdString(),
                  Theme::colour(Colour::muted, false).name().toStdString(),
                  "6 3",
                  {},
                  {}};
  for (const std::size_t i : data().front) {
    front.x.push_back(data().points[i].x.mean);
    front.y.push_back(data().points[i].y.mean);
  }
  chart.series.push_back(std::move(front));
  for (const ScatterPoint& point : data().points) {
    const Colour colour = point.number.isEmpty() ? Colour::text : Colour::accent;
    chart.series.push_back({(point.number + QLatin1Char(' ') + point.text).trimmed().toStdString(),
                            Theme::colour(colour, false).name().toStdString(),
                            "",
                            {point.x.mean},
                            {point.y.mean}});
  }
  chart.height = 360;
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace pitwall::ui
