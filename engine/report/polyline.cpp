// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/polyline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pitwall {

std::vector<Pixel> decimate(std::span<const Pixel> points) {
  std::vector<Pixel> result;
  for (std::size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(points[end].x) == column) ++end;
    const auto pixels = points.subspan(begin, end - begin);
    const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end(),
                                                 [](const Pixel& a, const Pixel& b) { return a.y < b.y; });
    std::array<std::size_t, 4> kept = {begin, begin + static_cast<std::size_t>(low - pixels.begin()),
                                       begin + static_cast<std::size_t>(high - pixels.begin()), end - 1};
    std::sort(kept.begin(), kept.end());
    const auto last = std::unique(kept.begin(), kept.end());
    std::for_each(kept.begin(), last, [&](std::size_t i) { result.push_back(points[i]); });
    begin = end;
  }
  return result;
}

}  // namespace pitwall
