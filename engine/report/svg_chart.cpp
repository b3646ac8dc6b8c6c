// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "engine/base/text_escape.h"
#include "engine/report/axis.h"
#include "engine/report/cdf.h"
#include "engine/report/polyline.h"
#include "engine/report/svg_text.h"

namespace pitwall {
namespace {

constexpr double kTop = 46, kBottom = 34, kLeft = 52, kRight = 14;  // margins around the plot
constexpr double kTickSize = 10.5, kTextSize = 11, kLegendSize = 11, kLineSample = 22, kHeadLeft = 8;

struct Plot {
  double left, top, right, bottom;
  Axis x, y;
  Pixel at(double x_value, double y_value) const {
    return {left + x.fraction(x_value) * (right - left), bottom - y.fraction(y_value) * (bottom - top)};
  }
};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool empty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::size_t length(const SvgSeries& series) {
  return std::min(series.x.size(), series.y.size());
}

/// NaN, infinities and numbers beyond any measurement are gaps; so are 0 and below on a log axis.
bool drawable(const SvgChart& chart, const SvgSeries& series, std::size_t i) {
  constexpr double kLargest = 1e100;
  const bool in_range = std::fabs(series.x[i]) < kLargest && std::fabs(series.y[i]) < kLargest;
  return in_range && (!chart.log_y || series.y[i] > 1 / kLargest) &&
         (!chart.log_x || series.x[i] > 1 / kLargest);
}

std::string number_text(double value) {
  return fmt::format("{:.3g}", value);
}

std::string description(const SvgChart& chart) {
  std::string text = chart.question;
  for (const SvgSeries& series : chart.series) {
    Range range;
    double last = 0;
    for (std::size_t i = 0; i < length(series); ++i) {
      if (!drawable(chart, series, i)) continue;
      range.add(series.y[i]);
      last = series.y[i];
    }
    text += text.empty() ? "" : " ";
    text += series.name + ": ";
    if (chart.nines_y && !range.empty()) {
      text += fmt::format("up to {:.7g} %.", 100 * share_of_nines(range.high));
      continue;
    }
    text += range.empty() ? "no data."
                          : number_text(range.low) + " to " + number_text(range.high) + " " + chart.unit +
                                ", at the end " + number_text(last) + ".";
  }
  return text;
}

bool has_several_hues(const SvgChart& chart) {
  std::set<std::string> hues;
  for (const SvgSeries& series : chart.series) hues.insert(series.colour);
  return hues.size() > 1;
}

std::string colour_of(const SvgSeries& series) {
  return series.colour.empty() ? colour::kText : escape_html(series.colour);
}

std::string stroke(const SvgSeries& series) {
  const std::string dash =
      series.dash.empty() ? "" : " stroke-dasharray=\"" + escape_html(series.dash) + "\"";
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", colour_of(series), series.dash.empty() ? 2 : 1.4,
                     dash);
}

/// Of a legend's entry, with the gap to its neighbour.
double name_width(const SvgSeries& series) {
  return text_width(series.name, kLegendSize) + 7;
}
constexpr double kSampleWidth = kLineSample + 14;

double legend_width(const SvgChart& chart) {
  double wide = kRight;
  for (const SvgSeries& series : chart.series) wide += name_width(series) + kSampleWidth;
  return wide;
}

/// The legend stands at the right of the title, or of the question where the title needs its room; a question
/// that finds none then is left out.
std::string header(const SvgChart& chart) {
  const std::string unit = chart.unit + (chart.log_y ? ", log" : "");
  const double legend = legend_width(chart);
  const bool below = kHeadLeft + text_width(chart.title, 14) + text_width(unit, 11) + legend > chart.width;
  const bool asked = !below || kHeadLeft + text_width(chart.question, kTextSize) + legend <= chart.width;
  std::string svg = fmt::format(
      "<text x=\"8\" y=\"17\"><tspan font-size=\"13\" font-weight=\"600\" fill=\"{}\">{}</tspan>"
      "<tspan font-size=\"11\" fill=\"{}\" dx=\"2\">\u00A0{}</tspan></text>\n",
      colour::kText, xml_text(chart.title), colour::kMuted, xml_text(unit));
  if (asked) svg += svg_text({.x = kHeadLeft, .y = 33, .fill = colour::kMuted}, chart.question);
  const double middle = below ? 29 : 13;
  double right = chart.width - kRight;
  for (auto series = chart.series.rbegin(); series != chart.series.rend(); ++series) {
    svg += svg_text({.x = right, .y = middle + 4, .anchor = "end", .size = kLegendSize}, series->name);
    right -= name_width(*series);
    svg += fmt::format("<path d=\"M{} {}h-{}\" fill=\"none\" {}/>\n", svg_number(right), svg_number(middle),
                       kLineSample, stroke(*series));
    right -= kSampleWidth;
  }
  return svg;
}

std::string axes(const SvgChart& chart, const Plot& plot) {
  std::string svg;
  for (const double tick : plot.y.ticks) {
    const double y = plot.at(plot.x.low, tick).y;
    svg += fmt::format("<path d=\"M{} {}H{}\" stroke=\"{}\"/>\n", svg_number(plot.left), svg_number(y),
                       svg_number(plot.right), colour::kGrid);
    svg += svg_text({plot.left - 6, y + 3.5, "end", colour::kMuted, kTickSize, false}, plot.y.label(tick));
  }
  for (const double tick : plot.x.ticks) {
    const double x = plot.at(tick, plot.y.low).x;
    svg += fmt::format("<path d=\"M{} {}v4\" stroke=\"{}\"/>\n", svg_number(x), svg_number(plot.bottom),
                       colour::kStrong);
    svg += svg_text({x, plot.bottom + 16, "middle", colour::kMuted, kTickSize, false}, plot.x.label(tick));
  }
  svg += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"{4}\"/>\n", svg_number(plot.left),
                     svg_number(plot.top), svg_number(plot.bottom), svg_number(plot.right), colour::kStrong);
  svg +=
      svg_text({(plot.left + plot.right) / 2, plot.bottom + 29, "middle", colour::kMuted, kTickSize, false},
               chart.x_label);
  return svg;
}

