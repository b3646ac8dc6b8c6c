// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/token_model.h"

#include <cstdint>

namespace pitwall {

bool Fallback::append_bytes(std::string_view text, std::vector<TokenId>& out) const {
  if (bytes.empty()) return false;
  for (const char c : text) {
    if (bytes[static_cast<std::uint8_t>(c)] < 0) return false;
  }
  for (const char c : text) out.push_back(bytes[static_cast<std::uint8_t>(c)]);
  return true;
}

}  // namespace pitwall
