// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/svg_text.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/text_escape.h"

namespace pitwall {
std::string xml_text(std::string_view text) {
  std::string plain = replace_invalid_utf8(text);
  std::erase_if(plain, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; });
  return escape_html(plain);
}

std::string svg_begin(int width, int height, std::string_view title, std::string_view description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"'Noto Sans','DejaVu "
      "Sans',system-ui,sans-serif\">\n<title>{2}</title>\n<desc>{3}</desc>\n",
      width, height, xml_text(title), xml_text(description));
}

std::string svg_text(const SvgText& where, std::string_view text) {
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{:g}\" fill=\"{}\"{}{}>{}</text>\n", svg_number(where.x),
      svg_number(where.y), where.size, where.fill,
      std::string_view(where.anchor) == "start" ? "" : fmt::format(" text-anchor=\"{}\"", where.anchor),
      where.bold ? " font-weight=\"600\"" : "", xml_text(text));
}

std::string svg_number(double value) {
  return fmt::format("{:.1f}", std::round(value * 10) / 10 + 0.0);
}

double text_width(std::string_view text, double size) {
  constexpr double kNarrow = 0.56, kWide = 1.0;
  double widths = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) widths += kNarrow;
    if (byte >= 0xC0) widths += byte >= 0xE0 ? kWide : kNarrow;  // leads of three bytes and more: mostly wide
  }
  return widths * size;
}

}  // namespace pitwall