/// The drawable stretches of a series, in pixels.
std::vector<std::vector<Pixel>> stretches(const SvgChart& chart, const Plot& plot, const SvgSeries& series) {
  std::vector<std::vector<Pixel>> result;
  bool in_gap = true;
  for (std::size_t i = 0; i < length(series); ++i) {
    if (!drawable(chart, series, i)) {
      in_gap = true;
      continue;
    }
    if (in_gap) result.emplace_back();
    in_gap = false;
    result.back().push_back(plot.at(series.x[i], series.y[i]));
  }
  return result;
}

std::string line(const SvgChart& chart, const Plot& plot, const SvgSeries& series) {
  std::string path, dots;
  for (const auto& stretch : stretches(chart, plot, series)) {
    if (stretch.size() == 1) {
      dots += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2\" fill=\"{}\"/>\n", svg_number(stretch[0].x),
                          svg_number(stretch[0].y), colour_of(series));
      continue;
    }
    char command = 'M';
    for (const Pixel& point : decimate(stretch)) {
      path += fmt::format("{}{} {}", command, svg_number(point.x), svg_number(point.y));
      command = 'L';
    }
  }
  if (path.empty()) return dots;
  return fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-linejoin=\"round\"/>\n{}", path, stroke(series),
                     dots);
}

