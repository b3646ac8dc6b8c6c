// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/transformer.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pitwall {

namespace {

/// Uploads tensors one after another and stops at the first error or at the user's wish.
class Uploader {
 public:
  Uploader(Backend& backend, Bytes total, const std::function<bool(const LoadProgress&)>& on_progress)
      : backend_(backend), on_progress_(on_progress), progress_{"Reading weights", 0, total} {}

  void matrix(const TensorView& tensor, Weight& out) { take(tensor, out, &Backend::upload); }
  void vector(const TensorView& tensor, Weight& out) { take(tensor, out, &Backend::upload_vector); }
  void optional_vector(const TensorView& tensor, Weight& out) {
    if (tensor.valid()) vector(tensor, out);
  }
  Result<void>& state() { return state_; }

 private:
  void take(const TensorView& tensor, Weight& out, Result<Weight> (Backend::*upload)(const TensorView&)) {
    if (!state_) return;
    if (on_progress_ && !on_progress_(progress_)) {
      state_ = Error{.kind = Error::Kind::cancelled,
                     .what = "Loading was cancelled",
                     .cause = {},
                     .action = {},
                     .param = {}};
      return;
    }
    auto weight = (backend_.*upload)(tensor);
    if (!weight) {
      state_ = std::move(weight).error();
      return;
    }
    out = *weight;
    progress_.done += tensor.bytes;
  }

  Backend& backend_;
  const std::function<bool(const LoadProgress&)>& on_progress_;
  LoadProgress progress_;
  Result<void> state_;
};

}  // namespace

Result<std::unique_ptr<Transformer>> Transformer::load(
    const Model& model, Backend& backend, const StepLimits& limits, int max_positions,
    RopeSpec::Frequencies frequencies, const std::function<bool(const LoadProgress&)>& on_progress) {
  std::unique_ptr<Transformer> self(new Transformer(backend));
  self->spec_ = model.spec();
  for (LayerSpec& layer : self->spec_.layers) layer.attention.rope.frequencies = frequencies;
  if (auto ok = self->upload_weights(model, on_progress); !ok) return std::move(ok).error();
  if (auto ok = self->upload_ropes(max_positions); !ok) return std::move(ok).error();
  if (auto ok = backend.prepare_steps(limits); !ok) return std::move(ok).error();
  if (auto ok = self->allocate_activations(); !ok) return std::move(ok).error();
  return self;
}

Result<void> Transformer::upload_weights(const Model& model,
                                         const std::function<bool(const LoadProgress&)>& on_progress) {
  const ModelWeights& weights = model.weights();
  Uploader uploader(backend_, model.weight_bytes(), on_progress);
  uploader.matrix(weights.embedding, embedding_);
  for (const LayerWeights& from : weights.layers) {
    Layer& to = layers_.emplace_back();
    uploader.vector(from.attention_norm, to.attention_norm);
    uploader.matrix(from.q, to.q);
    uploader.matrix(from.k, to.k);
    uploader.matrix(from.v, to.v);
    uploader.matrix(from.o, to.o);
    uploader.optional_vector(from.q_bias, to.q_bias);
    uploader.optional_vector(from.k_bias, to.k_bias);
    uploader.optional_vector(from.v_bias, to.v_bias);
    uploader.vector(from.mlp_norm, to.mlp_norm);
    uploader.matrix(from.mlp.gate, to.gate);
    uploader.matrix(from.mlp.up, to.up);
    uploader.matrix(from.mlp.down, to.down);
  }
  uploader.vector(weights.output_norm, output_norm_);
  if (spec_.tied_embeddings) {
    output_ = embedding_;
  } else {
    uploader.matrix(weights.output, output_);
  }
  return uploader.state();
}

Result<void> Transformer::upload_ropes(int max_positions) {
  std::map<std::tuple<double, int, RopeSpec::Pairing>, RopeTable> tables;  // layers share equal tables
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const RopeSpec& rope = spec_.layers[i].attention.rope;
    const auto key = std::make_tuple(rope.theta, rope.rotary_dim, rope.pairing);
    auto found = tables.find(key);
    if (found == tables.end()) {
      auto table = backend_.upload_rope(rope, max_positions);
      if (!table) return std::move(table).error();
      found = tables.emplace(key, *table).first;
    }
    layers_[i].rope = found->second;
  }
  return {};
}

Result<void> Transformer::allocate_activations() {
  int q = 0, kv = 0, intermediate = 0;
  for (const LayerSpec& layer : spec_.layers) {
    q = std::max(q, layer.attention.heads * layer.attention.head_dim);
    kv = std::max(kv, layer.attention.kv_heads * layer.attention.head_dim);
    intermediate = std::max(intermediate, layer.mlp.intermediate);
  }
  struct Wanted {
    Tensor& tensor;
    Category category;
    RowSet rows;
    int columns;
  };
  const Wanted all[] = {{hidden_, Category::activations, RowSet::tokens, spec_.hidden},
                        {q_, Category::activations, RowSet::tokens, q},
                        {k_, Category::activations, RowSet::tokens, kv},
                        {v_, Category::activations, RowSet::tokens, kv},
                        {attended_, Category::activations, RowSet::tokens, q},
                        {gated_, Category::activations, RowSet::tokens, intermediate},
                        {last_, Category::activations, RowSet::logits, spec_.hidden},
                        {logits_, Category::logits, RowSet::logits, spec_.vocabulary}};
  for (const Wanted& wanted : all) {
    auto tensor = backend_.allocate(wanted.category, wanted.rows, wanted.columns);
    if (!tensor) return std::move(tensor).error();
    wanted.tensor = *tensor;
  }
  return {};
}

void Transformer::forward() {
  backend_.embed(embedding_, hidden_);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const AttentionSpec& attention = spec_.layers[i].attention;
    const int index = static_cast<int>(i);

    const LinearOutput qkv[] = {
        {layer.q, q_, layer.q_bias, {}}, {layer.k, k_, layer.k_bias, {}}, {layer.v, v_, layer.v_bias, {}}};
    backend_.linear(hidden_, {layer.attention_norm, spec_.norm_epsilon}, qkv);
    backend_.rope_append(index, layer.rope, attention, q_, k_, v_);
    backend_.attention({index, attention.heads, attention.kv_heads, attention.head_dim, attention.scale,
                        attention.window.value_or(0)},
                       q_, attended_);
    const LinearOutput projected[] = {{layer.o, hidden_, {}, hidden_}};
    backend_.linear(attended_, {}, projected);

    backend_.gated_linear(hidden_, {layer.mlp_norm, spec_.norm_epsilon}, layer.gate, layer.up,
                          spec_.layers[i].mlp.activation, gated_);
    const LinearOutput down[] = {{layer.down, hidden_, {}, hidden_}};
    backend_.linear(gated_, {}, down);
  }
  backend_.gather_logit_rows(hidden_, last_);
  const LinearOutput output[] = {{output_, logits_, {}, {}}};
  backend_.linear(last_, {output_norm_, spec_.norm_epsilon}, output);
  backend_.sample(logits_);
}

}  // namespace pitwall
