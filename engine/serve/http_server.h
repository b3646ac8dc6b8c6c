// SPDX-License-Identifier: GPL-3.0-or-later
// HTTP front of an Engine: OpenAI routes, /health, /metrics, /pitwall/*. README.md lists routes, limits and
// errors.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/serve/api_keys.h"

namespace pitwall {

class Engine;
class Settings;

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                                  ///< 0 = any free one
  std::vector<std::string> allowed_hosts = {};      ///< beside loopback names
  std::vector<std::string> allowed_origins = {};    ///< browsers' Origin values that may POST
  ApiKeys keys = {};                                ///< none: everybody may ask
  bool allow_unauthenticated = false;               ///< beyond loopback without a key
  std::string ssl_certfile = {}, ssl_keyfile = {};  ///< PEM; with a certificate the server speaks TLS only
  std::size_t max_body = std::size_t{8} << 20;
  std::size_t max_header = 16 << 10;
  std::size_t max_messages = 4096;  ///< of a chat request
  int max_json_depth = 64;
  int max_connections = 1024;
  int max_waiting = 1024;     ///< requests that wait for a place; 0 = any number
  int heartbeat_ms = 10'000;  ///< a stream that is silent this long sends a comment, within a second more
  std::chrono::milliseconds idle_time{180'000};    ///< an idle connection is closed
  std::chrono::milliseconds request_time{60'000};  ///< in which a request, or a TLS handshake, must be whole
  std::chrono::milliseconds stalled_time{60'000};  ///< a client that has read nothing for so long is dropped
};

/// As the settings give them. Errors: keys or a file of keys that cannot be.
Result<HttpOptions> http_options(const Settings& settings);

/// A port that is this process's, on which nobody is answered yet: taken before a model is loaded.
class HttpPort {
 public:
  /// Error::busy names the port, the OS reason, the owning process where known, and a free port to use.
  /// Refuses all that no engine could mend: an address, a missing key beyond loopback, a certificate that
  /// OpenSSL does not take.
  static Result<HttpPort> take(const HttpOptions& options);
  HttpPort(HttpPort&& other) noexcept;
  ~HttpPort();  ///< gives it back

 private:
  friend class HttpServer;
  HttpPort();
  struct State;
  std::unique_ptr<State> state_;
};

class HttpServer {
 public:
  /// Listens on `port`, which was taken with the same options. Error::busy, as HttpPort's, when another
  /// process took it at the same time and listens already.
  static Result<std::unique_ptr<HttpServer>> start(Engine& engine, const HttpOptions& options, HttpPort port);
  /// Takes its port itself.
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
