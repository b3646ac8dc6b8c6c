// SPDX-License-Identifier: GPL-3.0-or-later
// Lap lines: each live change of a setting as a numbered flag on a dashed vertical, the same on every time
// chart.
#pragma once
#include <QRectF>
#include <QString>
#include <functional>
#include <vector>

class QPainter;

namespace pitwall::ui {

struct ChartLap {
  int number = 2;  ///< 1 is the time before the first change
  double at = 0;   ///< UTC seconds
  QString text;    ///< "max-num-seqs 24 → 32"
  bool operator==(const ChartLap&) const = default;
};

/// Those inside the plot. Flags that stand closer than 5 u become one, "3–5". `with_text`: what changed is
/// written beside the flag, as on the chart that has the focus.
void draw_laps(QPainter& painter, const QRectF& plot, const std::vector<ChartLap>& laps,
               const std::function<double(double at)>& x_of, bool with_text);

}  // namespace pitwall::ui
