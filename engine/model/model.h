// SPDX-License-Identifier: GPL-3.0-or-later
// Model: an opened checkpoint. Weights stay in the mapped file in their packed form.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/model/model_spec.h"
#include "engine/model/tensor_type.h"

namespace pitwall {

struct QuantizedLinear;

/// A tensor in a mapped file. rows × columns, row-major, each row `columns` numbers (vectors: rows = 1).
/// `data` lives as long as the Model; it is not aligned.
struct TensorView {
  std::string name;  ///< as in the file; of a quantised linear the name of its `.weight`
  TensorType type = TensorType::f32;
  std::int64_t rows = 0, columns = 0;
  const std::byte* data = nullptr;
  std::int64_t bytes = 0;
  /// Set instead of `data` where codes, scales and zeros are tensors of their own (AWQ, GPTQ, fp8 …); this
  /// view is its rows from first_row on.
  std::shared_ptr<const QuantizedLinear> quantized = {};
  std::int64_t first_row = 0;
  bool valid() const { return data != nullptr || quantized != nullptr; }
};
/// `rows` rows of a view from `first` on: a part of a fused projection, an expert of a stack.
TensorView slice_rows(const TensorView& view, std::int64_t first, std::int64_t rows);

/// A gated MLP's matrices. Biases are invalid where the spec has none.
struct MlpWeights {
  TensorView gate, up, down, gate_bias, up_bias, down_bias;
};
/// Canonical roles; linear weights are [out rows × in columns]. Views that the spec does not call for are
/// invalid.
struct LayerWeights {
  TensorView attention_norm, q, k, v, o;
  TensorView q_bias, k_bias, v_bias, o_bias;
  TensorView q_norm, k_norm;  ///< one head wide, or all heads where each has its own weights
  TensorView post_attention_norm, mlp_norm, post_mlp_norm;
  MlpWeights mlp;  ///< where the spec has no moe; else the shared expert
  TensorView router;
  std::vector<MlpWeights> experts;
  TensorView shared_gate;  ///< 1 × hidden
  /// Of fp8 KV, one for each kv head: number = stored·scale. Empty where the checkpoint has none.
  std::vector<float> k_scales, v_scales;
};
struct ModelWeights {
  TensorView embedding, output_norm, output;  ///< output = embedding when tied
  std::vector<LayerWeights> layers;
};

/// The vocabulary as the checkpoint states it; text/ builds the tokenizer from it.
struct VocabularyData {
  enum class Source { none, gguf, tokenizer_json, sentencepiece };
  Source source = Source::none;
  // gguf
  std::string model;  ///< tokenizer.ggml.model: "gpt2", "llama" …
  std::string name;   ///< general.name; may be empty
  std::string pre;    ///< tokenizer.ggml.pre: "smollm", "gpt-2" …; may be empty
  std::vector<std::string> tokens;
  /// 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte; empty, or one for each token.
  std::vector<std::int32_t> token_types;
  std::vector<float> scores;  ///< may be empty
  std::vector<std::string> merges;
  std::string charsmap;  ///< SentencePiece's precompiled character map; may be empty
  std::optional<TokenId> bos, eos, unknown, padding;
  /// All tokens that end a reply as the files name them: config.json and generation_config.json, or a GGUF's
  /// eot and eom.
  std::vector<TokenId> ends;
  std::optional<bool> add_bos, add_eos, add_space_prefix, remove_extra_spaces;  ///< as the file says
  // tokenizer_json
  std::filesystem::path tokenizer_json;  ///< tokenizer.json beside config.json
  // sentencepiece
  std::filesystem::path sentencepiece;  ///< tokenizer.model beside config.json
  // both
  std::filesystem::path tokenizer_config_json;  ///< may not exist
};

/// A chat template of a checkpoint: Jinja source by name ("default", "tool_use", …).
struct NamedTemplate {
  std::string name, source;
};

/// Immutable after open; share between threads.
class Model {
 public:
  /// A .gguf file, or a folder with config.json + safetensors. Errors name the file, the offset or key, and
  /// the reason: missing, wrong magic, truncated (bytes expected and found), unknown architecture or tensor
  /// type.
  static Result<std::shared_ptr<const Model>> open(const std::filesystem::path& path);

  virtual ~Model() = default;
  const ModelSpec& spec() const { return spec_; }
  const ModelWeights& weights() const { return weights_; }
  const VocabularyData& vocabulary() const { return vocabulary_; }
  /// "default" first, where there is one.
  const std::vector<NamedTemplate>& chat_templates() const { return chat_templates_; }
  /// Source of the default template; for requests with tools that of "tool_use", if there is one. Empty:
  /// none.
  const std::string& chat_template(bool with_tools = false) const;
  const std::filesystem::path& path() const { return path_; }
  Bytes weight_bytes() const { return weight_bytes_; }     ///< packed, each tensor once
  std::int64_t parameters() const { return parameters_; }  ///< numbers stored, each tensor once
  /// Scales of attention and activations in the checkpoint that the engine does not use, by name.
  const std::vector<std::string>& unused_scales() const { return unused_scales_; }
  std::string quantization() const;               ///< the type that holds most parameters: "Q4_1", "BF16"
  std::string format() const { return format_; }  ///< "GGUF v3", "safetensors"
  /// Of the header bytes: the model's identity in records.
  std::string header_sha256() const { return header_sha256_; }

  struct TypeCount {
    TensorType type;
    int tensors;
    Bytes bytes;
    std::int64_t parameters;
  };
  std::vector<TypeCount> type_counts() const;

 protected:
  Model() = default;
  ModelSpec spec_;
  ModelWeights weights_;
  VocabularyData vocabulary_;
  std::vector<NamedTemplate> chat_templates_;
  std::string format_, header_sha256_;
  std::filesystem::path path_;
  Bytes weight_bytes_ = 0;
  std::int64_t parameters_ = 0;
  std::vector<TypeCount> type_counts_;
  std::vector<std::string> unused_scales_;
};

}  // namespace pitwall
