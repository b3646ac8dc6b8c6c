// SPDX-License-Identifier: GPL-3.0-or-later
// The one SVG chart writer: for reports, and for the window's export.
#pragma once
#include <string>
#include <vector>

namespace pitwall {

struct SvgSeries {
  std::string name, colour, dash;  ///< dash as in stroke-dasharray; empty = solid
  std::vector<double> x, y;        ///< x ascending; NaN in y is a gap
};
struct SvgLap {
  double x = 0;
  int number = 2;
};
struct SvgChart {
  std::string title, unit, question;  ///< "ITL", "ms", "Does any stream stutter?"
  std::string x_label;
  bool log_y = false;
  std::vector<SvgSeries> series;
  int width = 640, height = 240;
  bool log_x = false;
  bool nines_y = false;      ///< y is nines_of() a share: 0, 90, 99, 99.9 …
  std::vector<SvgLap> laps;  ///< ascending; those beyond the data are left out, crowded ones share a flag
};
/// Axes with 1-2-5 ticks and units, legend; text escaped. On a log axis what is 0 or less is a gap.
std::string svg_chart(const SvgChart& chart);

}  // namespace pitwall
