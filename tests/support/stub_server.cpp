// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/stub_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace pitwall::test {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Time = SteadyClock::time_point;

Time after(Time from, double ms) {
  return from + std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
}

std::string http_chunk(const std::string& data) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, data.size(), 16).ptr;
  return std::string(size, end) + "\r\n" + data + "\r\n";
}

int number_after(std::string_view body, std::string_view key, int otherwise) {
  const std::size_t at = body.find(key);
  if (at == std::string_view::npos) return otherwise;
  int value = otherwise;
  const char* begin = body.data() + at + key.size();
  while (begin < body.data() + body.size() && *begin == ' ') ++begin;
  std::from_chars(begin, body.data() + body.size(), value);
  return value;
}

std::string header_of(std::string_view head, std::string_view name) {
  std::string lower(head);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t at = lower.find("\r\n" + std::string(name) + ":");
  if (at == std::string::npos) return {};
  const std::size_t begin = head.find_first_not_of(' ', at + name.size() + 3);
  return std::string(head.substr(begin, head.find("\r\n", begin) - begin));
}

/// The events of one answer, in order.
class Stream {
 public:
  Stream(const StubRequest& request, const StubAnswer& answer) : answer_(answer), chat_(request.chat()) {
    wants_usage_ = request.body.find("\"include_usage\":true") != std::string::npos ||
                   request.body.find("\"include_usage\": true") != std::string::npos;
    const int asked =
        number_after(request.body, chat_ ? "\"max_completion_tokens\":" : "\"max_tokens\":", 16);
    tokens_ = answer.tokens >= 0 ? answer.tokens : asked;
    const char* object = chat_ ? "chat.completion.chunk" : "text_completion";
    head_ = R"({"id":"stub-)" + std::to_string(request.number) + R"(","object":")" + object +
            R"(","created":1700000000,"model":"stub","system_fingerprint":"fp_stub","choices":[)";
  }

  enum class Next { event, last, cut, silent };

  /// Appends the next event to `out`.
  Next next(std::string& out) {
    if (!role_sent_ && chat_) {
      role_sent_ = true;
      out += event(choice(R"({"role":"assistant","content":""})", "null", 0));
    }
    if (chunks_ == answer_.cut_after) return Next::cut;
    if (chunks_ == answer_.silent_after) return Next::silent;
    if (chunks_ == answer_.error_after) {
      out += event(R"({"error":{"message":"the stub broke","type":"server_error","code":500}})");
      return Next::last;
    }
    if (sent_ < tokens_) {
      const int count = std::min(answer_.tokens_per_chunk, tokens_ - sent_);
      std::string what = chat_ ? R"({"content":")" : "\"";
      for (int i = 0; i < count; ++i) what += " word";
      what += chat_ ? "\"}" : "\"";
      out += event(choice(what, "null", count));
      sent_ += count;
      ++chunks_;
      if (sent_ < tokens_ || chunks_ == answer_.cut_after || chunks_ == answer_.error_after ||
          chunks_ == answer_.silent_after)
        return Next::event;
    }
    if (answer_.finish) out += event(choice(chat_ ? "{}" : R"("")", R"("length")", 0));
    if (wants_usage_) {
      const int counted = answer_.usage_tokens >= 0 ? answer_.usage_tokens : sent_;
      out += event(head_ + R"(],"usage":{"prompt_tokens":7,"completion_tokens":)" + std::to_string(counted) +
                   R"(,"total_tokens":)" + std::to_string(7 + counted) +
                   R"(,"prompt_tokens_details":{"cached_tokens":0}}})");
    }
    if (answer_.done) out += event("[DONE]");
    return Next::last;
  }

 private:
  std::string choice(const std::string& what, const char* finish, int tokens) const {
    std::string text =
        head_ + R"({"index":0,)" + (chat_ ? R"("delta":)" : R"("text":)") + what + R"(,"logprobs":null,)";
    if (answer_.token_ids) {
      text += R"("token_ids":[)";
      for (int i = 0; i < tokens; ++i) text += i == 0 ? "11" : ",11";
      text += "],";
    }
    return text + R"("finish_reason":)" + finish + R"(}],"usage":null})";
  }

  std::string event(std::string data) const {
    const char* end = answer_.crlf ? "\r\n" : "\n";
    if (answer_.spaces) {
      for (std::size_t at = 0; (at = data.find("\":", at)) != std::string::npos; at += 3)
        data.insert(at + 2, 1, ' ');
    }
    std::string text;
    if (answer_.comments) text += std::string(": ping") + end + end + "event: message" + end + "id: 1" + end;
    return http_chunk(text + "data: " + data + end + end);
  }

  StubAnswer answer_;
  bool chat_, wants_usage_ = false, role_sent_ = false;
  int tokens_ = 0, sent_ = 0, chunks_ = 0;
  std::string head_;
};

