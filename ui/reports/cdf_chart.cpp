// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/cdf_chart.h"

#include <QComboBox>
#include <array>

#include "engine/report/cdf.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Measure {
  double (RequestRecord::*of)() const;
  Colour colour;
};
constexpr std::array<Measure, 5> kMeasures{{{&RequestRecord::max_itl_ms, Colour::itl},
                                            {&RequestRecord::ttft_ms, Colour::ttft},
                                            {&RequestRecord::tpot_ms, Colour::tpot},
                                            {&RequestRecord::queue_ms, Colour::queue},
                                            {&RequestRecord::e2e_ms, Colour::text}}};

/// One hue with a dashed reference for two; of more, each its own hue and dash.
void set_look(ChartSeries& line, std::size_t index, std::size_t count, Colour own) {
  constexpr std::array kHues{Colour::itl, Colour::ttft, Colour::tpot, Colour::queue};
  constexpr std::array kStrokes{Stroke::solid, Stroke::long_dash, Stroke::dots, Stroke::dash_dot};
  line.colour = count <= 2 ? own : kHues[index % kHues.size()];
  line.stroke = count == 2 ? (index == 0 ? Stroke::long_dash : Stroke::solid)
                           : kStrokes[(index + index / kHues.size()) % kStrokes.size()];
}

LineChart::Spec spec_of(const QString& id) {
  LineChart::Spec spec{id, CdfChart::tr("Distribution"), CdfChart::tr("% of requests"),
                       CdfChart::tr("How bad is the worst?"), false};
  spec.x = XAxis::log;
  spec.x_name = CdfChart::tr("ms");
  spec.nines = true;
  return spec;
}

}  // namespace

CdfChart::CdfChart(const QString& id, QWidget* parent)
    : LineChart(spec_of(id), parent), measure_(new QComboBox) {
  measure_->setObjectName(id + QStringLiteral(".measure"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->setAccessibleDescription(tr("What the distribution shows"));
  for (const QString& name : {tr("Longest ITL"), tr("TTFT"), tr("TPOT"), tr("Queue"), tr("End to end")})
    measure_->addItem(name);
  add_header_widget(measure_);
  set_unit(tr("ms, log"));  // shorter than what both axes are: the room is the measure's
  connect(measure_, &QComboBox::currentIndexChanged, this, &CdfChart::redraw);
}

void CdfChart::set_runs(std::vector<const Run*> runs) {
  runs_ = std::move(runs);
  redraw();
}

void CdfChart::redraw() {
  const Measure& measure = kMeasures[static_cast<std::size_t>(measure_->currentIndex())];
  std::vector<ChartSeries> lines;
  std::vector<ChartMark> ends;
  QStringList counts, largest;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Cdf cdf = cdf_of(values_of(runs_[i]->requests, measure.of));
    ChartSeries line;
    line.name = run_name(runs_[i]->id.value);
    set_look(line, i, runs_.size(), measure.colour);
    if (cdf.n > 0)
      ends.push_back({ChartMark::Shape::ring, cdf.value.back(), cdf.nines.back(), line.colour, {}});
    counts << count_text(cdf.n);
    largest << (cdf.n > 0 ? ms_text(cdf.value.back()) : no_value());
    line.x = std::move(cdf.value);
    line.y = std::move(cdf.nines);
    lines.push_back(std::move(line));
  }
  set_series(std::move(lines));
  if (runs_.size() == 1) set_legend({});
  set_marks(std::move(ends));
  set_note(tr("%1 · n = %2 · largest %3")
               .arg(measure_->currentText(), counts.join(QStringLiteral(", ")),
                    largest.join(QStringLiteral(", "))));
}

}  // namespace pitwall::ui
