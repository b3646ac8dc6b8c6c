// SPDX-License-Identifier: GPL-3.0-or-later
// The client against a server of plain sockets that answers with scripted bytes.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QTest>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/text_escape.h"
#include "engine/library/http_client.h"
#include "engine/library/http_url.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

/// Accepts one connection on a free port of loopback, reads a whole request, sends `parts` one by one and
/// hangs up; with `hold` it stays silent after them until the client hangs up.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::string> parts, bool hold = false)
      : parts_(std::move(parts)), hold_(hold) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 1);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(listener_);
  }
  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  const std::string& request() {
    thread_.join();
    return request_;
  }

 private:
  void serve() {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    read_request(client);
    for (const std::string& part : parts_) ::send(client, part.data(), part.size(), MSG_NOSIGNAL);
    char byte = 0;
    while (hold_ && ::recv(client, &byte, 1, 0) > 0) {
    }
    ::close(client);
  }

  void read_request(int client) {
    char byte = 0;
    while (!whole() && ::recv(client, &byte, 1, 0) == 1) request_ += byte;
  }

  bool whole() const {
    const std::size_t head = request_.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const std::size_t length = request_.find("Content-Length: ");
    const std::size_t body = length == std::string::npos ? 0 : std::stoul(request_.substr(length + 16));
    return request_.size() == head + 4 + body;
  }

  std::vector<std::string> parts_;
  bool hold_;
  int listener_ = -1;
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

std::vector<std::string> bytewise(const std::string& text) {
  std::vector<std::string> out;
  for (const char c : text) out.emplace_back(1, c);
  return out;
}

bool says(const Error& error, const std::string& part) {
  return error.text().find(part) != std::string::npos;
}

const std::string kEventHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
const std::string kChunkedEvents = kEventHead +
                                   "Transfer-Encoding: chunked\r\n\r\n"
                                   "7\r\ndata: a\r\n2\r\n\n\n\r\nB\r\n: comment\r\n\r\nF\r\ndata: "
                                   "b\r\ndata: \r\n5\r\nc\r\n\r\n\r\n0\r\n\r\n";

}  // namespace

class HttpClientTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whole_response();
  void request_is_sent_as_asked();
  void response_until_the_connection_ends();
  void events_in_odd_fragments_data();
  void events_in_odd_fragments();
  void sink_hangs_up();
  void stream_with_another_status_gives_the_body();
  void silence_is_a_timeout_data();
  void silence_is_a_timeout();
  void silence_can_be_cancelled();
  void large_bodies_are_handed_on();
  void refused_port_is_named();
  void cut_answer_is_an_error();
  void nonsense_is_an_error();
  void plain_server_under_https_is_an_error();
  void bad_requests_are_refused_data();
  void bad_requests_are_refused();
  void urls_are_read();
  void locations_are_joined();
};

void HttpClientTest::whole_response() {
  ScriptedServer server({"HTTP/1.1 404 Not Found\r\nX-Thing: yes\r\nContent-Length: 5\r\n\r\nhello"});
  const auto response = http_send({.url = server.url()});
  PW_VERIFY(response);
  QCOMPARE(response->status, 404);
  QCOMPARE(response->body, "hello");
  const std::pair<std::string, std::string> header{"X-Thing", "yes"};
  QVERIFY(std::find(response->headers.begin(), response->headers.end(), header) != response->headers.end());
}

void HttpClientTest::request_is_sent_as_asked() {
  ScriptedServer server({"HTTP/1.1 204 No Content\r\n\r\n"});
  const auto response = http_send({.method = "POST",
                                   .url = server.url("/v1/x?y=1#fragment"),
                                   .headers = {{"Authorization", "Bearer k"}},
                                   .body = "{}"});
  PW_VERIFY(response);
  QCOMPARE(response->status, 204);
  const std::string& sent = server.request();
  QVERIFY(sent.starts_with("POST /v1/x?y=1 HTTP/1.1\r\n"));
  QVERIFY(sent.find("\r\nHost: " + server.url("").substr(7) + "\r\n") != std::string::npos);
  QVERIFY(sent.find("\r\nContent-Type: application/json\r\n") != std::string::npos);
  QVERIFY(sent.find("\r\nAuthorization: Bearer k\r\n") != std::string::npos);
  QVERIFY(sent.ends_with("\r\n\r\n{}"));
}

void HttpClientTest::response_until_the_connection_ends() {
  ScriptedServer server({"HTTP/1.1 200 OK\r\n\r\nhel", "lo"});
  const auto response = http_send({.url = server.url()});
  PW_VERIFY(response);
  QCOMPARE(response->body, "hello");
}

