// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/length_slider.h"

#include <algorithm>
#include <cmath>

namespace pitwall::ui {

namespace {

constexpr std::int64_t kShortest = 256;

double octaves(std::int64_t context) {
  return std::log2(static_cast<double>(std::max(context, 2 * kShortest)) / kShortest);
}

}  // namespace

std::int64_t length_at(int position, std::int64_t context) {
  const double exact = kShortest * std::exp2(octaves(context) * position / kLengthSliderEnd);
  const std::int64_t step = exact < 4096 ? 64 : exact < 32768 ? 256 : 1024;
  return std::min(std::llround(exact / static_cast<double>(step)) * step,
                  std::max<long long>(context, 2 * kShortest));
}

int slider_position(std::int64_t length, std::int64_t context) {
  const double share =
      std::log2(static_cast<double>(std::max(length, kShortest)) / kShortest) / octaves(context);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kLengthSliderEnd));
}

}  // namespace pitwall::ui
