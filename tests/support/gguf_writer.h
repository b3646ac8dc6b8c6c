// SPDX-License-Identifier: GPL-3.0-or-later
// Builds small GGUF files in memory, sound or broken on purpose.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pitwall::test {

/// Metadata keys and tensors in the order in which they are added; bytes() lays them out.
class GgufWriter {
 public:
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;                       ///< of the data; also write the key when it is not 32
  std::int64_t extra_entries = 0, extra_tensors = 0;  ///< added to the counts that the header states

  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> shape;  ///< the fastest dimension first
    std::uint32_t type = 0;
    std::string data = {};
    std::int64_t offset_shift = 0;  ///< added to the right offset
  };
  std::vector<Tensor> tensors;

  void text(std::string_view key, std::string_view value);
  void u32(std::string_view key, std::uint32_t value);
  void f32(std::string_view key, float value);
  void flag(std::string_view key, bool value);
  void texts(std::string_view key, const std::vector<std::string>& values);
  void i32s(std::string_view key, const std::vector<std::int32_t>& values);
  void f32s(std::string_view key, const std::vector<float>& values);
  void raw(std::string_view key, std::uint32_t type,
           std::string_view packed);  ///< any type number, any bytes
  void remove(std::string_view key);

  std::string header() const;  ///< up to the end of the tensor table
  std::string bytes() const;
  std::filesystem::path save(const std::filesystem::path& file) const;

  static std::string pack(std::uint32_t value);
  static std::string pack(std::uint64_t value);
  static std::string pack(float value);
  static std::string pack(std::string_view value);  ///< length and bytes

 private:
  struct Entry {
    std::string key;
    std::uint32_t type;
    std::string packed;
  };
  std::vector<Entry> entries_;
};

/// A whole tiny llama (random float32 weights from `seed`): hidden 8, 2 layers, 2 heads, 1 KV head,
/// feed-forward 12, 6 tokens, output.weight present, a byte-level vocabulary.
GgufWriter tiny_llama(std::uint32_t seed = 1);

}  // namespace pitwall::test
