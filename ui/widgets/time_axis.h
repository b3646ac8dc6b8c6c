// SPDX-License-Identifier: GPL-3.0-or-later
// A time axis: where its marks stand and how times read. Times are UTC seconds, shown as local ones.
#pragma once
#include <QRectF>
#include <QString>
#include <vector>

#include "ui/widgets/ticks.h"

class QPainter;

namespace pitwall::ui {

QString clock_text(double utc, bool with_seconds);  ///< "14:32:58", "14:32"
/// At most so many, on whole seconds, minutes and hours of the wall clock.
std::vector<double> clock_ticks(AxisLimits seconds, int most);
/// Marks and their times under the plot, in the painter's font; `wide`: of the widget.
void draw_clock_ticks(QPainter& painter, const QRectF& plot, AxisLimits seconds, double wide);

}  // namespace pitwall::ui