struct Client {
  int socket = -1;
  std::string in, out;
  std::unique_ptr<Stream> stream;
  StubAnswer answer;
  bool close_when_sent = false, wants_out = false;
  std::uint64_t serial = 0;  // sockets' numbers come again
};

}  // namespace

class StubServer::Loop {
 public:
  Loop(Script script, int port) : script_(std::move(script)) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 4096) != 0)
      std::abort();
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    this->port = ntohs(address.sin_port);
    epoll_ = epoll_create1(0);
    wake_ = eventfd(0, EFD_NONBLOCK);
    watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
    watch(wake_, EPOLLIN, EPOLL_CTL_ADD);
  }
  ~Loop() {
    for (auto& [socket, client] : clients_) ::close(socket);
    ::close(listener_);
    ::close(wake_);
    ::close(epoll_);
  }

  void run() {
    epoll_event events[256];
    while (!stop) {
      const int count = epoll_wait(epoll_, events, 256, timeout());
      for (int i = 0; i < count; ++i) handle(events[i]);
      emit();
    }
  }
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  int port = 0;
  std::atomic<bool> stop{false}, keep{true};
  std::atomic<int> accepted{0}, most{0};
  mutable std::mutex mutex;
  std::vector<StubRequest> requests;  // under the mutex
  std::string metrics;                // under the mutex

 private:
  void watch(int socket, std::uint32_t what, int operation) {
    epoll_event event{};
    event.events = what;
    event.data.fd = socket;
    epoll_ctl(epoll_, operation, socket, &event);
  }

  /// In whole ms, upwards: thousands of streams then share a turn, and nothing spins. Late events shift none.
  int timeout() const {
    if (due_.empty()) return 1000;
    const auto left = due_.top().at - SteadyClock::now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return static_cast<int>(std::clamp<long long>(ms, 0, 1000));
  }

  void handle(const epoll_event& event) {
    const int socket = event.data.fd;
    if (socket == listener_) return accept_all();
    if (socket == wake_) return;
    const auto found = clients_.find(socket);
    if (found == clients_.end()) return;
    if ((event.events & EPOLLOUT) != 0) flush(found->second);
    if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && clients_.count(socket) != 0)
      receive(found->second);
  }

  void accept_all() {
    for (;;) {
      const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (socket < 0) return;
      ++accepted;
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      clients_[socket].socket = socket;
      clients_[socket].serial = ++serial_;
      watch(socket, EPOLLIN, EPOLL_CTL_ADD);
    }
  }

  void drop(Client& client) {
    if (client.stream) --streams_;
    const int socket = client.socket;
    clients_.erase(socket);
    ::close(socket);
  }

  void receive(Client& client) {
    char bytes[64 * 1024];
    for (;;) {
      const ssize_t count = ::recv(client.socket, bytes, sizeof bytes, 0);
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (count <= 0) return drop(client);
      client.in.append(bytes, static_cast<std::size_t>(count));
    }
    const std::size_t head_end = client.in.find("\r\n\r\n");
    if (head_end == std::string::npos) return;
    const std::string head = client.in.substr(0, head_end + 2);
    const std::string length = header_of(head, "content-length");
    const std::size_t whole = head_end + 4 + (length.empty() ? 0 : std::stoul(length));
    if (client.in.size() < whole) return;
    StubRequest request;
    const std::size_t space = head.find(' ');
    request.target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
    request.authorization = header_of(head, "authorization");
    request.body = client.in.substr(head_end + 4, whole - head_end - 4);
    client.in.erase(0, whole);
    answer(client, std::move(request));
  }

  void answer(Client& client, StubRequest request) {
    if (request.target == "/v1/models") {
      return reply(client, 200,
                   R"({"object":"list","data":[{"id":"stub","object":"model","owned_by":"stub"}]})");
    }
    if (request.target == "/metrics") {
      const std::lock_guard lock(mutex);
      return reply(client, metrics.empty() ? 500 : 200, metrics);
    }
    if (request.target != "/v1/completions" && !request.chat())
      return reply(client, 404, R"({"error":{"message":"no such route"}})");
    request.number = completions_++;
    client.answer = script_(request);
    if (client.answer.status != 200) {
      reply(client, client.answer.status,
            R"({"error":{"message":"refused by the stub","type":"server_error"}})");
    } else {
      client.out += "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n" +
                    std::string(client.answer.close ? "Connection: close\r\n" : "") +
                    "Transfer-Encoding: chunked\r\n\r\n";
      client.stream = std::make_unique<Stream>(request, client.answer);
      most = std::max(most.load(), ++streams_);
      due_.push({after(SteadyClock::now(), client.answer.first_ms), client.socket, client.serial});
    }
    if (!keep) return;
    const std::lock_guard lock(mutex);
    requests.push_back(std::move(request));
  }

  void reply(Client& client, int status, const std::string& body) {
    client.out +=
        "HTTP/1.1 " + std::to_string(status) +
        " Said\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    flush(client);
  }

  void emit() {
    const Time now = SteadyClock::now();
    while (!due_.empty() && due_.top().at <= now) {
      const Due due = due_.top();
      due_.pop();
      const auto found = clients_.find(due.socket);
      if (found == clients_.end() || found->second.serial != due.serial || !found->second.stream) continue;
      Client& client = found->second;
      Stream::Next next = client.stream->next(client.out);
      while (next == Stream::Next::event && client.answer.gap_ms == 0) next = client.stream->next(client.out);
      if (next == Stream::Next::event) {
        due_.push({after(due.at, client.answer.gap_ms), due.socket, due.serial});
      } else if (next != Stream::Next::silent) {
        client.stream.reset();
        --streams_;
        if (next == Stream::Next::last) client.out += "0\r\n\r\n";
        client.close_when_sent =
            next == Stream::Next::cut || client.answer.close || client.answer.close_unsaid;
      }
      flush(client);
    }
  }

  void flush(Client& client) {
    while (!client.out.empty()) {
      const std::size_t most_bytes =
          client.answer.write_bytes > 0 ? client.answer.write_bytes : client.out.size();
      const ssize_t count =
          ::send(client.socket, client.out.data(), std::min(most_bytes, client.out.size()), MSG_NOSIGNAL);
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        client.wants_out = true;
        return watch(client.socket, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
      }
      if (count <= 0) return drop(client);
      client.out.erase(0, static_cast<std::size_t>(count));
    }
    if (std::exchange(client.wants_out, false)) watch(client.socket, EPOLLIN, EPOLL_CTL_MOD);
    if (client.close_when_sent) drop(client);
  }

  Script script_;
  int listener_ = -1, epoll_ = -1, wake_ = -1, streams_ = 0;
  std::size_t completions_ = 0;
  std::unordered_map<int, Client> clients_;
  struct Due {
    Time at;
    int socket;
    std::uint64_t serial;
    bool operator>(const Due& other) const { return at > other.at; }
  };
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t serial_ = 0;
};

StubServer::StubServer(Script script, int port) : loop_(std::make_unique<Loop>(std::move(script), port)) {
  thread_ = std::thread([this] { loop_->run(); });
}

StubServer::~StubServer() {
  loop_->stop = true;
  loop_->wake();
  thread_.join();
}

std::string StubServer::url() const {
  return "http://127.0.0.1:" + std::to_string(loop_->port);
}

std::vector<StubRequest> StubServer::requests() const {
  const std::lock_guard lock(loop_->mutex);
  return loop_->requests;
}

int StubServer::connections() const {
  return loop_->accepted;
}

int StubServer::most_streams() const {
  return loop_->most;
}

void StubServer::set_metrics(std::string text) {
  const std::lock_guard lock(loop_->mutex);
  loop_->metrics = std::move(text);
}

void StubServer::keep_requests(bool keep) {
  loop_->keep = keep;
}

double StubServer::cpu_s() {
  clockid_t clock;
  timespec cpu{};
  pthread_getcpuclockid(thread_.native_handle(), &clock);
  clock_gettime(clock, &cpu);
  return static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) * 1e-9;
}

}  // namespace pitwall::test
