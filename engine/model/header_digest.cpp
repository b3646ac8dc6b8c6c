// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/header_digest.h"

#include "engine/base/sha256.h"

namespace pitwall {

std::string sha256_hex(const std::vector<std::span<const std::byte>>& parts) {
  Sha256 sum;
  for (const auto& part : parts) sum.update(part);
  return sum.finish();
}

}  // namespace pitwall
