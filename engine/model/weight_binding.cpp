// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/weight_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

Error missing(std::string_view name) {
  return {Error::Kind::invalid_input, fmt::format("tensor {} is missing", quote_for_message(name)),
          "The file is incomplete, or its architecture is not what it says",
          "Fetch or convert the model again", std::string(name)};
}

}  // namespace

std::string TensorNames::tensor_of_layer(std::size_t layer, std::string_view name) const {
  return fmt::format("{}{}.{}", layer_prefix, layer, name);
}

WeightBinder::WeightBinder(std::vector<TensorView> tensors, const WeightAssembler* assembler)
    : assembler_(assembler) {
  for (TensorView& tensor : tensors) {
    std::string name = tensor.name;
    Entry entry;
    entry.view = std::move(tensor);
    tensors_.emplace(std::move(name), std::move(entry));
  }
}

Result<int> WeightBinder::rows_of(std::string_view name) const {
  const auto found = tensors_.find(std::string(name));
  if (found == tensors_.end()) return missing(name);
  return static_cast<int>(std::min<std::int64_t>(found->second.view.rows, std::numeric_limits<int>::max()));
}

TensorView WeightBinder::matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
  TensorView view;
  auto assembled =
      assembler_ ? assembler_->assemble(name, *this) : Result<std::optional<TensorView>>(std::nullopt);
  if (!assembled.ok()) {
    errors_.keep(std::move(assembled).error());
    return {};
  }
  if (*assembled) {
    view = **std::move(assembled);
  } else if (const TensorView* found = find(name)) {
    view = *found;
  } else {
    Error error = missing(name);
    for (const std::string_view part : {"qweight", "weight_packed"}) {
      const std::string beside = name.substr(0, name.rfind('.') + 1) + std::string(part);
      if (has(beside))
        error.cause = fmt::format("{} is there, but no quantization_config tells how to read it",
                                  quote_for_message(beside));
    }
    errors_.keep(std::move(error));
    return {};
  }
  if (view.rows != rows || view.columns != columns) {
    errors_.keep({Error::Kind::invalid_input,
                  fmt::format("tensor {} has shape {} × {}, expected {} × {}", quote_for_message(name),
                              view.rows, view.columns, rows, columns),
                  "The model's configuration and its tensors do not belong together",
                  "Fetch or convert the model again", name});
    return {};
  }
  if (!view.quantized && !is_weight_type(view.type)) {
    errors_.keep({Error::Kind::unsupported,
                  fmt::format("tensor {} is stored as {}, which is no format of weights that is read",
                              quote_for_message(name), tensor_type_info(view.type).name),
                  "It is a part of a quantisation that the configuration does not describe",
                  "Choose a checkpoint in F32, F16 or BF16, or a GGUF file", name});
    return {};
  }
  if (!view.quantized) claim(name, view.type, rows * columns);
  return view;
}

const TensorView* WeightBinder::find(std::string_view name) const {
  const auto found = tensors_.find(std::string(name));
  return found == tensors_.end() ? nullptr : &found->second.view;
}

const TensorView& WeightBinder::claim(std::string_view name, TensorType type, std::int64_t parameters) {
  Entry& entry = tensors_.at(std::string(name));
  entry.used = true;
  entry.counted_as = type;
  entry.parameters = parameters;
  return entry.view;
}

void WeightBinder::ignore(std::string_view suffix) {
  for (auto& [name, entry] : tensors_) entry.ignored = entry.ignored || name.ends_with(suffix);
}

std::vector<std::string> WeightBinder::ignore_if(const std::function<bool(std::string_view)>& matches) {
  std::vector<std::string> ignored;
  for (auto& [name, entry] : tensors_) {
    if (entry.used || entry.ignored || !matches(name)) continue;
    entry.ignored = true;
    ignored.push_back(name);
  }
  return ignored;
}

TensorView WeightBinder::beside_weights(const std::string& name) {
  Entry& entry = tensors_.at(name);
  entry.ignored = true;
  return entry.view;
}

