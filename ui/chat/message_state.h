// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a message in the store.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pitwall::ui {

inline constexpr char kComplete[] = "complete";
inline constexpr char kStreaming[] = "streaming";  ///< found so, it was cut off
inline constexpr char kStopped[] = "stopped";
inline constexpr char kErrorPrefix[] = "error: ";
inline constexpr char kTooLongPrefix[] = "too long: ";  ///< an error that a shorter conversation mends

/// Why the reply failed; nothing when it did not.
inline std::optional<std::string> failure_of(const std::string& state) {
  for (const std::string_view prefix : {kErrorPrefix, kTooLongPrefix})
    if (state.starts_with(prefix)) return state.substr(prefix.size());
  return std::nullopt;
}

}  // namespace pitwall::ui
