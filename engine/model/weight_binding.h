// SPDX-License-Identifier: GPL-3.0-or-later
// From tensors by name to weights by role. A checkpoint family is a TensorNames table; shapes follow from the
// ModelSpec.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/first_error.h"
#include "engine/model/model.h"

namespace pitwall {

/// Names in the file; layer names follow `layer_prefix` + index + ".". Of linears the name before ".weight"
/// and
/// ".bias". Empty: the family has no such tensor.
struct TensorNames {
  std::string_view embedding = {}, output_norm = {}, output = {}, layer_prefix = {};
  std::string_view attention_norm = {}, q = {}, k = {}, v = {}, o = {};
  std::string_view qkv = {};  ///< q, k and v in one, used where q is not there
  std::string_view q_norm = {}, k_norm = {}, post_attention_norm = {}, mlp_norm = {}, post_mlp_norm = {};
  std::string_view gate = {}, up = {}, down = {};
  std::string_view gate_up = {};  ///< gate and up in one, used where gate is not there
  std::string_view router = {};
  std::string_view expert_prefix = {}, expert_gate = {}, expert_up = {},
                   expert_down = {};                                       ///< prefix + index + "." + name
  std::string_view gate_experts = {}, up_experts = {}, down_experts = {};  ///< all experts in one tensor
  std::string_view shared_gate = {}, shared_up = {}, shared_down = {}, shared_router = {};
  std::string tensor_of_layer(std::size_t layer, std::string_view name) const;
};

/// What the bound tensors add up to; each tensor counts once.
struct WeightTotals {
  Bytes bytes = 0;
  std::int64_t parameters = 0;
  std::vector<Model::TypeCount> types;  ///< by TensorType
};

class WeightBinder;

/// Puts a linear together from several tensors, where a checkpoint stores it so (AWQ, GPTQ, fp8 with scales).
class WeightAssembler {
 public:
  virtual ~WeightAssembler() = default;
  /// The linear that `name` (ending in ".weight") stands for, its parts claimed from the binder; nothing when
  /// the binder holds it as an ordinary tensor.
  virtual Result<std::optional<TensorView>> assemble(const std::string& name, WeightBinder& binder) const = 0;
};

/// Hands out tensors by name, checks their shapes, and remembers which were used. After the first error the
/// views that it hands out are invalid; finish() tells.
class WeightBinder {
 public:
  /// `assembler` may be null and must live as long as the binder.
  explicit WeightBinder(std::vector<TensorView> tensors, const WeightAssembler* assembler = nullptr);

  bool has(std::string_view name) const { return tensors_.contains(std::string(name)); }
  Result<int> rows_of(std::string_view name) const;
  std::size_t size() const { return tensors_.size(); }
  bool failed() const { return errors_.error().has_value(); }

  TensorView matrix(const std::string& name, std::int64_t rows, std::int64_t columns);
  TensorView vector(const std::string& name, std::int64_t size) { return matrix(name, 1, size); }
  void ignore(std::string_view suffix);  ///< tensors that a checkpoint may hold without meaning
  /// The same for tensors that nothing asked for, by name; returns the names.
  std::vector<std::string> ignore_if(const std::function<bool(std::string_view)>& matches);
  /// A tensor of any shape that no total counts; it must exist.
  TensorView beside_weights(const std::string& name);

  // For assemblers.
  const TensorView* find(std::string_view name) const;  ///< nullptr when absent
  /// The tensor is a part of a linear of `type`; `parameters` of the linear's numbers are counted with it (0
  /// for scales and zeros). It must exist.
  const TensorView& claim(std::string_view name, TensorType type, std::int64_t parameters);

  /// The first error of all; or that tensors are left over which nothing asked for: the model is more than we
  /// understand.
  Result<WeightTotals> finish() const;

 private:
  struct Entry {
    TensorView view;
    bool used = false, ignored = false;
    TensorType counted_as = TensorType::f32;
    std::int64_t parameters = 0;
  };
  std::unordered_map<std::string, Entry> tensors_;
  const WeightAssembler* assembler_;
  FirstError errors_;
};

/// All weights that `spec` calls for. Errors stay in the binder; layers end at the first one, however many a
/// hostile file claims.
ModelWeights bind_weights(const ModelSpec& spec, const TensorNames& names, WeightBinder& binder);

}  // namespace pitwall
