// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/http_load.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <unordered_set>

#include "engine/base/units.h"
#include "engine/bench/dispatcher.h"
#include "engine/bench/stream_reader.h"
#include "engine/library/http_url.h"

namespace pitwall {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kBodiesAhead = std::size_t{512} << 20;
constexpr Nanos kTick = 10 * kNanosPerMs;
constexpr Nanos kProgressEvery = kNanosPerSecond / 4;

/// As many sockets as the system lets this process have.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

struct Peer {
  HttpUrl url;
  tcp::resolver::results_type addresses;
  std::string head;  ///< of every request, up to the body's length
};

/// One socket and the request on it. Stream is tcp::socket, plain or under TLS. Handlers keep it alive.
template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  struct Owner {
    virtual ~Owner() = default;
    virtual void answered(Connection& connection) = 0;
    /// A connection that was kept turned out closed before any byte of the answer.
    virtual void stale(Connection& connection) = 0;
  };

  Connection(Stream stream, Owner& owner, const Peer& peer, StreamReader reader)
      : stream_(std::move(stream)), owner_(owner), peer_(peer), reader_(std::move(reader)) {}

  void send(StreamRecord& record, std::string body) {
    record_ = &record;
    reader_.begin(record);
    last_heard_ = clock_.now();
    body_ = std::move(body);
    head_ = fmt::format("{}{}\r\n\r\n", peer_.head, body_.size());
    connected_ ? exchange() : connect();
  }

  void give_up(StreamEnd why, const std::string& reason) {
    reader_.end(why, reason, clock_.now());
    close();
  }

  bool reusable() const { return reader_.reusable() && !writing_; }
  Nanos last_heard() const { return last_heard_; }
  StreamRecord& record() const { return *record_; }
  std::string take_body() { return std::move(body_); }
  void close() {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Stream, tcp::socket>;

  void connect() {
    asio::async_connect(stream_.lowest_layer(), peer_.addresses,
                        [this, self = this->shared_from_this()](error_code code, const tcp::endpoint&) {
                          if (!reader_.running()) return;
                          if (code) return lost(code);
                          stream_.lowest_layer().set_option(tcp::no_delay(true), code);
                          shake_hands();
                        });
  }

  void shake_hands() {
    if constexpr (kTls) {
      SSL_set_tlsext_host_name(stream_.native_handle(), peer_.url.host.c_str());
      stream_.set_verify_callback(ssl::host_name_verification(peer_.url.host));
      stream_.async_handshake(ssl::stream_base::client,
                              [this, self = this->shared_from_this()](error_code code) {
                                if (!reader_.running()) return;
                                if (code) return lost(code);
                                exchange();
                              });
    } else {
      exchange();
    }
  }

  void exchange() {
    connected_ = writing_ = true;
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head_), asio::buffer(body_)};
    // Whatever keeps the request from being written, the read hears of it, after an answer that came early.
    asio::async_write(stream_, parts,
                      [this, self = this->shared_from_this()](error_code, std::size_t) { writing_ = false; });
    read();
  }

  void read() {
    stream_.async_read_some(asio::buffer(bytes_),
                            [this, self = this->shared_from_this()](error_code code, std::size_t count) {
                              const Nanos at = clock_.now();
                              if (!reader_.running()) return;
                              if (code) return lost(code);
                              last_heard_ = at;
                              if (!reader_.feed({bytes_.data(), count}, at)) return read();
                              ++answers_;
                              owner_.answered(*this);
                            });
  }

  void lost(const error_code& code) {
    if (answers_ > 0 && !reader_.heard()) return owner_.stale(*this);
    const bool hung_up = code == asio::error::eof || code == ssl::error::stream_truncated;
    reader_.disconnected(clock_.now(), hung_up ? "The server hung up" : code.message());
    owner_.answered(*this);
  }

  RealClock clock_;
  Stream stream_;
  Owner& owner_;
  const Peer& peer_;
  StreamReader reader_;
  StreamRecord* record_ = nullptr;
  std::string head_, body_;
  std::array<char, kReadBytes> bytes_;
  Nanos last_heard_ = 0;
  int answers_ = 0;
  bool connected_ = false, writing_ = false;
};

