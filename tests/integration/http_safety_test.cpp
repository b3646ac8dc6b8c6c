// SPDX-License-Identifier: GPL-3.0-or-later
// Who may ask and how much: keys, origins, TLS, the queue's limit, limits of requests; and the routes around
// completions.
#include <openssl/ssl.h>
#include <QTest>

#include "tests/support/http_fixture.h"
#include "tests/support/tls_client.h"

using namespace pitwall;
using test::Json;

namespace {

constexpr int kSoon = 20'000;  // ms
const std::string kPage = "https://page.example";

struct Server : test::HttpFixture {
  explicit Server(HttpOptions options = {}, test::SettingList settings = {})
      : HttpFixture(with_pool(std::move(settings)), std::move(options), {.context_length = 1 << 17}) {}
  static test::SettingList with_pool(test::SettingList settings) {
    settings.insert(settings.begin(), {"kv-cache-memory-bytes", "128MiB"});
    return settings;
  }
};

HttpOptions with_keys() {
  HttpOptions options;
  options.keys = *ApiKeys::read("one-key,two-key", "");
  options.allowed_origins = {kPage};
  return options;
}

test::RawReply ask(int port, const std::string& method, const std::string& target, const std::string& headers,
                   const std::string& body = {}) {
  test::RawHttp http(port);
  if (method == "POST") {
    http.send_post(target, body, headers);
  } else {
    http.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  }
  return http.read_reply();
}

std::string text_of(const Json& json) {
  return json.dump();
}

std::string code_of(const test::RawReply& reply) {
  const Json json = Json::parse(reply.body, nullptr, false);
  return json.contains("error") && json["error"]["code"].is_string() ? json["error"]["code"] : Json("");
}

std::string endless(const std::string& user) {
  return test::chat_body(user, {{"stream", true}}).dump();
}

}  // namespace

class HttpSafetyTest : public QObject {
  Q_OBJECT

 private slots:
  void without_a_key_only_health_answers() {
    Server server(with_keys());
    for (const char* path : {"/health", "/ping", "/health/ready"})
      QCOMPARE(test::get(server.port(), path).status, 200);
    for (const char* path : {"/v1/models", "/metrics", "/version", "/load", "/pitwall/snapshot",
                             "/pitwall/settings", "/pitwall/steps", "/pitwall/requests", "/nothing",
                             "/v1/models?api_key=one-key", "/v1/models?key=one-key"}) {
      const auto reply = test::get(server.port(), path);
      QVERIFY2(reply.status == 401 && code_of(reply) == "invalid_api_key", path);
      QCOMPARE(reply.headers.at("www-authenticate").substr(0, 6), "Bearer");
    }
    for (const char* path : {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize",
                             "/pitwall/abort", "/pitwall/settings", "/reset_prefix_cache"}) {
      QVERIFY2(test::post(server.port(), path, "{}").status == 401, path);
    }
  }

  void keys_open_and_name_who_asks() {
    Server server(with_keys());
    const auto status = [&](const std::string& authorization) {
      return ask(server.port(), "GET", "/v1/models", "Authorization: " + authorization + "\r\n").status;
    };
    for (const char* good : {"Bearer one-key", "bearer two-key", "BEARER one-key"})
      QVERIFY2(status(good) == 200, good);
    for (const char* bad :
         {"Bearer", "Bearer one-ke", "Bearer one-keyy", "Basic one-key", "one-key", "Bearer ONE-KEY"})
      QVERIFY2(status(bad) == 401, bad);
    const auto body = test::chat_body("who", {{"max_tokens", 2}, {"user", "somebody"}}).dump();
    QCOMPARE(ask(server.port(), "POST", test::kChat, "Authorization: Bearer two-key\r\n", body).status, 200);
    QTRY_VERIFY(server.at_rest());
    QCOMPARE(server.engine().recorder().last_requests(1).front().tenant, "key-2");
    const auto metrics = ask(server.port(), "GET", "/metrics", "Authorization: Bearer one-key\r\n").body;
    QVERIFY(metrics.find(
                "pitwall:completions_accepted_total{model_name=\"tiny\",engine=\"0\",key=\"key-2\"} 1\n") !=
            std::string::npos);
    QVERIFY(metrics.find("status=\"401\",code=\"invalid_api_key\"} 6\n") != std::string::npos);
    QVERIFY(metrics.find("two-key") == std::string::npos);
  }

