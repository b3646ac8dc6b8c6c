// SPDX-License-Identifier: GPL-3.0-or-later
// GgufMetadata: the key-value table of a GGUF file with typed access. Values stay packed in the mapped file
// until asked.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// Numbers as in the file.
enum class GgufType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};
inline constexpr std::uint32_t kGgufTypeCount = 13;
std::string_view gguf_type_name(GgufType type);
std::size_t gguf_scalar_bytes(GgufType type);  ///< 0 for string and array

/// `count` packed elements; strings are a 64-bit length and their bytes. Lengths were checked when the file
/// was read.
struct GgufValue {
  GgufType type = GgufType::u8;     ///< array for arrays
  GgufType element = GgufType::u8;  ///< of the elements; equals type for scalars
  std::uint64_t count = 1;
  std::span<const std::byte> bytes;
};

/// Getters fail with Error::param = key when the key is missing, has another type, or its number does not
/// fit; those with a fallback return it for a missing key only. Integers of any width are accepted for
/// integers, f32 and f64 for reals.
class GgufMetadata {
 public:
  /// False when the key is there already. The key's text and the value's bytes must outlive the table.
  bool insert(std::string_view key, const GgufValue& value) { return values_.emplace(key, value).second; }
  bool has(std::string_view key) const { return values_.contains(key); }
  std::size_t size() const { return values_.size(); }
  std::vector<std::string_view> keys_from(std::string_view prefix) const;  ///< those that begin so, sorted

  Result<std::int64_t> integer(std::string_view key) const;
  Result<int> count(std::string_view key) const;  ///< 0 … 2^31 − 1
  Result<double> real(std::string_view key) const;
  Result<bool> flag(std::string_view key) const;
  Result<std::string> text(std::string_view key) const;

  Result<int> count(std::string_view key, int fallback) const;
  Result<double> real(std::string_view key, double fallback) const;
  Result<bool> flag(std::string_view key, bool fallback) const;
  Result<std::string> text(std::string_view key, std::string fallback) const;

  Result<std::vector<std::string>> texts(std::string_view key) const;
  /// Arrays of exactly `length` elements.
  Result<std::vector<std::int64_t>> integers(std::string_view key, std::size_t length) const;
  Result<std::vector<bool>> flags(std::string_view key, std::size_t length) const;
  Result<std::vector<float>> reals(std::string_view key, std::size_t length) const;
  Result<std::string> octets(std::string_view key) const;  ///< an array of u8 or i8
  bool is_array(std::string_view key) const;

 private:
  Result<const GgufValue*> find(std::string_view key) const;
  Result<const GgufValue*> scalar(std::string_view key, std::string_view wanted,
                                  bool (*accepts)(GgufType)) const;
  Result<const GgufValue*> array(std::string_view key, std::string_view wanted,
                                 bool (*accepts)(GgufType)) const;
  std::unordered_map<std::string_view, GgufValue> values_;
};

}  // namespace pitwall
