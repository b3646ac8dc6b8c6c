// SPDX-License-Identifier: GPL-3.0-or-later
// HTTP front of an Engine: OpenAI routes, /health, /metrics, /pitwall/*. README.md lists routes, limits and
// errors.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

class Engine;
class Settings;

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                           ///< 0 = any free one
  int threads = 1;                           ///< I/O threads
  std::vector<std::string> allowed_hosts;    ///< beside loopback names
  std::vector<std::string> allowed_origins;  ///< browsers' Origin values that may POST
  std::size_t max_body = std::size_t{8} << 20;
  std::size_t max_header = 16 << 10;
  int max_connections = 1024;
  int heartbeat_ms = 10'000;  ///< a stream that is silent this long sends a comment, within a second more
};

/// Address and lists of the server as the settings give them; names of a list are parted by commas.
HttpOptions http_options(const Settings& settings);

class HttpServer {
 public:
  /// Listens; Error::busy names the port, the OS reason, the owning process where known, and a free port to
  /// use.
  static Result<std::unique_ptr<HttpServer>> start(Engine& engine, const HttpOptions& options);
  ~HttpServer();  ///< stop()
  int port() const;
  std::string url() const;  ///< "http://127.0.0.1:8080"
  void stop();              ///< streams in progress end with an error event; sockets closed within 2 s

 private:
  HttpServer();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
