// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/random_id.h"

#include <cstdio>
#include <random>

namespace pitwall {

namespace {

std::string hex(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

}  // namespace

std::uint64_t random_number() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

std::string random_hex() {
  return (hex(random_number()) + hex(random_number())).substr(0, 24);
}

std::string random_uuid() {
  const std::uint64_t high = (random_number() & ~0xf000ULL) | 0x4000ULL;
  const std::uint64_t low = (random_number() & ~(3ULL << 62)) | (1ULL << 63);
  const std::string first = hex(high), second = hex(low);
  return first.substr(0, 8) + "-" + first.substr(8, 4) + "-" + first.substr(12, 4) + "-" +
         second.substr(0, 4) + "-" + second.substr(4);
}

}  // namespace pitwall
