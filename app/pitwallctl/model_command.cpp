// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/cache/kv_layout.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "engine/model/model.h"
#include "engine/plan/kv_demand.h"
#include "engine/plan/model_memory.h"
#include "engine/plan/model_outline.h"

namespace pitwall::ctl {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr KvDtype kKvDtype = KvDtype::bfloat16;  // what kv-cache-dtype auto means

const char* scaling_name(RopeSpec::Scaling::Kind kind) {
  switch (kind) {
    case RopeSpec::Scaling::Kind::none:
      return "none";
    case RopeSpec::Scaling::Kind::linear:
      return "linear";
    case RopeSpec::Scaling::Kind::dynamic:
      return "dynamic";
    case RopeSpec::Scaling::Kind::llama3:
      return "llama3";
    case RopeSpec::Scaling::Kind::yarn:
      return "yarn";
    case RopeSpec::Scaling::Kind::longrope:
      return "longrope";
    case RopeSpec::Scaling::Kind::divisors:
      return "divisors";
  }
  return "";
}

Json rope_json(const std::optional<RopeSpec>& rope) {
  if (!rope) return nullptr;
  return {{"theta", rope->theta},
          {"rotary_dim", rope->rotary_dim},
          {"pairing", rope->pairing == RopeSpec::Pairing::halves ? "halves" : "neighbours"},
          {"scaling", scaling_name(rope->scaling.kind)},
          {"factor", rope->scaling.factor}};
}

Json attention_json(const AttentionSpec& attention) {
  return {{"heads", attention.heads},
          {"kv_heads", attention.kv_heads},
          {"head_dim", attention.head_dim},
          {"window", attention.window ? Json(*attention.window) : Json()},
          {"qkv_bias", attention.qkv_bias},
          {"output_bias", attention.output_bias},
          {"qk_norm", attention.qk_norm != QkNorm::none},
          {"softcap", attention.softcap},
          {"rope", rope_json(attention.rope)}};
}

Json mlp_json(const MlpSpec& mlp) {
  Json json = {{"intermediate", mlp.intermediate},
               {"activation", mlp.activation == Activation::silu ? "silu" : "gelu_tanh"}};
  if (mlp.moe) {
    json["moe"] = {{"experts", mlp.moe->experts},
                   {"top_k", mlp.moe->top_k},
                   {"intermediate", mlp.moe->intermediate},
                   {"renormalise", mlp.moe->renormalise},
                   {"shared_intermediate", mlp.moe->shared_intermediate}};
  }
  return json;
}

Json layer_json(const LayerSpec& layer) {
  return {{"attention", attention_json(layer.attention)}, {"mlp", mlp_json(layer.mlp)}};
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

Json template_names(const Model& model) {
  Json names = Json::array();
  for (const NamedTemplate& each : model.chat_templates()) names.push_back(each.name);
  return names;
}

std::string templates_text(const Model& model) {
  std::string text;
  for (const NamedTemplate& each : model.chat_templates()) text += (text.empty() ? "" : ", ") + each.name;
  return text.empty() ? "none" : text;
}

/// What the description alone says.
Json spec_json(const ModelSpec& spec) {
  Json layers = Json::array();
  for (const LayerSpec& layer : spec.layers) layers.push_back(layer_json(layer));
  return {{"name", spec.name},
          {"architecture", spec.architecture},
          {"hidden", spec.hidden},
          {"vocabulary", spec.vocabulary},
          {"context_length", spec.context_length},
          {"norm_epsilon", spec.norm.epsilon},
          {"tied_embeddings", spec.tied_embeddings},
          {"kv_bytes_per_token", spec.kv_bytes_per_token(kv_dtype_bytes(kKvDtype))},
          {"kv_cache_dtype", kv_dtype_name(kKvDtype)},
          {"layers", layers}};
}

Json model_json(const Model& model) {
  Json json = spec_json(model.spec());
  json.update({{"path", model.path().string()},
               {"format", model.format()},
               {"parameters", model.parameters()},
               {"weight_bytes", model.weight_bytes()},
               {"quantization", model.quantization()},
               {"tensor_types", types_json(model)},
               {"tokenizer", tokenizer_json(model.vocabulary())},
               {"chat_template", !model.chat_template().empty()},
               {"chat_templates", template_names(model)},
               {"header_sha256", model.header_sha256()}});
  return json;
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

using Rows = std::vector<std::pair<std::string_view, std::string>>;

std::string mlp_text(const MlpSpec& mlp) {
  if (!mlp.moe) return fmt::format("feed-forward {}", mlp.intermediate);
  std::string text =
      fmt::format("{} of {} experts of {}", mlp.moe->top_k, mlp.moe->experts, mlp.moe->intermediate);
  if (mlp.moe->shared_intermediate > 0)
    text += fmt::format(", a shared one of {}", mlp.moe->shared_intermediate);
  return text;
}

std::string windows_text(const ModelSpec& spec) {
  std::map<int, int> windows;  // length → layers
  for (const LayerSpec& layer : spec.layers) {
    if (layer.attention.window) ++windows[*layer.attention.window];
  }
  std::string text;
  for (const auto& [length, layers] : windows)
    text += fmt::format(", {} layers see {} tokens", layers, length);
  return text;
}

Rows spec_rows(const ModelSpec& spec) {
  const AttentionSpec& attention = spec.layers.front().attention;
  return {{"layers", fmt::format("{} of width {}, {}", spec.layers.size(), spec.hidden,
                                 mlp_text(spec.layers.back().mlp))},
          {"attention", fmt::format("{} heads, {} KV heads, {} numbers each{}", attention.heads,
                                    attention.kv_heads, attention.head_dim, windows_text(spec))},
          {"context", format_count(spec.context_length) + " tokens"},
          {"KV cache",
           fmt::format("{} a token in {}", format_bytes(spec.kv_bytes_per_token(kv_dtype_bytes(kKvDtype))),
                       kv_dtype_name(kKvDtype))}};
}

std::string text_of(const Rows& rows) {
  std::string text;
  for (const auto& [label, value] : rows) text += fmt::format("{:<15}{}\n", label, value);
  return text;
}

std::string model_text(const Model& model) {
  const ModelSpec& spec = model.spec();
  Rows rows = {
      {"name", spec.name},
      {"file", fmt::format("{} ({})", model.path().string(), model.format())},
      {"architecture", fmt::format("{}, {} parameters", spec.architecture, format_count(model.parameters()))},
      {"weights", fmt::format("{} in {}", format_bytes(model.weight_bytes()), types_text(model))}};
  for (auto& row : spec_rows(spec)) rows.push_back(std::move(row));
  rows.emplace_back("tokenizer", tokenizer_text(model.vocabulary()));
  rows.emplace_back("chat template", templates_text(model));
  return text_of(rows);
}

struct Options {
  std::unique_ptr<SettingFlags> flags;
  bool json = false;
};

/// A description without weights, of what this engine serves.
void show_spec(const ModelSpec& spec, bool json) {
  const std::int64_t parameters = count_parameters(spec).total();
  if (json) {
    Json document = spec_json(spec);
    document.update({{"format", "config.json"}, {"parameters", parameters}, {"weight_bytes", nullptr}});
    print_json(document);
    return;
  }
  Rows rows = {
      {"name", spec.name},
      {"architecture", fmt::format("{}, {} parameters", spec.architecture, format_count(parameters))},
      {"weights", "not here: a description alone"}};
  for (auto& row : spec_rows(spec)) rows.push_back(std::move(row));
  print(text_of(rows));
}

/// What the planner knows of a model that this engine does not serve.
void show_outline(const ModelOutline& model, bool json) {
  const KvDemand demand(model, {.format = find_kv_format(kv_dtype_name(kKvDtype)).value()}, 0,
                        model.layers.size());
  if (json) {
    Json layers = Json::array();
    for (const KvGroup& group : demand.groups())
      layers.push_back({{"title", group.title}, {"layers", group.layers}});
    print_json({{"name", model.name},
                {"architecture", model.architecture},
                {"hidden", model.hidden},
                {"vocabulary", model.vocabulary},
                {"context_length", model.context_length > 0 ? Json(model.context_length) : Json()},
                {"parameters", model.parameters()},
                {"weight_bytes", model.weight_bytes()},
                {"quantization", model.weight_format},
                {"kv_bytes_per_token", demand.per_token()},
                {"state_bytes_per_sequence", demand.state()},
                {"kv_cache_dtype", kv_dtype_name(kKvDtype)},
                {"layers", layers},
                {"served", false},
                {"notes", model.remarks}});
    return;
  }
  std::string layers;
  for (const KvGroup& group : demand.groups()) layers += (layers.empty() ? "" : "; ") + group.title;
  Rows rows = {
      {"name", model.name},
      {"architecture",
       fmt::format("{}, {} parameters", model.architecture, format_count(model.parameters()))},
      {"weights", fmt::format("{} in {} ({})", format_bytes(model.weight_bytes()), model.weight_format,
                              model.from_headers ? "from its tensors" : "from its description")},
      {"layers", layers.empty() ? "none of them keeps anything" : layers},
      {"context", model.context_length > 0 ? format_count(model.context_length) + " tokens" : "not stated"},
      {"KV cache",
       fmt::format("{} a token in {}", format_bytes(demand.per_token()), kv_dtype_name(kKvDtype))}};
  if (demand.state() > 0) rows.emplace_back("state", format_bytes(demand.state()) + " a sequence");
  rows.emplace_back("served", "not by this engine");
  for (const std::string& remark : model.remarks) rows.emplace_back("note", remark);
  print(text_of(rows));
}

/// From headers and descriptions alone, as the planner reads them.
Result<void> show_description(const std::string& name, bool json) {
  const auto outline = read_outline(name);
  if (!outline.ok()) return outline.error();
  outline->runs_here() ? show_spec(*outline->spec, json) : show_outline(*outline, json);
  return {};
}

bool holds_weights(const fs::path& path) {
  if (!fs::is_directory(path)) return path.extension() != ".json";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".safetensors" || name.ends_with(".safetensors.index.json")) return true;
  }
  return false;
}

Result<void> show_model(const Options& options) {
  const std::string name = options.flags->settings().text("model");
  const auto path = resolve_model(name);
  if (!path.ok()) {
    const ModelProfile* profile = find_model_profile(name);
    return profile != nullptr ? show_description(name, options.json) : path.error();
  }
  if (!holds_weights(*path)) return show_description(path->string(), options.json);
  const auto model = Model::open(*path);
  if (!model.ok()) return show_description(path->string(), options.json);
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
