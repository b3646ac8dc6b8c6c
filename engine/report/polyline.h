// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer points for a line without losing what the eye would see.
#pragma once
#include <span>
#include <vector>

namespace pitwall {

struct Pixel {
  double x = 0, y = 0;
};

/// Of each pixel column the first, lowest, highest and last point, in their order: a spike of one point
/// survives. `points` have ascending x.
std::vector<Pixel> decimate(std::span<const Pixel> points);

}  // namespace pitwall
