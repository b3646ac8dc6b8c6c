// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/header_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/hf_config.h"
#include "engine/model/safetensors_reader.h"
#include "engine/plan/amounts.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostConfigBytes = 32u << 20;

Error cannot_estimate(const Error& refusal) {
  if (refusal.kind != Error::Kind::unsupported) return refusal;
  Error error = refusal;
  if (!error.what.starts_with("Cannot estimate")) error.what = "Cannot estimate: " + error.what;
  if (error.cause.empty())
    error.cause = "What it keeps for each token is not known here, so any number would be a guess";
  return error;
}

/// The number behind ".layers." in a tensor's name; −1 = none.
int layer_of(std::string_view name) {
  for (const std::string_view mark : {".layers.", "layers.", ".h.", ".blocks."}) {
    const std::size_t found = name.find(mark);
    if (found == std::string_view::npos) continue;
    int layer = -1;
    const char* first = name.data() + found + mark.size();
    std::from_chars(first, name.data() + name.size(), layer);
    return layer;
  }
  return -1;
}

bool has(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::int64_t& part_of(LayerWeightCounts& bytes, std::string_view name) {
  if (has(name, {"shared_expert"})) return bytes.mlp;
  if (has(name, {"experts."})) return bytes.experts;
  if (has(name, {"norm", "router", "kv_a_proj", "q_a_proj", "indexer", "mlp.gate.", "e_score"}))
    return bytes.replicated;
  if (has(name, {"k_proj", "v_proj", ".key.", ".value."})) return bytes.kv;
  if (has(name, {"mlp", "ffn", "feed_forward", "fc1", "fc2"})) return bytes.mlp;
  return bytes.attention;
}

/// Bytes of the tensors in place of those computed from config.json.
void take_bytes(const std::vector<TensorView>& tensors, ModelOutline& outline) {
  std::vector<std::size_t> places;  // of a file's layers among the outline's, which lists some in two parts
  for (std::size_t i = 0; i < outline.layers.size(); ++i) {
    if (outline.layer_parameters[i].total() > 0) places.push_back(i);
  }
  outline.layer_bytes.assign(outline.layers.size(), {});
  outline.embedding_bytes = outline.output_bytes = outline.other_bytes = 0;
  for (const TensorView& tensor : tensors) {
    const int layer = layer_of(tensor.name);
    const bool tower = has(tensor.name, {"vision", "visual", "audio", "multi_modal"});
    if (layer >= 0 && layer < std::ssize(places) && !tower) {
      part_of(outline.layer_bytes[places[static_cast<std::size_t>(layer)]], tensor.name) += tensor.bytes;
    } else if (has(tensor.name, {"embed_tokens", "wte.", "word_embeddings", "shared.weight"})) {
      outline.embedding_bytes += tensor.bytes;
    } else if (has(tensor.name, {"lm_head", "output.weight", "embed_out"})) {
      outline.output_bytes += tensor.bytes;
    } else {
      outline.other_bytes += tensor.bytes;
    }
  }
  outline.from_headers = true;
}

Result<ModelOutline> of_folder(const fs::path& folder, const Error& refusal) {
  std::error_code ignored;
  if (!fs::exists(folder / "config.json", ignored)) return refusal;
  auto outline = outline_of_config_folder(folder);
  if (!outline) return outline;
  const auto set = open_safetensors_folder(folder);
  if (!set) return set.error();
  take_bytes(set->tensors, *outline);
  constexpr int kFewestBits = 2;
  if (outline->weight_bytes() < outline->parameters() * kFewestBits / 8) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("{} holds {} of tensors, too few for the {} parameters that config.json describes",
                    folder.string(), format_bytes(outline->weight_bytes()),
                    format_count(outline->parameters())),
        "The download is incomplete, or the two are of different models", "Fetch the model again", ""};
  }
  outline->spec = nullptr;  // this engine refused the checkpoint
  outline->remarks.push_back("This engine does not serve it: " + refusal.what);
  return outline;
}

}  // namespace

Result<std::string> read_config_text(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {  // reading a pipe may never end
    return Error{Error::Kind::invalid_input, path.string() + " is no regular file", "",
                 "Give a config.json or its folder", ""};
  }
  return read_file(path, kMostConfigBytes);
}

Result<ModelOutline> outline_of_config_folder(const fs::path& folder) {
  auto text = read_config_text(folder / "config.json");
  if (!text) return std::move(text).error();
  const std::string name = fs::absolute(folder).lexically_normal().filename().string();
  const auto config = parse_hf_config(*text, folder);
  if (!config) return config.error();
  return outline_of_config(config->dump(), name);
}

Result<ModelOutline> outline_of_headers(const fs::path& path, const Error& refusal) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  if (refusal.kind != Error::Kind::unsupported) return refusal;
  auto outline = folder ? of_folder(path, refusal) : outline_of_gguf(path, refusal);
  if (!outline) return cannot_estimate(outline.error());
  return outline;
}

}  // namespace pitwall
