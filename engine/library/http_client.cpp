// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/http_client.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/library/http_url.h"
#include "engine/library/sse_parser.h"

namespace pitwall {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kLargestBody = std::size_t{256} << 20;
constexpr std::uint32_t kLargestHeader = 64 * 1024;

constexpr std::chrono::milliseconds kCancelPoll{50};

/// What becomes of a response; false hangs up.
struct Sink {
  std::function<Result<bool>(const HttpResponse& head)> on_head = [](const HttpResponse&) { return true; };
  std::function<Result<bool>(int status, std::string_view bytes)> on_body;
};

bool is_cancelled(const HttpRequest& request) {
  return request.cancel != nullptr && request.cancel->load();
}
using WireRequest = http::request<http::string_body>;
using WireParser = http::response_parser<http::buffer_body>;

Error wire_error(const HttpUrl& url, const HttpRequest& request, const error_code& code) {
  if (is_cancelled(request)) return {Error::Kind::cancelled, "Cancelled", "", "", ""};
  Error error{Error::Kind::io, "", "", "Check that the server is running there and that the address is right",
              ""};
  if (code == beast::error::timeout) {
    error.what = fmt::format("{} did not answer within {}", url.authority(),
                             format_duration(Nanos{request.timeout_ms} * kNanosPerMs));
  } else if (code == http::error::end_of_stream || code == http::error::partial_message ||
             code == asio::error::connection_reset || code == ssl::error::stream_truncated) {
    error.what = fmt::format("{} hung up before its answer was whole", url.authority());
    error.cause = "The server stopped or refused the request";
  } else {
    error.what = fmt::format("Cannot talk to {}: {}", url.authority(), code.message());
  }
  return error;
}

Result<WireRequest> wire_request(const HttpRequest& request, const HttpUrl& url) {
  const auto refused = [](const std::string& what, std::string_view text) {
    return Error{Error::Kind::invalid_input, quote_for_message(text) + " " + what, "", "Leave it out",
                 "headers"};
  };
  const http::verb verb = http::string_to_verb(request.method);
  if (verb == http::verb::unknown) return refused("is not an HTTP method", request.method);
  WireRequest out(verb, url.target, 11);
  out.set(http::field::host, url.authority());
  out.set(http::field::user_agent, "pitwall");
  out.set(http::field::connection, "close");
  if (!request.body.empty()) out.set(http::field::content_type, "application/json");
  for (const auto& [name, value] : request.headers) {
    const auto breaks = [](unsigned char c) { return c < ' ' || c == 0x7F; };
    const auto not_token = [](unsigned char c) { return c <= ' ' || c >= 0x7F || c == ':'; };
    if (name.empty() || std::any_of(name.begin(), name.end(), not_token))
      return refused("is not a header's name", name);
    // The value may be a key: it stays out of the message.
    if (std::any_of(value.begin(), value.end(), breaks))
      return refused("has a control character in its value", name);
    out.set(name, value);
  }
  out.body() = request.body;
  out.prepare_payload();
  return out;
}

/// One request over one connection; Stream is beast::tcp_stream, plain or under TLS.
template <class Stream>
class Exchange {
 public:
  Exchange(asio::io_context& io, Stream& stream, const HttpUrl& url, const HttpRequest& request)
      : io_(io), stream_(stream), url_(url), request_(request) {}

  Result<HttpResponse> run(const WireRequest& wire, const Sink& sink) {
    if (const error_code code = connect()) return wire_error(url_, request_, code);
    const error_code sent = wait([&](auto done) { http::async_write(stream_, wire, done); });
    // A server may answer and hang up before it has read all of a request it refuses.
    if (sent && sent != asio::error::broken_pipe && sent != asio::error::connection_reset) {
      return wire_error(url_, request_, sent);
    }
    return read(sink);
  }

 private:
  /// Starts an operation and runs the loop until it ends, its time is up or the caller cancels.
  template <class Start>
  error_code wait(Start&& start) {
    error_code result;
    beast::get_lowest_layer(stream_).expires_after(std::chrono::milliseconds(request_.timeout_ms));
    start([&result](const error_code& code, auto&&...) { result = code; });
    io_.restart();
    while (!io_.stopped()) {
      if (is_cancelled(request_)) beast::get_lowest_layer(stream_).cancel();
      io_.run_for(kCancelPoll);
    }
    return result;
  }

  error_code connect() {
    error_code code;
    tcp::resolver resolver(io_);
    const auto addresses = resolver.resolve(url_.host, url_.port, code);
    if (code) return code;
    code = wait([&](auto done) { beast::get_lowest_layer(stream_).async_connect(addresses, done); });
    if (code) return code;
    beast::get_lowest_layer(stream_).socket().set_option(tcp::no_delay(true), code);
    if constexpr (!std::is_same_v<Stream, beast::tcp_stream>) {
      code = wait([&](auto done) { stream_.async_handshake(ssl::stream_base::client, done); });
    }
    return code;
  }

