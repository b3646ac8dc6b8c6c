// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/rope_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/model/tensor_type.h"

namespace pitwall {

namespace {

using Scaling = RopeSpec::Scaling;

double frequency(double theta, int i, int rotary_dim) {
  return std::pow(theta, -2.0 * i / rotary_dim);
}

/// NTK-aware: the base grows so that the lowest frequency turns as far over `positions` as the unscaled one
/// does over the original context.
double dynamic_theta(const RopeSpec& rope, int positions) {
  const Scaling& scaling = rope.scaling;
  if (positions <= scaling.original_context) return rope.theta;
  const double stretch = scaling.factor * positions / scaling.original_context - (scaling.factor - 1);
  return rope.theta * std::pow(stretch, rope.rotary_dim / (rope.rotary_dim - 2.0));
}

double llama3_frequency(const Scaling& scaling, double f) {
  const double turns = scaling.original_context * f / (2 * std::numbers::pi);  // over the original context
  if (turns < scaling.low_frequency_factor) return f / scaling.factor;
  if (turns > scaling.high_frequency_factor) return f;
  const double kept =
      (turns - scaling.low_frequency_factor) / (scaling.high_frequency_factor - scaling.low_frequency_factor);
  return (1 - kept) * f / scaling.factor + kept * f;
}

/// YaRN's ramp over the dimensions: below its begin a frequency is kept, above its end it is divided.
struct Ramp {
  double begin, end;
  double share(int i) const { return std::clamp((i - begin) / (end - begin), 0.0, 1.0); }
};
Ramp yarn_ramp(const RopeSpec& rope) {
  const Scaling& scaling = rope.scaling;
  const auto dimension_of = [&](double turns) {
    return rope.rotary_dim * std::log(scaling.original_context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(rope.theta));
  };
  Ramp ramp{dimension_of(scaling.beta_fast), dimension_of(scaling.beta_slow)};
  if (scaling.truncate) ramp = {std::floor(ramp.begin), std::ceil(ramp.end)};
  ramp = {std::max(ramp.begin, 0.0), std::min(ramp.end, rope.rotary_dim - 1.0)};
  if (ramp.begin == ramp.end) ramp.end += 0.001;  // a step
  return ramp;
}

const std::vector<double>& divisors(const Scaling& scaling, int positions) {
  const bool longer = scaling.kind == Scaling::Kind::longrope && positions > scaling.original_context;
  return longer ? scaling.long_factors : scaling.short_factors;
}

Error wrong(std::string what) {
  return {Error::Kind::invalid_input, std::move(what), {}, "Check the model's configuration", "rope_scaling"};
}

bool positive(double x) {
  return std::isfinite(x) && x > 0;
}

Result<void> check_divisors(const std::vector<double>& factors, const char* name, int count) {
  if (static_cast<int>(factors.size()) != count) {
    return wrong(fmt::format("The rope scaling has {} {} factors, the rotary dimension needs {}",
                             factors.size(), name, count));
  }
  for (const double factor : factors) {
    if (!positive(factor))
      return wrong(fmt::format("A {} rope factor is {}; it must be above 0", name, factor));
  }
  return {};
}

Result<void> check_scaling(const RopeSpec& rope) {
  const Scaling& scaling = rope.scaling;
  if (scaling.kind == Scaling::Kind::none) return {};
  if (!positive(scaling.factor)) {
    return wrong(fmt::format("The rope scaling factor is {}; it must be above 0", scaling.factor));
  }
  const bool from_original = scaling.kind != Scaling::Kind::linear && scaling.kind != Scaling::Kind::divisors;
  if (from_original && scaling.original_context <= 0) {
    return wrong(fmt::format("The original context of the rope scaling is {}; it must be at least 1",
                             scaling.original_context));
  }
  switch (scaling.kind) {
    case Scaling::Kind::dynamic:
      if (rope.rotary_dim <= 2) return wrong("Dynamic rope scaling needs a rotary dimension above 2");
      return {};
    case Scaling::Kind::llama3:
      if (!positive(scaling.low_frequency_factor) ||
          !(scaling.high_frequency_factor > scaling.low_frequency_factor) ||
          !std::isfinite(scaling.high_frequency_factor)) {
        return wrong(
            fmt::format("The llama3 rope scaling has frequency factors {} and {}; the second must be "
                        "larger, both above 0",
                        scaling.low_frequency_factor, scaling.high_frequency_factor));
      }
      return {};
    case Scaling::Kind::yarn:
      if (!positive(scaling.beta_fast) || !positive(scaling.beta_slow) || rope.theta == 1) {
        return wrong(fmt::format("The yarn rope scaling has betas {} and {}; both must be above 0",
                                 scaling.beta_fast, scaling.beta_slow));
      }
      return {};
    case Scaling::Kind::longrope:
      if (auto ok = check_divisors(scaling.long_factors, "long", rope.rotary_dim / 2); !ok) return ok;
      return check_divisors(scaling.short_factors, "short", rope.rotary_dim / 2);
    case Scaling::Kind::divisors:
      return check_divisors(scaling.short_factors, "stored", rope.rotary_dim / 2);
    case Scaling::Kind::linear:
    case Scaling::Kind::none:
      break;
  }
  return {};
}

}  // namespace

int RopeSpec::switch_length() const {
  const bool switches = scaling.kind == Scaling::Kind::longrope || scaling.kind == Scaling::Kind::dynamic;
  return switches ? scaling.original_context : 0;
}

std::vector<double> rope_frequencies(const RopeSpec& rope, int positions) {
  const Scaling& scaling = rope.scaling;
  const bool dynamic = scaling.kind == Scaling::Kind::dynamic;
  const double theta = dynamic ? dynamic_theta(rope, positions) : rope.theta;
  std::vector<double> frequencies;
  for (int i = 0; i < rope.rotary_dim / 2; ++i) {
    double f = frequency(theta, i, rope.rotary_dim);
    switch (scaling.kind) {
      case Scaling::Kind::linear:
        f /= scaling.factor;
        break;
      case Scaling::Kind::llama3:
        f = llama3_frequency(scaling, f);
        break;
      case Scaling::Kind::yarn: {
        const double divided = yarn_ramp(rope).share(i);
        f = divided * f / scaling.factor + (1 - divided) * f;
        break;
      }
      case Scaling::Kind::longrope:
      case Scaling::Kind::divisors:
        f /= divisors(scaling, positions)[static_cast<std::size_t>(i)];
        break;
      case Scaling::Kind::dynamic:
      case Scaling::Kind::none:
        break;
    }
    const bool rounded = rope.frequencies == RopeSpec::Frequencies::bfloat16;
    frequencies.push_back(rounded ? bfloat_to_float(float_to_bfloat(static_cast<float>(f))) : f);
  }
  return frequencies;
}

void fill_rope_table(const RopeSpec& rope, int count, int longest, float* rows) {
  const std::vector<double> frequencies = rope_frequencies(rope, longest);
  for (int position = 0; position < count; ++position) {
    for (const double frequency : frequencies)
      *rows++ = static_cast<float>(rope.attention_factor * std::cos(position * frequency));
    for (const double frequency : frequencies)
      *rows++ = static_cast<float>(rope.attention_factor * std::sin(position * frequency));
  }
}

Result<void> check_rope(const RopeSpec& rope, int head_dim) {
  if (rope.rotary_dim <= 0 || rope.rotary_dim % 2 != 0 || rope.rotary_dim > head_dim) {
    return wrong(fmt::format("The rotary dimension is {}; it must be even, from 2 to the head's {}",
                             rope.rotary_dim, head_dim));
  }
  if (!positive(rope.theta)) {
    return wrong(fmt::format("The rotary base is {}; it must be above 0", rope.theta));
  }
  if (!positive(rope.attention_factor)) {
    return wrong(fmt::format("The attention factor of the rope scaling is {}; it must be above 0",
                             rope.attention_factor));
  }
  return check_scaling(rope);
}

}  // namespace pitwall
