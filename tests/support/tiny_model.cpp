// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/tiny_model.h"

#include <cstring>
#include <random>

#include "tests/support/gguf_writer.h"

namespace pitwall::test {

namespace {

constexpr std::uint32_t kHidden = 64, kHeads = 2, kKvHeads = 1, kHeadDim = 32, kIntermediate = 96,
                        kLayers = 2;
constexpr int kControlTokens = 3;

constexpr const char* kChatTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% "
    "endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// Byte-level vocabularies write each byte as one printable character.
std::string byte_character(int byte, int& next_substitute) {
  const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
  const int code = printable ? byte : next_substitute++;
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

class Weights {
 public:
  Weights(GgufWriter& writer, std::uint32_t seed) : writer_(writer), random_(seed) {}

  void ones(const std::string& name, std::uint64_t size) {
    add(name, {size}, std::vector<float>(size, 1.0f));
  }
  /// `rows` of `columns` numbers with this deviation.
  std::vector<float> normal(std::uint64_t columns, std::uint64_t rows, float deviation) {
    std::normal_distribution<float> distribution(0.0f, deviation);
    std::vector<float> values(columns * rows);
    for (float& value : values) value = distribution(random_);
    return values;
  }
  void matrix(const std::string& name, std::uint64_t columns, std::uint64_t rows, float deviation) {
    add(name, {columns, rows}, normal(columns, rows, deviation));
  }
  void add(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
    std::string data(values.size() * sizeof(float), '\0');
    std::memcpy(data.data(), values.data(), data.size());
    writer_.tensors.push_back({.name = name, .shape = std::move(shape), .type = 0, .data = std::move(data)});
  }

 private:
  GgufWriter& writer_;
  std::mt19937 random_;
};

void add_vocabulary(GgufWriter& writer, const TinyModel& model) {
  std::vector<std::string> tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  std::vector<std::int32_t> types(kControlTokens, 3);
  int next_substitute = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(byte_character(byte, next_substitute));
    types.push_back(1);
  }
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", "gpt-2");
  writer.texts("tokenizer.ggml.tokens", tokens);
  writer.i32s("tokenizer.ggml.token_type", types);
  writer.texts("tokenizer.ggml.merges", {});
  writer.u32("tokenizer.ggml.bos_token_id", 0);
  writer.u32("tokenizer.ggml.eos_token_id", kTinyEnd);
  writer.flag("tokenizer.ggml.add_bos_token", false);
  if (model.chat_template) {
    writer.text("tokenizer.chat_template", model.own_template.empty() ? kChatTemplate : model.own_template);
  }
  if (!model.tool_template.empty()) writer.text("tokenizer.chat_template.tool_use", model.tool_template);
}

void add_weights(GgufWriter& writer, std::uint32_t seed) {
  Weights weights(writer, seed);
  weights.matrix("token_embd.weight", kHidden, kTinyVocabulary, 1.0f);
  for (std::uint32_t i = 0; i < kLayers; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    weights.ones(layer + "attn_norm.weight", kHidden);
    // Strong attention: a reply depends on all of its prompt, not on the last token alone.
    weights.matrix(layer + "attn_q.weight", kHidden, kHeads * kHeadDim, 0.25f);
    weights.matrix(layer + "attn_k.weight", kHidden, kKvHeads * kHeadDim, 0.25f);
    weights.matrix(layer + "attn_v.weight", kHidden, kKvHeads * kHeadDim, 0.25f);
    weights.matrix(layer + "attn_output.weight", kHeads * kHeadDim, kHidden, 0.25f);
    weights.ones(layer + "ffn_norm.weight", kHidden);
    weights.matrix(layer + "ffn_gate.weight", kHidden, kIntermediate, 0.15f);
    weights.matrix(layer + "ffn_up.weight", kHidden, kIntermediate, 0.15f);
    weights.matrix(layer + "ffn_down.weight", kIntermediate, kHidden, 0.15f);
  }
  weights.ones("output_norm.weight", kHidden);
  std::vector<float> output = weights.normal(kHidden, kTinyVocabulary, 0.6f);
  for (int token = 0; token < kTinyVocabulary; ++token) {
    const int byte = token - kControlTokens;
    if (byte >= ' ' && byte <= '~') continue;
    std::fill_n(output.begin() + static_cast<std::ptrdiff_t>(token) * kHidden, kHidden, 0.0f);
  }
  weights.add("output.weight", {kHidden, kTinyVocabulary}, output);
}

}  // namespace

std::filesystem::path write_tiny_model(const std::filesystem::path& folder, const TinyModel& model) {
  GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.text("general.name", model.name);
  writer.u32("llama.block_count", kLayers);
  writer.u32("llama.context_length", model.context_length);
  writer.u32("llama.embedding_length", kHidden);
  writer.u32("llama.feed_forward_length", kIntermediate);
  writer.u32("llama.attention.head_count", kHeads);
  writer.u32("llama.attention.head_count_kv", kKvHeads);
  writer.u32("llama.rope.dimension_count", kHeadDim);
  writer.f32("llama.rope.freq_base", 10000.0f);
  writer.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  add_vocabulary(writer, model);
  add_weights(writer, model.seed);
  return writer.save(folder / "tiny.gguf");
}

std::vector<TokenId> tiny_tokens(const std::string& text) {
  std::vector<TokenId> tokens;
  for (const char c : text) tokens.push_back(static_cast<unsigned char>(c) + 3);
  return tokens;
}

}  // namespace pitwall::test
