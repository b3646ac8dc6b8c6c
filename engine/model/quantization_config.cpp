// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/quantization_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/model/json_text.h"

namespace pitwall {

using nlohmann::json;

namespace {

constexpr const char* kMethods = "awq, gptq, fp8, fbgemm_fp8 and compressed-tensors";

std::string text_of(const json& value) {
  constexpr std::size_t kMost = 80;
  return value.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, kMost);
}

Error refused(const std::string& key, const json& value, std::string_view read) {
  return {Error::Kind::unsupported,
          fmt::format("{} = {} in the quantisation settings is not supported; {} can be read", key,
                      text_of(value), read),
          "", "Choose another quantisation of the model, or a GGUF file", key};
}

/// The value under the first of the keys that is there and not null.
const json* find(const json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

bool is_text(const json* value, std::string_view text) {
  if (value == nullptr || !value->is_string()) return false;
  const auto& found = value->get_ref<const std::string&>();
  return std::equal(found.begin(), found.end(), text.begin(), text.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

Result<int> bits_of(const json& settings, std::initializer_list<int> widths, std::string_view read) {
  const json* bits = find(settings, {"bits", "w_bit"});
  if (bits == nullptr) return *widths.begin();
  if (bits->is_number_integer() && std::find(widths.begin(), widths.end(), *bits) != widths.end())
    return bits->get<int>();
  return refused("bits", *bits, read);
}

bool is_group_size(const json& value) {
  return value.is_number_integer() && (value == -1 || (value >= 1 && value <= 1 << 20));
}

Result<int> group_size_of(const json& settings) {
  const json* size = find(settings, {"group_size", "q_group_size"});
  if (size == nullptr) return 128;
  if (!is_group_size(*size)) return refused("group_size", *size, "-1, or columns from 1 up,");
  return size->get<int>();
}

Result<QuantizationConfig> read_awq(const json& settings) {
  const json* version = find(settings, {"version"});
  if (version != nullptr && !is_text(version, "gemm")) return refused("version", *version, "\"gemm\"");
  auto bits = bits_of(settings, {4}, "4 bits");
  if (!bits) return std::move(bits).error();
  auto group = group_size_of(settings);
  if (!group) return std::move(group).error();
  QuantizationConfig config{QuantizationConfig::Method::awq, *bits, {*group}};
  const json* zeros = find(settings, {"zero_point"});
  config.needs_zeros = zeros == nullptr || *zeros != false;
  return config;
}

Result<QuantizationConfig> read_gptq(const json& settings) {
  auto bits = bits_of(settings, {4, 8}, "4 and 8 bits");
  if (!bits) return std::move(bits).error();
  auto group = group_size_of(settings);
  if (!group) return std::move(group).error();
  const json* format = find(settings, {"checkpoint_format", "format"});
  const bool second = is_text(format, "gptq_v2");
  if (format != nullptr && !second && !is_text(format, "gptq"))
    return refused("checkpoint_format", *format, "\"gptq\" and \"gptq_v2\"");
  if (const json* marlin = find(settings, {"is_marlin_format"}); marlin != nullptr && *marlin != false)
    return refused("is_marlin_format", *marlin, "the plain format");
  if (const json* dynamic = find(settings, {"dynamic"}); dynamic != nullptr && !dynamic->empty())
    return refused("dynamic", *dynamic, "one width for all linears");
  if (const json* word = find(settings, {"pack_dtype"}); word != nullptr && !is_text(word, "int32"))
    return refused("pack_dtype", *word, "\"int32\"");
  QuantizationConfig config{QuantizationConfig::Method::gptq, *bits, {*group}, second ? 0 : 1};
  const json* symmetric = find(settings, {"sym"});
  const json* ordered = find(settings, {"desc_act"});
  config.needs_zeros = symmetric != nullptr && *symmetric == false;
  config.needs_index = ordered != nullptr && *ordered == true;
  return config;
}

/// Two sides of a block, such as [128, 128].
Result<void> read_block(const json& value, const std::string& key, QuantizationConfig& config) {
  const auto is_side = [](const json& side) { return is_group_size(side) && side > 0; };
  if (!value.is_array() || value.size() != 2 || !is_side(value[0]) || !is_side(value[1]))
    return refused(key, value, "a pair such as [128, 128]");
  config.block_rows = value[0].get<int>();
  config.block_columns = value[1].get<int>();
  return {};
}

Result<QuantizationConfig> read_fp8(const json& settings) {
  QuantizationConfig config{.method = QuantizationConfig::Method::fp8};
  const json* format = find(settings, {"fmt"});
  if (format != nullptr && !is_text(format, "e4m3")) return refused("fmt", *format, "\"e4m3\"");
  if (const json* block = find(settings, {"weight_block_size"}); block != nullptr) {
    if (auto read = read_block(*block, "weight_block_size", config); !read) return read.error();
  }
  return config;
}

Result<void> read_group(const json& group, QuantizationConfig& config) {
  const json* weights = group.is_object() ? find(group, {"weights"}) : nullptr;
  if (weights == nullptr) return {};  // activations alone: they stay as they are
  if (!weights->is_object()) return refused("weights", *weights, "an object");
  const json* bits = find(*weights, {"num_bits"});
  const json* type = find(*weights, {"type"});
  const bool is_float = is_text(type, "float"), is_int = type == nullptr || is_text(type, "int");
  if (!is_float && !is_int) return refused("type", *type, "\"int\" and \"float\"");
  if (bits == nullptr || !(*bits == 8 || (*bits == 4 && is_int)))
    return refused("num_bits", bits == nullptr ? json() : *bits, "int of 4 and 8 bits and float of 8");
  if (const json* dynamic = find(*weights, {"dynamic"}); dynamic != nullptr && *dynamic != false)
    return refused("dynamic", *dynamic, "weights with fixed scales");
  const json* symmetric = find(*weights, {"symmetric"});
  config.needs_zeros = is_int && symmetric != nullptr && *symmetric == false;
  config.needs_index = is_text(find(*weights, {"actorder"}), "group");
  const json* strategy = find(*weights, {"strategy"});
  const json* size = find(*weights, {"group_size"});
  if (is_text(strategy, "group") || (strategy == nullptr && size != nullptr)) {
    if (size == nullptr || !is_group_size(*size))
      return refused("group_size", size == nullptr ? json() : *size, "-1, or columns from 1 up,");
    config.group_sizes.push_back(size->get<int>());
  } else if (strategy == nullptr || is_text(strategy, "tensor") || is_text(strategy, "channel")) {
    config.group_sizes.push_back(-1);
  } else if (is_text(strategy, "block") && is_float) {
    const json* block = find(*weights, {"block_structure"});
    return read_block(block == nullptr ? json({128, 128}) : *block, "block_structure", config);
  } else {
    return refused("strategy", *strategy, "\"tensor\", \"channel\", \"group\" and fp8's \"block\"");
  }
  return {};
}

Result<void> check_compressed_format(const json* format) {
  for (const char* known : {"pack-quantized", "int-quantized", "float-quantized", "naive-quantized",
                            "mixed-precision", "dense"}) {
    if (format == nullptr || is_text(format, known)) return {};
  }
  return refused("format", *format,
                 "pack-quantized, int-quantized, float-quantized, naive-quantized and mixed-precision");
}

Result<QuantizationConfig> read_compressed_tensors(const json& settings) {
  QuantizationConfig config{.method = QuantizationConfig::Method::compressed_tensors};
  if (const json* kv = find(settings, {"kv_cache_scheme"}); kv != nullptr) {
    const bool read =
        kv->is_object() && is_text(find(*kv, {"type"}), "float") && kv->value("num_bits", json()) == 8;
    if (!read) return refused("kv_cache_scheme", *kv, "float of 8 bits");
  }
  const json* groups = find(settings, {"config_groups"});
  if (groups == nullptr || groups->empty()) return QuantizationConfig{};  // scales for fp8 KV alone
  if (!groups->is_object()) return refused("config_groups", *groups, "an object");
  if (auto format = check_compressed_format(find(settings, {"format"})); !format) return format.error();
  if (const json* sparsity = find(settings, {"sparsity_config"}); sparsity != nullptr && !sparsity->empty()) {
    const json* format = sparsity->is_object() ? find(*sparsity, {"format"}) : sparsity;
    if (!is_text(format, "dense")) return refused("sparsity_config", *sparsity, "dense weights");
  }
  if (const json* turned = find(settings, {"transform_config"}); turned != nullptr && !turned->empty())
    return refused("transform_config", *turned, "weights without transforms");
  for (const auto& [name, group] : groups->items()) {
    if (group.is_object()) {
      if (auto format = check_compressed_format(find(group, {"format"})); !format) return format.error();
    }
    if (auto read = read_group(group, config); !read) return read.error();
  }
  if (groups->size() > 1) config.needs_zeros = config.needs_index = false;  // of some of them
  return config;
}

/// What two statements must agree on, under one name for each thing.
json comparable(const json& settings) {
  struct Key {
    const char *name, *older;
  };
  constexpr Key kKeys[] = {{"quant_method", "quant_method"},
                           {"bits", "w_bit"},
                           {"group_size", "q_group_size"},
                           {"desc_act", "desc_act"},
                           {"zero_point", "zero_point"},
                           {"version", "version"},
                           {"checkpoint_format", "checkpoint_format"}};
  json result = json::object();
  for (const auto& [name, older] : kKeys) {
    const json* value = find(settings, {name, older});
    if (value == nullptr) continue;
    result[name] = *value;
    if (value->is_string()) {
      std::string lower = value->get<std::string>();
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      result[name] = lower;
    }
  }
  return result;
}

Result<void> check_agreement(const json& settings, const json& second, const std::string& file) {
  const json a = comparable(settings), b = comparable(second);
  std::string conflicts;
  for (const auto& [key, value] : a.items()) {
    const auto other = b.find(key);
    if (other == b.end() || *other == value) continue;
    conflicts +=
        fmt::format("{}{} is {} and {}", conflicts.empty() ? "" : ", ", key, text_of(value), text_of(*other));
  }
  if (conflicts.empty()) return {};
  return Error{Error::Kind::invalid_input, fmt::format("config.json and {} disagree: {}", file, conflicts),
               "The folder holds files of two quantisations", "Fetch the model again", file};
}

Result<QuantizationConfig> read_method(const json& settings) {
  const json* method = find(settings, {"quant_method"});
  if (is_text(method, "awq")) return read_awq(settings);
  if (is_text(method, "gptq")) return read_gptq(settings);
  if (is_text(method, "fp8") || is_text(method, "fbgemm_fp8")) return read_fp8(settings);
  if (is_text(method, "compressed-tensors") || is_text(method, "compressed_tensors"))
    return read_compressed_tensors(settings);
  return refused("quant_method", method == nullptr ? json() : *method, kMethods);
}

}  // namespace

Result<QuantizationConfig> read_quantization_config(const json& config, const std::filesystem::path& folder) {
  json settings;
  if (const json* found = find(config, {"quantization_config", "compression_config"})) settings = *found;
  if (!settings.is_null() && !settings.is_object())
    return refused("quantization_config", settings, "an object");
  constexpr std::pair<const char*, const char*> kOlderFiles[] = {{"quantize_config.json", "gptq"},
                                                                 {"quant_config.json", "awq"}};
  for (const auto& [name, method] : kOlderFiles) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / name, ignored)) continue;
    auto second = read_json_object(folder / name);
    if (!second) return std::move(second).error();
    if (!second->contains("quant_method")) (*second)["quant_method"] = method;
    if (settings.is_null()) {
      settings = *std::move(second);
    } else if (auto agreed = check_agreement(settings, *second, name); !agreed) {
      return agreed.error();
    }
  }
  if (settings.is_null()) return QuantizationConfig{};
  return read_method(settings);
}

}  // namespace pitwall
