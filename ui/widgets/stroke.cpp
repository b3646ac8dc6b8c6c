// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

std::vector<double> pattern(Stroke stroke) {
  switch (stroke) {
    case Stroke::dash:
      return {6, 3};
    case Stroke::dots:
      return {2, 2};
    case Stroke::long_dash:
      return {7, 3};
    case Stroke::dash_dot:
      return {9, 3, 2, 3};
    case Stroke::solid:
      break;
  }
  return {};
}

}  // namespace

QPen stroke_pen(Stroke stroke, double width, const QColor& colour) {
  QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
  QList<qreal> dashes;
  for (const double length : pattern(stroke)) dashes << length / width;  // Qt counts dashes in pen widths
  if (!dashes.isEmpty()) pen.setDashPattern(dashes);
  return pen;
}

const char* svg_dash(Stroke stroke) {
  switch (stroke) {
    case Stroke::dash:
      return "6 3";
    case Stroke::dots:
      return "2 2";
    case Stroke::long_dash:
      return "7 3";
    case Stroke::dash_dot:
      return "9 3 2 3";
    case Stroke::solid:
      break;
  }
  return "";
}

}  // namespace pitwall::ui
