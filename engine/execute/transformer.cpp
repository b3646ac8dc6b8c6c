// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/transformer.h"

#include <algorithm>

namespace pitwall {

namespace {

/// Uploads tensors one after another and stops at the first error or at the user's wish.
class Uploader {
 public:
  Uploader(Backend& backend, Bytes total, const std::function<bool(const LoadProgress&)>& on_progress)
      : backend_(backend), on_progress_(on_progress), progress_{"Reading weights", 0, total} {}

  // Views that the spec does not call for are invalid and stay so.
  void matrix(const TensorView& tensor, Weight& out) {
    take(tensor, out, [this](const TensorView& view) { return backend_.upload(view); });
  }
  void vector(const TensorView& tensor, Weight& out, float offset = 0) {
    take(tensor, out, [=, this](const TensorView& view) { return backend_.upload_vector(view, offset); });
  }
  void experts(const TensorView& router, const std::vector<ExpertWeights>& all, const MlpSpec& spec,
               Experts& out) {
    take(router, out, [&](const TensorView& view) {
      return backend_.group_experts(view, all, *spec.moe, spec.activation);
    });
  }
  Result<void>& state() { return state_; }

 private:
  template <class Handle, class Upload>
  void take(const TensorView& tensor, Handle& out, const Upload& upload) {
    if (!state_ || !tensor.valid()) return;
    if (on_progress_ && !on_progress_(progress_)) {
      state_ = Error{.kind = Error::Kind::cancelled,
                     .what = "Loading was cancelled",
                     .cause = {},
                     .action = {},
                     .param = {}};
      return;
    }
    auto uploaded = upload(tensor);
    if (!uploaded) {
      state_ = std::move(uploaded).error();
      return;
    }
    out = *uploaded;
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
  for (LayerSpec& layer : self->spec_.layers) {
    if (layer.attention.rope) layer.attention.rope->frequencies = frequencies;
  }
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
  const float offset = spec_.norm.weight_offset;
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& from = weights.layers[i];
    Layer& to = layers_.emplace_back();
    uploader.vector(from.attention_norm, to.attention_norm, offset);
    uploader.matrix(from.q, to.q);
    uploader.matrix(from.k, to.k);
    uploader.matrix(from.v, to.v);
    uploader.matrix(from.o, to.o);
    uploader.vector(from.q_bias, to.q_bias);
    uploader.vector(from.k_bias, to.k_bias);
    uploader.vector(from.v_bias, to.v_bias);
    uploader.vector(from.o_bias, to.o_bias);
    uploader.vector(from.q_norm, to.q_norm, offset);
    uploader.vector(from.k_norm, to.k_norm, offset);
    uploader.vector(from.post_attention_norm, to.post_attention_norm, offset);
    uploader.vector(from.mlp_norm, to.mlp_norm, offset);
    uploader.vector(from.post_mlp_norm, to.post_mlp_norm, offset);
    uploader.matrix(from.mlp.gate, to.mlp.gated.gate);
    uploader.matrix(from.mlp.up, to.mlp.gated.up);
    uploader.matrix(from.mlp.down, to.mlp.down);
    uploader.vector(from.mlp.gate_bias, to.mlp.gated.gate_bias);
    uploader.vector(from.mlp.up_bias, to.mlp.gated.up_bias);
    uploader.vector(from.mlp.down_bias, to.mlp.down_bias);
    to.mlp.gated.activation = spec_.layers[i].mlp.activation;
    if (!spec_.layers[i].mlp.moe) continue;
    uploader.matrix(from.shared_gate, to.shared_gate);
    std::vector<ExpertWeights> experts(from.experts.size());
    for (std::size_t e = 0; e < experts.size(); ++e) {
      uploader.matrix(from.experts[e].gate, experts[e].gate);
      uploader.matrix(from.experts[e].up, experts[e].up);
      uploader.matrix(from.experts[e].down, experts[e].down);
    }
    uploader.experts(from.router, experts, spec_.layers[i].mlp, to.experts);
  }
  uploader.vector(weights.output_norm, output_norm_, offset);
  if (spec_.tied_embeddings) {
    output_ = embedding_;
  } else {
    uploader.matrix(weights.output, output_);
  }
  return uploader.state();
}

Result<void> Transformer::upload_ropes(int max_positions) {
  std::vector<std::pair<RopeSpec, RopeTable>> tables;  // layers share equal tables
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::optional<RopeSpec>& rope = spec_.layers[i].attention.rope;
    if (!rope) continue;
    auto found =
        std::find_if(tables.begin(), tables.end(), [&](const auto& one) { return one.first == *rope; });
    if (found == tables.end()) {
      auto table = backend_.upload_rope(*rope, max_positions);
      if (!table) return std::move(table).error();
      found = tables.insert(tables.end(), {*rope, *table});
    }
    layers_[i].rope = found->second;
  }
  return {};
}

Result<void> Transformer::allocate_activations() {
  int q = 0, kv = 0, intermediate = 0;
  bool post_norms = false, shared_gate = false;
  for (const LayerSpec& layer : spec_.layers) {
    q = std::max(q, layer.attention.heads * layer.attention.head_dim);
    kv = std::max(kv, layer.attention.kv_heads * layer.attention.head_dim);
    const MlpSpec& mlp = layer.mlp;
    intermediate = std::max(intermediate, mlp.moe ? mlp.moe->shared_intermediate : mlp.intermediate);
    post_norms = post_norms || layer.post_norms;
    shared_gate = shared_gate || (mlp.moe && mlp.moe->shared_gate);
  }
  struct Wanted {
    Tensor& tensor;
    int columns;
    Precision precision = Precision::compute;
    RowSet rows = RowSet::tokens;
    Category category = Category::activations;
  };
  const Wanted all[] = {{hidden_, spec_.hidden, Precision::wide},
                        {attended_, q},
                        {gated_, intermediate},
                        {branch_, post_norms ? spec_.hidden : 0},
                        {shared_gate_, shared_gate ? 1 : 0},
                        {last_, spec_.hidden, Precision::wide, RowSet::logits},
                        {logits_, spec_.vocabulary, Precision::wide, RowSet::logits, Category::logits}};
  for (const Wanted& wanted : all) {
    if (wanted.columns == 0) continue;
    auto tensor = backend_.allocate(wanted.category, wanted.rows, wanted.columns, wanted.precision);
    if (!tensor) return std::move(tensor).error();
    wanted.tensor = *tensor;
  }
  const int projected[] = {q, kv, kv};
  auto qkv = backend_.allocate_together(projected);
  if (!qkv) return std::move(qkv).error();
  q_ = (*qkv)[0], k_ = (*qkv)[1], v_ = (*qkv)[2];
  return {};
}

void Transformer::attend(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const AttentionSpec& attention = spec_.layers[static_cast<std::size_t>(index)].attention;
  const LinearOutput qkv[] = {
      {layer.q, q_, layer.q_bias, {}}, {layer.k, k_, layer.k_bias, {}}, {layer.v, v_, layer.v_bias, {}}};
  backend_.linear(hidden_, norm(layer.attention_norm), qkv);
  backend_.rope_append({index, layer.rope, norm(layer.q_norm), norm(layer.k_norm)}, attention, q_, k_, v_);
  backend_.attention({index, attention.heads, attention.kv_heads, attention.head_dim, attention.scale,
                      attention.window.value_or(0), attention.softcap},
                     q_, attended_);
}

void Transformer::project_attention(int index, NormPrologue next) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  if (spec_.layers[static_cast<std::size_t>(index)].post_norms) {
    const LinearOutput projected[] = {{layer.o, branch_, layer.o_bias, {}}};
    backend_.linear(attended_, {}, projected);
    backend_.norm_add(branch_, norm(layer.post_attention_norm), spec_.residual_scale, hidden_);
  } else {
    const LinearOutput projected[] = {
        {layer.o, hidden_, layer.o_bias, hidden_, spec_.residual_scale, 0, {}, next}};
    backend_.linear(attended_, {}, projected);
  }
}

