// SPDX-License-Identifier: GPL-3.0-or-later
// Reading JSON from strangers: the shape is checked before anything is built from it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

inline constexpr int kDeepestJson = 64;
inline constexpr int kMostMembers = 1024;  ///< of one object; ordered objects search linearly

/// An object from valid UTF-8. Errors name the byte, never the content.
Result<nlohmann::ordered_json> parse_json_object(std::string_view body, int deepest = kDeepestJson);

}  // namespace pitwall
