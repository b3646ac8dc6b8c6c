// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenAI routes as clients meet them: streams, usage, errors, connections.
#include <QTest>
#include <set>

#include "tests/support/http_fixture.h"

using namespace pitwall;
using test::Json;

namespace {

Json error_of(const test::RawReply& reply) {
  const Json json = Json::parse(reply.body, nullptr, false);
  return json.is_object() && json.contains("error")
             ? json["error"]
             : Json{{"param", "no error object"}, {"code", reply.body}};
}

std::string text_or(const Json& value, const std::string& fallback) {
  return value.is_string() ? value.get<std::string>() : fallback;
}

}  // namespace

namespace {

/// Usage without what the prefix cache had: that is more the second time.
std::string counts(const test::Completion& completion) {
  test::Json usage = completion.usage;
  usage.erase("prompt_tokens_details");
  return usage.dump();
}

}  // namespace

class HttpTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { server_ = std::make_unique<test::HttpFixture>(); }
  void cleanup() { server_.reset(); }

  void plain_routes() {
    QCOMPARE(get("/health").status, 200);
    const Json models = Json::parse(get("/v1/models").body);
    QCOMPARE(models["data"].size(), std::size_t{1});
    QCOMPARE(models["data"][0]["id"].get<std::string>(), "tiny");
    QVERIFY(models["data"][0]["created"].is_number_integer());
    QCOMPARE(models["data"][0]["max_model_len"].get<int>(), server_->engine().max_model_len());
    QVERIFY(Json::parse(get("/version").body).contains("version"));
    QCOMPARE(Json::parse(get("/pitwall/snapshot").body)["state"].get<std::string>(), "serving");
    complete("hello", {{"max_tokens", 5}});
    QVERIFY(Json::parse(get("/pitwall/steps?last=3").body).size() <= 3);
    const Json requests = Json::parse(get("/pitwall/requests?last=1").body);
    QCOMPARE(requests.size(), std::size_t{1});
    QVERIFY(requests[0]["label"].get<std::string>().starts_with("chatcmpl-"));
    for (const char* bad : {"last=0", "last=-1", "last=x", "last=1.5", "last=99999999999", "last="}) {
      QVERIFY2(get(std::string("/pitwall/steps?") + bad).status == 400, bad);
    }
  }

  void no_prompt_text_is_shown_elsewhere() {
    complete("a very private word: xylophone", {{"max_tokens", 2}});
    for (const char* path : {"/pitwall/snapshot", "/pitwall/requests", "/pitwall/steps", "/metrics"}) {
      QVERIFY2(get(path).body.find("xylophone") == std::string::npos, path);
    }
  }

  void a_stream_says_what_a_whole_reply_says() {
    for (int i = 0; i < 20; ++i) {
      Json body =
          test::chat_body("prompt number " + std::to_string(i), {{"max_tokens", 1 + 5 * i}, {"seed", i}});
      if (i % 2 == 1) body["temperature"] = 0.8;
      if (i % 3 == 0) body["stop"] = {"e", ""};
      const auto whole = test::complete(port(), test::kChat, body, false);
      const auto stream = test::complete(port(), test::kChat, body, true);
      QCOMPARE(whole.problem, "");
      QCOMPARE(stream.problem, "");
      QCOMPARE(stream.text, whole.text);
      QCOMPARE(stream.finish_reason, whole.finish_reason);
      QCOMPARE(counts(stream), counts(whole));
      QVERIFY(stream.id != whole.id);
      body.erase("messages");
      body["prompt"] = "prompt number " + std::to_string(i);
      body["return_token_ids"] = true;
      const auto whole_text = test::complete(port(), test::kCompletions, body, false);
      const auto stream_text = test::complete(port(), test::kCompletions, body, true);
      QCOMPARE(stream_text.problem + whole_text.problem, "");
      QCOMPARE(stream_text.text, whole_text.text);
      QCOMPARE(stream_text.tokens, whole_text.tokens);
      QCOMPARE(counts(stream_text), counts(whole_text));
    }
  }

  void the_bytes_of_a_stream() {
    test::RawHttp http(port());
    http.send_post(test::kChat, test::chat_body("frame this", {{"stream", true}, {"max_tokens", 3}}).dump());
    const std::string head = http.read_until("\r\n\r\n");
    QVERIFY2(head.starts_with("HTTP/1.1 200 OK\r\n"), head.c_str());
    QVERIFY(head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    QVERIFY(head.find("Connection: keep-alive\r\n") != std::string::npos);
    const std::string body = http.read_until("\r\n0\r\n\r\n");
    QCOMPARE(body.find("data: [DONE]\n\n"), body.rfind("data: [DONE]\n\n"));
    QVERIFY(body.find("\"usage\"") == std::string::npos);  // nobody asked
    QVERIFY(body.find("\"choices\":[]") == std::string::npos);
    http.send_get("/health");  // the connection lives on
    QCOMPARE(http.read_reply().status, 200);
  }

  void the_usage_chunk_comes_on_request_only() {
    const auto body = test::chat_body("usage", {{"stream", true}, {"max_tokens", 4}});
    QVERIFY(test::read_stream(test::post(port(), test::kChat, body.dump())).usage.is_null());
    const auto asked = test::complete(port(), test::kChat, body, true);
    QCOMPARE(asked.usage["completion_tokens"].get<int>(), 4);
    QCOMPARE(asked.usage["total_tokens"].get<int>(), asked.usage["prompt_tokens"].get<int>() + 4);
  }

  void max_tokens_by_both_names() {
    const auto tokens = [&](Json fields) {
      return complete("count", std::move(fields)).usage["completion_tokens"].get<int>();
    };
    QCOMPARE(tokens({{"max_tokens", 5}}), 5);
    QCOMPARE(tokens({{"max_completion_tokens", 5}}), 5);
    QCOMPARE(tokens({{"max_completion_tokens", 5}, {"max_tokens", 7}}), 5);
    const auto one = complete("count", {{"max_tokens", 1}});
    QCOMPARE(one.usage["completion_tokens"].get<int>(), 1);
    QCOMPARE(one.finish_reason, "length");
  }

  void content_as_text_parts() {
    Json body = test::chat_body("", {{"max_tokens", 8}});
    body["messages"][0]["content"] = {{{"type", "text"}, {"text", "two "}},
                                      {{"type", "text"}, {"text", "parts"}}};
    QCOMPARE(test::complete(port(), test::kChat, body, false).text,
             complete("two parts", {{"max_tokens", 8}}).text);
  }

  void prompts_as_tokens() {
    const Json fields{{"max_tokens", 8}, {"temperature", 0}};
    const auto text_of = [&](Json prompt) {
      Json body = fields;
      body["prompt"] = std::move(prompt);
      return test::complete(port(), test::kCompletions, body, false).text;
    };
    const std::string expected = text_of("ab");
    QCOMPARE(expected.size(), std::size_t{8});
    QCOMPARE(text_of({'a' + 3, 'b' + 3}), expected);
    QCOMPARE(text_of(Json::array({"ab"})), expected);
    QCOMPARE(text_of(Json::array({Json::array({'a' + 3, 'b' + 3})})), expected);
  }

  void a_seed_repeats_and_its_absence_does_not() {
    const auto text = [&](Json fields) {
      fields["temperature"] = 1.5;
      fields["max_tokens"] = 24;
      return complete("surprise me", std::move(fields)).text;
    };
    QCOMPARE(text({{"seed", -2}}), text({{"seed", -2}}));
    QVERIFY(text({{"seed", 1}}) != text({{"seed", 2}}));
    QVERIFY(text({}) != text({}));
  }

  void errors_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("param");
    QTest::addColumn<QString>("code");
    const auto chat = [](const char* name, const char* body, int status, const char* param,
                         const char* code = "") {
      QTest::newRow(name) << QString("/v1/chat/completions") << QByteArray(body) << status << param << code;
    };
    const auto text = [](const char* name, const QByteArray& body, int status, const char* param,
                         const char* code = "") {
      QTest::newRow(name) << QString("/v1/completions") << body << status << param << code;
    };
    chat("cut off", "{\"model\":", 400, "");
    chat("empty", "", 400, "");
    chat("array", "[]", 400, "");
    chat("messages as object", R"({"messages": {}})", 400, "messages");
    chat("no messages", R"({"messages": []})", 400, "messages");
    chat("message without role", R"({"messages": [{"content": "x"}]})", 400, "messages");
    chat("unknown role", R"({"messages": [{"role": "x\n", "content": "x"}]})", 400, "messages");
    chat("image", R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})", 400, "messages");
    chat("content as number", R"({"messages": [{"role": "user", "content": 5}]})", 400, "messages");
    chat("hot", R"({"messages": [{"role": "user", "content": "x"}], "temperature": "hot"})", 400,
         "temperature");
    chat("too many replies", R"({"messages": [{"role": "user", "content": "x"}], "n": 129})", 400, "n");
    chat("unknown model", R"({"model": "nope", "messages": [{"role": "user", "content": "x"}]})", 404,
         "model", "model_not_found");
    text("no prompt", "{}", 400, "prompt");
    text("empty prompt", R"({"prompt": ""})", 400, "prompt");
    text("no tokens", R"({"prompt": []})", 400, "prompt");
    text("too many prompts", R"({"prompt": ["a", "b"], "n": 100})", 400, "prompt");
    text("token outside", R"({"prompt": [5, 259]})", 400, "prompt");
    text("negative token", R"({"prompt": [-1]})", 400, "prompt");
    text("token as text", R"({"prompt": [5, "x"]})", 400, "prompt");
    text("nested lists", R"({"prompt": [[[[5]]]]})", 400, "prompt");
    text("too long", "{\"prompt\": \"" + QByteArray(2048, 'x') + "\"}", 400, "prompt",
         "context_length_exceeded");
    text("invalid UTF-8", "{\"prompt\": \"\xff\"}", 400, "");
    text("too deep", QByteArray(100'000, '['), 400, "");
  }

  void errors() {
    QFETCH(QString, target);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QString, param);
    QFETCH(QString, code);
    test::RawHttp http(port());
    http.send_post(target.toStdString(), body.toStdString());
    const auto reply = http.read_reply();
    const Json error = error_of(reply);
    QVERIFY2(reply.status == status, reply.body.c_str());
    QVERIFY2(text_or(error["param"], "") == param.toStdString(), reply.body.c_str());
    QVERIFY2(text_or(error["code"], "") == code.toStdString(), reply.body.c_str());
    QVERIFY(reply.body.size() < 4096);
    http.send_get("/health");  // an error does not cost the connection
    QCOMPARE(http.read_reply().status, 200);
  }

  void a_prompt_that_is_too_long_is_told_both_numbers() {
    const Json error =
        error_of(test::post(port(), test::kCompletions, Json{{"prompt", std::string(2050, 'x')}}.dump()));
    const auto message = error["message"].get<std::string>();
    QVERIFY2(message.find("2,050") != std::string::npos && message.find("2,048") != std::string::npos,
             message.c_str());
  }

  void paths_and_methods() {
    QCOMPARE(get("/v1/nope").status, 404);
    QCOMPARE(error_of(get("/v1/nope"))["type"].get<std::string>(), "invalid_request_error");
    const auto wrong = get(test::kChat);
    QCOMPARE(wrong.status, 405);
    QCOMPARE(wrong.headers.at("allow"), "POST");
    QCOMPARE(test::post(port(), "/health", "{}").status, 405);
  }

  void many_requests_on_one_connection() {
    test::RawHttp http(port());
    for (int i = 0; i < 300; ++i) {
      http.send_get(i % 3 == 0 ? "/v1/models" : "/health");
      QCOMPARE(http.read_reply().status, 200);
    }
  }

  void pipelined_requests_are_answered_in_order() {
    test::RawHttp http(port());
    http.send_post(test::kChat, test::chat_body("first", {{"stream", true}, {"max_tokens", 20}}).dump());
    http.send_get("/v1/models");
    http.send_post(test::kCompletions, R"({"prompt": "third", "max_tokens": 2})");
    QCOMPARE(test::read_stream(http.read_reply()).problem, "");
    QVERIFY(http.read_reply().body.find("max_model_len") != std::string::npos);
    QCOMPARE(test::read_whole(http.read_reply()).usage["completion_tokens"].get<int>(), 2);
  }

  void requests_in_pieces_of_one_byte() {
    test::RawHttp http(port());
    const std::string body = R"({"prompt": "bytes", "max_tokens": 2})";
    const std::string request =
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n" +
        std::string("5\r\n") + body.substr(0, 5) + "\r\n1f;x=y\r\n" + body.substr(5) + "\r\n0\r\n\r\n";
    for (const char c : request) QVERIFY(http.send({&c, 1}));
    QCOMPARE(test::read_whole(http.read_reply()).usage["completion_tokens"].get<int>(), 2);
  }

  void the_client_may_ask_to_close() {
    test::RawHttp http(port());
    http.send_get("/health", "Connection: close\r\n");
    const auto reply = http.read_reply();
    QCOMPARE(reply.headers.at("connection"), "close");
    QVERIFY(http.ended());
  }

  void http_1_0() {
    test::RawHttp http(port());
    const std::string body = test::chat_body("old", {{"stream", true}, {"max_tokens", 3}}).dump();
    http.send("POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string head = http.read_until("\r\n\r\n");
    QVERIFY(head.find("chunked") == std::string::npos);
    const auto events = test::sse_data(http.read_all());
    QCOMPARE(events.back(), "[DONE]");
  }

  void expect_continue() {
    test::RawHttp http(port());
    const std::string body = R"({"prompt": "wait for it", "max_tokens": 1})";
    http.send(
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Expect: 100-continue\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n");
    QCOMPARE(http.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    http.send(body);
    QCOMPARE(http.read_reply().status, 200);
  }

  void thirty_two_streams_at_once_equal_each_alone() {
    std::vector<test::Completion> alone;
    std::vector<std::unique_ptr<test::RawHttp>> crowd;
    std::vector<Json> bodies;
    std::set<std::string> different, ids;
    for (int i = 0; i < 32; ++i) {
      bodies.push_back(test::chat_body("tell me about the number " + std::to_string(i * i),
                                       {{"max_tokens", 40}, {"stream", true}}));
      alone.push_back(test::read_stream(test::post(port(), test::kChat, bodies.back().dump())));
      QCOMPARE(alone.back().problem, "");
      different.insert(alone.back().text);
    }
    QVERIFY(different.size() > 16);  // otherwise crossed streams could hide
    for (int i = 0; i < 32; ++i) {
      crowd.push_back(std::make_unique<test::RawHttp>(port()));
      crowd.back()->send_post(test::kChat, bodies[static_cast<std::size_t>(i)].dump());
    }
    for (std::size_t i = 0; i < 32; ++i) {
      const auto stream = test::read_stream(crowd[i]->read_reply());
      QCOMPARE(stream.problem, "");
      QCOMPARE(stream.text, alone[i].text);
      ids.insert(stream.id);
    }
    QCOMPARE(ids.size(), std::size_t{32});
  }

  void half_of_a_crowd_is_cancelled_and_the_rest_is_the_same() {
    std::vector<std::unique_ptr<test::RawHttp>> crowd;
    std::vector<Json> bodies;
    for (int i = 0; i < 32; ++i) {
      const int tokens = i % 2 == 0 ? 60 : 1500;
      bodies.push_back(
          test::chat_body("crowd " + std::to_string(i), {{"max_tokens", tokens}, {"stream", true}}));
      crowd.push_back(std::make_unique<test::RawHttp>(port()));
      crowd.back()->send_post(test::kChat, bodies.back().dump());
    }
    for (std::size_t i = 1; i < 32; i += 2) {
      crowd[i]->read_until("data: ");
      crowd[i]->close();
    }
    for (std::size_t i = 0; i < 32; i += 2) {
      const auto stream = test::read_stream(crowd[i]->read_reply());
      QCOMPARE(stream.problem, "");
      QCOMPARE(stream.text, test::read_stream(test::post(port(), test::kChat, bodies[i].dump())).text);
    }
    QTRY_VERIFY(server_->at_rest());
    QCOMPARE(server_->engine().recorder().totals().requests_cancelled, 16);
  }

  void routes_answer_while_many_streams_are_open() {
    std::vector<std::unique_ptr<test::RawHttp>> streams;
    for (int i = 0; i < 64; ++i) {
      streams.push_back(std::make_unique<test::RawHttp>(port()));
      streams.back()->send_post(test::kChat,
                                test::chat_body("open " + std::to_string(i), {{"stream", true}}).dump());
      QVERIFY(streams.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    }
    for (const char* path : {"/health", "/v1/models", "/metrics", "/pitwall/snapshot"})
      QCOMPARE(get(path).status, 200);
    streams.clear();
    QTRY_VERIFY(server_->at_rest());
  }

 private:
  int port() const { return server_->port(); }
  test::RawReply get(const std::string& target) const { return test::get(port(), target); }
  test::Completion complete(const std::string& user, Json fields) const {
    return test::complete(port(), test::kChat, test::chat_body(user, std::move(fields)), false);
  }
  std::unique_ptr<test::HttpFixture> server_;
};

QTEST_GUILESS_MAIN(HttpTest)
#include "http_test.moc"
