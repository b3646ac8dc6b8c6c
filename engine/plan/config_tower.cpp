// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a checkpoint that sees: weights alone, none of its tokens' KV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

/// 0 where no key is there.
std::int64_t number(const json& object, std::initializer_list<const char*> keys) {
  constexpr std::int64_t kMost = 1 << 20;
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) continue;
    const double value = found->get<double>();
    return value >= 1 && value < static_cast<double>(kMost) ? static_cast<std::int64_t>(value) : 0;
  }
  return 0;
}

std::string type_of(const json& object) {
  const auto found = object.find("model_type");
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

void add_tower(const json& config, ModelOutline& out) {
  const auto audio = config.find("audio_config");
  if (audio != config.end() && audio->is_object() && !audio->empty())
    out.remarks.emplace_back("The audio tower's weights are not counted");
  const auto vision = config.find("vision_config");
  if (vision == config.end() || !vision->is_object()) return;
  const std::string type = type_of(config), own = type_of(*vision);
  std::int64_t width = number(*vision, {"embed_dim", "hidden_size", "vt_hidden_size", "width"}),
               layers = number(*vision, {"num_hidden_layers", "vt_num_hidden_layers", "depth", "layers"}),
               inner = number(*vision, {"intermediate_size", "vt_intermediate_size"});
  if (own == "pixtral") {  // defaults of transformers' configuration_pixtral.py
    if (width == 0) width = 1024;
    if (layers == 0) layers = 24;
    if (inner == 0) inner = 4096;
  }
  if (width == 0 || layers == 0) {
    out.remarks.emplace_back("The vision tower's weights are not counted: its configuration states no width");
    return;
  }
  if (inner == 0) inner = width * std::max<std::int64_t>(number(*vision, {"mlp_ratio"}), 4);
  layers += number(*vision, {"num_global_layers"});
  const int matrices = own == "pixtral" || type == "qwen2_5_vl" ? 3 : 2;  // gated or not
  std::int64_t parameters = capped_product(
      layers, capped_sum(capped_product(4, width, width), capped_product(matrices, width, inner)));
  // What joins it to the language model: patches are merged, or each passes two layers.
  const std::int64_t merged = number(*vision, {"spatial_merge_size"}),
                     seen = capped_product(width, merged, merged);
  const auto deep = vision->find("deepstack_visual_indexes");  // layers whose patches are merged as well
  const std::size_t deeper = deep != vision->end() && deep->is_array() ? deep->size() : 0;
  const std::int64_t hidden = out.hidden;
  parameters = capped_sum(
      parameters, merged > 0 ? capped_product(static_cast<std::int64_t>(deeper) + 1, seen, seen + hidden)
                             : capped_product(width + hidden, hidden));
  out.other_parameters = capped_sum(out.other_parameters, parameters);
  out.remarks.push_back(fmt::format("The vision tower is estimated at {} parameters from its width and depth",
                                    format_count(parameters)));
}

}  // namespace pitwall
