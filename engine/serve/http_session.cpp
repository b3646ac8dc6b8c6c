// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_session.h"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <optional>

#include "engine/serve/api_call.h"
#include "engine/serve/event_mailbox.h"
#include "engine/serve/http_routes.h"
#include "engine/serve/http_wire.h"
#include "engine/serve/session_end.h"
#include "engine/serve/sse.h"

namespace pitwall {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using TlsSocket = asio::ssl::stream<Socket>;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;

constexpr std::size_t kReadSize = 16 << 10;
constexpr std::size_t kPipelinedBytes = 64 << 10;       // read ahead while a request is being answered
constexpr std::size_t kUnsentBytes = 256 << 10;         // of a stream whose reader is slow
constexpr int kSendBuffer = 128 << 10;                  // of the kernel: bounded, so that slow readers show
constexpr milliseconds kTick{1000}, kLookForPeer{100};  // how often time is looked at
constexpr milliseconds kLinger{2000};                   // after the last reply

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

ApiCaller caller_of(std::string key, const HttpOptions& options) {
  return {.key = std::move(key),
          .max_messages = options.max_messages,
          .max_json_depth = options.max_json_depth,
          .max_waiting = options.max_waiting};
}

/// `Stream`: Socket or TlsSocket. Everything but end_politely() and close_now() on its lane's thread.
template <class Stream>
class Connection final : public HttpSession, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(HttpContext& context, HttpLane& lane, Stream stream)
      : context_(context),
        lane_(lane),
        stream_(std::move(stream)),
        timer_(lane.io().get_executor()),
        heartbeat_(context.options.heartbeat_ms) {
    error_code ignored;
    socket().non_blocking(true, ignored);
    socket().set_option(tcp::no_delay(true), ignored);
    socket().set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
    socket().set_option(asio::socket_base::keep_alive(true), ignored);  // shows a peer that vanished
    remote_ = socket().remote_endpoint(ignored);
    local_ = socket().local_endpoint(ignored);
  }

