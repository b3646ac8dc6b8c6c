// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>

#include "engine/base/text_escape.h"
#include "engine/serve/engine.h"
#include "engine/serve/http_session.h"
#include "engine/serve/http_wire.h"
#include "engine/serve/socket_table.h"

namespace pitwall {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kTextWorkers = 2;
constexpr std::size_t kLanes = 2;  // writing a token costs 4 us, nearly all of it the kernel's
constexpr Nanos kPolite = 1500 * kNanosPerMs, kForced = 400 * kNanosPerMs;

Error bad_option(const char* param, std::string what, std::string action,
                 Error::Kind kind = Error::Kind::invalid_input) {
  return {.kind = kind, .what = std::move(what), .cause = {}, .action = std::move(action), .param = param};
}

Result<asio::ip::address> listen_address(const HttpOptions& options) {
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (error) {
    return bad_option("host", "host is " + quote_for_message(options.host) + ", which is not an address",
                      "Use 127.0.0.1, or 0.0.0.0 for all networks of this machine");
  }
  if (!address.is_loopback() && options.allowed_hosts.empty()) {
    return bad_option(
        "allowed-hosts", "host is " + host + ", which other machines reach, and allowed-hosts is empty",
        "Name the hosts under which clients will ask for this server in allowed-hosts, or use 127.0.0.1");
  }
  if (!address.is_loopback() && options.keys.empty() && !options.allow_unauthenticated) {
    return bad_option("api-key", "host is " + host + ", which other machines reach, and there is no API key",
                      "Set api-key or api-key-file, or allow-unauthenticated where the network is trusted");
  }
  return address;
}

Error bad_certificate(const char* setting, const std::string& file, const error_code& reason) {
  return bad_option(
      setting, std::string(setting) + " " + quote_for_message(file) + " cannot be used: " + reason.message(),
      "Give PEM files: the certificate with its chain, and its private key without a password");
}

/// Null without a certificate.
Result<std::unique_ptr<asio::ssl::context>> tls_context(const HttpOptions& options) {
  if (options.ssl_certfile.empty()) {
    if (options.ssl_keyfile.empty()) return std::unique_ptr<asio::ssl::context>();
    return bad_option("ssl-certfile", "There is a private key for TLS but no certificate",
                      "Set ssl-certfile too");
  }
  auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  error_code error;
  tls->set_password_callback([](std::size_t, asio::ssl::context::password_purpose) { return std::string(); },
                             error);
  tls->use_certificate_chain_file(options.ssl_certfile, error);
  if (error) return bad_certificate("ssl-certfile", options.ssl_certfile, error);
  const std::string& key = options.ssl_keyfile.empty() ? options.ssl_certfile : options.ssl_keyfile;
  tls->use_private_key_file(key, asio::ssl::context::pem, error);
  if (error) return bad_certificate("ssl-keyfile", key, error);
  return tls;
}

/// One of the next ones, which is easy to remember, else any; 0 when there is none.
int free_port(const asio::ip::address& address, int taken) {
  constexpr int kNear = 16, kLast = 65535;
  const auto bind = [&address](int port) {
    asio::io_context io;
    tcp::acceptor probe(io);
    error_code error;
    probe.open(tcp::endpoint(address, 0).protocol(), error);
    if (!error) probe.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) probe.bind(tcp::endpoint(address, static_cast<asio::ip::port_type>(port)), error);
    return error ? 0 : probe.local_endpoint().port();
  };
  for (int port = taken + 1; port <= std::min(taken + kNear, kLast); ++port)
    if (bind(port) != 0) return port;
  return bind(0);
}

Error cannot_listen(const asio::ip::address& address, int port, const error_code& reason) {
  const std::string what = "Port " + std::to_string(port) + " of " + address.to_string() +
                           " cannot be listened on: " + reason.message();
  const int other = free_port(address, port);
  const std::string action =
      other > 0 ? "Use another port, such as " + std::to_string(other) : "Use another address";
  if (reason == asio::error::address_in_use) {
    Error error = bad_option("port", what, action, Error::Kind::busy);
    const auto owner = port_owner(static_cast<std::uint16_t>(port));
    error.cause = owner ? "Process " + std::to_string(owner->pid) + " (" + owner->name + ") has it"
                        : "Another user's process has it";
    return error;
  }
  if (reason == asio::error::access_denied) {
    return bad_option("port", what, "Ports below 1024 need a privilege. " + action, Error::Kind::io);
  }
  return bad_option(reason == boost::system::errc::address_not_available ? "host" : "port", what, action,
                    Error::Kind::io);
}

/// Too many connections: told so without a session. Never waits for the client.
void turn_away(tcp::socket socket, const HttpReply& reply) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(reply_head(reply, false, 0) + "Content-Length: " +
                                 std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body),
                    ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct HttpPort::State {
  asio::io_context io;
  tcp::acceptor acceptor{io};
  tcp::endpoint endpoint;  // as asked for: its port may be 0
};

HttpPort::HttpPort() : state_(std::make_unique<State>()) {}
HttpPort::HttpPort(HttpPort&& other) noexcept = default;
HttpPort::~HttpPort() = default;

