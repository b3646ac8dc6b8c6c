// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces of SVG that charts and bars share.
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

/// Colours of documents: the light theme, whatever the window wears.
namespace colour {
inline constexpr const char* kPanel = "#FFFFFF";
inline constexpr const char* kText = "#1A212A";
inline constexpr const char* kMuted = "#55606D";
inline constexpr const char* kGrid = "#E6EAEE";
inline constexpr const char* kStrong = "#8490A0";
inline constexpr const char* kFrame = "#66717E";
inline constexpr const char* kBad = "#BE2626";
}  // namespace colour

/// Escaped, without what XML 1.0 cannot write: bad UTF-8 is replaced, control characters are left out.
std::string xml_text(std::string_view text);

/// Root element with its role, title and description for readers that cannot see it. Close with "</svg>\n".
std::string svg_begin(int width, int height, std::string_view title, std::string_view description);

struct SvgText {
  double x = 0, y = 0;
  const char* anchor = "start";  ///< start, middle, end
  const char* fill = colour::kText;
  double size = 11;
  bool bold = false;
};
std::string svg_text(const SvgText& where, std::string_view text);

std::string svg_number(double value);  ///< one decimal, never "-0.0"

/// Width of a text in units at `size`: an estimate, wide characters counted double.
double text_width(std::string_view text, double size);

}  // namespace pitwall
