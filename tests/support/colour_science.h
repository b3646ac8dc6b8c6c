// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the theme measure with: WCAG contrast, CIEDE2000, simulated colour blindness.
#pragma once
#include <cstdint>

namespace pitwall::test {

enum class Vision { normal, deuteranopia, protanopia };

struct Lab {
  double l, a, b;
};

double wcag_contrast(std::uint32_t rgb_a, std::uint32_t rgb_b);  ///< 0xRRGGBB; 1 … 21 (WCAG 2.1)
Lab lab_of(std::uint32_t rgb,
           Vision vision = Vision::normal);    ///< D65; Machado et al. 2009, severity 1, linear RGB
double ciede2000(const Lab& a, const Lab& b);  ///< Sharma, Wu and Dalal 2005

}  // namespace pitwall::test
