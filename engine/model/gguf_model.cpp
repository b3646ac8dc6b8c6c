// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/base/text_escape.h"
#include "engine/model/first_error.h"
#include "engine/model/gguf_set.h"
#include "engine/model/gguf_vocabulary.h"
#include "engine/model/header_digest.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

namespace {

constexpr TensorNames kNames = {
    .embedding = "token_embd.weight",
    .output_norm = "output_norm.weight",
    .output = "output.weight",
    .layer_prefix = "blk.",
    .attention_norm = "attn_norm.weight",
    .q = "attn_q.weight",
    .k = "attn_k.weight",
    .v = "attn_v.weight",
    .o = "attn_output.weight",
    .q_bias = "attn_q.bias",
    .k_bias = "attn_k.bias",
    .v_bias = "attn_v.bias",
    .mlp_norm = "ffn_norm.weight",
    .gate = "ffn_gate.weight",
    .up = "ffn_up.weight",
    .down = "ffn_down.weight",
};

// Keys that would change the arithmetic: only the value that changes nothing is accepted.
struct NeutralKey {
  std::string_view key;
  double neutral;
  std::string_view means;
};
constexpr NeutralKey kNeutralKeys[] = {
    {"llama.expert_count", 0, "a mixture of experts"},
    {"llama.attention.sliding_window", 0, "sliding-window attention"},
    {"llama.rope.scaling.factor", 1, "rope scaling"},
    {"llama.rope.scale_linear", 1, "rope scaling"},
    {"llama.attention.scale", 0, "its own attention scale"},
    {"llama.logit_scale", 1, "scaled logits"},
    {"llama.embedding_scale", 1, "scaled embeddings"},
    {"llama.residual_scale", 1, "scaled residuals"},
    {"llama.attn_logit_softcapping", 0, "soft-capped attention"},
    {"llama.final_logit_softcapping", 0, "soft-capped logits"},
    {"llama.attention.max_alibi_bias", 0, "ALiBi"},
    {"llama.attention.clamp_kqv", 0, "clamped q, k and v"},
};

constexpr const char* kChooseAnother =
    "Choose a model of the Llama family that needs none of what is named here";

Error unsupported(std::string what, std::string_view param, std::string action = kChooseAnother) {
  return {Error::Kind::unsupported, std::move(what), "", std::move(action), std::string(param)};
}

Result<double> number(const GgufMetadata& metadata, std::string_view key) {
  const auto integer = metadata.integer(key);
  return integer.ok() ? Result<double>(static_cast<double>(*integer)) : metadata.real(key);
}

Result<void> check_supported(const GgufMetadata& metadata) {
  const auto architecture = metadata.text("general.architecture");
  if (!architecture.ok()) return architecture.error();
  if (*architecture != "llama") {
    return unsupported(
        fmt::format("The architecture {} is not supported yet; GGUF files of the architecture \"llama\" are",
                    quote_for_message(*architecture)),
        "general.architecture");
  }
  const auto scaling = metadata.text("llama.rope.scaling.type", "none");
  if (!scaling.ok()) return scaling.error();
  if (*scaling != "none") {
    return unsupported(fmt::format("The model uses rope scaling of type {}, which is not supported yet",
                                   quote_for_message(*scaling)),
                       "llama.rope.scaling.type");
  }
  for (const NeutralKey& neutral : kNeutralKeys) {
    if (!metadata.has(neutral.key)) continue;
    const auto value = number(metadata, neutral.key);
    if (!value.ok()) return value.error();
    if (*value != neutral.neutral) {
      return unsupported(fmt::format("The model uses {} ({} = {}), which is not supported yet", neutral.means,
                                     neutral.key, *value),
                         neutral.key);
    }
  }
  return {};
}

/// A key that holds one number for all layers, or an array with one for each.
Result<std::vector<int>> per_layer(const GgufMetadata& metadata, std::string_view key, std::size_t layers) {
  if (!metadata.is_array(key)) {
    const auto value = metadata.count(key);
    if (!value.ok()) return value.error();
    return std::vector<int>(layers, *value);
  }
  const auto values = metadata.integers(key, layers);
  if (!values.ok()) return values.error();
  std::vector<int> counts;
  for (const std::int64_t value : *values) {
    if (value < 0 || value > std::numeric_limits<int>::max()) {
      return Error{Error::Kind::invalid_input,
                   fmt::format("Metadata key \"{}\" holds {}, which is no count", key, value), "",
                   "Fetch or convert the model again", std::string(key)};
    }
    counts.push_back(static_cast<int>(value));
  }
  return counts;
}

Result<int> layer_count(const GgufMetadata& metadata, std::size_t tensors) {
  const std::string_view key = "llama.block_count";
  const auto layers = metadata.count(key);
  if (!layers.ok()) return layers.error();
  if (static_cast<std::size_t>(*layers) > tensors) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("Metadata key \"{}\" is {}, but the file has only {} tensors", key, *layers, tensors), "",
        "Fetch or convert the model again", std::string(key)};
  }
  return layers;
}

