// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of the length slider: logarithmic from 256 tokens to the model's context, in round steps.
#pragma once
#include <cstdint>

namespace pitwall::ui {

inline constexpr int kLengthSliderEnd = 200;
std::int64_t length_at(int position, std::int64_t context);
int slider_position(std::int64_t length, std::int64_t context);

}  // namespace pitwall::ui