void HttpClientTest::events_in_odd_fragments_data() {
  QTest::addColumn<std::vector<std::string>>("parts");
  QTest::newRow("one piece") << std::vector<std::string>{kChunkedEvents};
  QTest::newRow("byte by byte") << bytewise(kChunkedEvents);
  QTest::newRow("until the end") << bytewise(kEventHead +
                                             "\r\ndata: a\n\n: comment\n\ndata: b\r\ndata: c\r\n\r\n");
}

void HttpClientTest::events_in_odd_fragments() {
  QFETCH(std::vector<std::string>, parts);
  ScriptedServer server(parts);
  std::vector<std::string> events;
  const auto response = http_stream({.url = server.url()}, [&](std::string_view data) {
    events.emplace_back(data);
    return true;
  });
  PW_VERIFY(response);
  QCOMPARE(response->status, 200);
  QCOMPARE(events, (std::vector<std::string>{"a", "b\nc"}));
}

void HttpClientTest::sink_hangs_up() {
  ScriptedServer server({kEventHead + "\r\ndata: a\n\ndata: b\n\n"}, /*hold=*/true);
  int heard = 0;
  const auto response = http_stream({.url = server.url()}, [&](std::string_view) { return ++heard > 1; });
  PW_VERIFY(response);
  QCOMPARE(heard, 1);
}

void HttpClientTest::stream_with_another_status_gives_the_body() {
  ScriptedServer server(
      {"HTTP/1.1 400 Bad Request\r\nContent-Length: 16\r\n\r\n", "{\"error\": ", "\"no\"}\n"});
  int heard = 0;
  const auto response = http_stream({.url = server.url()}, [&](std::string_view) { return ++heard > 0; });
  PW_VERIFY(response);
  QCOMPARE(response->status, 400);
  QCOMPARE(response->body, "{\"error\": \"no\"}\n");
  QCOMPARE(heard, 0);
}

void HttpClientTest::silence_is_a_timeout_data() {
  QTest::addColumn<std::vector<std::string>>("parts");
  QTest::newRow("no answer") << std::vector<std::string>{};
  QTest::newRow("half a header") << std::vector<std::string>{"HTTP/1.1 200 OK\r\nX-"};
  QTest::newRow("half a body") << std::vector<std::string>{
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"};
}

void HttpClientTest::silence_is_a_timeout() {
  QFETCH(std::vector<std::string>, parts);
  ScriptedServer server(parts, /*hold=*/true);
  const auto response = http_send({.url = server.url(), .timeout_ms = 50});
  QVERIFY(!response.ok());
  QCOMPARE(response.error().kind, Error::Kind::io);
  QVERIFY2(says(response.error(), "50.0 ms"), response.error().text().c_str());
}

void HttpClientTest::silence_can_be_cancelled() {
  ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "abc"}, true);
  std::atomic<bool> cancel{false};
  const auto response = http_receive(
      {.url = server.url(), .timeout_ms = 3'600'000, .cancel = &cancel},
      [](const HttpResponse&) { return true; },
      [&](std::string_view) {
        cancel = true;
        return true;
      });
  QVERIFY(!response.ok());
  QCOMPARE(response.error().kind, Error::Kind::cancelled);
}