  void without_keys_the_user_field_names_who_asks() {
    Server server;
    test::post(server.port(), test::kChat,
               test::chat_body("who", {{"max_tokens", 2}, {"user", "somebody"}}).dump());
    QTRY_VERIFY(server.at_rest());
    QCOMPARE(server.engine().recorder().last_requests(1).front().tenant, "somebody");
  }

  void pages_hear_of_refusals_and_streams_too() {
    Server server(with_keys());
    const std::string origin = "Origin: " + kPage + "\r\n", key = "Authorization: Bearer one-key\r\n";
    const auto allowed = [](test::RawReply reply) { return reply.headers["access-control-allow-origin"]; };
    const auto preflight = ask(server.port(), "OPTIONS", test::kChat,
                               origin + "Access-Control-Request-Headers: authorization, content-type\r\n");
    QCOMPARE(preflight.status, 204);
    QCOMPARE(allowed(preflight), kPage);
    QVERIFY(preflight.headers.at("access-control-allow-headers").find("authorization") != std::string::npos);
    QVERIFY(preflight.headers.at("access-control-allow-methods").find("POST") != std::string::npos);
    const auto refused = ask(server.port(), "POST", test::kChat, origin, "{}");
    QCOMPARE(refused.status, 401);
    QCOMPARE(allowed(refused), kPage);
    const auto wrong = ask(server.port(), "POST", test::kChat, origin + key, "{}");
    QCOMPARE(wrong.status, 400);
    QCOMPARE(allowed(wrong), kPage);
    const auto stream = ask(server.port(), "POST", test::kChat, origin + key,
                            test::chat_body("page", {{"stream", true}, {"max_tokens", 2}}).dump());
    QCOMPARE(test::read_stream(stream).problem, "");
    QCOMPARE(allowed(stream), kPage);
    QCOMPARE(allowed(ask(server.port(), "GET", "/v1/models", "Origin: https://other.example\r\n" + key)), "");
    // What a connection's earlier request said counts for that request alone.
    test::RawHttp http(server.port());
    http.send_get("/health", origin);
    QCOMPARE(allowed(http.read_reply()), kPage);
    http.send("nonsense\r\n\r\n");
    QCOMPARE(allowed(http.read_reply()), "");
  }

