// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and names that nobody else has, from the system's randomness.
#pragma once
#include <cstdint>
#include <string>

namespace pitwall {

std::uint64_t random_number();
std::string random_hex();   ///< 24 digits: the tail of "chatcmpl-…"
std::string random_uuid();  ///< RFC 4122 version 4

}  // namespace pitwall
