// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/weight_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"

namespace pitwall {

using nlohmann::json;

namespace {

using Reach = WeightFormat::Reach;

constexpr int kScaleBits = 16;

/// Codes in groups of `group` inputs with a float16 scale, and a zero of the codes' width where there is one.
WeightFormat grouped(std::string name, std::string_view title, int bits, int group, bool zeros) {
  const double overhead = group > 0 ? (kScaleBits + (zeros ? bits : 0)) / static_cast<double>(group) : 0;
  return {std::move(name),
          fmt::format("{} {}-bit{}", title, bits, group > 0 ? fmt::format(" g{}", group) : ""),
          bits + overhead, Reach::linears, group};
}

const std::vector<WeightFormat>& formats() {
  constexpr double kBlockScale = 32.0 / (128 * 128);
  static const std::vector<WeightFormat> all = {
      {"float32", "FP32", 32, Reach::all},
      {"bfloat16", "BF16", 16, Reach::all},
      {"float16", "FP16", 16, Reach::all},
      {"fp8", "FP8 E4M3", 8, Reach::linears},
      {"fp8-block", "FP8 E4M3, 128 × 128 blocks", 8 + kBlockScale, Reach::linears, 128},
      {"int8", "INT8", 8, Reach::linears},
      grouped("awq", "AWQ", 4, 128, true),
      grouped("awq-g64", "AWQ", 4, 64, true),
      grouped("awq-g32", "AWQ", 4, 32, true),
      grouped("gptq", "GPTQ", 4, 128, true),
      grouped("gptq-g64", "GPTQ", 4, 64, true),
      grouped("gptq-g32", "GPTQ", 4, 32, true),
      grouped("gptq-8bit", "GPTQ", 8, 128, true),
      {"nf4", "bitsandbytes NF4", 4.5, Reach::linears, 64},
      {"mxfp4", "MXFP4", 4.25, Reach::experts, 32, true},
      {"nvfp4", "NVFP4", 4.5, Reach::linears, 16},
      // Bytes of a block over its numbers: ggml's formats (engine/model/tensor_type.cpp).
      {"q8_0", "Q8_0", 8.5, Reach::all, 32},
      {"q6_k", "Q6_K", 6.5625, Reach::all, 256},
      {"q5_k", "Q5_K", 5.5, Reach::all, 256},
      {"q5_1", "Q5_1", 6, Reach::all, 32},
      {"q5_0", "Q5_0", 5.5, Reach::all, 32},
      {"q4_k", "Q4_K", 4.5, Reach::all, 256},
      {"q4_1", "Q4_1", 5, Reach::all, 32},
      {"q4_0", "Q4_0", 4.5, Reach::all, 32},
      {"iq4_nl", "IQ4_NL", 4.5, Reach::all, 32},
      {"iq4_xs", "IQ4_XS", 4.25, Reach::all, 256},
      {"q3_k", "Q3_K", 3.4375, Reach::all, 256},
      {"q2_k", "Q2_K", 2.625, Reach::all, 256},
  };
  return all;
}

Error not_understood(std::string_view key, const json& value) {
  return {
      Error::Kind::unsupported,
      fmt::format("Cannot estimate: {} = {} is not understood", key,
                  quote_for_message(value.dump(-1, ' ', true, json::error_handler_t::replace))),
      "Bytes of the weights depend on it",
      fmt::format("Give the weights' format with --quantization: {}", fmt::join(weight_format_names(), ", ")),
      "quantization_config"};
}

std::string lower_text(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) continue;
    std::string text = found->get<std::string>();
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  }
  return "";
}

/// −1 where the key is absent.
int number(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number_integer()) {
      const auto value = found->get<std::int64_t>();
      return value >= -1 && value <= 1 << 20 ? static_cast<int>(value) : -1;
    }
  }
  return -1;
}

bool flag(const json& object, const char* key, bool fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

/// The value under the first of the keys that is there and that none of `legal` is.
const json* other_than(const json& object, std::initializer_list<const char*> keys,
                       std::initializer_list<int> legal) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) continue;
    const bool known = std::any_of(legal.begin(), legal.end(), [&](int one) { return *found == one; });
    return known ? nullptr : &*found;
  }
  return nullptr;
}

Result<WeightFormat> groups_of(const json& settings, std::string_view method, std::string_view title) {
  if (const json* bits = other_than(settings, {"bits", "w_bit", "weight_bits"}, {2, 3, 4, 8}))
    return not_understood("bits", *bits);
  const auto groups = {"group_size", "q_group_size"};
  if (const json* group = other_than(settings, groups, {-1, 16, 32, 64, 128, 256, 512, 1024}))
    return not_understood("group_size", *group);
  const int bits = number(settings, {"bits", "w_bit", "weight_bits"});
  const bool stated = settings.contains("group_size") || settings.contains("q_group_size");
  const int group = stated ? number(settings, groups) : 128;  // −1: one scale for a row
  WeightFormat format = grouped(std::string(method), title, bits > 0 ? bits : 4, std::max(group, 0), true);
  if (flag(settings, "lm_head", false)) format.reach = Reach::all;
  return format;
}