/// The part of the MLP that only reads hidden: what `input` norms is still whole.
void Transformer::gate_mlp(int index, NormPrologue input) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  if (layer.mlp.down.valid()) backend_.gated_linear(hidden_, input, layer.mlp.gated, gated_);
  if (layer.shared_gate.valid()) {
    const LinearOutput gate[] = {{layer.shared_gate, shared_gate_, {}, {}}};
    backend_.linear(hidden_, input, gate);
  }
}

void Transformer::project_mlp(int index, NormPrologue input, NormPrologue next) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const bool post_norms = spec_.layers[static_cast<std::size_t>(index)].post_norms;
  const Tensor out = post_norms ? branch_ : hidden_;
  Tensor residual = post_norms ? Tensor{} : hidden_;
  const float scale = post_norms ? 1 : spec_.residual_scale;
  if (layer.experts.valid()) {
    backend_.moe(hidden_, input, layer.experts, scale, residual, out);
    residual = out;
  }
  if (layer.mlp.down.valid()) {
    const LinearOutput down[] = {{layer.mlp.down, out, layer.mlp.down_bias, residual, scale, 0,
                                  layer.shared_gate.valid() ? shared_gate_ : Tensor{},
                                  post_norms ? NormPrologue{} : next}};
    backend_.linear(gated_, {}, down);
  }
  if (post_norms) backend_.norm_add(branch_, norm(layer.post_mlp_norm), spec_.residual_scale, hidden_);
}

void Transformer::forward() {
  backend_.embed(embedding_, spec_.embedding_scale, hidden_);
  for (int index = 0; index < static_cast<int>(layers_.size()); ++index) {
    const auto at = static_cast<std::size_t>(index);
    const Layer& layer = layers_[at];
    const bool is_last = at + 1 == layers_.size();  // the rows of logits are gathered before they are normed
    const NormPrologue next = is_last ? NormPrologue{} : norm(layers_[at + 1].attention_norm);
    attend(index);
    if (spec_.layers[at].parallel) {
      gate_mlp(index, norm(layer.attention_norm));
      project_attention(index, {});
      project_mlp(index, norm(layer.attention_norm), next);
    } else {
      project_attention(index, layer.mlp.down.valid() ? norm(layer.mlp_norm) : NormPrologue{});
      gate_mlp(index, norm(layer.mlp_norm));
      project_mlp(index, norm(layer.mlp_norm), next);
    }
  }
  backend_.gather_logit_rows(hidden_, last_);
  const LinearOutput output[] = {{output_, logits_, {}, {}, spec_.logit_scale, spec_.logit_softcap, {}}};
  backend_.linear(last_, norm(output_norm_), output);
  backend_.sample(logits_);
}

}  // namespace pitwall