template <class Stream>
class HttpPlayer final : public Connection<Stream>::Owner {
 public:
  using MakeStream = std::function<Stream(asio::io_context& io)>;

  HttpPlayer(const Load& load, const HttpLoadTarget& target, asio::io_context& io, const Peer& peer,
             MakeStream make_stream)
      : load_(load), target_(target), peer_(peer), io_(io), make_stream_(std::move(make_stream)) {
    played_.records = planned_records(load.trace);
  }

  PlayedLoad play() {
    make_bodies();
    const Nanos cpu_before = thread_cpu_time();
    played_.start_utc = clock_.utc_now();
    played_.start = clock_.now();
    dispatcher_.emplace(load_.trace, load_.max_concurrency, played_.start);
    next_tick_ = next_progress_ = played_.start;
    send_due();
    tick();
    io_.run();
    played_.end = clock_.now();
    played_.lag.cpu_s =
        static_cast<double>(thread_cpu_time() - cpu_before) / static_cast<double>(kNanosPerSecond);
    played_.lag.loop_delay_ms = summarize(std::move(delays_ms_));
    report_progress();
    return std::move(played_);
  }

 private:
  using Conn = Connection<Stream>;
  using ConnPtr = std::shared_ptr<Conn>;

  void make_bodies() {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < played_.records.size() && bytes < kBodiesAhead; ++i) {
      bodies_.push_back(target_.body(i));
      bytes += bodies_.back().size();
    }
  }
  std::string body_of(std::size_t index) {
    return index < bodies_.size() ? std::move(bodies_[index]) : target_.body(index);
  }

  void send_due() {
    while (const auto sending = dispatcher_->next(clock_.now())) {
      StreamRecord& record = played_.records[sending->index];
      std::string body = body_of(sending->index);
      record.due = sending->due;
      record.ready = sending->ready;
      record.sent = clock_.now();
      ++progress_.sent;
      played_.peak_live = std::max(played_.peak_live, dispatcher_->live());
      if (load_.listener != nullptr) load_.listener->sent(record);
      send(record, std::move(body));
    }
    const auto due = dispatcher_->next_due();
    if (!due) return;
    arrival_.expires_at(steady_time(*due));
    arrival_.async_wait([this](error_code code) {
      if (!code && !stopped_) send_due();
    });
  }

  void send(StreamRecord& record, std::string body) {
    ConnPtr connection;
    if (idle_.empty()) {
      connection = std::make_shared<Conn>(make_stream_(io_), *this, peer_,
                                          StreamReader(target_.keep_text, load_.listener));
    } else {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
    busy_.insert(connection);
    connection->send(record, std::move(body));
  }

  void answered(Conn& connection) override {
    const ConnPtr held = connection.shared_from_this();
    busy_.erase(held);
    if (connection.reusable()) {
      idle_.push_back(held);
    } else {
      connection.close();
    }
    const StreamRecord& record = connection.record();
    dispatcher_->ended(record.index, record.closed);
    ++progress_.ended;
    progress_.failed += record.ended_well() ? 0 : 1;
    progress_.chunks += std::ssize(record.chunks);
    if (dispatcher_->done()) return stop();
    send_due();
  }

  void stale(Conn& connection) override {
    const ConnPtr held = connection.shared_from_this();
    busy_.erase(held);
    connection.close();
    idle_.clear();  // the others are as old or older
    send(connection.record(), connection.take_body());
  }

  /// Every 10 ms: how late is the loop, has something gone silent, does the caller want to stop.
  void tick() {
    const Nanos now = clock_.now();
    delays_ms_.push_back(static_cast<double>(now - next_tick_) / static_cast<double>(kNanosPerMs));
    if (load_.cancel != nullptr && load_.cancel->load()) {
      give_up_all(StreamEnd::cancelled, "Cancelled", now);
      return stop();
    }
    if (now >= next_progress_) {
      next_progress_ = now + kProgressEvery;
      report_progress();
      give_up_all(StreamEnd::timed_out, fmt::format("Nothing came for {}", format_duration(target_.silence)),
                  now - target_.silence);
    }
    if (stopped_) return;
    next_tick_ = std::max(next_tick_ + kTick, now);
    ticker_.expires_at(steady_time(next_tick_));
    ticker_.async_wait([this](error_code code) {
      if (!code && !stopped_) tick();
    });
  }

  void give_up_all(StreamEnd why, const std::string& reason, Nanos silent_since) {
    std::vector<ConnPtr> given_up;
    std::copy_if(busy_.begin(), busy_.end(), std::back_inserter(given_up),
                 [&](const ConnPtr& connection) { return connection->last_heard() <= silent_since; });
    for (const ConnPtr& connection : given_up) {
      connection->give_up(why, reason);
      if (why == StreamEnd::timed_out) answered(*connection);
    }
  }

  void report_progress() {
    progress_.total = played_.records.size();
    if (load_.on_progress) load_.on_progress(progress_);
  }

  void stop() {
    stopped_ = true;
    io_.stop();
  }

  const Load& load_;
  const HttpLoadTarget& target_;
  const Peer& peer_;
  asio::io_context& io_;
  MakeStream make_stream_;
  RealClock clock_;
  asio::steady_timer arrival_{io_}, ticker_{io_};
  std::optional<Dispatcher> dispatcher_;
  std::vector<std::string> bodies_;
  std::unordered_set<ConnPtr> busy_;
  std::vector<ConnPtr> idle_;
  PlayedLoad played_;
  PlayProgress progress_;
  std::vector<double> delays_ms_;
  Nanos next_tick_ = 0, next_progress_ = 0;
  bool stopped_ = false;
};