Result<WeightFormat> compressed_tensors(const json& settings) {
  const auto groups = settings.find("config_groups");
  if (groups == settings.end() || !groups->is_object() || groups->empty())
    return find_weight_format("bfloat16");
  const json& group = groups->begin().value();
  const auto weights = group.is_object() ? group.find("weights") : group.end();
  if (!group.is_object() || weights == group.end() || !weights->is_object())
    return not_understood("config_groups", *groups);
  const int bits = number(*weights, {"num_bits"}), width = number(*weights, {"group_size"});
  const bool is_float = lower_text(*weights, {"type"}) == "float";
  if (bits == 4 && is_float) return find_weight_format("nvfp4");
  if (bits == 8 && is_float) {
    return find_weight_format(lower_text(*weights, {"strategy"}) == "block" ? "fp8-block" : "fp8");
  }
  if (bits != 4 && bits != 8) return not_understood("num_bits", weights->value("num_bits", json()));
  const bool zeros = !flag(*weights, "symmetric", true);
  return grouped("compressed-tensors", "compressed-tensors", bits, std::max(width, 0), zeros);
}

Result<WeightFormat> of_method(const json& settings) {
  const std::string method = lower_text(settings, {"quant_method", "quant_algo"});
  if (method == "awq" || method == "w4a16_awq" || method == "w4a8_awq")
    return groups_of(settings, "awq", "AWQ");
  if (method == "gptq" || method == "gptq_marlin") return groups_of(settings, "gptq", "GPTQ");
  if (method == "fp8" || method == "fbgemm_fp8" || method == "finegrained_fp8") {
    const bool blocks = settings.contains("weight_block_size") && settings["weight_block_size"].is_array();
    return find_weight_format(blocks ? "fp8-block" : "fp8");
  }
  if (method == "compressed-tensors" || method == "compressed_tensors") return compressed_tensors(settings);
  if (method == "mxfp4") return find_weight_format("mxfp4");
  if (method == "nvfp4" || method == "modelopt_fp4") return find_weight_format("nvfp4");
  if (method == "modelopt" || method == "modelopt_fp8")
    return find_weight_format(lower_text(settings, {"quant_algo"}) == "nvfp4" ? "nvfp4" : "fp8");
  if (method == "bitsandbytes")
    return find_weight_format(flag(settings, "load_in_8bit", false) ? "int8" : "nf4");
  return not_understood("quant_method", settings.value("quant_method", json()));
}

/// How far a method reaches that leaves some linears as they are. Lists name them by patterns for all layers
/// or layer by layer.
Reach reach_of(const json& settings, int layers) {
  int unnumbered = 0, numbered = 0;
  bool shared = false;
  for (const char* key : {"ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers"}) {
    const auto list = settings.find(key);
    if (list == settings.end() || !list->is_array()) continue;
    for (const json& each : *list) {
      if (!each.is_string()) continue;
      const auto& name = each.get_ref<const std::string&>();
      const std::size_t at = name.find("self_attn");
      if (name.find("shared_expert") != std::string::npos) shared = true;
      if (at == std::string::npos || name.find("vis") != std::string::npos) continue;
      const std::string rest = name.substr(at + std::string_view("self_attn").size());
      const bool whole =
          std::none_of(rest.begin(), rest.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ||
          rest.find("o_proj") != std::string::npos;  // the one that every kind has
      if (!whole) continue;
      const bool digit = std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      ++(digit ? numbered : unnumbered);
    }
  }
  if (unnumbered == 0 && (numbered == 0 || numbered * 2 < layers)) return Reach::linears;
  return shared ? Reach::experts : Reach::mlps;
}

std::string kv_format_of(const json& settings) {
  const std::string named = lower_text(settings, {"kv_cache_quant_algo", "kv_cache_dtype"});
  const auto scheme = settings.find("kv_cache_scheme");
  const bool fp8 = scheme != settings.end() && scheme->is_object() && number(*scheme, {"num_bits"}) == 8;
  return fp8 || named == "fp8" ? "fp8_e4m3" : named == "int8" ? "int8" : "";
}

}  // namespace

bool WeightFormat::in_gguf() const {
  return reach == Reach::all || name == "mxfp4";
}

Bytes WeightFormat::of(std::int64_t numbers) const {
  return static_cast<Bytes>(std::ceil(static_cast<double>(numbers) * bits / 8));
}

std::vector<std::string> weight_format_names() {
  std::vector<std::string> names;
  for (const WeightFormat& format : formats()) names.push_back(format.name);
  return names;
}

Result<WeightFormat> find_weight_format(std::string_view name) {
  std::string_view wanted = name == "bf16" ? "bfloat16" : name == "fp16" || name == "half" ? "float16" : name;
  for (const WeightFormat& format : formats()) {
    if (format.name == wanted) return format;
  }
  return Error{Error::Kind::invalid_input, "Weight format " + quote_for_message(name) + " is unknown", "",
               fmt::format("Take one of these: {}", fmt::join(weight_format_names(), ", ")), "quantization"};
}

Result<WeightFormat> weight_format_of(const json& config, std::string& kv_format) {
  for (const char* key : {"quantization_config", "compression_config"}) {
    const auto found = config.find(key);
    if (found == config.end() || found->is_null()) continue;
    if (!found->is_object()) return not_understood(key, *found);
    kv_format = kv_format_of(*found);
    auto format = of_method(*found);
    if (!format || format->reach != Reach::linears) return format;
    const auto text = config.find("text_config");
    const json& layered = text != config.end() && text->is_object() ? *text : config;
    format->reach = reach_of(*found, number(layered, {"num_hidden_layers"}));
    return format;
  }
  const std::string dtype = lower_text(config, {"torch_dtype", "dtype"});
  return find_weight_format(dtype == "float32" || dtype == "float16" ? dtype : "bfloat16");
}

}  // namespace pitwall