  Result<HttpResponse> read(const Sink& sink) {
    WireParser parser;
    parser.header_limit(kLargestHeader);
    parser.body_limit(boost::none);
    parser.skip(request_.method == "HEAD");
    if (const error_code code =
            wait([&](auto done) { http::async_read_header(stream_, buffer_, parser, done); })) {
      return wire_error(url_, request_, code);
    }
    HttpResponse response;
    response.status = parser.get().result_int();
    for (const auto& field : parser.get()) {
      response.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    auto wanted = sink.on_head(response);
    if (!wanted) return std::move(wanted).error();
    std::array<char, 16 * 1024> part;
    while (*wanted && !parser.is_done()) {
      parser.get().body().data = part.data();
      parser.get().body().size = part.size();
      parser.get().body().more = true;
      const error_code code = wait([&](auto done) { http::async_read_some(stream_, buffer_, parser, done); });
      if (code && code != http::error::need_buffer) return wire_error(url_, request_, code);
      const std::string_view bytes(part.data(), part.size() - parser.get().body().size);
      if (bytes.empty()) continue;
      wanted = sink.on_body(response.status, bytes);
      if (!wanted) return std::move(wanted).error();
    }
    return response;
  }

  asio::io_context& io_;
  Stream& stream_;
  const HttpUrl& url_;
  const HttpRequest& request_;
  beast::flat_buffer buffer_;
};

Result<HttpResponse> exchange_over_tls(asio::io_context& io, const HttpUrl& url, const HttpRequest& request,
                                       const WireRequest& wire, const Sink& sink) {
  ssl::context context(ssl::context::tls_client);
  error_code code;
  context.set_default_verify_paths(code);
  if (!code) context.set_verify_mode(ssl::verify_peer, code);
  beast::ssl_stream<beast::tcp_stream> stream(io, context);
  if (!code) stream.set_verify_callback(ssl::host_name_verification(url.host), code);
  if (code) return wire_error(url, request, code);
  if (SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str()) != 1) {
    return wire_error(url, request, {static_cast<int>(ERR_get_error()), asio::error::get_ssl_category()});
  }
  return Exchange(io, stream, url, request).run(wire, sink);
}

Result<HttpResponse> exchange(const HttpRequest& request, const Sink& sink) {
  const auto url = parse_http_url(request.url);
  if (!url) return url.error();
  const auto wire = wire_request(request, *url);
  if (!wire) return wire.error();
  asio::io_context io;
  if (url->tls) return exchange_over_tls(io, *url, request, *wire, sink);
  beast::tcp_stream stream(io);
  return Exchange(io, stream, *url, request).run(*wire, sink);
}

Result<bool> append_body(std::string& body, std::string_view bytes) {
  if (body.size() + bytes.size() > kLargestBody) {
    return Error{Error::Kind::io, fmt::format("The answer is above {}", format_bytes(kLargestBody)), "",
                 "Check that this is the server you meant", ""};
  }
  body += bytes;
  return true;
}

}  // namespace

const std::string* find_header(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (beast::iequals(key, name)) return &value;
  }
  return nullptr;
}

Result<HttpResponse> http_send(const HttpRequest& request) {
  std::string body;
  auto response =
      exchange(request, {.on_body = [&](int, std::string_view bytes) { return append_body(body, bytes); }});
  if (response) response->body = std::move(body);
  return response;
}

Result<HttpResponse> http_stream(const HttpRequest& request,
                                 const std::function<bool(std::string_view data)>& on_data) {
  SseParser parser;
  std::string body;
  const auto feed = [&](int status, std::string_view bytes) -> Result<bool> {
    if (status != 200) return append_body(body, bytes);
    const SseParser::Status state = parser.feed(bytes, on_data);
    if (state == SseParser::Status::too_long) {
      return Error{Error::Kind::io,
                   fmt::format("One event is above {}", format_bytes(SseParser::kLargestEvent)), "",
                   "Check that this is the server you meant", ""};
    }
    return state == SseParser::Status::more;
  };
  auto response = exchange(request, {.on_body = feed});
  if (response) response->body = std::move(body);
  return response;
}

Result<HttpResponse> http_receive(const HttpRequest& request,
                                  const std::function<Result<bool>(const HttpResponse& head)>& on_head,
                                  const std::function<Result<bool>(std::string_view bytes)>& on_bytes) {
  return exchange(request, {on_head, [&](int, std::string_view bytes) { return on_bytes(bytes); }});
}

}  // namespace pitwall