Result<WeightTotals> WeightBinder::finish() const {
  if (errors_.error()) return *errors_.error();
  std::vector<std::string> left_over;
  std::map<TensorType, Model::TypeCount> types;
  WeightTotals totals;
  for (const auto& [name, entry] : tensors_) {
    if (!entry.used) {
      if (!entry.ignored) left_over.push_back(name);
      continue;
    }
    Model::TypeCount& count =
        types.try_emplace(entry.counted_as, Model::TypeCount{entry.counted_as, 0, 0, 0}).first->second;
    if (entry.parameters > 0) ++count.tensors;
    count.bytes += entry.view.bytes;
    count.parameters += entry.parameters;
    totals.bytes += entry.view.bytes;
    totals.parameters += entry.parameters;
  }
  if (!left_over.empty()) {
    std::sort(left_over.begin(), left_over.end());
    return Error{
        Error::Kind::unsupported,
        left_over.size() == 1
            ? fmt::format("tensor {} has no place in this architecture", quote_for_message(left_over.front()))
            : fmt::format("{} tensors have no place in this architecture, the first is {}", left_over.size(),
                          quote_for_message(left_over.front())),
        "The model uses a variant that is not supported yet", "", left_over.front()};
  }
  for (const auto& [type, count] : types) totals.types.push_back(count);
  return totals;
}

namespace {

/// Binds one layer: shapes come from its spec, names from the family.
class LayerBinder {
 public:
  LayerBinder(const ModelSpec& spec, std::size_t index, const TensorNames& names, WeightBinder& binder)
      : spec_(spec), layer_(spec.layers[index]), index_(index), names_(names), binder_(binder) {}

  LayerWeights bind() {
    LayerWeights weights;
    weights.attention_norm = norm(names_.attention_norm);
    bind_attention(weights);
    if (!layer_.parallel) weights.mlp_norm = norm(names_.mlp_norm);
    if (layer_.post_norms) {
      weights.post_attention_norm = norm(names_.post_attention_norm);
      weights.post_mlp_norm = norm(names_.post_mlp_norm);
    }
    if (layer_.mlp.moe) {
      bind_experts(*layer_.mlp.moe, weights);
    } else {
      weights.mlp = gated(layer_.mlp.intermediate, layer_.mlp.bias);
    }
    return weights;
  }

 private:
  std::string named(std::string_view name, std::string_view suffix = {}) const {
    return names_.tensor_of_layer(index_, name) + std::string(suffix);
  }
  TensorView norm(std::string_view name) { return binder_.vector(named(name), spec_.hidden); }
  TensorView weight(std::string_view name, std::int64_t rows, std::int64_t columns) {
    return binder_.matrix(named(name, ".weight"), rows, columns);
  }
  TensorView bias(std::string_view name, std::int64_t size) {
    return binder_.vector(named(name, ".bias"), size);
  }
  bool has_linear(std::string_view name) const {
    if (name.empty()) return false;
    for (const std::string_view suffix : {".weight", ".qweight", ".weight_packed"}) {
      if (binder_.has(named(name, suffix))) return true;
    }
    return false;
  }

  void bind_attention(LayerWeights& weights) {
    const AttentionSpec& attention = layer_.attention;
    const std::int64_t q_width = std::int64_t{attention.heads} * attention.head_dim;
    const std::int64_t kv_width = std::int64_t{attention.kv_heads} * attention.head_dim;
    if (!has_linear(names_.q) && has_linear(names_.qkv)) {
      const TensorView all = weight(names_.qkv, q_width + 2 * kv_width, spec_.hidden);
      weights.q = slice_rows(all, 0, q_width);
      weights.k = slice_rows(all, q_width, kv_width);
      weights.v = slice_rows(all, q_width + kv_width, kv_width);
    } else {
      weights.q = weight(names_.q, q_width, spec_.hidden);
      weights.k = weight(names_.k, kv_width, spec_.hidden);
      weights.v = weight(names_.v, kv_width, spec_.hidden);
    }
    weights.o = weight(names_.o, spec_.hidden, q_width);
    if (attention.qkv_bias) {
      weights.q_bias = bias(names_.q, q_width);
      weights.k_bias = bias(names_.k, kv_width);
      weights.v_bias = bias(names_.v, kv_width);
    }
    if (attention.output_bias) weights.o_bias = bias(names_.o, spec_.hidden);
    if (attention.qk_norm == QkNorm::shared) {
      weights.q_norm = binder_.vector(named(names_.q_norm), attention.head_dim);
      weights.k_norm = binder_.vector(named(names_.k_norm), attention.head_dim);
    } else if (attention.qk_norm == QkNorm::per_head) {
      weights.q_norm = binder_.matrix(named(names_.q_norm), attention.heads, attention.head_dim);
      weights.k_norm = binder_.matrix(named(names_.k_norm), attention.kv_heads, attention.head_dim);
    }
  }

