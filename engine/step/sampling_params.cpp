// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/step/sampling_params.h"

#include <cmath>
#include <cstdio>

namespace pitwall {

namespace {

Error out_of_bounds(const char* param, double value, const char* bounds) {
  char number[48];
  std::snprintf(number, sizeof number, "%.6g", value);
  return {.kind = Error::Kind::invalid_input,
          .what = std::string(param) + " is " + number + "; it must be " + bounds,
          .cause = {},
          .action = "Send a value within these bounds, or leave it out",
          .param = param};
}

}  // namespace

Result<void> SamplingParams::check() const {
  const auto outside = [](double value, double low, double high) {
    return !std::isfinite(value) || value < low || value > high;
  };
  if (outside(choice.temperature, 0, 100))
    return out_of_bounds("temperature", choice.temperature, "from 0 to 100");
  if (outside(choice.top_p, 0, 1) || choice.top_p == 0) {
    return out_of_bounds("top_p", choice.top_p, "above 0 and at most 1");
  }
  if (outside(choice.min_p, 0, 1)) return out_of_bounds("min_p", choice.min_p, "from 0 to 1");
  if (choice.top_k < 0) return out_of_bounds("top_k", choice.top_k, "0 (off) or a positive count");
  if (max_tokens < 0) return out_of_bounds("max_tokens", max_tokens, "at least 1");
  return {};
}

}  // namespace pitwall
