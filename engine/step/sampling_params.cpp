// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/step/sampling_params.h"

#include <cmath>
#include <cstdio>

namespace pitwall {

namespace {

Error out_of_bounds(const char* param, double value, const std::string& bounds) {
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
  if (min_tokens < 0 || (max_tokens > 0 && min_tokens > max_tokens))
    return out_of_bounds("min_tokens", min_tokens, "from 0 to max_tokens");
  if (outside(repetition_penalty, 0, 2) || repetition_penalty == 0)
    return out_of_bounds("repetition_penalty", repetition_penalty, "above 0 and at most 2");
  if (outside(frequency_penalty, -2, 2))
    return out_of_bounds("frequency_penalty", frequency_penalty, "from -2 to 2");
  if (outside(presence_penalty, -2, 2))
    return out_of_bounds("presence_penalty", presence_penalty, "from -2 to 2");
  for (const auto& [token, bias] : logit_bias) {
    if (outside(bias, -100, 100)) return out_of_bounds("logit_bias", bias, "from -100 to 100");
  }
  const auto count_outside = [](const std::optional<std::int32_t>& count) {
    return count && (*count < 0 || *count > kMostLogprobs);
  };
  const std::string counts = "from 0 to " + std::to_string(kMostLogprobs);
  if (count_outside(logprobs)) return out_of_bounds("logprobs", *logprobs, counts);
  if (count_outside(prompt_logprobs)) return out_of_bounds("prompt_logprobs", *prompt_logprobs, counts);
  return {};
}

}  // namespace pitwall