/// A dashed line each, in the colour of text, with its number on a flag: "3", or "3–5" where they crowd.
std::string lap_lines(const SvgChart& chart, const Plot& plot) {
  constexpr double kFlagHeight = 12, kCrowded = 16;
  std::string lines, flags;
  double flag_at = -kCrowded;
  int first = 0;
  const auto flag = [&](double x, const std::string& text) {
    const double width = text_width(text, kTickSize) + 6;
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", svg_number(x),
                       svg_number(plot.top), svg_number(width), svg_number(kFlagHeight), colour::kText) +
           svg_text({x + width / 2, plot.top + 9.5, "middle", colour::kPanel, kTickSize, true}, text);
  };
  std::string open;  // the flag that a next lap may still join
  for (const SvgLap& lap : chart.laps) {
    if (lap.x < plot.x.low || lap.x > plot.x.high) continue;
    const double x = plot.at(lap.x, plot.y.low).x;
    lines += fmt::format(
        "<path d=\"M{} {}V{}\" stroke=\"{}\" stroke-dasharray=\"4 3\"><title>Lap {}</title></path>\n",
        svg_number(x), svg_number(plot.top), svg_number(plot.bottom), colour::kText, lap.number);
    if (x - flag_at >= kCrowded) {
      flags += open;
      flag_at = x;
      first = lap.number;
    }
    open =
        flag(flag_at, first == lap.number ? std::to_string(first) : fmt::format("{}–{}", first, lap.number));
  }
  return lines + flags + open;
}

/// Names at the ends of the lines, pushed apart where they would overlap.
std::string end_names(const SvgChart& chart, const Plot& plot) {
  constexpr double kLineHeight = 12;
  struct Name {
    double y;
    const SvgSeries* series;
  };
  std::vector<Name> names;
  for (const SvgSeries& series : chart.series) {
    const auto drawn = stretches(chart, plot, series);
    if (!drawn.empty()) names.push_back({drawn.back().back().y + 3.5, &series});
  }
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  double lowest_free = plot.top;
  for (Name& name : names) lowest_free = (name.y = std::max(name.y, lowest_free)) + kLineHeight;
  double highest_free = plot.bottom;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    highest_free = (name->y = std::min(name->y, highest_free)) - kLineHeight;
  }
  std::string svg;
  for (const Name& name : names) {
    const std::string fill = colour_of(*name.series);
    svg += svg_text({plot.right + 5, name.y, "start", fill.c_str(), kTickSize, false}, name.series->name);
  }
  return svg;
}

std::optional<Plot> plot_of(const SvgChart& chart) {
  Range x, y;
  for (const SvgSeries& series : chart.series) {
    for (std::size_t i = 0; i < length(series); ++i) {
      if (!drawable(chart, series, i)) continue;
      x.add(series.x[i]);
      y.add(series.y[i]);
    }
  }
  if (y.empty()) return std::nullopt;
  Plot plot{kLeft, kTop, chart.width - kRight, chart.height - kBottom, {}, {}};
  if (has_several_hues(chart)) {
    double widest = 0;
    for (const SvgSeries& series : chart.series)
      widest = std::max(widest, text_width(series.name, kTickSize));
    plot.right -= widest;
  }
  const int wanted_y = std::max(2, static_cast<int>((plot.bottom - plot.top) / 32));
  const int wanted_x = std::max(2, static_cast<int>((plot.right - plot.left) / 70));
  plot.x = chart.log_x ? log_axis(x.low, x.high) : linear_axis(x.low, x.high, wanted_x, Limits::as_given);
  plot.y = chart.nines_y ? nines_axis(y.high)
           : chart.log_y
               ? log_axis(y.low, y.high)
               : linear_axis(std::min(y.low, 0.0), std::max(y.high, 0.0), wanted_y, Limits::at_ticks);
  return plot;
}

}  // namespace

std::string svg_chart(const SvgChart& chart) {
  std::string svg = svg_begin(chart.width, chart.height, chart.title + ", " + chart.unit, description(chart));
  svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", chart.width, chart.height,
                     colour::kPanel);
  svg += header(chart);
  if (const auto plot = plot_of(chart)) {
    svg += axes(chart, *plot);
    for (const SvgSeries& series : chart.series) svg += line(chart, *plot, series);
    svg += lap_lines(chart, *plot);
    if (has_several_hues(chart)) svg += end_names(chart, *plot);
  } else {
    svg += svg_text({chart.width / 2.0, chart.height / 2.0 + 12, "middle", colour::kMuted, 12, false},
                    "No data");
  }
  return svg + "</svg>\n";
}

}  // namespace pitwall
