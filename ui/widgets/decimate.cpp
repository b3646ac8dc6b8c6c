// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/decimate.h"

#include <algorithm>
#include <cmath>

namespace pitwall::ui {

namespace {

/// The points of one pixel column that are drawn, by index in order of x.
struct Column {
  long number = 0;
  std::size_t first = 0, smallest = 0, largest = 0, last = 0;
};

void append(const Column& column, std::span<const double> x, std::span<const double> y,
            std::vector<PlotPoint>& out) {
  const auto [low, high] = std::minmax(column.smallest, column.largest);
  std::size_t previous = column.first;
  out.push_back({x[previous], y[previous]});
  for (const std::size_t i : {low, high, column.last}) {
    if (i == previous) continue;
    out.push_back({x[i], y[i]});
    previous = i;
  }
}

}  // namespace

std::vector<std::vector<PlotPoint>> decimate(std::span<const double> x, std::span<const double> y, double low,
                                             double high, int columns) {
  std::vector<std::vector<PlotPoint>> segments;
  if (x.size() != y.size() || !(high > low) || columns < 1) return segments;
  auto begin = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), low) - x.begin());
  auto end = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), high) - x.begin());
  if (begin > 0) --begin;
  if (end < x.size()) ++end;

  std::vector<PlotPoint> segment;
  Column column;
  bool open = false;
  const auto close_column = [&] {
    if (open) append(column, x, y, segment);
    open = false;
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (std::isnan(y[i])) {
      close_column();
      if (!segment.empty()) segments.push_back(std::move(segment));
      segment.clear();
      continue;
    }
    const long number = std::lround(std::floor((x[i] - low) / (high - low) * columns));
    if (!open || number != column.number) {
      close_column();
      column = {number, i, i, i, i};
      open = true;
      continue;
    }
    if (y[i] < y[column.smallest]) column.smallest = i;
    if (y[i] > y[column.largest]) column.largest = i;
    column.last = i;
  }
  close_column();
  if (!segment.empty()) segments.push_back(std::move(segment));
  return segments;
}

}  // namespace pitwall::ui
