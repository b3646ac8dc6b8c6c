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

LayerWeights bind_layer(const ModelSpec& spec, std::size_t index, const TensorNames& names,
                        WeightBinder& binder) {
  const AttentionSpec& attention = spec.layers[index].attention;
  const std::int64_t q_width = std::int64_t{attention.heads} * attention.head_dim;
  const std::int64_t kv_width = std::int64_t{attention.kv_heads} * attention.head_dim;
  const std::int64_t intermediate = spec.layers[index].mlp.intermediate;
  const auto named = [&](std::string_view name) { return names.tensor_of_layer(index, name); };

  LayerWeights layer;
  layer.attention_norm = binder.vector(named(names.attention_norm), spec.hidden);
  layer.q = binder.matrix(named(names.q), q_width, spec.hidden);
  layer.k = binder.matrix(named(names.k), kv_width, spec.hidden);
  layer.v = binder.matrix(named(names.v), kv_width, spec.hidden);
  layer.o = binder.matrix(named(names.o), spec.hidden, q_width);
  if (attention.qkv_bias) {
    layer.q_bias = binder.vector(named(names.q_bias), q_width);
    layer.k_bias = binder.vector(named(names.k_bias), kv_width);
    layer.v_bias = binder.vector(named(names.v_bias), kv_width);
  }
  layer.mlp_norm = binder.vector(named(names.mlp_norm), spec.hidden);
  layer.mlp.gate = binder.matrix(named(names.gate), intermediate, spec.hidden);
  layer.mlp.up = binder.matrix(named(names.up), intermediate, spec.hidden);
  layer.mlp.down = binder.matrix(named(names.down), spec.hidden, intermediate);
  return layer;
}

}  // namespace

ModelWeights bind_weights(const ModelSpec& spec, const TensorNames& names, WeightBinder& binder) {
  ModelWeights weights;
  weights.embedding = binder.matrix(std::string(names.embedding), spec.vocabulary, spec.hidden);
  weights.output_norm = binder.vector(std::string(names.output_norm), spec.hidden);
  weights.output = spec.tied_embeddings
                       ? weights.embedding
                       : binder.matrix(std::string(names.output), spec.vocabulary, spec.hidden);
  for (std::size_t i = 0; i < spec.layers.size() && !binder.failed(); ++i)
    weights.layers.push_back(bind_layer(spec, i, names, binder));
  return weights;
}

}  // namespace pitwall
