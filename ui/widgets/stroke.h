// SPDX-License-Identifier: GPL-3.0-or-later
// The dashes that tell lines apart beside colour: one spelling for Qt pens and for SVG.
#pragma once
#include <QPen>
#include <string>

#include "ui/widgets/card.h"

namespace pitwall::ui {

QPen stroke_pen(Stroke stroke, double width, const QColor& colour);
std::string svg_dash(Stroke stroke);  ///< as in stroke-dasharray; empty = solid

}  // namespace pitwall::ui