  MlpWeights gated(std::int64_t intermediate, bool with_bias) {
    MlpWeights mlp;
    if (!has_linear(names_.gate) && has_linear(names_.gate_up)) {
      const TensorView both = weight(names_.gate_up, 2 * intermediate, spec_.hidden);
      mlp.gate = slice_rows(both, 0, intermediate);
      mlp.up = slice_rows(both, intermediate, intermediate);
    } else {
      mlp.gate = weight(names_.gate, intermediate, spec_.hidden);
      mlp.up = weight(names_.up, intermediate, spec_.hidden);
    }
    mlp.down = weight(names_.down, spec_.hidden, intermediate);
    if (with_bias) {
      mlp.gate_bias = bias(names_.gate, intermediate);
      mlp.up_bias = bias(names_.up, intermediate);
      mlp.down_bias = bias(names_.down, spec_.hidden);
    }
    return mlp;
  }

  void bind_experts(const MoeSpec& moe, LayerWeights& weights) {
    weights.router = binder_.matrix(named(names_.router), moe.experts, spec_.hidden);
    if (!weights.router.valid()) return;  // and the count of experts is but a number in the file
    weights.experts.resize(static_cast<std::size_t>(moe.experts));
    if (!names_.gate_experts.empty() && binder_.has(named(names_.gate_experts))) {
      bind_stacked_experts(moe, weights.experts);
    } else {
      for (std::size_t e = 0; e < weights.experts.size(); ++e) bind_expert(moe, e, weights.experts[e]);
    }
    if (moe.shared_intermediate == 0) return;
    weights.mlp.gate = weight(names_.shared_gate, moe.shared_intermediate, spec_.hidden);
    weights.mlp.up = weight(names_.shared_up, moe.shared_intermediate, spec_.hidden);
    weights.mlp.down = weight(names_.shared_down, spec_.hidden, moe.shared_intermediate);
    if (moe.shared_gate) weights.shared_gate = binder_.matrix(named(names_.shared_router), 1, spec_.hidden);
  }

  void bind_expert(const MoeSpec& moe, std::size_t expert, MlpWeights& weights) {
    const auto part = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
      return binder_.matrix(named(fmt::format("{}{}.{}", names_.expert_prefix, expert, name)), rows, columns);
    };
    weights.gate = part(names_.expert_gate, moe.intermediate, spec_.hidden);
    weights.up = part(names_.expert_up, moe.intermediate, spec_.hidden);
    weights.down = part(names_.expert_down, spec_.hidden, moe.intermediate);
  }

  void bind_stacked_experts(const MoeSpec& moe, std::vector<MlpWeights>& experts) {
    const std::int64_t count = moe.experts, width = moe.intermediate;
    const TensorView gate = binder_.matrix(named(names_.gate_experts), count * width, spec_.hidden);
    const TensorView up = binder_.matrix(named(names_.up_experts), count * width, spec_.hidden);
    const TensorView down = binder_.matrix(named(names_.down_experts), count * spec_.hidden, width);
    for (std::size_t e = 0; e < experts.size(); ++e) {
      const auto expert = static_cast<std::int64_t>(e);
      experts[e].gate = slice_rows(gate, expert * width, width);
      experts[e].up = slice_rows(up, expert * width, width);
      experts[e].down = slice_rows(down, expert * spec_.hidden, spec_.hidden);
    }
  }

  const ModelSpec& spec_;
  const LayerSpec& layer_;
  const std::size_t index_;
  const TensorNames& names_;
  WeightBinder& binder_;
};

}  // namespace

ModelWeights bind_weights(const ModelSpec& spec, const TensorNames& names, WeightBinder& binder) {
  ModelWeights weights;
  weights.embedding = binder.matrix(std::string(names.embedding), spec.vocabulary, spec.hidden);
  weights.output_norm = binder.vector(std::string(names.output_norm), spec.hidden);
  weights.output = spec.tied_embeddings
                       ? weights.embedding
                       : binder.matrix(std::string(names.output), spec.vocabulary, spec.hidden);
  for (std::size_t i = 0; i < spec.layers.size() && !binder.failed(); ++i)
    weights.layers.push_back(LayerBinder(spec, i, names, binder).bind());
  return weights;
}

}  // namespace pitwall
