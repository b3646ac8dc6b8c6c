// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/cache/kv_layout.h"
#include "engine/library/models_folder.h"
#include "engine/model/model.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

constexpr KvDtype kKvDtype = KvDtype::bfloat16;  // what kv-cache-dtype auto means

Json attention_json(const AttentionSpec& attention) {
  const bool halves = attention.rope.pairing == RopeSpec::Pairing::halves;
  return {{"heads", attention.heads},
          {"kv_heads", attention.kv_heads},
          {"head_dim", attention.head_dim},
          {"window", attention.window ? Json(*attention.window) : Json()},
          {"qkv_bias", attention.qkv_bias},
          {"rope",
           {{"theta", attention.rope.theta},
            {"rotary_dim", attention.rope.rotary_dim},
            {"pairing", halves ? "halves" : "neighbours"}}}};
}

Json layer_json(const LayerSpec& layer) {
  const bool silu = layer.mlp.activation == Activation::silu;
  return {{"attention", attention_json(layer.attention)},
          {"mlp", {{"intermediate", layer.mlp.intermediate}, {"activation", silu ? "silu" : "gelu_tanh"}}}};
}

Json tokenizer_json(const VocabularyData& vocabulary) {
  switch (vocabulary.source) {
    case VocabularyData::Source::gguf:
      return {{"source", "gguf"},
              {"model", vocabulary.model},
              {"pre", vocabulary.pre},
              {"tokens", vocabulary.tokens.size()}};
    case VocabularyData::Source::tokenizer_json:
      return {{"source", "tokenizer.json"}, {"path", vocabulary.tokenizer_json.string()}};
    case VocabularyData::Source::sentencepiece:
      return {{"source", "tokenizer.model"}, {"path", vocabulary.sentencepiece.string()}};
    case VocabularyData::Source::none:
      break;
  }
  return nullptr;
}

Json types_json(const Model& model) {
  Json types = Json::array();
  for (const Model::TypeCount& count : model.type_counts()) {
    types.push_back(
        {{"type", tensor_type_info(count.type).name}, {"tensors", count.tensors}, {"bytes", count.bytes}});
  }
  return types;
}

Json model_json(const Model& model) {
  const ModelSpec& spec = model.spec();
  Json layers = Json::array();
  for (const LayerSpec& layer : spec.layers) layers.push_back(layer_json(layer));
  return {{"path", model.path().string()},
          {"name", spec.name},
          {"format", model.format()},
          {"architecture", spec.architecture},
          {"parameters", model.parameters()},
          {"weight_bytes", model.weight_bytes()},
          {"quantization", model.quantization()},
          {"tensor_types", types_json(model)},
          {"hidden", spec.hidden},
          {"vocabulary", spec.vocabulary},
          {"context_length", spec.context_length},
          {"norm_epsilon", spec.norm_epsilon},
          {"tied_embeddings", spec.tied_embeddings},
          {"kv_bytes_per_token", spec.kv_bytes_per_token(kv_dtype_bytes(kKvDtype))},
          {"kv_cache_dtype", kv_dtype_name(kKvDtype)},
          {"tokenizer", tokenizer_json(model.vocabulary())},
          {"chat_template", !model.chat_template().empty()},
          {"header_sha256", model.header_sha256()},
          {"layers", layers}};
}

std::string tokenizer_text(const VocabularyData& vocabulary) {
  switch (vocabulary.source) {
    case VocabularyData::Source::gguf:
      return fmt::format("{} ({}), {} tokens", vocabulary.model,
                         vocabulary.pre.empty() ? "no pre-tokenizer" : vocabulary.pre,
                         format_count(static_cast<std::int64_t>(vocabulary.tokens.size())));
    case VocabularyData::Source::tokenizer_json:
      return "tokenizer.json";
    case VocabularyData::Source::sentencepiece:
      return "tokenizer.model";
    case VocabularyData::Source::none:
      break;
  }
  return "none";
}

std::string types_text(const Model& model) {
  std::string text;
  for (const Model::TypeCount& count : model.type_counts()) {
    text +=
        fmt::format("{}{} × {}", text.empty() ? "" : ", ", count.tensors, tensor_type_info(count.type).name);
  }
  return text;
}

std::string model_text(const Model& model) {
  const ModelSpec& spec = model.spec();
  const AttentionSpec& attention = spec.layers.front().attention;
  const std::vector<std::pair<std::string_view, std::string>> rows = {
      {"name", spec.name},
      {"file", fmt::format("{} ({})", model.path().string(), model.format())},
      {"architecture", fmt::format("{}, {} parameters", spec.architecture, format_count(model.parameters()))},
      {"weights", fmt::format("{} in {}", format_bytes(model.weight_bytes()), types_text(model))},
      {"layers", fmt::format("{} of width {}, feed-forward {}", spec.layers.size(), spec.hidden,
                             spec.layers.front().mlp.intermediate)},
      {"attention", fmt::format("{} heads, {} KV heads, {} numbers each", attention.heads, attention.kv_heads,
                                attention.head_dim)},
      {"context", format_count(spec.context_length) + " tokens"},
      {"KV cache",
       fmt::format("{} a token in {}", format_bytes(spec.kv_bytes_per_token(kv_dtype_bytes(kKvDtype))),
                   kv_dtype_name(kKvDtype))},
      {"tokenizer", tokenizer_text(model.vocabulary())},
      {"chat template", model.chat_template().empty() ? "no" : "yes"},
  };
  std::string text;
  for (const auto& [label, value] : rows) text += fmt::format("{:<15}{}\n", label, value);
  return text;
}

struct Options {
  std::unique_ptr<SettingFlags> flags;
  bool json = false;
};

Result<void> show_model(const Options& options) {
  const auto path = resolve_model(options.flags->settings().text("model"));
  if (!path.ok()) return path.error();
  const auto model = Model::open(*path);
  if (!model.ok()) return model.error();
  options.json ? print_json(model_json(**model)) : print(model_text(**model));
  return {};
}

}  // namespace

void add_model_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("model", "Say what a model file or folder holds; reads headers only");
  options->flags = std::make_unique<SettingFlags>(*command, model_setting);
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return show_model(*options); }; });
}

}  // namespace pitwall::ctl