void HttpClientTest::large_bodies_are_handed_on() {
  ScriptedServer server({"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 9\r\n\r\nabcde", "fghi"});
  std::string body, header;
  const auto response = http_receive(
      {.url = server.url()},
      [&](const HttpResponse& head) {
        header = find_header(head, "x-a") ? *find_header(head, "x-a") : "";
        return find_header(head, "x-b") == nullptr;
      },
      [&](std::string_view bytes) {
        body += bytes;
        return true;
      });
  PW_VERIFY(response);
  QCOMPARE(body, "abcdefghi");
  QCOMPARE(header, "b");

  ScriptedServer unwanted({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcdefghi"});
  PW_VERIFY(http_receive(
      {.url = unwanted.url()}, [](const HttpResponse&) { return false; },
      [](std::string_view) -> Result<bool> { qFatal("not wanted"); }));
}

void HttpClientTest::refused_port_is_named() {
  std::string url;
  {
    const ScriptedServer closed({});
    url = closed.url();
  }
  const auto response = http_send({.url = url});
  QVERIFY(!response.ok());
  QCOMPARE(response.error().kind, Error::Kind::io);
  QVERIFY2(says(response.error(), url.substr(7, url.size() - 8)), response.error().text().c_str());
  QVERIFY2(says(response.error(), "refused"), response.error().text().c_str());
}

void HttpClientTest::cut_answer_is_an_error() {
  ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"});
  const auto response = http_send({.url = server.url()});
  QVERIFY(!response.ok());
  QVERIFY2(says(response.error(), "hung up"), response.error().text().c_str());
}

void HttpClientTest::nonsense_is_an_error() {
  ScriptedServer server({"SSH-2.0-OpenSSH_9.2\r\n\r\n"});
  QVERIFY(!http_send({.url = server.url()}).ok());
}

void HttpClientTest::plain_server_under_https_is_an_error() {
  ScriptedServer server({}, /*hold=*/true);
  const auto response = http_send({.url = "https" + server.url().substr(4), .timeout_ms = 200});
  QVERIFY(!response.ok());
  QCOMPARE(response.error().kind, Error::Kind::io);
}

void HttpClientTest::bad_requests_are_refused_data() {
  QTest::addColumn<std::string>("method");
  QTest::addColumn<std::string>("url");
  QTest::addColumn<std::string>("name");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* title, const char* method, const char* url, const char* name,
                      const char* value) {
    QTest::newRow(title) << std::string(method) << std::string(url) << std::string(name)
                         << std::string(value);
  };
  const char* url = "http://127.0.0.1:1/";
  row("method", "BREW", url, "A", "b");
  row("no scheme", "GET", "127.0.0.1:8080", "A", "b");
  row("other scheme", "GET", "file:///etc/passwd", "A", "b");
  row("no host", "GET", "http:///v1", "A", "b");
  row("no port", "GET", "http://a:", "A", "b");
  row("large port", "GET", "http://a:65536/", "A", "b");
  row("user name", "GET", "http://u:p@a/", "A", "b");
  row("space", "GET", "http://a/b c", "A", "b");
  row("line break", "GET", "http://a/\r\nX: y", "A", "b");
  row("open bracket", "GET", "http://[::1", "A", "b");
  row("header name", "GET", url, "A: b\r\nC", "d");
  row("header value", "GET", url, "A", "b\r\nC: d");
}

void HttpClientTest::bad_requests_are_refused() {
  QFETCH(std::string, method);
  QFETCH(std::string, url);
  QFETCH(std::string, name);
  QFETCH(std::string, value);
  const auto response = http_send({.method = method, .url = url, .headers = {{name, value}}});
  QVERIFY(!response.ok());
  QCOMPARE(response.error().kind, Error::Kind::invalid_input);
}

void HttpClientTest::locations_are_joined() {
  const auto base = parse_http_url("http://h:81/a/b?c=d");
  PW_VERIFY(base);
  QCOMPARE(join_url(*base, "x").value(), "http://h:81/a/x");
  QCOMPARE(join_url(*base, "/x?u=http://v").value(), "http://h:81/x?u=http://v");
  QCOMPARE(join_url(*base, "?x").value(), "http://h:81/a/b?x");
  QCOMPARE(join_url(*base, "//g/x").value(), "http://g/x");
  QCOMPARE(join_url(*base, "https://g/x").value(), "https://g/x");
  QVERIFY(!join_url(*base, "ftp://g/x").ok());
  QCOMPARE(base->shown(), "http://h:81/a/b");
  QCOMPARE(parse_http_url("https://h/a?key").value().shown(), "https://h/a");
  QCOMPARE(percent_decode("a%20b%2Fc%4%zz%"), "a b/c%4%zz%");
  QCOMPARE(percent_encode("a b/\xC3\xA9~"), "a%20b%2F%C3%A9~");
}

void HttpClientTest::urls_are_read() {
  const auto v6 = parse_http_url("https://[::1]:8443?x");
  PW_VERIFY(v6);
  QVERIFY(v6->tls);
  QCOMPARE(v6->host, "::1");
  QCOMPARE(v6->authority(), "[::1]:8443");
  QCOMPARE(v6->target, "/?x");
  const auto plain = parse_http_url("http://example.org");
  PW_VERIFY(plain);
  QCOMPARE(plain->port, "80");
  QCOMPARE(plain->target, "/");
  QCOMPARE(parse_http_url("https://example.org/a/b?c=d#e")->port, "443");
  QCOMPARE(parse_http_url("https://example.org/a/b?c=d#e")->target, "/a/b?c=d");
}

QTEST_APPLESS_MAIN(HttpClientTest)
#include "http_client_test.moc"
