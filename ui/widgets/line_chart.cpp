// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/line_chart.h"

#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/report/svg_chart.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"

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

QByteArray csv_of(const LineChart::Spec& spec, const QString& source,
                  const std::vector<ChartSeries>& series) {
  QStringList lines{QStringLiteral("# ") +
                    QStringList{spec.title, spec.unit, spec.question, source}.join(QStringLiteral(" | "))};
  QStringList head{QStringLiteral("time_utc")};
  for (const ChartSeries& one : series) head << one.name;
  lines << head.join(QLatin1Char(','));
  for (const auto& [x, values] : joined(series)) {
    QStringList fields{
        QDateTime::fromMSecsSinceEpoch(std::llround(x * 1000), Qt::UTC).toString(Qt::ISODateWithMs)};
    for (const double value : values)
      fields << (std::isfinite(value) ? QString::number(value, 'g', 10) : QString());
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

QByteArray svg_of(const LineChart::Spec& spec, const QString& source,
                  const std::vector<ChartSeries>& series) {
  SvgChart chart;
  chart.title = spec.title.toStdString();
  chart.unit = spec.unit.toStdString();
  chart.question = spec.question.toStdString();
  chart.log_y = spec.log;
  double start = std::numeric_limits<double>::infinity();
  for (const ChartSeries& one : series)
    if (!one.x.empty()) start = std::min(start, one.x.front());
  chart.x_label =
      LineChart::tr("s since %1%2")
          .arg(QDateTime::fromMSecsSinceEpoch(std::isfinite(start) ? std::llround(start * 1000) : 0)
                   .toString(Qt::ISODate),
               source.isEmpty() ? QString() : QStringLiteral(", ") + source)
          .toStdString();
  for (const ChartSeries& one : series) {
    SvgSeries line;
    line.name = one.name.toStdString();
    line.colour = Theme::colour(one.colour, false).name().toStdString();
    line.dash = svg_dash(one.stroke);
    line.y = one.y;
    for (const double x : one.x) line.x.push_back(x - start);
    chart.series.push_back(std::move(line));
  }
  return QByteArray::fromStdString(svg_chart(chart));
}

}  // namespace

LineChart::LineChart(const Spec& spec, QWidget* parent)
    : Card(spec.title, spec.unit, spec.question, parent),
      spec_(spec),
      plot_(new ChartPlot(spec.log, this)),
      table_(new DataTable(tr("%1, table").arg(spec.title), {}, this)),
      stack_(new QStackedWidget(this)) {
  setObjectName(spec.id);
  if (spec.log) set_unit(tr("%1, log").arg(spec.unit));
  plot_->setObjectName(spec.id + QStringLiteral(".plot"));
  plot_->setAccessibleName(spec.title);
  table_->installEventFilter(this);
  stack_->addWidget(plot_);
  stack_->addWidget(table_);
  body()->addWidget(stack_, 1);
  QToolButton* table = add_tool(QStringLiteral("table"), tr("Show %1 as a table (T)").arg(spec.title));
  table->setCheckable(true);
  connect(table, &QToolButton::toggled, this, [this](bool on) { show_table(on); });
  QToolButton* save = add_tool(QStringLiteral("export"), tr("Export %1 (Ctrl+E)").arg(spec.title));
  connect(save, &QToolButton::clicked, this, &LineChart::ask_export);
  connect(plot_, &ChartPlot::crosshair_moved, this, &LineChart::crosshair_moved);
  connect(stack_, &QStackedWidget::currentChanged, table,
          [table](int index) { table->setChecked(index == 1); });
}

void LineChart::set_series(std::vector<ChartSeries> series) {
  const bool same_lines =
      std::equal(series.begin(), series.end(), series_.begin(), series_.end(),
                 [](const ChartSeries& a, const ChartSeries& b) { return a.name == b.name; });
  series_ = std::move(series);
  if (!same_lines) {
    std::vector<LegendEntry> legend;
    std::vector<TableColumn> columns{{tr("Time"), false}};
    for (const ChartSeries& one : series_) {
      legend.push_back({one.name, one.colour, one.stroke, one.width});
      columns.push_back({QStringLiteral("%1 %2").arg(one.name, spec_.unit), true});
    }
    set_legend(legend);
    table_->table()->set_columns(std::move(columns));
  }
  plot_->set_series(&series_);
  plot_->setAccessibleDescription(summary());
  if (table_shown()) fill_table();
}

void LineChart::set_limits(std::vector<ChartLimit> limits) {
  plot_->set_limits(std::move(limits));
}
void LineChart::set_time_range(double from, double to) {
  plot_->set_time_range(from, to);
}
void LineChart::set_note(const QString& note) {
  plot_->set_note(note);
}
void LineChart::set_source(const QString& source) {
  source_ = source;
}
void LineChart::set_crosshair(double x) {
  plot_->set_crosshair(x);
}
double LineChart::crosshair() const {
  return plot_->crosshair();
}

bool LineChart::table_shown() const {
  return stack_->currentIndex() == 1;
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
  return tr("%1, %2: %3; largest %4 at %5.")
      .arg(spec_.title, spec_.unit, parts.join(QStringLiteral(", ")), three_digits(largest),
           time_text(nanos_of(at)));
}

void LineChart::show_table(bool table) {
  if (table == table_shown()) return;
  if (table) fill_table();
  const bool focus = plot_->hasFocus() || table_->hasFocus();
  stack_->setCurrentIndex(table ? 1 : 0);
  if (focus) stack_->currentWidget()->setFocus();
}

void LineChart::fill_table() {
  std::vector<TableRow> rows;
  for (const auto& [x, values] : joined(series_)) {
    TableRow row{nanos_of(x), {{time_text(nanos_of(x)), x}}};
    for (const double value : values) row.cells.push_back({three_digits(value), value});
    rows.push_back(std::move(row));
  }
  std::reverse(rows.begin(), rows.end());
  table_->set_rows(std::move(rows));
}

QString LineChart::export_to(const QString& path) const {
  QByteArray bytes;
  if (path.endsWith(QLatin1String(".csv"))) {
    bytes = csv_of(spec_, source_, series_);
  } else if (path.endsWith(QLatin1String(".svg"))) {
    bytes = svg_of(spec_, source_, series_);
  } else if (path.endsWith(QLatin1String(".png"))) {
    constexpr int kScale = 2;
    const int footer = source_.isEmpty() ? 0 : fontMetrics().height();
    QImage image(QSize(width(), height() + footer) * kScale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kScale);
    image.fill(Theme::current().colour(Colour::panel));
    QPainter painter(&image);
    const_cast<LineChart*>(this)->render(&painter);
    painter.setFont(Theme::current().font(FontRole::caption));
    painter.setPen(Theme::current().colour(Colour::muted));
    painter.drawText(QRect(Theme::current().units(2.5), height(), width(), footer), Qt::AlignVCenter,
                     source_);
    painter.end();
    return image.save(path) ? QString() : tr("%1 cannot be written.").arg(path);
  } else {
    return tr("%1 ends in none of .png, .svg and .csv.").arg(path);
  }
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
  return {};
}

void LineChart::ask_export() {
  const QString name =
      (source_.isEmpty() ? QString() : source_ + QLatin1Char('-')) + spec_.title + QStringLiteral(".png");
  const QString path = QFileDialog::getSaveFileName(this, tr("Export %1").arg(spec_.title), name,
                                                    tr("Picture (*.png);;Drawing (*.svg);;Table (*.csv)"));
  if (path.isEmpty()) return;
  if (const QString trouble = export_to(path); !trouble.isEmpty())
    QMessageBox::warning(this, tr("Export %1").arg(spec_.title), trouble);
}

bool LineChart::take_key(const QKeyEvent& event) {
  if (event.key() == Qt::Key_T && event.modifiers() == Qt::NoModifier) {
    show_table(!table_shown());
  } else if (event.key() == Qt::Key_E && event.modifiers() == Qt::ControlModifier) {
    ask_export();
  } else {
    return false;
  }
  return true;
}

void LineChart::keyPressEvent(QKeyEvent* event) {
  if (!take_key(*event)) Card::keyPressEvent(event);
}

bool LineChart::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && take_key(*static_cast<QKeyEvent*>(event))) return true;
  return Card::eventFilter(watched, event);
}

}  // namespace pitwall::ui