Result<HttpPort> HttpPort::take(const HttpOptions& options) {
  const int wanted = options.port;
  if (wanted < 0 || wanted > 65535) {
    return bad_option("port", "port is " + std::to_string(wanted) + "; ports go from 0 to 65535",
                      "Use a port such as 8080, or 0 for any free one");
  }
  const auto address = listen_address(options);
  if (!address) return address.error();
  if (auto tls = tls_context(options); !tls) return tls.error();
  HttpPort port;
  port.state_->endpoint = tcp::endpoint(*address, static_cast<std::uint16_t>(wanted));
  tcp::acceptor& acceptor = port.state_->acceptor;
  error_code error;
  acceptor.open(port.state_->endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(port.state_->endpoint, error);
  if (error) return cannot_listen(*address, wanted, error);
  return port;
}

struct HttpServer::State {
  State(Engine& engine, const HttpOptions& options, std::unique_ptr<asio::ssl::context> certificate)
      : tls(std::move(certificate)),
        text_workers(std::make_unique<WorkerPool>(kTextWorkers, "pw-text")),
        context{.engine = engine,
                .options = options,
                .guard = HttpGuard(options),
                .tls = tls.get(),
                .text_workers = *text_workers,
                .sessions = {},
                .peers = {},
                .statistics = {}},
        listener(engine.add_output_listener([this] {
          for (HttpLane& lane : lanes) lane.ready().wake();
        })) {}

  std::array<HttpLane, kLanes> lanes;
  std::unique_ptr<asio::ssl::context> tls;
  std::unique_ptr<WorkerPool> text_workers;
  HttpContext context;
  const int listener;  // to the engine's output
  tcp::acceptor acceptor{lanes.front().io()};
  asio::steady_timer retry{lanes.front().io()};
  std::size_t next_lane = 0;
  int port = 0;
  bool stopped = false;
  std::mutex stopping;

  Result<void> listen(HttpPort::State& taken) {
    error_code error;
    const int socket = taken.acceptor.release(error);
    if (!error) acceptor.assign(taken.endpoint.protocol(), socket, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return cannot_listen(taken.endpoint.address(), taken.endpoint.port(), error);
    port = acceptor.local_endpoint(error).port();
    return {};
  }

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (error) return accept_later(error);
      if (context.sessions.count() >= context.options.max_connections) {
        const HttpReply reply = error_reply(503, "Too many connections", {}, "too_many_connections");
        context.statistics.replied(reply.status, reply.code);
        if (!tls) turn_away(std::move(socket), reply);  // whoever speaks TLS understands nothing else
      } else {
        hand_over(std::move(socket));
      }
      accept();
    });
  }

  /// Out of file descriptors, mostly: trying again at once would only spin.
  void accept_later(const error_code& error) {
    spdlog::warn("a connection was not accepted: {}", error.message());
    retry.expires_after(std::chrono::milliseconds(100));
    retry.async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor.is_open()) accept();
    });
  }

  void hand_over(tcp::socket socket) {
    error_code error;
    const bool is_v6 = acceptor.local_endpoint(error).address().is_v6();
    const int descriptor = socket.release(error);
    if (!error) open_session(context, lanes[next_lane++ % lanes.size()], descriptor, is_v6);
  }
};

HttpServer::HttpServer() = default;

HttpServer::~HttpServer() {
  stop();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(Engine& engine, const HttpOptions& options) {
  auto port = HttpPort::take(options);
  if (!port) return port.error();
  return start(engine, options, *std::move(port));
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(Engine& engine, const HttpOptions& options,
                                                      HttpPort port) {
  auto tls = tls_context(options);
  if (!tls) return tls.error();
  std::unique_ptr<HttpServer> server(new HttpServer);
  server->state_ = std::make_unique<State>(engine, options, *std::move(tls));
  if (auto ok = server->state_->listen(*port.state_); !ok) return ok.error();
  server->state_->accept();
  for (HttpLane& lane : server->state_->lanes) lane.run();
  spdlog::debug("requests are taken at {}", server->url());
  return server;
}

int HttpServer::port() const {
  return state_->port;
}

std::string HttpServer::url() const {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(state_->context.options.host, error);
  std::string host = error || address.is_unspecified() ? "127.0.0.1" : address.to_string();
  if (!error && address.is_v6() && !address.is_unspecified()) host = "[" + host + "]";
  return (state_->tls ? "https://" : "http://") + host + ":" + std::to_string(state_->port);
}

void HttpServer::stop() {
  State& state = *state_;
  const std::lock_guard lock(state.stopping);
  if (std::exchange(state.stopped, true)) return;
  asio::post(state.lanes.front().io(), [&state] {
    error_code ignored;
    state.acceptor.close(ignored);
    state.retry.cancel();
  });
  state.context.sessions.refuse_new();
  for (const auto& session : state.context.sessions.all()) session->end_politely();
  if (!state.context.sessions.wait_until_none(kPolite)) {
    for (const auto& session : state.context.sessions.all()) session->close_now();
    state.context.sessions.wait_until_none(kForced);
  }
  // Jobs may still post to their closed sessions, which cancel what those jobs submitted; then nothing is
  // left to do and the lanes end by themselves.
  state.text_workers.reset();
  state.context.engine.remove_output_listener(state.listener);
  for (HttpLane& lane : state.lanes) lane.finish();
}

}  // namespace pitwall
