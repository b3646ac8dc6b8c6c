// SPDX-License-Identifier: GPL-3.0-or-later
// Clients that hang up, stall or attack; limits; ports; stopping under load.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <QTest>

#include <filesystem>

#include "engine/serve/socket_table.h"
#include "tests/support/http_fixture.h"

using namespace pitwall;
using test::Json;

namespace {

constexpr int kSoon = 20'000;  // ms: far beyond what is expected, for machines under load

/// A context so long that a reply without a limit outlasts its test on any machine.
struct Server : test::HttpFixture {
  explicit Server(test::SettingList settings = {}, HttpOptions options = {})
      : HttpFixture(with_pool(std::move(settings)), options, {.context_length = 1 << 17}) {}
  static test::SettingList with_pool(test::SettingList settings) {
    settings.insert(settings.begin(), {"kv-cache-memory-bytes", "128MiB"});
    return settings;
  }
};

std::string endless_stream(const std::string& user) {
  return test::chat_body(user, {{"stream", true}}).dump();
}

int open_files() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.exists() ? 1 : 0;
  return count;
}

}  // namespace

class HttpFaultsTest : public QObject {
  Q_OBJECT

 private slots:
  void hanging_up_in_a_stream() {
    Server server;
    test::RawHttp http(server.port());
    http.send_post(test::kChat, endless_stream("stream"));
    for (int i = 0; i < 3; ++i) http.read_until("data: ");
    http.close();
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    const auto ended = server.engine().recorder().last_requests(1).front();
    QCOMPARE(ended.finish, FinishReason::cancelled);
    QCOMPARE(ended.error, "The client hung up");
  }

  void hanging_up_while_nothing_is_written() {
    Server server;
    test::RawHttp http(server.port());
    http.send_post(test::kChat, test::chat_body("no stream").dump());
    QTRY_VERIFY_WITH_TIMEOUT(server.engine().snapshot()->running == 1, kSoon);
    http.close();
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QCOMPARE(server.engine().recorder().last_requests(1).front().finish, FinishReason::cancelled);
  }

  void hanging_up_in_the_queue() {
    Server server(test::SettingList{{"max-num-seqs", "1"}});
    test::RawHttp running(server.port());
    running.send_post(test::kChat, endless_stream("running"));
    running.read_until("data: ");
    std::vector<std::unique_ptr<test::RawHttp>> queued;
    for (int i = 0; i < 10; ++i) {
      queued.push_back(std::make_unique<test::RawHttp>(server.port()));
      queued.back()->send_post(test::kChat, test::chat_body("queued", {{"stream", i % 2 == 0}}).dump());
    }
    QTRY_VERIFY_WITH_TIMEOUT(server.engine().recorder().last_requests(20).size() == 11, kSoon);
    queued.clear();
    QTRY_VERIFY_WITH_TIMEOUT(server.engine().recorder().totals().requests_cancelled >= 10, kSoon);
    running.close();
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QCOMPARE(test::complete(server.port(), test::kChat, test::chat_body("next", {{"max_tokens", 3}}), false)
                 .problem,
             "");
  }

  void a_stream_that_waits_sends_comments_and_no_role() {
    HttpOptions options;
    options.heartbeat_ms = 20;
    Server server({{"max-num-seqs", "1"}}, options);
    std::vector<std::unique_ptr<test::RawHttp>> ahead;
    for (int i = 0; i < 50; ++i) {
      ahead.push_back(std::make_unique<test::RawHttp>(server.port()));
      ahead.back()->send_post(test::kChat, test::chat_body("ahead").dump());
    }
    QTRY_VERIFY_WITH_TIMEOUT(server.engine().recorder().last_requests(60).size() == 50, kSoon);
    test::RawHttp waiting(server.port());
    waiting.send_post(test::kChat, test::chat_body("wait", {{"stream", true}, {"max_tokens", 3}}).dump());
    waiting.read_until("\r\n\r\n");
    QCOMPARE(waiting.read_until(":\n\n"), "3\r\n:\n\n");
    ahead.clear();
    waiting.read_until("data: ");
    const std::string rest = waiting.read_until("data: [DONE]\n\n");
    QVERIFY(rest.find("\"role\":\"assistant\"") < rest.find("\n\n"));
    QVERIFY(rest.ends_with("data: [DONE]\n\n"));
  }