  void a_full_queue_is_refused_with_a_time() {
    HttpOptions options;
    options.max_waiting = 2;
    Server server(options, {{"max-num-seqs", "1"}});
    test::RawHttp running(server.port());
    running.send_post(test::kChat, endless("running"));
    running.read_until("data: ");
    std::vector<std::unique_ptr<test::RawHttp>> waiting;
    for (int i = 0; i < 2; ++i) {
      waiting.push_back(std::make_unique<test::RawHttp>(server.port()));
      waiting.back()->send_post(test::kChat, endless("waiting"));
      QVERIFY(waiting.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));  // accepted
    }
    const auto refused = test::post(server.port(), test::kChat, endless("too much"));
    QCOMPARE(refused.status, 429);
    QCOMPARE(code_of(refused), "queue_full");
    const int seconds = std::stoi(refused.headers.at("retry-after"));
    QVERIFY(seconds >= 1 && seconds <= 60);
    QCOMPARE(test::get(server.port(), "/health").status, 200);
    running.close();
    waiting.clear();
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QCOMPARE(test::complete(server.port(), test::kChat, test::chat_body("next", {{"max_tokens", 2}}), false)
                 .problem,
             "");
  }

  void requests_have_limits_of_their_own() {
    HttpOptions options;
    options.max_messages = 3;
    options.max_json_depth = 8;
    options.max_header = 2048;
    Server server(options);
    Json body = test::chat_body("a", {{"max_tokens", 1}});
    for (int i = 0; i < 2; ++i) body["messages"].push_back({{"role", "user"}, {"content", "b"}});
    QCOMPARE(test::post(server.port(), test::kChat, body.dump()).status, 200);
    body["messages"].push_back({{"role", "user"}, {"content", "c"}});
    const auto many = test::post(server.port(), test::kChat, body.dump());
    QCOMPARE(many.status, 400);
    QCOMPARE(Json::parse(many.body)["error"]["param"].get<std::string>(), "messages");
    const std::string deep =
        R"({"prompt":"x","max_tokens":1,"x":)" + std::string(8, '[') + std::string(8, ']') + "}";
    QCOMPARE(test::post(server.port(), test::kCompletions, deep).status, 400);
    QCOMPARE(ask(server.port(), "GET", "/health", "X: " + std::string(3000, 'x') + "\r\n").status, 431);
  }

  void a_request_that_does_not_come_is_not_waited_for() {
    HttpOptions options;
    options.request_time = std::chrono::milliseconds(50);
    Server server(options);
    test::RawHttp slow(server.port());
    slow.send("POST /v1/completions HTTP/1.1\r\nHost: loc");
    QCOMPARE(slow.read_reply().status, 408);
    QVERIFY(slow.ended());
    options.request_time = std::chrono::milliseconds(60'000);
    options.idle_time = std::chrono::milliseconds(50);
    Server other(options);
    test::RawHttp idle(other.port());
    QVERIFY(idle.ended());
  }

  void tokens_of_texts_and_back() {
    Server server;
    const auto asked = [&](const std::string& path, const Json& body) {
      const auto reply = test::post(server.port(), path, body.dump());
      return reply.status == 200 ? Json::parse(reply.body) : Json(reply.status);
    };
    // The tiny model's token of a byte is the byte + 3.
    const Json text = asked("/tokenize", {{"prompt", "aé"}, {"return_token_strs", true}});
    QCOMPARE(text_of(text["tokens"]), text_of(Json({'a' + 3, 0xC3 + 3, 0xA9 + 3})));
    QCOMPARE(text_of(text["count"]), text_of(Json(3)));
    QCOMPARE(text_of(text["max_model_len"]), text_of(Json(server.engine().max_model_len())));
    QCOMPARE(text_of(text["token_strs"]), text_of(Json({"a", "\uFFFD", "\uFFFD"})));
    QVERIFY(asked("/tokenize", {{"prompt", "a"}})["token_strs"].is_null());
    QCOMPARE(text_of(asked("/detokenize", {{"tokens", text["tokens"]}})), text_of(Json({{"prompt", "aé"}})));
    const Json chat = asked("/tokenize", {{"messages", {{{"role", "user"}, {"content", "hi"}}}}});
    QCOMPARE(text_of(asked("/detokenize", {{"tokens", chat["tokens"]}})["prompt"]),
             text_of(Json("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")));
    for (const Json& wrong : {Json{{"prompt", 1}}, Json::object(), Json{{"messages", "x"}}})
      QCOMPARE(text_of(asked("/tokenize", wrong)), text_of(Json(400)));
    for (const Json& wrong : {Json{{"tokens", "x"}}, Json{{"tokens", {-1}}}, Json{{"tokens", {259}}},
                              Json{{"tokens", {1.5}}}, Json::object()}) {
      QCOMPARE(text_of(asked("/detokenize", wrong)), text_of(Json(400)));
    }
    QCOMPARE(text_of(asked("/tokenize", {{"model", "nope"}, {"prompt", "x"}})), text_of(Json(404)));
  }

  void requests_are_aborted_by_name_or_all() {
    Server server;
    std::vector<std::unique_ptr<test::RawHttp>> streams;
    std::vector<std::string> names;
    for (int i = 0; i < 3; ++i) {
      streams.push_back(std::make_unique<test::RawHttp>(server.port()));
      streams.back()->send_post(test::kChat, endless("abort"));
      streams.back()->read_until("\"id\":\"");
      names.push_back(streams.back()->read_until("\"").substr(0, 33));
    }
    QCOMPARE(text_of(Json::parse(test::get(server.port(), "/load").body)),
             text_of(Json({{"server_load", 3}})));
    const auto abort = [&](const Json& body) {
      return test::post(server.port(), "/pitwall/abort", body.dump());
    };
    QCOMPARE(abort({{"id", "chatcmpl-none"}}).status, 404);
    QCOMPARE(abort(Json::object()).status, 400);
    QCOMPARE(abort({{"id", names[1]}, {"all", true}}).status, 400);
    QCOMPARE(text_of(Json::parse(abort({{"id", names[1]}}).body)), text_of(Json({{"aborted", 1}})));
    QVERIFY(streams[1]->read_all().find("Aborted") != std::string::npos);
    QCOMPARE(text_of(Json::parse(abort({{"all", true}}).body)), text_of(Json({{"aborted", 2}})));
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QCOMPARE(server.engine().recorder().totals().requests_cancelled, 3);
  }

  void tls_carries_replies_and_streams() {
    const test::TemporaryFolder folder;
    test::write_certificate(folder.path());
    const auto certificate = folder.path() / "cert.pem";
    HttpOptions options;
    options.ssl_certfile = certificate;
    options.ssl_keyfile = folder.path() / "key.pem";
    Server server(options);
    QVERIFY(server.server().url().starts_with("https://127.0.0.1:"));
    const auto request = [](const std::string& body, const std::string& more = {}) {
      return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
             more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    test::TlsClient client(server.port(), certificate);
    QVERIFY(client.connected());
    QCOMPARE(client.protocol(), "TLSv1.3");
    client.send(request(test::chat_body("tls", {{"stream", true}, {"max_tokens", 3}}).dump()));
    QVERIFY(client.read_until("data: [DONE]\n\n\r\n0\r\n\r\n").starts_with("HTTP/1.1 200"));
    client.send(request(test::chat_body("again", {{"max_tokens", 3}}).dump(), "Connection: close\r\n"));
    const std::string reply = client.read_all();
    QVERIFY2(reply.starts_with("HTTP/1.1 200") && reply.ends_with("}"), reply.c_str());
    QVERIFY(client.closed_well());  // cut off, it would look the same
    QVERIFY(test::TlsClient(server.port(), certificate, TLS1_2_VERSION).connected());
    QVERIFY(!test::TlsClient(server.port(), certificate, TLS1_1_VERSION).connected());
    test::RawHttp plain(server.port());
    plain.send_get("/health");
    QVERIFY(plain.read_all().find("HTTP/1.1 200") == std::string::npos);
    test::TlsClient vanishes(server.port(), certificate);
    vanishes.send(request(endless("vanish")));
    vanishes.read_until("data: ");
    vanishes.drop();
    QTRY_VERIFY_WITH_TIMEOUT(server.at_rest(), kSoon);
    QCOMPARE(server.engine().recorder().totals().requests_cancelled, 1);
    test::TlsClient open(server.port(), certificate);
    open.send(request(endless("stop")));
    open.read_until("data: ");
    server.stop_server();
    QVERIFY(open.read_all().find("The server is stopping") != std::string::npos);
  }

  void certificates_that_cannot_be_are_refused() {
    const test::TemporaryFolder folder;
    test::write_certificate(folder.path());
    Server server;
    const auto param = [&](const std::string& certificate, const std::string& key) {
      HttpOptions options;
      options.port = 0;
      options.ssl_certfile = certificate;
      options.ssl_keyfile = key;
      const auto started = HttpServer::start(server.engine(), options);
      const auto taken = HttpPort::take(options);
      if (started.ok() != taken.ok()) return std::string("a server and its port disagree");
      return started ? std::string() : started.error().param;
    };
    const std::string certificate = folder.path() / "cert.pem", key = folder.path() / "key.pem";
    QCOMPARE(param(certificate, key), "");
    QCOMPARE(param(certificate, ""), "ssl-keyfile");  // there is none in it
    QCOMPARE(param("", key), "ssl-certfile");
    QCOMPARE(param(key, key), "ssl-certfile");
    QCOMPARE(param("/nowhere.pem", key), "ssl-certfile");
    QCOMPARE(param(certificate, certificate), "ssl-keyfile");
  }
};

QTEST_GUILESS_MAIN(HttpSafetyTest)
#include "http_safety_test.moc"
