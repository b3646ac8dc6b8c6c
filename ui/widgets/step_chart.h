// SPDX-License-Identifier: GPL-3.0-or-later
// StepChart: engine steps over time, decode tokens filled and prefill tokens framed on top of them, with who
// was preempted and evicted; from an hour down to one step.
#pragma once
#include <cstdint>
#include <vector>

#include "ui/widgets/chart_card.h"
#include "ui/widgets/lap_lines.h"

namespace pitwall::ui {

class StepPlot;

struct StepSpan {
  std::uint64_t step = 0;
  double from = 0, to = 0;               ///< UTC seconds
  std::int32_t prefill = 0, decode = 0;  ///< tokens
  std::int32_t waiting = 0;              ///< requests in the queue
  double gap = 0;                        ///< s: the device waited before it although work was there
  std::int16_t preempted = 0, evicted = 0, joined = 0, left = 0;
};

/// Keys inside: arrows choose a step, + and − zoom around it, 0 shows all, T table, Ctrl+E export. The wheel
/// zooms, dragging chooses a span.
class StepChart : public ChartCard {
  Q_OBJECT

 public:
  StepChart(const QString& id, const QString& title, const QString& question, QWidget* parent = nullptr);

  /// Not owned, ascending; call again after each change. Shown are the newest `last` of them, 0 = all,
  /// unless zoomed.
  void set_steps(const std::vector<StepSpan>* steps, std::size_t last = 0);
  void set_laps(const std::vector<ChartLap>& laps);
  void show_span(double from, double to);  ///< UTC seconds; stays until zoomed out
  void choose(std::uint64_t step);         ///< brought into view
  std::pair<double, double> span() const;
  QString summary() const;  ///< the accessible description

 Q_SIGNALS:
  void step_chosen(quint64 step);

 protected:
  std::vector<TableRow> table_rows() const override;
  QByteArray csv() const override;
  QByteArray svg() const override;

 private:
  StepPlot* plot_;
};

}  // namespace pitwall::ui
