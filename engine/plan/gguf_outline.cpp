// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF files of architectures that this engine does not run: layers from their keys, bytes from their
// tensors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/model/gguf_keys.h"
#include "engine/model/gguf_set.h"
#include "engine/plan/amounts.h"
#include "engine/plan/header_outline.h"

namespace pitwall {

namespace {

using Kind = LayerState::Kind;

/// How llama.cpp reads the keys of an architecture (src/llama-model.cpp at b10573).
struct GgufTraits {
  std::string_view name;
  int window_period = 0;      ///< all but each n-th layer have the window; 0 = the file lists them
  bool second_mamba = false;  ///< states of Mamba 2 or a delta net: convolutions carry keys too
  bool both = false;          ///< each layer attends and has a state
  bool encoder = false;       ///< attends without a cache
  int chunk = 0;              ///< windows are chunks of that many tokens, unless the file states 0
};
constexpr GgufTraits kArchitectures[] = {{"llama"},
                                         {"mistral3"},
                                         {"qwen2"},
                                         {"qwen2moe"},
                                         {"qwen3"},
                                         {"qwen3moe"},
                                         {"gemma"},
                                         {"gemma2", 2},
                                         {"gemma3", 6},
                                         {"phi3"},
                                         {"granite"},
                                         {"command-r"},
                                         {"cohere2", 4},
                                         {"smollm3"},
                                         {"apertus"},
                                         {"bailingmoe"},
                                         {"bailingmoe2"},
                                         {"phimoe"},
                                         {"olmo"},
                                         {"jais"},
                                         {"refact"},
                                         {"starcoder"},
                                         {"deepseek2"},
                                         {"gpt-oss", 2},
                                         {"glm4"},
                                         {"glm4moe"},
                                         {"glm-dsa"},
                                         {"gemma3n"},
                                         {"gemma4"},
                                         {"exaone"},
                                         {"exaone4", 4},
                                         {"olmo2"},
                                         {"olmoe"},
                                         {"stablelm"},
                                         {"phi2"},
                                         {"starcoder2"},
                                         {"internlm2"},
                                         {"baichuan"},
                                         {"falcon"},
                                         {"bloom"},
                                         {"gpt2"},
                                         {"gptneox"},
                                         {"gptj"},
                                         {"mpt"},
                                         {"dbrx"},
                                         {"chatglm"},
                                         {"qwen"},
                                         {"minicpm"},
                                         {"orion"},
                                         {"xverse"},
                                         {"nemotron"},
                                         {"arcee"},
                                         {"seed_oss"},
                                         {"ernie4_5"},
                                         {"ernie4_5-moe"},
                                         {"hunyuan-dense"},
                                         {"hunyuan-moe"},
                                         {"minimax-m2"},
                                         {"dots1"},
                                         {"granitemoe"},
                                         {"qwen2vl"},
                                         {"qwen3vl"},
                                         {"qwen3vlmoe"},
                                         {"deepseek"},
                                         {"mamba"},
                                         {"jamba"},
                                         {"lfm2"},
                                         {"lfm2moe"},
                                         {"qwen3next", 0, true},
                                         {"qwen35", 0, true},
                                         {"qwen35moe", 0, true},
                                         {"mamba2", 0, true},
                                         {"granitehybrid", 0, true},
                                         {"nemotron_h", 0, true},
                                         {"nemotron_h_moe", 0, true},
                                         {"falcon-h1", 0, true, true},
                                         {"llama4", 4, false, false, false, 8192},
                                         {"deci"},
                                         {"deepseek32"},
                                         {"exaone-moe"},
                                         {"afmoe"},
                                         {"minicpm3"},
                                         {"bert", 0, false, false, true}};

struct NotEstimated {
  std::string_view name, reason;
};
/// Layers that a LayerState could say, whose sizes the file's keys do not.
constexpr NotEstimated kNotEstimated[] = {
    {"t5", "attend to an encoder's output too, whose length llama.cpp takes from each request"},
    {"kimi-linear", "keep a delta state beside latent rows, which its keys size in a way of their own"}};

class GgufOutline {
 public:
  GgufOutline(const GgufMetadata& metadata, const GgufTraits& traits, FirstError& first)
      : metadata_(metadata), traits_(traits), keys_(metadata, traits.name, first) {}