  void hanging_up_before_the_request_is_whole() {
    Server server;
    for (const char* part :
         {"", "P", "POST /v1/completions HTTP/1.1\r\nHost: local",
          "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          "Content-Length: 100\r\n\r\n{\"prompt\""}) {
      test::RawHttp http(server.port());
      http.send(part);
    }
    QCOMPARE(test::get(server.port(), "/health").status, 200);
    QVERIFY(server.at_rest());
  }

  void half_closing_is_no_hang_up() {
    Server server;
    for (const bool stream : {false, true}) {
      test::RawHttp http(server.port());
      http.send_post(test::kChat, test::chat_body("half", {{"stream", stream}, {"max_tokens", 200}}).dump());
      http.finish_sending();
      const auto reply = http.read_reply();
      QCOMPARE(reply.status, 200);
      const auto completion = stream ? test::read_stream(reply) : test::read_whole(reply);
      QCOMPARE(completion.problem, "");
      QCOMPARE(completion.text.size(), std::size_t{200});
      QVERIFY(http.ended());
    }
    QCOMPARE(server.engine().recorder().totals().requests_cancelled, 0);
  }

  void two_hundred_hang_ups_leave_nothing() {
    Server server;
    test::get(server.port(), "/health");
    const int before = open_files();
    for (int i = 0; i < 200; ++i) {
      test::RawHttp http(server.port());
      http.send_post(test::kChat,
                     test::chat_body("hang up " + std::to_string(i), {{"stream", i % 2 == 0}}).dump());
      if (i % 4 == 0) http.read_until("data: ");
    }
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QTRY_VERIFY_WITH_TIMEOUT(open_files() <= before + 2, kSoon);
  }

  void a_reader_that_stalls_is_dropped_and_others_are_not() {
    Server server(test::SettingList{{"max-num-seqs", "8"}});
    std::vector<std::unique_ptr<test::RawHttp>> stalled;
    for (int i = 0; i < 4; ++i) {
      stalled.push_back(std::make_unique<test::RawHttp>(server.port(), 2048));
      stalled.back()->send_post(test::kChat, endless_stream("never read"));
    }
    const auto body = test::chat_body("read at once", {{"max_tokens", 1500}, {"stream", true}});
    const auto reader = test::read_stream(test::post(server.port(), test::kChat, body.dump()));
    QCOMPARE(reader.problem, "");
    QCOMPARE(reader.text.size(), std::size_t{1500});
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    bool dropped = false;
    for (const RequestRecord& request : server.engine().recorder().last_requests(5)) {
      dropped |= request.error.find("reads too slowly") != std::string::npos;
    }
    QVERIFY(dropped);
  }

  void too_large_a_body_by_length_and_by_chunks() {
    HttpOptions options;
    options.max_body = 1 << 20;
    Server server({}, options);
    test::RawHttp by_length(server.port());
    by_length.send(
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 67108864\r\n\r\n");
    const auto refused = by_length.read_reply();
    QCOMPARE(refused.status, 413);
    QCOMPARE(Json::parse(refused.body)["error"]["code"].get<std::string>(), "request_too_large");
    test::RawHttp by_chunks(server.port());
    by_chunks.send(
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    for (int i = 0; i < 20; ++i) by_chunks.send(chunk);
    QCOMPARE(by_chunks.read_reply().status, 413);
    QVERIFY(by_chunks.ended());
    QCOMPARE(test::get(server.port(), "/health").status, 200);
  }

  void too_large_a_header() {
    Server server;
    test::RawHttp http(server.port());
    http.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x'));
    QCOMPARE(http.read_reply().status, 431);
    QVERIFY(http.ended());
  }

  void what_is_no_http_gets_an_answer_or_an_end() {
    Server server;
    for (const std::string& bytes :
         {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
          std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string("GET\r\n\r\n"),
          std::string("GET / HTTP/1.1\nHost: x\n\n"),
          std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
          std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"),
          std::string("\0\0\0\0", 4)}) {
      test::RawHttp http(server.port());
      http.send(bytes);
      http.finish_sending();
      const std::string answer = http.read_all();
      QVERIFY2(answer.empty() || answer.starts_with("HTTP/1.1 4"), answer.c_str());
    }
    QCOMPARE(test::get(server.port(), "/health").status, 200);
  }

  void strangers_are_refused() {
    HttpOptions options;
    options.allowed_hosts = {"known.example"};
    options.allowed_origins = {"https://page.example"};
    Server server({}, options);
    const auto status = [&](const std::string& request) {
      test::RawHttp http(server.port());
      http.send(request);
      return http.read_reply();
    };
    const std::string json = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    QCOMPARE(status("GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
    QCOMPARE(status("GET /health HTTP/1.1\r\nHost: known.example\r\n\r\n").status, 200);
    QCOMPARE(status("GET /health HTTP/1.1\r\nHost: localhost:1234\r\n\r\n").status, 200);
    QCOMPARE(status("GET /health HTTP/1.1\r\n\r\n").status, 400);
    QCOMPARE(
        status("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n" + json)
            .status,
        403);
    QCOMPARE(status("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                    "text/plain\r\nContent-Length: 2\r\n\r\n{}")
                 .status,
             415);
    const auto known =
        status("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://page.example\r\n" + json);
    QCOMPARE(known.status, 400);  // "{}" has no prompt: it was read
    QCOMPARE(known.headers.at("access-control-allow-origin"), "https://page.example");
    const auto preflight = [&](const std::string& origin) {
      return status("OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin +
                    "\r\nAccess-Control-Request-Headers: authorization, content-type\r\n\r\n");
    };
    QCOMPARE(preflight("https://page.example").status, 204);
    QVERIFY(
        preflight("https://page.example").headers.at("access-control-allow-headers").find("content-type") !=
        std::string::npos);
    QCOMPARE(preflight("https://evil.example").status, 403);
  }

  void connections_beyond_the_limit_are_turned_away() {
    HttpOptions options;
    options.max_connections = 2;
    Server server({}, options);
    test::RawHttp first(server.port()), second(server.port());
    first.send_get("/health");
    second.send_get("/health");
    QCOMPARE(first.read_reply().status, 200);
    QCOMPARE(second.read_reply().status, 200);
    test::RawHttp third(server.port());
    QCOMPARE(third.read_reply().status, 503);
    first.close();
    bool accepted = false;  // each try is a connection of its own
    QTRY_VERIFY_WITH_TIMEOUT(accepted = accepted || test::get(server.port(), "/health").status == 200, kSoon);
  }

  void a_request_the_engine_drops_ends_with_an_error_event() {
    Server server;
    test::RawHttp stream(server.port()), whole(server.port());
    stream.send_post(test::kChat, endless_stream("first"));
    for (int i = 0; i < 5; ++i) stream.read_until("data: ");
    whole.send_post(test::kChat, test::chat_body("second").dump());
    QTRY_VERIFY_WITH_TIMEOUT(server.engine().snapshot()->running == 2, kSoon);
    server.engine().stop();
    const std::string rest = stream.read_all();
    QVERIFY(rest.find("[DONE]") == std::string::npos &&
            rest.find("\"finish_reason\":\"stop\"") == std::string::npos);
    QVERIFY(rest.find("data: {\"error\":{\"message\"") != std::string::npos);
    QCOMPARE(rest.find("\"error\""), rest.rfind("\"error\""));
    const auto refused = whole.read_reply();
    QCOMPARE(refused.status, 503);
    QCOMPARE(test::get(server.port(), "/health").status, 200);  // alive, but
    QCOMPARE(test::get(server.port(), "/health/ready").status, 503);
    QCOMPARE(test::post(server.port(), test::kChat, test::chat_body("late").dump()).status, 503);
  }

  void stopping_ends_streams_with_an_error_and_frees_the_port() {
    Server server;
    std::vector<std::unique_ptr<test::RawHttp>> streams;
    for (int i = 0; i < 5; ++i) {
      streams.push_back(std::make_unique<test::RawHttp>(server.port()));
      streams.back()->send_post(test::kChat, endless_stream("open " + std::to_string(i)));
      QVERIFY(streams.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    }
    test::RawHttp idle(server.port());
    const int port = server.port();
    server.stop_server();
    for (const auto& stream : streams) {
      const std::string rest = stream->read_all();
      QVERIFY2(rest.find("\"error\"") != std::string::npos, rest.c_str());
      QVERIFY(rest.find("[DONE]") == std::string::npos);
    }
    QVERIFY(idle.ended());
    HttpOptions again;
    again.port = port;
    const auto second = HttpServer::start(server.engine(), again);
    PW_VERIFY(second);
    QCOMPARE(test::get(port, "/health").status, 200);
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
  }

  void servers_come_and_go_under_load() {
    Server server;
    for (int round = 0; round < 10; ++round) {
      const auto other = HttpServer::start(server.engine(), {.port = 0});
      PW_VERIFY(other);
      std::vector<std::unique_ptr<test::RawHttp>> clients;
      for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<test::RawHttp>((*other)->port()));
        clients.back()->send_post(test::kChat, endless_stream("come and go"));
      }
      if (round % 2 == 0) clients.front()->read_until("data: ");
    }
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
  }

  void a_port_in_use_is_explained() {
    Server server;
    HttpOptions options;
    options.port = server.port();
    const auto refused = HttpServer::start(server.engine(), options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::busy);
    QCOMPARE(refused.error().param, "port");
    const std::string text = refused.error().text();
    QVERIFY2(text.find("Port " + std::to_string(server.port())) != std::string::npos, text.c_str());
    QVERIFY2(text.find("in use") != std::string::npos, text.c_str());
    QVERIFY2(text.find("Process " + std::to_string(getpid()) + " (http_faults_tes)") != std::string::npos,
             text.c_str());
    const int offered = std::stoi(text.substr(text.find("such as ") + 8));
    options.port = offered;
    PW_VERIFY(HttpServer::start(server.engine(), options));
  }

  void of_two_that_take_a_port_at_once_one_listens() {
    Server server;
    HttpOptions options;
    options.port = HttpServer::start(server.engine(), {.port = 0}).value()->port();  // free again
    auto first = HttpPort::take(options), second = HttpPort::take(options);
    PW_VERIFY(first);
    PW_VERIFY(second);
    const auto listens = HttpServer::start(server.engine(), options, *std::move(first));
    PW_VERIFY(listens);
    QCOMPARE((*listens)->port(), options.port);
    QCOMPARE(test::get(options.port, "/health").status, 200);
    const auto refused = HttpServer::start(server.engine(), options, *std::move(second));
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::busy);
    QVERIFY(!HttpPort::take(options));  // now it is seen before anything is loaded
  }

  void ports_and_hosts_that_cannot_be() {
    Server server;
    const auto error_of = [&](const std::string& host, int port) {
      HttpOptions options;
      options.host = host;
      options.port = port;
      auto started = HttpServer::start(server.engine(), options);
      return started ? Error{} : started.error();
    };
    QCOMPARE(error_of("127.0.0.1", 70000).param, "port");
    QVERIFY(error_of("127.0.0.1", 70000).what.find("70000") != std::string::npos);
    QCOMPARE(error_of("127.0.0.1", -1).param, "port");
    QCOMPARE(error_of("no address", 0).param, "host");
    QCOMPARE(error_of("0.0.0.0", 0).param, "allowed-hosts");
    QCOMPARE(error_of("::", 0).param, "allowed-hosts");
    QCOMPARE(error_of("203.0.113.1", 0).param, "allowed-hosts");
    QCOMPARE(error_of("localhost", 0).what, "");
    HttpOptions without_key;
    without_key.host = "0.0.0.0";
    without_key.port = 0;
    without_key.allowed_hosts = {"box.example"};
    const auto refused = HttpServer::start(server.engine(), without_key);
    QVERIFY(!refused && refused.error().param == "api-key");
    without_key.keys = *ApiKeys::read("a-key", "");
    PW_VERIFY(HttpServer::start(server.engine(), without_key));
    if (geteuid() != 0) QCOMPARE(error_of("127.0.0.1", 80).param, "port");
  }

  void an_open_bind_answers_to_named_hosts_only() {
    Server server;
    const auto open = HttpServer::start(
        server.engine(),
        {.host = "0.0.0.0", .port = 0, .allowed_hosts = {"box.example"}, .allow_unauthenticated = true});
    PW_VERIFY(open);
    QCOMPARE((*open)->url(), "http://127.0.0.1:" + std::to_string((*open)->port()));
    test::RawHttp named((*open)->port()), other((*open)->port());
    named.send("GET /health HTTP/1.1\r\nHost: box.example:99\r\n\r\n");
    other.send("GET /health HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n");
    QCOMPARE(named.read_reply().status, 200);
    QCOMPARE(other.read_reply().status, 403);
  }

  void the_socket_table_tells_closed_from_half_closed() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QCOMPARE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    QCOMPARE(::listen(listener, 1), 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    const std::uint16_t own = ntohs(address.sin_port);
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    QCOMPARE(::connect(client, reinterpret_cast<sockaddr*>(&address), size), 0);
    sockaddr_in peer{};
    const int accepted = ::accept(listener, reinterpret_cast<sockaddr*>(&peer), &size);
    const std::uint16_t theirs = ntohs(peer.sin_port);
    LoopbackPeers peers;
    const auto connected = LoopbackPeers::Clock::now();
    QVERIFY(!peers.closed(own, theirs, connected));
    ::shutdown(client, SHUT_WR);
    QVERIFY(!LoopbackPeers().closed(own, theirs, connected));
    QVERIFY(!peers.closed(own, 1, LoopbackPeers::Clock::now()));  // not read since
    QVERIFY(LoopbackPeers().closed(own, 1, connected));           // nobody is there
    QCOMPARE(port_owner(own)->pid, static_cast<int>(getpid()));
    ::close(client);
    QTRY_VERIFY(peers.closed(own, theirs, connected));
    ::close(accepted);
    ::close(listener);
  }
};

QTEST_GUILESS_MAIN(HttpFaultsTest)
#include "http_faults_test.moc"