Result<std::string> request_head(const HttpUrl& url, const HttpLoadTarget& target) {
  std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: pitwall\r\nAccept: text/event-stream\r\n"
      "Content-Type: application/json\r\n",
      url.target, url.authority());
  for (const auto& [name, value] : target.headers) {
    // The value may be a key: it stays out of the message.
    if (value.find_first_of(std::string("\r\n\0", 3)) != std::string::npos)
      return Error{Error::Kind::invalid_input,
                   fmt::format("The header {} has a line break in its value", name), "", "Leave it out",
                   "headers"};
    head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + "Content-Length: ";
}

Error unreachable(const HttpUrl& url, const error_code& code) {
  return {Error::Kind::io, fmt::format("Cannot reach {}: {}", url.authority(), code.message()), "",
          "Check that the server is running there and that the address is right", "url"};
}

PlayedLoad play_plain(const Load& load, const HttpLoadTarget& target, asio::io_context& io,
                      const Peer& peer) {
  const auto make = [](asio::io_context& context) { return tcp::socket(context); };
  return HttpPlayer<tcp::socket>(load, target, io, peer, make).play();
}

Result<PlayedLoad> play_over_tls(const Load& load, const HttpLoadTarget& target, asio::io_context& io,
                                 const Peer& peer) {
  using TlsStream = ssl::stream<tcp::socket>;
  ssl::context context(ssl::context::tls_client);
  error_code code;
  context.set_default_verify_paths(code);
  if (!code) context.set_verify_mode(ssl::verify_peer, code);
  if (code) return unreachable(peer.url, code);
  const auto make = [&context](asio::io_context& owner) { return TlsStream(owner, context); };
  return HttpPlayer<TlsStream>(load, target, io, peer, make).play();
}

}  // namespace

Result<PlayedLoad> play_over_http(const Load& load, const HttpLoadTarget& target) {
  const auto url = parse_http_url(target.url);
  if (!url) return url.error();
  auto head = request_head(*url, target);
  if (!head) return head.error();
  raise_file_limit();
  asio::io_context io(1);  // one thread: no locks inside
  error_code code;
  tcp::resolver resolver(io);
  auto addresses = resolver.resolve(url->host, url->port, code);
  if (code) return unreachable(*url, code);
  const Peer peer{*url, std::move(addresses), std::move(*head)};
  return url->tls ? play_over_tls(load, target, io, peer) : play_plain(load, target, io, peer);
}

}  // namespace pitwall
