// SPDX-License-Identifier: GPL-3.0-or-later
// CacheKey: what beside the tokens decides whether two requests may share KV.
#pragma once
#include <compare>
#include <string>

namespace pitwall {

struct CacheKey {
  std::string adapter;     ///< "" = the model itself
  std::string salt;        ///< requests with different salts never share
  bool long_rope = false;  ///< computed with the rotary frequencies of long sequences
  auto operator<=>(const CacheKey&) const = default;
};

}  // namespace pitwall
