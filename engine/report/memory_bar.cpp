// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/report_charts.h"
#include "engine/report/report_text.h"
#include "engine/report/svg_text.h"

namespace pitwall {
namespace {

constexpr double kLeft = 100, kRight = 1170, kBarHeight = 26, kFirstBar = 8, kSecondBar = 66,
                 kLegendBelow = 43;
constexpr int kWidth = 1180, kHeight = 120;
constexpr double kLeastWidth = 2;

struct Segment {
  const char* name;
  Bytes bytes;
  const char* fill;       // colour, or the pattern of one
  const char* swatch;     // its colour
  const char* text_fill;  // colour of a label on it
};

/// Second cue beside colour.
constexpr const char* kPatterns =
    "<defs>\n"
    "<pattern id=\"m-cached\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
    "height=\"6\" "
    "fill=\"#75AFB6\"/><path d=\"M-1 7L7 -1\" stroke=\"#66717E\" stroke-width=\"0.7\"/></pattern>\n"
    "<pattern id=\"m-quarantined\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
    "width=\"6\" "
    "height=\"6\" fill=\"#F09A2C\"/><path d=\"M-1 7L7 -1M-1 -1L7 7\" stroke=\"#1A212A\" "
    "stroke-width=\"0.7\"/></pattern>\n"
    "<pattern id=\"m-workspace\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><rect width=\"4\" "
    "height=\"4\" "
    "fill=\"#F2C2FE\"/><path d=\"M2 0V4\" stroke=\"#66717E\" stroke-width=\"0.7\"/></pattern>\n"
    "<pattern id=\"m-others\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect width=\"5\" "
    "height=\"5\" "
    "fill=\"#818181\"/><circle cx=\"2.5\" cy=\"2.5\" r=\"0.9\" fill=\"#FFFFFF\"/></pattern>\n"
    "<pattern id=\"m-unaccounted\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><rect "
    "width=\"4\" "
    "height=\"4\" fill=\"#F3EF9E\"/><path d=\"M-1 -1L5 5\" stroke=\"#66717E\" "
    "stroke-width=\"0.6\"/></pattern>\n"
    "</defs>\n";

std::vector<Segment> process_segments(const LedgerSnapshot& ledger) {
  const Bytes workspace = ledger.of(Category::attention_workspace) + ledger.of(Category::logits) +
                          ledger.of(Category::library_workspace) + ledger.of(Category::swap);
  const char* dark = colour::kText;
  return {{"Weights", ledger.of(Category::weights), "#444653", "#444653", "#FFFFFF"},
          {"KV used", ledger.kv_used, "#227D9A", "#227D9A", "#FFFFFF"},
          {"KV cached", ledger.kv_cached, "url(#m-cached)", "#75AFB6", dark},
          {"KV quarantined", ledger.kv_quarantined, "url(#m-quarantined)", "#F09A2C", dark},
          {"KV free", ledger.kv_free, "#ECF2F2", "#ECF2F2", dark},
          {"Activations", ledger.of(Category::activations), "#7678FA", "#7678FA", dark},
          {"Workspace", workspace, "url(#m-workspace)", "#F2C2FE", dark},
          {"Graphs", ledger.of(Category::graphs), "#873539", "#873539", "#FFFFFF"},
          {"Communicator", ledger.of(Category::communicator), "#D04A1F", "#D04A1F", dark},
          {"Context", ledger.of(Category::context), "#96BA89", "#96BA89", dark},
          {"Unaccounted", std::max<Bytes>(ledger.unaccounted(), 0), "url(#m-unaccounted)", "#F3EF9E", dark}};
}

std::string segment_svg(const Segment& segment, double x, double y, double width) {
  std::string svg = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"0.7\"><title>{} "
      "{}</title></rect>\n",
      svg_number(x), svg_number(y), svg_number(width), svg_number(kBarHeight), segment.fill, colour::kFrame,
      segment.name, size_text(segment.bytes));
  const std::string label = fmt::format("{} {}", segment.name, size_text(segment.bytes));
  const double room = text_width(label, 11) + 10;
  if (room > width) return svg;
  // A label on a pattern gets a plate of the pattern's colour.
  if (segment.fill[0] != '#') {
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"15\" fill=\"{}\"/>\n",
                       svg_number(x + (width - room) / 2), svg_number(y + 5.5), svg_number(room),
                       segment.swatch);
  }
  return svg + svg_text({x + width / 2, y + 17, "middle", segment.text_fill, 11, true}, label);
}