  void start() {
    if (state_ == State::closed) return;
    changed_ = SteadyClock::now();
    tick();
    if constexpr (kTls) {
      state_ = State::handshaking;
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code error) {
                                if (error) return self->close(kNoHandshake);
                                if (self->state_ == State::handshaking) self->begin();
                              });
    } else {
      begin();
    }
  }

  void end_politely() override {
    asio::post(lane_.io(), [self = this->shared_from_this()] { self->end_with_error(kStopping); });
  }
  void close_now() override {
    asio::post(lane_.io(), [self = this->shared_from_this()] { self->close(kStopping); });
  }

  void take_events() override {
    if (!submitted_ || state_ != State::answering) return;
    frames_.clear();
    for (ChoiceEvent& event : mailbox_->take()) {
      if (streaming_) {
        call_->stream(std::move(event), frames_);
      } else {
        call_->collect(std::move(event));
      }
      if (call_->failed()) break;
    }
    send_stream(frames_);
    if (call_->ended() || call_->failed()) {
      submitted_ = false;  // nothing to cancel any more
      if (!streaming_) return send_reply(call_->reply());
      return end_stream(!call_->failed());
    }
    if (outbox_.size() > kUnsentBytes) close(kSlowReader);
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsSocket>;
  enum class State {
    handshaking,
    reading,    // waiting for a request, or receiving one
    answering,  // exactly one request is being answered
    draining,   // the last reply is out; what the client still sends is thrown away
    closed
  };
  using Parser = http::request_parser<http::string_body>;

  Socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void begin() {
    state_ = State::reading;
    changed_ = SteadyClock::now();
    watch_for_reset();
    read();
  }

  // ---- reading
  // --------------------------------------------------------------------------------------------------

  /// Always one read in flight, so that a hang-up shows at any time; bytes of the next request wait in
  /// input_.
  void read() {
    const std::size_t limit = context_.options.max_header + kPipelinedBytes;
    if (reading_ || input_ended_ || state_ == State::closed || input_.size() >= limit) return;
    reading_ = true;
    stream_.async_read_some(asio::buffer(incoming_),
                            [self = this->shared_from_this()](error_code error, std::size_t size) {
                              self->reading_ = false;
                              self->on_read(error, size);
                            });
  }

  void on_read(error_code error, std::size_t size) {
    if (state_ == State::closed) return;
    input_.append(incoming_.data(), size);
    if (error == asio::error::eof) return on_end_of_input();
    if (error) return close(kHungUp);
    if (state_ == State::draining) input_.clear();
    take_input();
    read();
  }

  /// The client will send no more: it has closed its socket, or only this direction of it.
  void on_end_of_input() {
    input_ended_ = true;
    input_ended_at_ = SteadyClock::now();
    if (state_ != State::answering) return close(kHungUp);
    probe();
    tick();  // look more often from now on
  }

  /// Something written to a closed socket comes back as a reset, which watch_for_reset() sees. A stream may
  /// carry a comment at any time. A plain reply may be preceded by an interim response, but not every program
  /// reads those: where the peer is on this machine the kernel's socket table answers without
  /// (peer_is_gone()).
  void probe() {
    if (answered_) return;  // nothing may follow the reply
    if (streaming_) {
      send_stream(":\n\n");
    } else if (!remote_.address().is_loopback() && !http_1_0_) {
      send("HTTP/1.1 100 Continue\r\n\r\n");
    }
  }

  bool peer_is_gone() {
    return remote_.address().is_loopback() &&
           context_.peers.closed(local_.port(), remote_.port(), input_ended_at_);
  }

  void watch_for_reset() {
    socket().async_wait(tcp::socket::wait_error, [self = this->shared_from_this()](error_code error) {
      if (error || self->state_ == State::closed) return;
      // The wake-up may be left over from another socket that had this number before.
      if (self->was_reset()) return self->close(kHungUp);
      self->watch_for_reset();
    });
  }

  bool was_reset() {
    pollfd descriptor{socket().native_handle(), 0, 0};
    return ::poll(&descriptor, 1, 0) > 0 && (descriptor.revents & (POLLERR | POLLHUP)) != 0;
  }

  void take_input() {
    while (state_ == State::reading && input_.size() > 0) {
      if (!parser_) start_parser();
      error_code error;
      input_.erase(0, parser_->put(asio::buffer(input_), error));
      if (error == http::error::need_more) return;
      if (error) return refuse_unreadable(error);
      if (parser_->is_header_done() && !head_checked_) {
        head_checked_ = true;
        if (!check_head()) return;
      }
      if (parser_->is_done()) return answer();
    }
  }

  void start_parser() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(context_.options.max_header));
    parser_->body_limit(context_.options.max_body);
    head_checked_ = false;
    changed_ = SteadyClock::now();
  }

  void refuse_unreadable(error_code error) {
    keep_alive_ = false;
    if (error == http::error::body_limit) {
      send_reply(
          error_reply(413, "The body is larger than " + std::to_string(context_.options.max_body) + " bytes",
                      {}, "request_too_large"));
    } else if (error == http::error::header_limit) {
      send_reply(error_reply(
          431, "The header is larger than " + std::to_string(context_.options.max_header) + " bytes"));
    } else {
      send_reply(error_reply(400, "The request is not valid HTTP: " + error.message()));
    }
  }

  // ---- answering
  // ------------------------------------------------------------------------------------------------

  /// Before the body is read. False when the request is refused; its body is not waited for.
  bool check_head() {
    const auto& head = parser_->get();
    http_1_0_ = head.version() < 11;
    head_only_ = head.method() == http::verb::head;
    keep_alive_ = head.keep_alive();
    const std::string_view origin = view(head[http::field::origin]);
    cors_origin_ = context_.guard.allows_origin(origin) ? origin : std::string_view();
    auto refusal = context_.guard.check({.method = view(head.method_string()),
                                         .host = view(head[http::field::host]),
                                         .origin = origin,
                                         .content_type = view(head[http::field::content_type]),
                                         .host_count = static_cast<int>(head.count(http::field::host)),
                                         .http_1_0 = http_1_0_});
    if (!refusal && head.method() == http::verb::options) refusal = preflight_reply(!cors_origin_.empty());
    if (!refusal) refusal = find_action();
    if (refusal) {
      keep_alive_ = keep_alive_ && parser_->is_done();
      send_reply(*std::move(refusal));
      return false;
    }
    if (boost::beast::iequals(head[http::field::expect], "100-continue"))
      send("HTTP/1.1 100 Continue\r\n\r\n");
    parser_->eager(true);
    return true;
  }

  /// Sets route_ and key_, or says why not. Only open routes are told from each other without a key.
  std::optional<HttpReply> find_action() {
    const auto& head = parser_->get();
    const RouteMatch match = find_route(view(head.method_string()), view(head.target()), query_);
    const std::string_view authorization = view(head[http::field::authorization]);
    const auto key = context_.guard.caller(authorization);
    if (!key && !(match.route != nullptr && match.route->open)) return no_valid_key(!authorization.empty());
    if (match.route == nullptr) return match.refusal;
    route_ = match.route;
    key_ = key.value_or("");
    return std::nullopt;
  }

  void answer() {
    state_ = State::answering;
    changed_ = SteadyClock::now();
    std::string& body = parser_->get().body();
    if (const auto* at_once = std::get_if<RouteAnswer>(&route_->action))
      return send_reply((*at_once)(route_input(query_, body)));
    if (const auto* task = std::get_if<RouteTask>(&route_->action))
      return answer_soon(*task, std::move(body));
    call_ = std::make_shared<ApiCall>(context_.engine, std::get<ApiKind>(route_->action), std::move(body),
                                      caller_of(key_, context_.options));
    mailbox_ = std::make_shared<EventMailbox>([&ready = lane_.ready(), weak = this->weak_from_this()] {
      if (!weak.expired()) ready.add(weak);  // a server that is gone has no sessions
    });
    context_.text_workers.post([self = this->shared_from_this(), call = call_, mailbox = mailbox_] {
      if (self->gone_) return;
      auto refusal = call->submit([mailbox](ChoiceEvent&& event) { mailbox->push(std::move(event)); });
      asio::post(self->lane_.io(), [self, call, refusal = std::move(refusal)]() mutable {
        self->on_submitted(*call, std::move(refusal));
      });
    });
  }

  RouteInput route_input(std::string_view query, std::string_view body) const {
    return {context_.engine, context_.options, context_.statistics, query, body};
  }

  void answer_soon(const RouteTask& task, std::string body) {
    context_.text_workers.post(
        [self = this->shared_from_this(), task, query = std::string(query_), body = std::move(body)] {
          asio::post(self->lane_.io(), [self, reply = task.run(self->route_input(query, body))]() mutable {
            if (self->state_ == State::answering && !self->ending_) self->send_reply(std::move(reply));
          });
        });
  }

  void on_submitted(ApiCall& call, std::optional<HttpReply> refusal) {
    if (state_ != State::answering || ending_) {
      if (!refusal) call.cancel(kHungUp.text);
      return;
    }
    if (refusal) return send_reply(*std::move(refusal));
    submitted_ = true;
    context_.statistics.accepted(key_);
    if (call.streams()) {
      start_stream();
      if (input_ended_) probe();
    }
    take_events();
  }

  void start_stream() {
    streaming_ = true;
    HttpReply head{.status = 200, .content_type = "text/event-stream", .body = {}, .headers = {}};
    head.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
    if (http_1_0_) {
      keep_alive_ = false;  // the end of the connection is the end of the stream
    } else {
      head.headers.emplace_back("Transfer-Encoding", "chunked");
    }
    add_cors(head);
    context_.statistics.replied(head.status);
    send(head_of(head) + "\r\n");
  }

  std::string head_of(const HttpReply& reply) const {
    using std::chrono::seconds;
    return reply_head(reply, keep_alive_,
                      std::chrono::duration_cast<seconds>(context_.options.idle_time).count());
  }

  void send_stream(std::string_view bytes) {
    if (bytes.empty()) return;
    if (http_1_0_) return send(bytes);
    append_chunk(outbox_, bytes);
    write();
  }

  void end_stream(bool well) {
    keep_alive_ = keep_alive_ && well;
    answered_ = true;
    send(http_1_0_ ? std::string_view() : kLastChunk);
  }

  void send_reply(HttpReply reply) {
    state_ = State::answering;
    answered_ = true;
    add_cors(reply);
    context_.statistics.replied(reply.status, reply.code);
    std::string head = head_of(reply);
    if (reply.status != 204) head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    outbox_ += head + "\r\n";
    if (!head_only_) outbox_ += reply.body;
    write();
  }

  void add_cors(HttpReply& reply) const {
    if (cors_origin_.empty()) return;
    reply.headers.emplace_back("Access-Control-Allow-Origin", cors_origin_);
    reply.headers.emplace_back("Vary", "Origin");
  }

  // ---- writing
  // --------------------------------------------------------------------------------------------------

  void send(std::string_view bytes) {
    outbox_ += bytes;
    write();
  }

  void write() {
    if (writing_ || state_ == State::closed) return;
    if (!outbox_.empty()) {
      sent_ = SteadyClock::now();
      if constexpr (!kTls) write_at_once();
    }
    if (outbox_.empty()) {
      if (answered_) asio::post(lane_.io(), [self = this->shared_from_this()] { self->next_request(); });
      return;
    }
    writing_ = true;
    in_write_.clear();
    in_write_.swap(outbox_);
    asio::async_write(stream_, asio::buffer(in_write_),
                      [self = this->shared_from_this()](error_code error, std::size_t) {
                        self->writing_ = false;
                        if (error) return self->close(kHungUp);
                        self->write();
                      });
  }

  /// A token is mostly taken by the kernel at once, which saves an operation that is awaited. What is not
  /// taken stays in outbox_, and so do errors: the next write has them too.
  void write_at_once() {
    error_code error;
    const std::size_t taken = socket().write_some(asio::buffer(outbox_), error);
    outbox_.erase(0, taken);
  }

  void next_request() {
    if (state_ != State::answering || !answered_) return;
    log_request();
    call_.reset();
    mailbox_.reset();
    answered_ = streaming_ = submitted_ = false;
    parser_.reset();
    std::string().swap(outbox_);  // a connection that rests keeps no room for its largest reply
    std::string().swap(in_write_);
    cors_origin_.clear();
    changed_ = SteadyClock::now();
    if (!keep_alive_ || ending_) return drain();
    state_ = State::reading;
    take_input();
    if (state_ == State::reading && input_ended_) return close(kHungUp);
    read();
  }

  /// The reply must arrive before the connection is torn down, also when the client is still sending.
  void drain() {
    state_ = State::draining;
    if constexpr (kTls) {
      stream_.async_shutdown([self = this->shared_from_this()](error_code) {});
    } else {
      error_code ignored;
      socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
    if (input_ended_) return close(kReplied);
    input_.clear();
    read();
  }

  void log_request() const {
    if (route_ == nullptr) return;
    spdlog::debug("{} {} answered{}", route_->method, route_->path, streaming_ ? " as a stream" : "");
  }

  // ---- time and ends
  // --------------------------------------------------------------------------------------------

  void tick() {
    if (state_ == State::closed) return;
    timer_.expires_after(input_ended_ ? kLookForPeer : std::min(kTick, heartbeat_));
    timer_.async_wait([self = this->shared_from_this()](error_code error) {
      if (error || self->state_ == State::closed) return;
      self->on_tick(SteadyClock::now());
      self->tick();
    });
  }

  void on_tick(SteadyClock::time_point now) {
    switch (state_) {
      case State::handshaking:
        if (now - changed_ > context_.options.request_time) close(kNoHandshake);
        break;
      case State::reading:
        if (parser_ && parser_->got_some() && now - changed_ > context_.options.request_time) {
          keep_alive_ = false;
          send_reply(error_reply(408, "The request did not arrive in time"));
        } else if (now - changed_ > context_.options.idle_time) {
          close(kIdle);
        }
        break;
      case State::answering:
        if (input_ended_ && peer_is_gone()) return close(kHungUp);
        if (writing_ && now - sent_ > context_.options.stalled_time) return close(kStalled);
        if (streaming_ && !answered_ && !writing_ && now - sent_ >= heartbeat_) send_stream(":\n\n");
        break;
      case State::draining:
        if (now - changed_ > kLinger) close(kReplied);
        break;
      case State::closed:
        break;
    }
  }

  void end_with_error(const SessionEnd& end) {
    if (state_ != State::answering) return close(end);
    ending_ = true;
    keep_alive_ = false;
    if (answered_) return;  // the reply is on its way
    if (submitted_) context_.statistics.dropped(end.label);
    cancel(end.text);
    if (streaming_) {
      send_stream(error_frame(end.text, 503));
      end_stream(false);
    } else {
      send_reply(error_reply(503, end.text));
    }
  }

  void cancel(const char* reason) {
    if (mailbox_) mailbox_->close();
    if (submitted_) call_->cancel(reason);
    submitted_ = false;
  }

  void close(const SessionEnd& end) {
    if (state_ == State::closed) return;
    cancel(end.text);
    if (state_ == State::answering && !answered_) {
      spdlog::debug("a request was dropped: {}", end.text);
      context_.statistics.dropped(end.label);
    }
    state_ = State::closed;
    gone_ = true;
    timer_.cancel();
    error_code ignored;
    socket().close(ignored);
    context_.sessions.remove(this);
  }

  HttpContext& context_;
  HttpLane& lane_;
  Stream stream_;
  Timer timer_;
  const milliseconds heartbeat_;
  tcp::endpoint remote_, local_;
  State state_ = State::reading;
  SteadyClock::time_point changed_;  // when state_ began, or the request in progress
  std::atomic<bool> gone_{false};    // closed: workers need not begin

  std::array<char, kReadSize> incoming_;  // of the read in flight
  std::string input_;                     // received, not yet parsed
  bool reading_ = false, input_ended_ = false;
  SteadyClock::time_point input_ended_at_{};

  // The request in progress.
  std::optional<Parser> parser_;
  bool head_checked_ = false, http_1_0_ = false, head_only_ = false, keep_alive_ = true;
  std::string cors_origin_;
  const Route* route_ = nullptr;
  std::string_view query_;  // into parser_
  std::string key_;         // name of the API key
  std::shared_ptr<ApiCall> call_;
  std::shared_ptr<EventMailbox> mailbox_;
  bool submitted_ = false;  // the engine works on it
  bool streaming_ = false;  // the head of a stream is out
  bool answered_ = false;   // all of the reply is in outbox_ or written
  bool ending_ = false;     // the server stops

  std::string outbox_, in_write_, frames_;
  bool writing_ = false;
  SteadyClock::time_point sent_;  // when the last write began
};

template <class Stream>
void open(HttpContext& context, HttpLane& lane, Stream stream) {
  const auto connection = std::make_shared<Connection<Stream>>(context, lane, std::move(stream));
  if (context.sessions.add(connection)) asio::dispatch(lane.io(), [connection] { connection->start(); });
}

}  // namespace

void open_session(HttpContext& context, HttpLane& lane, int descriptor, bool is_v6) {
  Socket socket(lane.io());
  error_code ignored;
  socket.assign(is_v6 ? tcp::v6() : tcp::v4(), descriptor, ignored);
  if (context.tls != nullptr) {
    open(context, lane, TlsSocket(std::move(socket), *context.tls));
  } else {
    open(context, lane, std::move(socket));
  }
}

}  // namespace pitwall
