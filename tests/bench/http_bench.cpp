// SPDX-License-Identifier: GPL-3.0-or-later
// The HTTP front alone: a server process whose engine runs no model streams to many clients in this process,
// which only count. Figures: tokens/s that arrived, server CPU per token by thread, and how long a token took
// from the engine's step to the client's socket. Usage: http_bench [streams] [seconds] [tokens/s …]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/serve/engine.h"
#include "engine/serve/http_server.h"
#include "engine/telemetry/quantiles.h"
#include "tests/support/instant_backend.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

// A token's text says which step it is from: the client looks up when that step ended.
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr int kByteTokens = 3;  // of the tiny model: byte b is token b + 3
constexpr std::string_view kContent = "\"content\":\"";
constexpr int kReplyTokens = 100'000;  // more than any run sees

/// Between the two processes.
struct Shared {
  std::atomic<int> port{0};
  std::atomic<std::uint64_t> steps{0};
  std::array<std::atomic<Nanos>, kLetters.size()> ended{};  // of the last step with this letter
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(1);
}

TokenId publish(Shared& shared, Nanos at) {
  const std::size_t letter = shared.steps.fetch_add(1) % kLetters.size();
  shared.ended[letter] = at;
  return static_cast<TokenId>(kLetters[letter]) + kByteTokens;
}

/// Until `ends` can be read from: the parent is done.
void serve(Shared& shared, const std::filesystem::path& model, int streams, Nanos interval, int ends) {
  EngineOptions options;
  options.model = model;
  options.make_backend = [&](const Settings&) -> Result<std::unique_ptr<Backend>> {
    return test::make_instant_backend(interval, [&shared](Nanos at) { return publish(shared, at); });
  };
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"max-num-seqs", std::to_string(streams)},
        {"kv-cache-memory-bytes", "8GiB"},
        {"max-model-len", std::to_string(kReplyTokens + 100)},
        {"enable-prefix-caching", "false"}}) {
    if (auto ok = options.settings.set(name, value); !ok) give_up(ok.error().text());
  }
  auto engine = Engine::start(std::move(options));
  if (!engine) give_up(engine.error().text());
  HttpOptions http;
  http.port = 0;
  http.max_connections = streams + 16;
  auto server = HttpServer::start(**engine, http);
  if (!server) give_up(server.error().text());
  shared.port = (*server)->port();
  char byte;
  while (::read(ends, &byte, 1) < 0) {
  }
}

/// CPU nanoseconds of a process by thread name.
std::map<std::string, Nanos> cpu_of(pid_t process) {
  std::map<std::string, Nanos> result;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string name;
    Nanos nanos = 0;
    std::getline(std::ifstream(task.path() / "comm"), name);
    std::ifstream(task.path() / "schedstat") >> nanos;
    result[name] += nanos;
  }
  return result;
}

Nanos own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto nanos = [](const timeval& time) { return time.tv_sec * kNanosPerSecond + time.tv_usec * 1000; };
  return nanos(usage.ru_utime) + nanos(usage.ru_stime);
}

