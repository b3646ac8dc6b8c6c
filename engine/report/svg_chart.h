// SPDX-License-Identifier: GPL-3.0-or-later
// The one SVG chart writer: for reports, and for the window's export.
#pragma once
#include <string>
#include <vector>

namespace pitwall {

struct SvgSeries {
  std::string name, colour, dash;       ///< dash as in stroke-dasharray; empty = solid
  std::vector<double> x, y;             ///< NaN in y is a gap
};
struct SvgChart {
  std::string title, unit, question;    ///< "ITL", "ms", "Does any stream stutter?"
  std::string x_label;
  bool log_y = false;
  std::vector<SvgSeries> series;
  int width = 640, height = 240;
};
std::string svg_chart(const SvgChart& chart);   ///< axes with 1-2-5 ticks and units, legend; text escaped

}  // namespace pitwall
