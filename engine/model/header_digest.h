// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 over header bytes: the identity of a checkpoint in run records.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pitwall {

/// Lower-case hexadecimal digest of the parts, one after another.
std::string sha256_hex(const std::vector<std::span<const std::byte>>& parts);

}  // namespace pitwall