/// Segments side by side from the left, `scale` units a byte; what is there is at least visible.
std::string bar(const std::vector<Segment>& segments, double y, double scale) {
  std::string svg;
  double x = kLeft;
  for (const Segment& segment : segments) {
    if (segment.bytes <= 0) continue;
    const double width = std::max(static_cast<double>(segment.bytes) * scale, kLeastWidth);
    svg += segment_svg(segment, x, y, width);
    x += width;
  }
  return svg;
}

/// What each segment is, in a row under the bar; returns where the row ends.
double add_legend(std::string& svg, const std::vector<Segment>& segments, double y) {
  double x = kLeft;
  for (const Segment& segment : segments) {
    if (segment.bytes <= 0) continue;
    const std::string text = fmt::format("{} {}", segment.name, size_text(segment.bytes));
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\" stroke=\"{}\"/>\n",
                       svg_number(x), svg_number(y - 9), segment.fill, colour::kFrame);
    svg += svg_text({x + 14, y, "start", colour::kMuted, 10.5, false}, text);
    x += 14 + text_width(text, 10.5) + 14;
  }
  return x;
}

double scale_for(Bytes bytes) {
  return (kRight - kLeft) / static_cast<double>(std::max<Bytes>(bytes, 1));
}

std::string device_bar(const LedgerSnapshot& ledger) {
  const Bytes process = std::max(ledger.measured, ledger.accounted());
  const Bytes whole = std::max({ledger.device_total, process + ledger.other_processes, ledger.limit});
  const Bytes rest = whole - process - ledger.other_processes;
  const std::vector<Segment> segments = {
      {"This process", process, "#227D9A", "#227D9A", "#FFFFFF"},
      {"Other processes", ledger.other_processes, "url(#m-others)", "#818181", "#FFFFFF"},
      {"Not in use", rest, "#ECF2F2", "#ECF2F2", colour::kText}};
  std::string svg = bar(segments, kSecondBar, scale_for(whole));
  const double end = add_legend(svg, segments, kSecondBar + kLegendBelow);
  if (ledger.limit > 0) {
    const double x = kLeft + static_cast<double>(ledger.limit) * scale_for(whole);
    svg += fmt::format("<path d=\"M{} {}v{}\" stroke=\"{}\" stroke-width=\"2\"/>\n", svg_number(x),
                       svg_number(kSecondBar - 3), svg_number(kBarHeight + 6), colour::kBad);
    svg += svg_text({end, kSecondBar + kLegendBelow, "start", colour::kBad, 10.5, true},
                    "| Limit of this process " + size_text(ledger.limit));
  }
  return svg;
}

}  // namespace

std::string memory_bar_svg(const LedgerSnapshot& ledger) {
  if (ledger.accounted() == 0 && ledger.measured == 0) return {};
  const std::vector<Segment> segments = process_segments(ledger);
  std::string description;
  Bytes drawn = 0;
  for (const Segment& segment : segments) {
    drawn += segment.bytes;
    if (segment.bytes > 0) description += fmt::format("{} {}. ", segment.name, size_text(segment.bytes));
  }
  description += "Device " + size_text(ledger.device_total) + ".";
  std::string svg = svg_begin(kWidth, kHeight, "Memory by category at the end of the run", description);
  svg += kPatterns;
  svg += svg_text({8, kFirstBar + 17, "start", colour::kMuted, 11, false}, "This process");
  svg += bar(segments, kFirstBar, scale_for(drawn));
  add_legend(svg, segments, kFirstBar + kLegendBelow);
  svg += svg_text({8, kSecondBar + 17, "start", colour::kMuted, 11, false}, "Device");
  svg += device_bar(ledger);
  return svg + "</svg>\n";
}

}  // namespace pitwall