Result<int> head_dimension(const GgufMetadata& metadata, int hidden, int heads) {
  const std::string_view key = "llama.attention.key_length";
  if (!metadata.has(key)) {
    if (heads <= 0 || hidden % heads != 0) {
      return Error{Error::Kind::invalid_input,
                   fmt::format("A hidden width of {} cannot be split into {} heads", hidden, heads), "",
                   "Check the model's configuration", "llama.attention.head_count"};
    }
    return hidden / heads;
  }
  const auto keys = metadata.count(key);
  if (!keys.ok()) return keys.error();
  const auto values = metadata.count("llama.attention.value_length", *keys);
  if (!values.ok()) return values.error();
  if (*values != *keys) {
    return unsupported(
        fmt::format("Keys of {} and values of {} numbers per head are not supported yet", *keys, *values),
        "llama.attention.value_length");
  }
  return keys;
}

Result<AttentionSpec> attention_spec(const GgufMetadata& metadata, int hidden, int first_heads) {
  FirstError first;
  AttentionSpec attention;
  attention.head_dim = first.take(head_dimension(metadata, hidden, first_heads));
  attention.scale = attention.head_dim > 0 ? 1.0f / std::sqrt(static_cast<float>(attention.head_dim)) : 0.0f;
  attention.rope.pairing = RopeSpec::Pairing::neighbours;
  attention.rope.rotary_dim = first.take(metadata.count("llama.rope.dimension_count", attention.head_dim));
  attention.rope.theta = first.take(metadata.real("llama.rope.freq_base", 10000.0));
  if (first.error()) return *first.error();
  return attention;
}

Result<ModelSpec> read_spec(const GgufSet& file, const WeightBinder& binder) {
  const GgufMetadata& metadata = file.metadata();
  FirstError first;
  ModelSpec spec;
  spec.architecture = "llama";
  spec.name = first.take(metadata.text("general.name", file.name()));
  spec.hidden = first.take(metadata.count("llama.embedding_length"));
  spec.context_length = first.take(metadata.count("llama.context_length"));
  spec.norm_epsilon = static_cast<float>(first.take(metadata.real("llama.attention.layer_norm_rms_epsilon")));
  spec.vocabulary =
      first.take(metadata.count("llama.vocab_size", first.take(binder.rows_of(kNames.embedding))));
  spec.tied_embeddings = !binder.has(kNames.output);
  const auto layers = static_cast<std::size_t>(first.take(layer_count(metadata, file.tensor_count())));
  const auto heads = first.take(per_layer(metadata, "llama.attention.head_count", layers));
  const auto kv_heads = metadata.has("llama.attention.head_count_kv")
                            ? first.take(per_layer(metadata, "llama.attention.head_count_kv", layers))
                            : heads;
  const auto intermediate = first.take(per_layer(metadata, "llama.feed_forward_length", layers));
  if (first.error()) return *first.error();
  if (layers > 0) {
    LayerSpec layer;
    layer.attention = first.take(attention_spec(metadata, spec.hidden, heads[0]));
    layer.attention.qkv_bias = binder.has(kNames.tensor_of_layer(0, kNames.q_bias));
    spec.layers.assign(layers, layer);
  }
  for (std::size_t i = 0; i < layers; ++i) {
    spec.layers[i].attention.heads = heads[i];
    spec.layers[i].attention.kv_heads = kv_heads[i];
    spec.layers[i].mlp.intermediate = intermediate[i];
  }
  first.check(spec.check());
  if (first.error()) return *first.error();
  return spec;
}

Result<void> check_vocabulary(const VocabularyData& vocabulary, const ModelSpec& spec) {
  if (vocabulary.tokens.size() <= static_cast<std::size_t>(spec.vocabulary)) return {};
  return Error{Error::Kind::invalid_input,
               fmt::format("The tokenizer has {} tokens, but the embedding has {} rows",
                           vocabulary.tokens.size(), spec.vocabulary),
               "The tokenizer belongs to another model", "Fetch or convert the model again",
               "tokenizer.ggml.tokens"};
}

class GgufModel final : public Model {
 public:
  explicit GgufModel(GgufSet file) : file_(std::move(file)) {}

  Result<void> read() {
    path_ = file_.path();
    format_ = fmt::format("GGUF v{}", file_.version());
    if (auto supported = check_supported(file_.metadata()); !supported.ok())
      return in_file(supported.error());
    auto views = file_.tensor_views();
    if (!views.ok()) return views.error();
    WeightBinder binder(std::move(*views));

    FirstError first;
    spec_ = first.take(read_spec(file_, binder));
    vocabulary_ = first.take(read_gguf_vocabulary(file_.metadata()));
    chat_template_ = first.take(file_.metadata().text("tokenizer.chat_template", ""));
    if (!first.error()) first.check(check_vocabulary(vocabulary_, spec_));
    if (first.error()) return in_file(*first.error());

    weights_ = bind_weights(spec_, kNames, binder);
    auto totals = binder.finish();
    if (!totals.ok()) return in_file(totals.error());
    weight_bytes_ = totals->bytes;
    parameters_ = totals->parameters;
    type_counts_ = std::move(totals->types);
    header_sha256_ = sha256_hex(file_.headers());
    return {};
  }

 private:
  Error in_file(Error error) const {
    error.what = fmt::format("{}: {}", path_.string(), error.what);
    return error;
  }
  GgufSet file_;  // the weights' views point into its maps
};

}  // namespace

Result<std::shared_ptr<const Model>> open_gguf(const std::filesystem::path& path) {
  auto file = GgufSet::open(path);
  if (!file.ok()) return file.error();
  auto model = std::make_shared<GgufModel>(std::move(*file));
  if (auto read = model->read(); !read.ok()) return read.error();
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace pitwall
