// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

/// By Stroke: lengths of dash and gap.
const QList<qreal> kDashes[] = {{}, {6, 3}, {2, 2}, {7, 3}, {9, 3, 2, 3}, {1.5, 6}};

const QList<qreal>& dashes_of(Stroke stroke) {
  return kDashes[static_cast<std::size_t>(stroke)];
}

}  // namespace

QPen stroke_pen(Stroke stroke, double width, const QColor& colour) {
  QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
  QList<qreal> dashes = dashes_of(stroke);
  for (qreal& length : dashes) length /= width;  // Qt counts dashes in pen widths
  if (!dashes.isEmpty()) pen.setDashPattern(dashes);
  return pen;
}

std::string svg_dash(Stroke stroke) {
  QStringList lengths;
  for (const qreal length : dashes_of(stroke)) lengths << QString::number(length);
  return lengths.join(QLatin1Char(' ')).toStdString();
}

}  // namespace pitwall::ui