/// One stream: finds the tokens among the bytes, also where a read ends inside one.
class Stream {
 public:
  Stream(int port, int number) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      give_up("a connection was refused");
    const std::string body = R"({"stream":true,"ignore_eos":true,"messages":[{"role":"user","content":")" +
                             std::to_string(number) + R"("}]})";
    const std::string request =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) < 0) give_up("a request was not sent");
  }
  ~Stream() { ::close(socket_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int socket() const { return socket_; }
  bool started() const { return started_; }

  /// Calls `token` with the letter of each.
  template <class Token>
  void read(std::vector<char>& buffer, Token&& token) {
    std::memcpy(buffer.data(), rest_.data(), rest_.size());
    const ssize_t size =
        ::recv(socket_, buffer.data() + rest_.size(), buffer.size() - rest_.size(), MSG_DONTWAIT);
    if (size == 0) give_up("the server ended a stream");
    if (size < 0) return;
    const std::string_view bytes(buffer.data(), rest_.size() + static_cast<std::size_t>(size));
    std::size_t at = 0;
    for (std::size_t found; (found = bytes.find(kContent, at)) != std::string_view::npos;) {
      if (found + kContent.size() >= bytes.size()) {
        at = found;
        break;
      }
      at = found + kContent.size();
      if (bytes[at] == '"') continue;  // the role's chunk
      started_ = true;
      token(bytes[at]);
    }
    at = std::max(at, bytes.size() - std::min(bytes.size(), kContent.size()));
    rest_.assign(bytes.substr(at));
  }

 private:
  int socket_;
  bool started_ = false;
  std::string rest_;
};

struct Figures {
  double tokens_per_s = 0, bytes = 0, p50_ms = 0, p99_ms = 0, client_us = 0;
  std::map<std::string, double> server_us;  // CPU per token by thread
};

class Clients {
 public:
  Clients(Shared& shared, int streams) : shared_(shared), poll_(epoll_create1(0)), buffer_(1 << 20) {
    for (int i = 0; i < streams; ++i) {
      streams_.push_back(std::make_unique<Stream>(shared.port, i));
      epoll_event event{EPOLLIN, {.ptr = streams_.back().get()}};
      epoll_ctl(poll_, EPOLL_CTL_ADD, streams_.back()->socket(), &event);
    }
  }
  ~Clients() { ::close(poll_); }

  void until_all_started() {
    while (!std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->started(); }))
      turn(nullptr);
  }
  Figures measure(pid_t server, double seconds) {
    delays_.clear();
    tokens_ = 0;
    const auto before = cpu_of(server);
    const Nanos own = own_cpu(), from = clock_.now();
    while (clock_.now() < from + static_cast<Nanos>(seconds * kNanosPerSecond)) turn(&delays_);
    const Nanos took = clock_.now() - from;
    const auto count = static_cast<double>(tokens_);
    Figures figures;
    figures.tokens_per_s = count * kNanosPerSecond / static_cast<double>(took);
    figures.client_us = static_cast<double>(own_cpu() - own) / 1e3 / count;
    for (const auto& [name, nanos] : cpu_of(server)) {
      const auto old = before.find(name);
      figures.server_us[name] =
          static_cast<double>(nanos - (old != before.end() ? old->second : 0)) / 1e3 / count;
    }
    std::sort(delays_.begin(), delays_.end());
    figures.p50_ms = quantile_sorted(delays_, 0.5);
    figures.p99_ms = quantile_sorted(delays_, 0.99);
    return figures;
  }

 private:
  void turn(std::vector<double>* delays) {
    // As a network card does: what comes within a quarter of a millisecond is told at once. Else most of a
    // write's cost would be waking this process.
    ::usleep(250);
    std::array<epoll_event, 512> events;
    const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
    if (count == 0) give_up("nothing came for ten seconds");
    const Nanos now = clock_.now();
    for (int i = 0; i < count; ++i) {
      static_cast<Stream*>(events[static_cast<std::size_t>(i)].data.ptr)->read(buffer_, [&](char letter) {
        ++tokens_;
        const std::size_t index = kLetters.find(letter);
        if (delays != nullptr && index != std::string_view::npos)
          delays->push_back(static_cast<double>(now - shared_.ended[index]) / kNanosPerMs);
      });
    }
  }

  Shared& shared_;
  const int poll_;
  std::vector<char> buffer_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::int64_t tokens_ = 0;
  std::vector<double> delays_;
  const RealClock clock_;
};

void bench(int streams, double seconds, double wanted) {
  auto* shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  const test::TemporaryFolder folder;
  const auto model = test::write_tiny_model(folder.path(), {.context_length = 1 << 20});
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) give_up("no pipe");
  const pid_t server = ::fork();
  if (server == 0) {
    ::close(ends[1]);
    serve(*shared, model, streams, static_cast<Nanos>(streams * (kNanosPerSecond / wanted)), ends[0]);
    std::_Exit(0);
  }
  ::close(ends[0]);
  while (shared->port == 0) {
    if (::waitpid(server, nullptr, WNOHANG) != 0) give_up("the server did not start");
    ::usleep(1000);
  }
  {
    Clients clients(*shared, streams);
    clients.until_all_started();
    clients.measure(server, 1);  // warm
    const Figures figures = clients.measure(server, seconds);
    double sum = 0;
    std::string threads;
    for (const auto& [name, us] : figures.server_us) {
      sum += us;
      if (us >= 0.05) threads += " " + name + " " + std::to_string(us).substr(0, 5);
    }
    std::printf("%8.0f %12.0f %10.2f %10.2f %10.2f %10.2f  %s\n", wanted, figures.tokens_per_s, sum,
                figures.client_us, figures.p50_ms, figures.p99_ms, threads.c_str());
    std::fflush(stdout);
  }
  ::close(ends[1]);
  ::waitpid(server, nullptr, 0);
  munmap(shared, sizeof(Shared));
}

}  // namespace

int main(int argc, char** argv) {
  const int streams = argc > 1 ? std::atoi(argv[1]) : 500;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5;
  std::vector<double> rates;
  for (int i = 3; i < argc; ++i) rates.push_back(std::atof(argv[i]));
  if (rates.empty()) rates = {40'000, 80'000};
  std::printf(
      "%d streams, CPU in µs per token, delay in ms from step to client\n%8s %12s %10s %10s %10s %10s  %s\n",
      streams, "asked/s", "arrived/s", "server", "client", "p50", "p99", "server by thread");
  for (const double rate : rates) bench(streams, seconds, rate);
}