  void read(const std::vector<GgufExtent>& tensors, ModelOutline& out) {
    out.architecture = traits_.name;
    out.hidden = keys_.count("embedding_length");
    out.context_length = keys_.count("context_length", 0);
    const int layers = keys_.count("block_count");
    if (keys_.errors().error()) return;
    if (layers < 1 || layers > std::ssize(tensors))
      return keys_.errors().keep({Error::Kind::invalid_input,
                                  fmt::format("The file states {} layers", layers), "",
                                  "Fetch the model again", "block_count"});
    const auto count = static_cast<std::size_t>(layers);
    const std::vector<int> heads = numbers("attention.head_count", count, 0),
                           kv_heads = numbers("attention.head_count_kv", count, -1);
    const std::vector<int> windows = windows_of(count);
    if (keys_.errors().error()) return;
    out.heads = *std::max_element(heads.begin(), heads.end());
    out.head_dim = keys_.count("attention.key_length", out.heads > 0 ? out.hidden / out.heads : 0);
    out.experts = keys_.count("expert_count", 0);
    out.top_k = keys_.count("expert_used_count", 0);
    const int drafts = keys_.count("nextn_predict_layers", 0),
              interval = keys_.count("full_attention_interval", 0),
              shared = keys_.count("attention.shared_kv_layers", 0);
    for (int i = 0; i < layers; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int kv = kv_heads[at] >= 0 ? kv_heads[at] : heads[at];
      const bool linear = kv == 0 || (interval > 0 && (i + 1) % interval != 0);
      LayerState state = linear ? state_layer() : attention_layer(out, kv, windows[at]);
      if (traits_.encoder || (!linear && i >= layers - shared)) state.kind = Kind::none;
      state.draft = i >= layers - drafts;
      out.layers.push_back(state);
      if (traits_.both) out.layers.push_back(state_layer());
    }
    add_weights(tensors, traits_.both ? 2 : 1, out);
  }

 private:
  std::vector<int> numbers(std::string_view name, std::size_t layers, int fallback) const {
    if (!keys_.has(name)) return std::vector<int>(layers, fallback);
    return keys_.per_layer(name, layers);
  }

  std::vector<int> windows_of(std::size_t layers) const {
    const int stated = keys_.count("attention.sliding_window", traits_.chunk);
    const int window = stated > 0 && traits_.chunk > 0 ? traits_.chunk : stated;
    std::vector<int> windows(layers, 0);
    if (window == 0) return windows;
    const std::string pattern = keys_.key("attention.sliding_window_pattern");
    if (metadata_.is_array(pattern)) {
      const auto listed = keys_.errors().take(metadata_.flags(pattern, layers));
      for (std::size_t i = 0; i < listed.size(); ++i) windows[i] = listed[i] ? window : 0;
      return windows;
    }
    const int period = keys_.count("attention.sliding_window_pattern", traits_.window_period);
    if (period == 0) {
      keys_.unsupported("Cannot estimate: which layers have the window is not stated",
                        "attention.sliding_window");
      return windows;
    }
    for (std::size_t i = 0; i < layers; ++i)
      windows[i] = (i + 1) % static_cast<std::size_t>(period) != 0 ? window : 0;
    return windows;
  }

  LayerState attention_layer(const ModelOutline& out, int kv_heads, int window) const {
    LayerState state;
    if (keys_.has("attention.kv_lora_rank")) {
      state.kind = Kind::latent;
      state.latent_dim = keys_.count("attention.kv_lora_rank");
      state.latent_rope_dim = keys_.count("rope.dimension_count");
      state.index_dim = keys_.count("attention.indexer.key_length", 0);
      return state;
    }
    state.kv_heads = kv_heads;
    state.key_dim = out.head_dim;
    state.value_dim = keys_.count("attention.value_length", out.head_dim);
    if (window == 0) return state;
    state.kind = traits_.chunk > 0 ? Kind::chunked : Kind::sliding;
    state.window = window;
    state.key_dim = keys_.count("attention.key_length_swa", state.key_dim);
    state.value_dim = keys_.count("attention.value_length_swa", state.value_dim);
    return state;
  }

