// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/runs_cdf_chart.h"

#include <QComboBox>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/report/cdf.h"
#include "engine/report/run_kind.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

struct Measure {
  double (RequestRecord::*of)() const;  ///< null: every gap between tokens
  Colour colour;
};
constexpr std::array<Measure, 6> kMeasures{{{nullptr, Colour::itl},
                                            {&RequestRecord::max_itl_ms, Colour::itl},
                                            {&RequestRecord::ttft_ms, Colour::ttft},
                                            {&RequestRecord::tpot_ms, Colour::tpot},
                                            {&RequestRecord::queue_ms, Colour::queue},
                                            {&RequestRecord::e2e_ms, Colour::text}}};

/// One hue with a dashed reference for two; of more, each its own hue and dash.
void set_look(CdfCurve& line, std::size_t index, std::size_t count, Colour own) {
  constexpr std::array kHues{Colour::itl, Colour::ttft, Colour::tpot, Colour::queue};
  constexpr std::array kStrokes{Stroke::solid, Stroke::long_dash, Stroke::dots, Stroke::dash_dot};
  line.colour = count <= 2 ? own : kHues[index % kHues.size()];
  line.stroke = count == 2 ? (index == 0 ? Stroke::long_dash : Stroke::solid)
                           : kStrokes[(index + index / kHues.size()) % kStrokes.size()];
}

Cdf samples_of(const Run& run, const Measure& measure) {
  return measure.of ? cdf_of(values_of(run.requests, measure.of)) : cdf_of(run.itl);
}

/// "31", "31, 32" of two, "31 to 90" of more.
QString span_text(const std::vector<double>& values, const std::function<QString(double)>& text) {
  if (values.empty()) return no_value();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return text(*least);
  if (values.size() == 2) return QStringLiteral("%1, %2").arg(text(values[0]), text(values[1]));
  return RunsCdfChart::tr("%1 to %2").arg(text(*least), text(*most));
}

}  // namespace

RunsCdfChart::RunsCdfChart(const QString& id, QWidget* parent)
    : CdfChart({id, tr("Distribution"), tr("How bad is the worst?"), tr("ms")}, false, parent),
      measure_(new QComboBox) {
  measure_->setObjectName(id + QStringLiteral(".measure"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->setAccessibleDescription(tr("What the distribution shows"));
  for (const QString& name :
       {tr("ITL"), tr("Longest ITL"), tr("TTFT"), tr("TPOT"), tr("Queue"), tr("End to end")})
    measure_->addItem(name);
  add_header_widget(measure_);
  set_unit(tr("ms, log"));  // shorter than what both axes are: the room is the measure's
  connect(measure_, &QComboBox::currentIndexChanged, this, &RunsCdfChart::redraw);
}

/// Shows a measure that there are samples of: runs of earlier versions have each request's longest gap alone.
void RunsCdfChart::set_runs(std::vector<const Run*> runs) {
  runs_ = std::move(runs);
  const auto has_samples = [this](const Measure& measure) {
    return std::any_of(runs_.begin(), runs_.end(),
                       [&measure](const Run* run) { return samples_of(*run, measure).samples() > 0; });
  };
  if (!has_samples(kMeasures[static_cast<std::size_t>(measure_->currentIndex())]))
    if (const auto found = std::find_if(kMeasures.begin(), kMeasures.end(), has_samples);
        found != kMeasures.end())
      measure_->setCurrentIndex(static_cast<int>(found - kMeasures.begin()));
  redraw();
}

void RunsCdfChart::redraw() {
  const Measure& measure = kMeasures[static_cast<std::size_t>(measure_->currentIndex())];
  std::vector<CdfCurve> curves;
  std::vector<double> counts, largest;
  QStringList without;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    CdfCurve curve;
    curve.cdf = samples_of(*runs_[i], measure);
    curve.name = run_name(runs_[i]->id.value);
    if (curve.cdf.samples() == 0) {
      without << curve.name;
      continue;
    }
    if (!measure.of && is_itl_by_chunk(runs_[i]->header)) curve.name = tr("%1 per chunk").arg(curve.name);
    set_look(curve, i, runs_.size(), measure.colour);
    counts.push_back(static_cast<double>(curve.cdf.samples()));
    largest.push_back(curve.cdf.values.back());
    curves.push_back(std::move(curve));
  }
  forget_limits();
  set_curves(std::move(curves));
  if (runs_.size() == 1) set_legend({});
  if (counts.empty()) return set_note(tr("%1: no request has samples of it").arg(measure_->currentText()));
  const QString note = tr("%1 · n = %2 · largest %3")
                           .arg(measure_->currentText(),
                                span_text(counts, [](double n) { return count_text(std::llround(n)); }),
                                span_text(largest, ms_text));
  set_note(without.isEmpty() ? note : tr("%1 · no samples: %2").arg(note, listed(without)));
}

}  // namespace pitwall::ui
