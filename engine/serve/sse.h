// SPDX-License-Identifier: GPL-3.0-or-later
// Server-sent events as OpenAI's streams use them.
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

inline void append_sse_frame(std::string& out, std::string_view data) {
  out.append("data: ").append(data).append("\n\n");
}
/// {"error": …} in a stream that has begun.
std::string error_frame(std::string_view message, int status);

}  // namespace pitwall
