// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of HTTP/1.1 replies.
#pragma once
#include <string>
#include <string_view>

#include "engine/serve/http_reply.h"

namespace pitwall {

/// Status line and headers, without the empty line that ends them. `idle_seconds` is stated where the
/// connection is kept.
std::string reply_head(const HttpReply& reply, bool keep_alive, long idle_seconds);
/// Appends `bytes`, not empty, as one chunk of a chunked body.
void append_chunk(std::string& out, std::string_view bytes);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace pitwall
