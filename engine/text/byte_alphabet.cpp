// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

constexpr char32_t kFirstShifted = 0x100;
constexpr std::size_t kShifted = 68;

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<std::uint8_t, kShifted> shifted_bytes() {
  std::array<std::uint8_t, kShifted> bytes{};
  std::size_t count = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (!stands_for_itself(byte)) bytes[count++] = static_cast<std::uint8_t>(byte);
  }
  return bytes;
}

std::optional<std::uint8_t> byte_of(char32_t code) {
  static constexpr std::array<std::uint8_t, kShifted> kBytes = shifted_bytes();
  if (code < kFirstShifted && stands_for_itself(code)) return static_cast<std::uint8_t>(code);
  if (code >= kFirstShifted && code < kFirstShifted + kShifted) return kBytes[code - kFirstShifted];
  return std::nullopt;
}

}  // namespace

std::optional<std::string> bytes_from_alphabet(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const Utf8Step step = utf8_step(token);
    const auto byte = step.status == Utf8Step::Status::complete ? byte_of(step.code) : std::nullopt;
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
    token.remove_prefix(step.length);
  }
  return bytes;
}

std::string alphabet_from_bytes(std::string_view bytes) {
  static const std::array<std::string, 256> kCharacters = [] {
    std::array<std::string, 256> characters;
    char32_t shifted = kFirstShifted;
    for (unsigned byte = 0; byte < 256; ++byte) {
      append_utf8(characters[byte], stands_for_itself(byte) ? byte : shifted++);
    }
    return characters;
  }();
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) out += kCharacters[static_cast<std::uint8_t>(c)];
  return out;
}

}  // namespace pitwall