  LayerState state_layer() const {
    LayerState state;
    if (!keys_.has("ssm.state_size") && !keys_.has("shortconv.l_cache")) {
      state.kind = Kind::none;  // an MLP alone
      return state;
    }
    state.kind = Kind::recurrent;
    if (keys_.has("shortconv.l_cache")) {
      state.convolution_numbers =
          capped_product(keys_.count("embedding_length"), keys_.count("shortconv.l_cache") - 1);
      return state;
    }
    const std::int64_t inner = keys_.count("ssm.inner_size"), states = keys_.count("ssm.state_size"),
                       kernel = keys_.count("ssm.conv_kernel"), groups = keys_.count("ssm.group_count", 0);
    const std::int64_t convolved = traits_.second_mamba ? inner + capped_product(2, groups, states) : inner;
    state.recurrent_numbers = capped_product(inner, states);
    state.convolution_numbers = capped_product(convolved, std::max<std::int64_t>(kernel - 1, 0));
    return state;
  }

  static std::int64_t& part_of(LayerWeightCounts& counts, std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("norm") || has("ffn_gate_inp") || has("_a_mqa") || has("attn_q_a") || has("indexer"))
      return counts.replicated;
    if (has("_exps")) return counts.experts;
    if (has("ffn_")) return counts.mlp;
    return has("attn_k.") || has("attn_v.") ? counts.kv : counts.attention;
  }

  /// A block's weights count with the first of its `parts` among the outline's layers.
  static void add_weights(const std::vector<GgufExtent>& tensors, std::size_t parts, ModelOutline& out) {
    constexpr std::string_view kLayer = "blk.";
    out.layer_parameters.assign(out.layers.size(), {});
    out.layer_bytes.assign(out.layers.size(), {});
    std::int64_t bytes = 0, numbers = 0;
    for (const GgufExtent& tensor : tensors) {
      const std::int64_t count = capped_product(tensor.rows, tensor.columns);
      const std::string_view name = tensor.tensor->name;
      std::size_t layer = out.layers.size();
      std::size_t block = 0;
      if (name.starts_with(kLayer) &&
          std::from_chars(name.data() + kLayer.size(), name.data() + name.size(), block).ec == std::errc{} &&
          block < out.layers.size() / parts)
        layer = block * parts;
      if (layer < out.layers.size()) {
        part_of(out.layer_parameters[layer], name) += count;
        part_of(out.layer_bytes[layer], name) += tensor.bytes;
        bytes += tensor.bytes, numbers += count;
        if (name.find("ffn_up.") != std::string_view::npos)
          out.intermediate = static_cast<int>(
              std::min<std::int64_t>(std::max<std::int64_t>(out.intermediate, tensor.rows), 1 << 30));
      } else if (name == "token_embd.weight") {
        out.embedding_parameters = count, out.embedding_bytes = tensor.bytes;
        out.vocabulary = static_cast<int>(std::min<std::int64_t>(tensor.rows, 1 << 30));
      } else if (name == "output.weight") {
        out.output_parameters = count, out.output_bytes = tensor.bytes;
      } else {
        out.other_parameters += count, out.other_bytes += tensor.bytes;
      }
    }
    if (numbers > 0) out.weight_bits = 8.0 * static_cast<double>(bytes) / static_cast<double>(numbers);
    out.weight_format = fmt::format("GGUF, {:.2f} bits", out.weight_bits);
    out.from_headers = true;
  }

  const GgufMetadata& metadata_;
  const GgufTraits& traits_;
  GgufKeys keys_;
};

Error unknown_to(const std::string& architecture, Error refusal) {
  for (const NotEstimated& each : kNotEstimated) {
    if (each.name != architecture) continue;
    refusal.what = fmt::format("layers of architecture `{}` {}", architecture, each.reason);
  }
  return refusal;
}

}  // namespace

Result<ModelOutline> outline_of_gguf(const std::filesystem::path& path, const Error& refusal) {
  const auto file = GgufSet::open(path);
  if (!file) return file.error();
  const auto architecture = file->metadata().text("general.architecture");
  if (!architecture) return architecture.error();
  const auto* traits = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                    [&](const GgufTraits& one) { return one.name == *architecture; });
  if (traits == std::end(kArchitectures)) return unknown_to(*architecture, refusal);
  const auto tensors = file->extents();
  if (!tensors) return tensors.error();
  FirstError first;
  ModelOutline out;
  out.name = first.take(file->metadata().text("general.name", file->name()));
  GgufOutline(file->metadata(), *traits, first).read(*tensors, out);
  if (first.error()) return *first.error();
  if (auto sound = check(out); !sound) return std::move(sound).error();
  out.remarks.push_back("This engine does not serve it: " + refusal.what);
  return out;
}

}  // namespace pitwall
