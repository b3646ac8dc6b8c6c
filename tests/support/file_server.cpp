// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/file_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace pitwall::test {

namespace {

std::optional<FileRequest> read_request(int client) {
  std::string text;
  char byte = 0;
  while (!text.ends_with("\r\n\r\n")) {
    if (::recv(client, &byte, 1, 0) != 1) return std::nullopt;
    text += byte;
  }
  FileRequest request;
  std::istringstream lines(text);
  std::string word, line;
  lines >> word >> request.target;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.size() > 1) {
    std::string name = line.substr(0, line.find(':'));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers[name] = line.substr(name.size() + 2, line.size() - name.size() - 3);
  }
  return request;
}

void send_all(int client, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void send_answer(int client, const FileAnswer& answer) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " Said\r\n";
  for (const auto& [name, value] : answer.headers) head += name + ": " + value + "\r\n";
  head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n";
  send_all(client, head + answer.body.substr(0, answer.cut_at));
  char byte = 0;
  while (answer.hold && ::recv(client, &byte, 1, 0) > 0) {
  }
}

}  // namespace

std::string FileRequest::range() const {
  const auto found = headers.find("range");
  return found == headers.end() ? "" : found->second;
}

FileServer::FileServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listener_, 8);
  socklen_t size = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FileServer::~FileServer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

std::string FileServer::url(const std::string& target) const {
  return "http://127.0.0.1:" + std::to_string(port_) + target;
}

std::vector<FileRequest> FileServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FileServer::forget_requests() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

void FileServer::serve() {
  for (;;) {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    if (const auto request = read_request(client)) {
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(*request);
      }
      send_answer(client, handler_(*request));
    }
    ::close(client);
  }
}

FileAnswer file_answer(const FileRequest& request, const std::string& content, const std::string& etag) {
  FileAnswer answer;
  if (!etag.empty()) answer.headers.emplace_back("ETag", etag);
  const std::string range = request.range();
  if (range.empty()) {
    answer.body = content;
    return answer;
  }
  const std::size_t dash = range.find('-'), first = std::stoul(range.substr(6, dash - 6));
  const std::string end = range.substr(dash + 1);
  const std::size_t last = end.empty() ? content.size() - 1 : std::min(std::stoul(end), content.size() - 1);
  answer.status = 206;
  answer.body = content.substr(first, last - first + 1);
  answer.headers.emplace_back("Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(last) +
                                                   "/" + std::to_string(content.size()));
  return answer;
}

FileAnswer redirect_answer(const std::string& location) {
  return {.status = 302, .headers = {{"Location", location}}};
}

}  // namespace pitwall::test
