// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/raw_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace pitwall::test {

namespace {

constexpr int kPatienceMs = 60'000;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string head(std::string_view method, std::string_view target, std::string_view more_headers) {
  return std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
         std::string(more_headers);
}

void read_head(const std::string& text, RawReply& reply) {
  reply.status = std::atoi(text.c_str() + text.find(' ') + 1);
  for (std::size_t at = text.find("\r\n") + 2; at + 2 < text.size();) {
    const std::size_t end = text.find("\r\n", at), colon = text.find(':', at);
    if (colon < end)
      reply.headers[lower(text.substr(at, colon - at))] = text.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
}

}  // namespace

RawHttp::RawHttp(int port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

RawHttp::~RawHttp() {
  close();
}

bool RawHttp::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawHttp::send_get(std::string_view target, std::string_view more_headers) {
  send(head("GET", target, more_headers) + "\r\n");
}

void RawHttp::send_post(std::string_view target, std::string_view json, std::string_view more_headers) {
  send(head("POST", target, more_headers) + "Content-Type: application/json\r\nContent-Length: " +
       std::to_string(json.size()) + "\r\n\r\n" + std::string(json));
}

bool RawHttp::receive() {
  if (socket_ < 0) return false;
  pollfd waiting{socket_, POLLIN, 0};
  if (::poll(&waiting, 1, kPatienceMs) <= 0) return false;
  char buffer[16384];
  const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
  if (size <= 0) return false;
  received_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::string RawHttp::read_until(std::string_view mark) {
  std::size_t at;
  while ((at = received_.find(mark)) == std::string::npos) {
    if (!receive()) return std::exchange(received_, {});
  }
  std::string result = received_.substr(0, at + mark.size());
  received_.erase(0, result.size());
  return result;
}

RawReply RawHttp::read_reply() {
  RawReply reply;
  const std::string text = read_until("\r\n\r\n");
  if (!text.ends_with("\r\n\r\n")) return reply;
  read_head(text, reply);
  if (reply.headers.contains("transfer-encoding")) {
    for (;;) {
      const std::size_t size = std::strtoul(read_until("\r\n").c_str(), nullptr, 16);
      while (received_.size() < size + 2) {
        if (!receive()) return {};
      }
      if (size > 0) reply.body += received_.substr(0, size);
      received_.erase(0, size + 2);
      if (size == 0) return reply;
    }
  }
  const std::size_t size = std::stoul("0" + reply.headers["content-length"]);
  while (received_.size() < size) {
    if (!receive()) return {};
  }
  reply.body = received_.substr(0, size);
  received_.erase(0, size);
  return reply;
}

std::string RawHttp::read_all() {
  while (receive()) {
  }
  return std::exchange(received_, {});
}

bool RawHttp::ended() {
  return received_.empty() && !receive();
}

void RawHttp::finish_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void RawHttp::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void RawHttp::reset() {
  const linger at_once{1, 0};
  if (socket_ >= 0) setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawHttp::read_byte() {
  char byte;
  if (socket_ >= 0) static_cast<void>(::recv(socket_, &byte, 1, MSG_DONTWAIT));
}

RawReply get(int port, std::string_view target) {
  RawHttp http(port);
  http.send_get(target);
  return http.read_reply();
}

RawReply post(int port, std::string_view target, std::string_view json) {
  RawHttp http(port);
  http.send_post(target, json);
  return http.read_reply();
}

std::vector<std::string> sse_data(std::string_view body) {
  std::vector<std::string> events;
  while (!body.empty()) {
    const std::size_t end = body.find("\n\n");
    const std::string_view frame = body.substr(0, end);
    if (end == std::string_view::npos || (!frame.starts_with("data: ") && !frame.starts_with(":")) ||
        frame.find('\n') != std::string_view::npos) {
      events.push_back("malformed: " + std::string(frame));
      return events;
    }
    if (frame.starts_with("data: ")) events.emplace_back(frame.substr(6));
    body.remove_prefix(end + 2);
  }
  return events;
}

}  // namespace pitwall::test
