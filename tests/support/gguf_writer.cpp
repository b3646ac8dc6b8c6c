// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/gguf_writer.h"

#include <fstream>
#include <random>

namespace pitwall::test {

namespace {

enum Type : std::uint32_t { kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9 };

template <class Number>
std::string packed_number(Number value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::size_t padded(std::size_t size, std::uint64_t alignment) {
  return alignment == 0 ? size : (size + alignment - 1) / alignment * alignment;
}

GgufWriter::Tensor random_tensor(const std::string& name, std::vector<std::uint64_t> shape,
                                 std::mt19937& random) {
  GgufWriter::Tensor tensor{name, std::move(shape)};
  std::uint64_t elements = 1;
  for (const std::uint64_t size : tensor.shape) elements *= size;
  std::normal_distribution<float> normal;
  for (std::uint64_t i = 0; i < elements; ++i) tensor.data += GgufWriter::pack(normal(random));
  return tensor;
}

}  // namespace

std::string GgufWriter::pack(std::uint32_t value) {
  return packed_number(value);
}
std::string GgufWriter::pack(std::uint64_t value) {
  return packed_number(value);
}
std::string GgufWriter::pack(float value) {
  return packed_number(value);
}
std::string GgufWriter::pack(std::string_view value) {
  return pack(std::uint64_t{value.size()}).append(value);
}

void GgufWriter::raw(std::string_view key, std::uint32_t type, std::string_view packed) {
  entries_.push_back({std::string(key), type, std::string(packed)});
}
void GgufWriter::text(std::string_view key, std::string_view value) {
  raw(key, kString, pack(value));
}
void GgufWriter::u32(std::string_view key, std::uint32_t value) {
  raw(key, kU32, pack(value));
}
void GgufWriter::f32(std::string_view key, float value) {
  raw(key, kF32, pack(value));
}
void GgufWriter::flag(std::string_view key, bool value) {
  raw(key, kBool, std::string(1, value ? '\1' : '\0'));
}

void GgufWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  std::string packed = pack(std::uint32_t{kString}) + pack(std::uint64_t{values.size()});
  for (const std::string& value : values) packed += pack(std::string_view(value));
  raw(key, kArray, packed);
}
void GgufWriter::i32s(std::string_view key, const std::vector<std::int32_t>& values) {
  std::string packed = pack(std::uint32_t{kI32}) + pack(std::uint64_t{values.size()});
  for (const std::int32_t value : values) packed += packed_number(value);
  raw(key, kArray, packed);
}
void GgufWriter::f32s(std::string_view key, const std::vector<float>& values) {
  std::string packed = pack(std::uint32_t{kF32}) + pack(std::uint64_t{values.size()});
  for (const float value : values) packed += pack(value);
  raw(key, kArray, packed);
}
void GgufWriter::remove(std::string_view key) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
}

std::string GgufWriter::header() const {
  std::string out = magic + pack(version);
  out += pack(static_cast<std::uint64_t>(static_cast<std::int64_t>(tensors.size()) + extra_tensors));
  out += pack(static_cast<std::uint64_t>(static_cast<std::int64_t>(entries_.size()) + extra_entries));
  for (const Entry& entry : entries_)
    out += pack(std::string_view(entry.key)) + pack(entry.type) + entry.packed;
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    out += pack(std::string_view(tensor.name)) + pack(static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t size : tensor.shape) out += pack(size);
    out += pack(tensor.type) + pack(offset + static_cast<std::uint64_t>(tensor.offset_shift));
    offset = padded(offset + tensor.data.size(), alignment);
  }
  return out;
}

std::string GgufWriter::bytes() const {
  std::string out = header();
  for (const Tensor& tensor : tensors) {
    out.resize(padded(out.size(), alignment));
    out += tensor.data;
  }
  return out;
}

std::filesystem::path GgufWriter::save(const std::filesystem::path& file) const {
  const std::string content = bytes();
  std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return file;
}

GgufWriter tiny_llama(std::uint32_t seed) {
  constexpr std::uint64_t kHidden = 8, kKv = 4, kIntermediate = 12;
  const std::vector<std::string> tokens = {"<s>", "</s>", "a", "b", "c", "ab"};
  GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.text("general.name", "Tiny");
  writer.u32("llama.block_count", 2);
  writer.u32("llama.context_length", 64);
  writer.u32("llama.embedding_length", kHidden);
  writer.u32("llama.feed_forward_length", kIntermediate);
  writer.u32("llama.attention.head_count", 2);
  writer.u32("llama.attention.head_count_kv", 1);
  writer.u32("llama.rope.dimension_count", 4);
  writer.f32("llama.rope.freq_base", 5000.0f);
  writer.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", "gpt-2");
  writer.texts("tokenizer.ggml.tokens", tokens);
  writer.i32s("tokenizer.ggml.token_type", {3, 3, 1, 1, 1, 1});
  writer.texts("tokenizer.ggml.merges", {"a b"});
  writer.u32("tokenizer.ggml.bos_token_id", 0);
  writer.u32("tokenizer.ggml.eos_token_id", 1);
  writer.flag("tokenizer.ggml.add_bos_token", true);
  writer.text("tokenizer.chat_template", "{{ messages[0]['content'] }}");

  std::mt19937 random(seed);
  writer.tensors.push_back(random_tensor("token_embd.weight", {kHidden, tokens.size()}, random));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    writer.tensors.push_back(random_tensor(layer + "attn_norm.weight", {kHidden}, random));
    writer.tensors.push_back(random_tensor(layer + "attn_q.weight", {kHidden, kHidden}, random));
    writer.tensors.push_back(random_tensor(layer + "attn_k.weight", {kHidden, kKv}, random));
    writer.tensors.push_back(random_tensor(layer + "attn_v.weight", {kHidden, kKv}, random));
    writer.tensors.push_back(random_tensor(layer + "attn_output.weight", {kHidden, kHidden}, random));
    writer.tensors.push_back(random_tensor(layer + "ffn_norm.weight", {kHidden}, random));
    writer.tensors.push_back(random_tensor(layer + "ffn_gate.weight", {kHidden, kIntermediate}, random));
    writer.tensors.push_back(random_tensor(layer + "ffn_up.weight", {kHidden, kIntermediate}, random));
    writer.tensors.push_back(random_tensor(layer + "ffn_down.weight", {kIntermediate, kHidden}, random));
  }
  writer.tensors.push_back(random_tensor("output_norm.weight", {kHidden}, random));
  writer.tensors.push_back(random_tensor("output.weight", {kHidden, tokens.size()}, random));
  return writer;
}

}  // namespace pitwall::test
