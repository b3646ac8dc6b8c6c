// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_wire.h"

#include <array>
#include <charconv>

namespace pitwall {

std::string reply_head(const HttpReply& reply, bool keep_alive, long idle_seconds) {
  std::string head =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string(status_text(reply.status)) + "\r\n";
  head += "Server: pitwall\r\nX-Content-Type-Options: nosniff\r\n";
  if (!reply.content_type.empty()) head += "Content-Type: " + reply.content_type + "\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  if (keep_alive) {
    head += "Connection: keep-alive\r\nKeep-Alive: timeout=" + std::to_string(idle_seconds) + "\r\n";
  } else {
    head += "Connection: close\r\n";
  }
  return head;
}

void append_chunk(std::string& out, std::string_view bytes) {
  std::array<char, 20> size;
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  out.append(size.data(), end).append("\r\n").append(bytes).append("\r\n");
}

}  // namespace pitwall
