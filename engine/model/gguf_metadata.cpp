// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_metadata.h"

#include <fmt/format.h>
#include <algorithm>

#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeInfo, kGgufTypeCount> kTypes = {{{"u8", 1},
                                                          {"i8", 1},
                                                          {"u16", 2},
                                                          {"i16", 2},
                                                          {"u32", 4},
                                                          {"i32", 4},
                                                          {"f32", 4},
                                                          {"bool", 1},
                                                          {"string", 0},
                                                          {"array", 0},
                                                          {"u64", 8},
                                                          {"i64", 8},
                                                          {"f64", 8}}};

bool is_integer(GgufType type) {
  return gguf_scalar_bytes(type) > 0 && type != GgufType::f32 && type != GgufType::f64 &&
         type != GgufType::boolean;
}
bool is_real(GgufType type) {
  return type == GgufType::f32 || type == GgufType::f64;
}
bool is_flag(GgufType type) {
  return type == GgufType::boolean;
}
bool is_text(GgufType type) {
  return type == GgufType::string;
}

template <class Number>
Number packed(const GgufValue& value, std::size_t index) {
  Number number;
  std::memcpy(&number, value.bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

// Nothing when the number is above the signed range.
std::optional<std::int64_t> integer_at(const GgufValue& value, std::size_t index) {
  switch (value.element) {
    case GgufType::u8:
      return packed<std::uint8_t>(value, index);
    case GgufType::i8:
      return packed<std::int8_t>(value, index);
    case GgufType::u16:
      return packed<std::uint16_t>(value, index);
    case GgufType::i16:
      return packed<std::int16_t>(value, index);
    case GgufType::u32:
      return packed<std::uint32_t>(value, index);
    case GgufType::i32:
      return packed<std::int32_t>(value, index);
    case GgufType::i64:
      return packed<std::int64_t>(value, index);
    case GgufType::u64: {
      const auto number = packed<std::uint64_t>(value, index);
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

double real_at(const GgufValue& value, std::size_t index) {
  return value.element == GgufType::f32 ? static_cast<double>(packed<float>(value, index))
                                        : packed<double>(value, index);
}

std::string type_text(const GgufValue& value) {
  if (value.type != GgufType::array) return std::string(gguf_type_name(value.type));
  return fmt::format("array of {} {}", value.count, gguf_type_name(value.element));
}

Error wrong_type(std::string_view key, const GgufValue& value, std::string_view wanted) {
  return {Error::Kind::invalid_input,
          fmt::format("Metadata key {} is of type {}, expected {}", quote_for_message(key), type_text(value),
                      wanted),
          "", "Use a file written by a current GGUF converter", std::string(key)};
}

Error out_of_range(std::string_view key, std::string_view number) {
  return {Error::Kind::invalid_input,
          fmt::format("Metadata key {} is {}, outside 0 to {}", quote_for_message(key), number,
                      std::numeric_limits<int>::max()),
          "", "", std::string(key)};
}

}  // namespace

std::string_view gguf_type_name(GgufType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}
std::size_t gguf_scalar_bytes(GgufType type) {
  return kTypes[static_cast<std::size_t>(type)].bytes;
}

Result<const GgufValue*> GgufMetadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("Metadata key {} is missing", quote_for_message(key)), "",
                 "Use a file written by a current GGUF converter", std::string(key)};
  }
  return &found->second;
}

Result<const GgufValue*> GgufMetadata::scalar(std::string_view key, std::string_view wanted,
                                              bool (*accepts)(GgufType)) const {
  auto value = find(key);
  if (value.ok() && !accepts((*value)->type)) return wrong_type(key, **value, wanted);
  return value;
}

Result<const GgufValue*> GgufMetadata::array(std::string_view key, std::string_view wanted,
                                             bool (*accepts)(GgufType)) const {
  auto value = find(key);
  if (value.ok() && !((*value)->type == GgufType::array && accepts((*value)->element))) {
    return wrong_type(key, **value, wanted);
  }
  return value;
}

Result<std::int64_t> GgufMetadata::integer(std::string_view key) const {
  const auto value = scalar(key, "an integer", is_integer);
  if (!value.ok()) return value.error();
  const auto number = integer_at(**value, 0);
  if (!number) return out_of_range(key, "above 2^63");
  return *number;
}

Result<int> GgufMetadata::count(std::string_view key) const {
  const auto number = integer(key);
  if (!number.ok()) return number.error();
  if (*number < 0 || *number > std::numeric_limits<int>::max())
    return out_of_range(key, std::to_string(*number));
  return static_cast<int>(*number);
}

Result<double> GgufMetadata::real(std::string_view key) const {
  const auto value = scalar(key, "a real number", is_real);
  if (!value.ok()) return value.error();
  return real_at(**value, 0);
}

Result<bool> GgufMetadata::flag(std::string_view key) const {
  const auto value = scalar(key, "a bool", is_flag);
  if (!value.ok()) return value.error();
  return packed<std::uint8_t>(**value, 0) != 0;
}

Result<std::string> GgufMetadata::text(std::string_view key) const {
  const auto value = scalar(key, "a string", is_text);
  if (!value.ok()) return value.error();
  const auto bytes = (*value)->bytes.subspan(sizeof(std::uint64_t));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<int> GgufMetadata::count(std::string_view key, int fallback) const {
  return has(key) ? count(key) : Result<int>(fallback);
}
Result<double> GgufMetadata::real(std::string_view key, double fallback) const {
  return has(key) ? real(key) : Result<double>(fallback);
}
Result<bool> GgufMetadata::flag(std::string_view key, bool fallback) const {
  return has(key) ? flag(key) : Result<bool>(fallback);
}
Result<std::string> GgufMetadata::text(std::string_view key, std::string fallback) const {
  return has(key) ? text(key) : Result<std::string>(std::move(fallback));
}

Result<std::vector<std::string>> GgufMetadata::texts(std::string_view key) const {
  const auto value = array(key, "an array of strings", is_text);
  if (!value.ok()) return value.error();
  std::vector<std::string> texts;
  texts.reserve((*value)->count);
  const std::byte* at = (*value)->bytes.data();
  for (std::uint64_t i = 0; i < (*value)->count; ++i) {
    std::uint64_t length;
    std::memcpy(&length, at, sizeof(length));
    texts.emplace_back(reinterpret_cast<const char*>(at + sizeof(length)), length);
    at += sizeof(length) + length;
  }
  return texts;
}

Result<std::vector<std::int64_t>> GgufMetadata::integers(std::string_view key, std::size_t length) const {
  const auto value = array(key, fmt::format("an array of {} integers", length), is_integer);
  if (!value.ok()) return value.error();
  if ((*value)->count != length)
    return wrong_type(key, **value, fmt::format("an array of {} integers", length));
  std::vector<std::int64_t> numbers(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto number = integer_at(**value, i);
    if (!number) return out_of_range(key, fmt::format("above 2^63 at element {}", i));
    numbers[i] = *number;
  }
  return numbers;
}

Result<std::vector<bool>> GgufMetadata::flags(std::string_view key, std::size_t length) const {
  const std::string wanted = fmt::format("an array of {} booleans", length);
  const auto value = array(key, wanted, is_flag);
  if (!value.ok()) return value.error();
  if ((*value)->count != length) return wrong_type(key, **value, wanted);
  std::vector<bool> flags(length);
  for (std::size_t i = 0; i < length; ++i) flags[i] = (*value)->bytes[i] != std::byte{0};
  return flags;
}

Result<std::vector<float>> GgufMetadata::reals(std::string_view key, std::size_t length) const {
  const auto value = array(key, fmt::format("an array of {} reals", length), is_real);
  if (!value.ok()) return value.error();
  if ((*value)->count != length) return wrong_type(key, **value, fmt::format("an array of {} reals", length));
  std::vector<float> numbers(length);
  for (std::size_t i = 0; i < length; ++i) numbers[i] = static_cast<float>(real_at(**value, i));
  return numbers;
}

Result<std::string> GgufMetadata::octets(std::string_view key) const {
  const auto value = array(key, "an array of bytes",
                           [](GgufType type) { return type == GgufType::u8 || type == GgufType::i8; });
  if (!value.ok()) return value.error();
  const auto& bytes = (*value)->bytes;
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<std::string_view> GgufMetadata::keys_from(std::string_view prefix) const {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : values_) {
    if (key.starts_with(prefix)) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool GgufMetadata::is_array(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() && found->second.type == GgufType::array;
}

}  // namespace pitwall
