// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_rope.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

using Scaling = RopeSpec::Scaling;

double yarn_growth(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

double yarn_attention_factor(const HfKeys& part, double factor) {
  if (part.has("attention_factor")) return part.real("attention_factor", 1);
  const double mscale = part.real("mscale", 0), all = part.real("mscale_all_dim", 0);
  if (mscale != 0 && all != 0) return yarn_growth(factor, mscale) / yarn_growth(factor, all);
  return yarn_growth(factor, 1);
}

double longrope_attention_factor(const HfKeys& part, double factor, int original) {
  if (part.has("attention_factor")) return part.real("attention_factor", 1);
  return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
}

void require_factor(const HfKeys& part) {
  if (!part.has("factor")) part.missing("factor");
}

int original_context(const HfKeys& part, const HfKeys& config, int context, const HfRopeDefaults& defaults) {
  constexpr const char* kKey = "original_max_position_embeddings";
  if (config.has(kKey)) return config.count(kKey);
  if (defaults.original_context > 0) return defaults.original_context;
  return part.count(kKey, context);
}

void read_scaling(const std::string& type, const HfKeys& part, const HfKeys& config, int context,
                  const HfRopeDefaults& defaults, RopeSpec& rope) {
  Scaling& scaling = rope.scaling;
  scaling.original_context = original_context(part, config, context, defaults);
  const double stretch = scaling.original_context > 0 ? 1.0 * context / scaling.original_context : 1;
  scaling.factor = part.real("factor", 1);

  if (type == "linear") {
    require_factor(part);
    scaling.kind = Scaling::Kind::linear;
  } else if (type == "dynamic") {
    require_factor(part);
    scaling.kind = Scaling::Kind::dynamic;
    scaling.original_context = context;
  } else if (type == "llama3") {
    require_factor(part);
    scaling.kind = Scaling::Kind::llama3;
    scaling.low_frequency_factor = part.real("low_freq_factor", scaling.low_frequency_factor);
    scaling.high_frequency_factor = part.real("high_freq_factor", scaling.high_frequency_factor);
  } else if (type == "yarn") {
    scaling.kind = Scaling::Kind::yarn;
    scaling.factor = part.real("factor", stretch);
    scaling.beta_fast = part.real("beta_fast", scaling.beta_fast);
    scaling.beta_slow = part.real("beta_slow", scaling.beta_slow);
    scaling.truncate = part.flag("truncate", true);
    rope.attention_factor = yarn_attention_factor(part, scaling.factor);
  } else {
    scaling.kind = Scaling::Kind::longrope;
    scaling.short_factors = part.reals("short_factor");
    scaling.long_factors = part.reals("long_factor");
    scaling.factor = part.real("factor", stretch);
    rope.attention_factor = longrope_attention_factor(part, scaling.factor, scaling.original_context);
  }
}

bool is_known(const std::string& type) {
  for (const char* known : {"linear", "dynamic", "llama3", "yarn", "longrope"}) {
    if (type == known) return true;
  }
  return false;
}

/// The object that counts: `rope_parameters` (its part of the layer type, where it has parts), or the older
/// `rope_scaling`.
struct Part {
  const nlohmann::json* object = nullptr;
  const char* key = "";
};
Part part_of(const HfKeys& keys, const HfRopeDefaults& defaults) {
  // The older key goes before the newer one, as transformers reads them.
  if (const nlohmann::json* older = defaults.scaled ? keys.object("rope_scaling") : nullptr)
    return {older, "rope_scaling"};
  const nlohmann::json* parameters = keys.object("rope_parameters");
  if (parameters == nullptr) return {};
  const bool by_type = parameters->contains("full_attention") || parameters->contains("sliding_attention");
  if (!by_type) return {parameters, "rope_parameters"};
  return {HfKeys(*parameters, keys.errors()).object(defaults.layer_type), "rope_parameters"};
}

}  // namespace

RopeSpec read_hf_rope(const HfKeys& keys, int head_dim, int context, const HfRopeDefaults& defaults) {
  RopeSpec rope;
  rope.pairing = RopeSpec::Pairing::halves;
  rope.theta = keys.real(defaults.theta_key, defaults.theta);
  double rotated = keys.real("partial_rotary_factor", 1.0);
  const Part part = part_of(keys, defaults);
  const nlohmann::json none = nlohmann::json::object();
  const HfKeys scaling(part.object ? *part.object : none, keys.errors());
  rope.theta = scaling.real("rope_theta", rope.theta);
  rotated = scaling.real("partial_rotary_factor", rotated);
  if (!(rotated > 0 && rotated <= 1)) {
    keys.wrong("partial_rotary_factor", "a share above 0 and up to 1");
    rotated = 1;
  }
  std::string type = scaling.text("rope_type", scaling.text("type", "default"));
  if (type == "su" || (type == "yarn" && defaults.yarn_is_longrope)) type = "longrope";
  if (type == "default" && !defaults.partial) rotated = 1;
  rope.rotary_dim = static_cast<int>(head_dim * rotated);
  if (type == "default") return rope;
  if (!is_known(type)) {
    keys.unsupported(
        fmt::format("Rope scaling of type {} is not supported; linear, dynamic, llama3, yarn and "
                    "longrope are",
                    quote_for_message(type)),
        part.key);
    return rope;
  }
  read_scaling(type, scaling, keys, context, defaults, rope);
  return rope;
}

}  // namespace pitwall
