// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies of the OpenAI routes: every field's type and bounds, and JSON from strangers.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/serve/http_reply.h"
#include "engine/serve/json_body.h"
#include "engine/serve/openai_request.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using Json = nlohmann::ordered_json;

namespace {

Result<ApiRequest> parse_chat(const std::string& fields) {
  const std::string comma = fields.empty() ? "" : ", ";
  auto body = parse_json_object(R"({"messages": [{"role": "user", "content": "hi"}])" + comma + fields + "}");
  if (!body) return body.error();
  return parse_api_request(ApiKind::chat, *body);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

class OpenaiParseTest : public QObject {
  Q_OBJECT

 private slots:
  void bad_fields_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("value");
    const auto add = [](const char* field, const char* value) {
      QTest::addRow("%s %s", field, value) << field << value;
    };
    for (const char* field : {"max_tokens", "max_completion_tokens"}) {
      for (const char* value : {"0", "-1", "1.5", "\"5\"", "true", "2147483648", "9223372036854775808",
                                "-2147483648", "1e308", "[]", "{}"}) {
        add(field, value);
      }
    }
    for (const char* value : {"-2", "1.5", "\"5\"", "true", "2147483648", "1e308"}) add("top_k", value);
    for (const char* value :
         {"9223372036854775808", "-9223372036854775809", "1.5", "\"1\"", "true", "1e308"}) {
      add("seed", value);
    }
    for (const char* value : {"\"hot\"", "-0.1", "101", "1e308", "-1e308", "true", "[]"})
      add("temperature", value);
    for (const char* value : {"1", "\"true\"", "[]"}) {
      add("add_generation_prompt", value);
      add("continue_final_message", value);
    }
    for (const char* value : {"[]", "\"x\"", "1"}) add("chat_template_kwargs", value);
    for (const char* value : {"{}", "\"x\"", "1"}) add("documents", value);
    add("chat_template", "\"{{ messages }}\"");
    for (const char* value : {"0", "1.1", "-1", "\"1\"", "1e308"}) add("top_p", value);
    for (const char* value : {"-0.1", "1.1", "\"0\"", "true"}) add("min_p", value);
    for (const char* value : {"0", "129", "1000000000", "-1", "\"1\"", "true", "1.5"}) add("n", value);
    for (const char* value : {"1", "[1]", "{}", "true", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "[null]"})
      add("stop", value);
    for (const char* value :
         {"1", "\"1\"", "[-1]", "[1.5]", "[\"1\"]", "[true]", "[2147483648]", "[1e308]"}) {
      add("stop_token_ids", value);
    }
    for (const char* field : {"stream", "ignore_eos", "return_token_ids"}) {
      for (const char* value : {"1", "0", "\"true\"", "[]"}) add(field, value);
    }
    for (const char* value : {"true", "[]", "{\"include_usage\": 1}"}) add("stream_options", value);
    for (const char* value : {"1", "[]", "true"}) add("model", value);
    for (const char* value : {"1", "\"true\""}) add("logprobs", value);
    for (const char* value : {"5", "-1", "21", "1.5"}) add("top_logprobs", value);
    add("suffix", "\"x\"");
    add("tools", "[{}]");
    for (const char* value : {"[]", "{\"x\": 1}", "{\"-1\": 1}", "{\"1\": 101}", "{\"1\": \"a\"}"})
      add("logit_bias", value);
    for (const char* value : {"\"json\"", "{}", "{\"type\": \"xml\"}", "{\"type\": \"json_schema\"}",
                              "{\"type\": \"json_schema\", \"json_schema\": {\"schema\": 5}}"}) {
      add("response_format", value);
    }
    for (const char* field : {"frequency_penalty", "presence_penalty"}) {
      for (const char* value : {"2.1", "-2.1", "\"1\"", "true"}) add(field, value);
    }
    for (const char* value : {"0", "-1", "2.1", "[]"}) add("repetition_penalty", value);
    for (const char* value : {"-1", "1.5", "\"1\""}) {
      add("min_tokens", value);
      add("prompt_logprobs", value);
    }
    for (const char* value : {"{}", "[1]", "[{\"type\": \"function\"}]", "\"x\"",
                              "[{\"type\": \"function\", \"function\": {\"name\": \"a b\"}}]"}) {
      add("tools", value);
    }
    for (const char* value : {"\"required\"", "{}", "5"}) add("tool_choice", value);
    add("best_of", "2");
  }

  void bad_fields() {
    QFETCH(QString, field);
    QFETCH(QString, value);
    const auto request = parse_chat('"' + field.toStdString() + "\": " + value.toStdString());
    QVERIFY(!request);
    QCOMPARE(QString::fromStdString(request.error().param), field);
    QVERIFY2(request.error().what.find(field.toStdString()) != std::string::npos,
             request.error().what.c_str());
  }

  void missing_and_wrong_prompts() {
    const auto param = [](ApiKind kind, const char* body) {
      const auto request = parse_api_request(kind, *parse_json_object(body));
      return request ? std::string("none") : request.error().param;
    };
    QCOMPARE(param(ApiKind::chat, "{}"), "messages");
    QCOMPARE(param(ApiKind::chat, R"({"messages": {}})"), "messages");
    QCOMPARE(param(ApiKind::chat, R"({"messages": "hi"})"), "messages");
    QCOMPARE(param(ApiKind::completion, "{}"), "prompt");
    QCOMPARE(param(ApiKind::completion, R"({"prompt": 5})"), "prompt");
    QCOMPARE(param(ApiKind::completion, R"({"prompt": null})"), "prompt");
  }

  void defaults_and_nulls() {
    for (
        const char* fields :
        {"",
         R"("max_tokens": null, "temperature": null, "stop": null, "n": null, "seed": null, "stream": null,
                 "logprobs": null, "stream_options": null, "model": null, "tools": null, "user": "someone",
                 "unheard_of": {"a": 1})",
         R"("n": 1, "frequency_penalty": 0, "logit_bias": {}, "tools": [], "response_format": {"type": "text"})"}) {
      const auto request = parse_chat(fields);
      PW_VERIFY(request);
      QCOMPARE(request->sampling.max_tokens, 0);
      QCOMPARE(request->sampling.choice.temperature, 1.0f);
      QVERIFY(request->sampling.stop.empty());
      QVERIFY(!request->stream && !request->include_usage && !request->ignore_eos);
      QCOMPARE(request->model, "");
    }
  }

  void values_arrive() {
    const auto request = parse_chat(
        R"("max_tokens": 7, "max_completion_tokens": 5, "temperature": 0.5, "top_p": 0.25, "min_p": 0.125, "top_k": 40,
           "seed": -2, "stop": ["a", "", "b"], "stop_token_ids": [3, 4], "stream": true, "ignore_eos": true,
           "stream_options": {"include_usage": true, "continuous_usage_stats": true, "more": 1}, "model": "m")");
    PW_VERIFY(request);
    QCOMPARE(request->sampling.max_tokens, 5);
    QCOMPARE(request->sampling.choice.temperature, 0.5f);
    QCOMPARE(request->sampling.choice.top_p, 0.25f);
    QCOMPARE(request->sampling.choice.min_p, 0.125f);
    QCOMPARE(request->sampling.choice.top_k, 40);
    QCOMPARE(request->sampling.choice.seed, static_cast<std::uint64_t>(-2));
    QCOMPARE(request->sampling.stop, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(request->sampling.end_tokens, (std::vector<TokenId>{3, 4}));
    QVERIFY(request->stream && request->ignore_eos && request->include_usage);
    QCOMPARE(request->model, "m");
    QCOMPARE(parse_chat(R"("max_tokens": 7)")->sampling.max_tokens, 7);
    QCOMPARE(parse_chat(R"("stop": "x")")->sampling.stop, std::vector<std::string>{"x"});
    QVERIFY(parse_chat(R"("stop": "")")->sampling.stop.empty());
    QCOMPARE(parse_chat(R"("top_k": -1)")->sampling.choice.top_k, 0);
  }

  void without_a_seed_every_request_draws_its_own() {
    QVERIFY(parse_chat("")->sampling.choice.seed != parse_chat("")->sampling.choice.seed);
  }

  void unreadable_bodies_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("cut off") << QByteArray("{\"model\":");
    QTest::newRow("array") << QByteArray("[]");
    QTest::newRow("number") << QByteArray("5");
    QTest::newRow("NaN") << QByteArray("{\"temperature\": NaN}");
    QTest::newRow("Infinity") << QByteArray("{\"temperature\": Infinity}");
    QTest::newRow("number beyond double") << QByteArray("{\"temperature\": 1e999}");
    QTest::newRow("invalid UTF-8") << QByteArray("{\"prompt\": \"\xff\xfe\"}");
    QTest::newRow("surrogate as UTF-8") << QByteArray("{\"prompt\": \"\xed\xa0\x80\"}");
    QTest::newRow("lone surrogate escape") << QByteArray("{\"prompt\": \"\\ud800\"}");
    QTest::newRow("text after the end") << QByteArray("{} {}");
    QTest::newRow("arrays too deep") << QByteArray(100'000, '[');
    QTest::newRow("objects too deep") << QByteArray::fromStdString(repeated("{\"a\":", 100'000));
    QTest::newRow("one level too deep")
        << QByteArray::fromStdString("{\"a\":" + repeated("[", 64) + repeated("]", 64) + "}");
  }

  void unreadable_bodies() {
    QFETCH(QByteArray, body);
    const auto parsed = parse_json_object(body.toStdString());
    QVERIFY(!parsed);
    QVERIFY(parsed.error().what.size() < 200);
  }

  void the_deepest_body_and_brackets_in_strings_are_read() {
    PW_VERIFY(parse_json_object("{\"a\":" + repeated("[", 63) + repeated("]", 63) + "}"));
    PW_VERIFY(parse_json_object("{\"a\": \"" + repeated("[{\\\"", 1000) + "\"}"));
  }

  void an_object_with_very_many_members_is_refused_quickly() {
    std::string body = "{\"a\": 0";
    for (int i = 0; i < 300'000; ++i) body += ",\"k" + std::to_string(i) + "\": 0";
    QVERIFY(!parse_json_object(body + "}"));
  }

  void errors_never_carry_the_input_back() {
    const std::string huge(20'000'000, 'x');
    const auto wrong = parse_chat("\"stop\": {\"" + huge + "\": 1}");
    QVERIFY(!wrong);
    QVERIFY(error_reply(wrong.error()).body.size() < 4096);
    QVERIFY(!parse_json_object("{\"" + huge));
    QVERIFY(error_body(huge, 400, huge).size() < 4096);
    QVERIFY(error_body(std::string(10'000, '\x01'), 500).size() < 4096);
  }

  void an_error_has_openais_shape() {
    const Json error = Json::parse(error_body("What went wrong", 400, "temperature"))["error"];
    QCOMPARE(error["message"].get<std::string>(), "What went wrong");
    QCOMPARE(error["type"].get<std::string>(), "invalid_request_error");
    QCOMPARE(error["param"].get<std::string>(), "temperature");
    QVERIFY(error["code"].is_null());
    QCOMPARE(Json::parse(error_body("x", 503))["error"]["type"].get<std::string>(), "server_error");
  }

  void a_cut_message_stays_valid_text() {
    const std::string message = error_body(repeated("é", 1000), 400);
    QVERIFY(Json::accept(message));
    QVERIFY(message.find("\\ufffd") == std::string::npos &&
            message.find("\xef\xbf\xbd") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(OpenaiParseTest)
#include "openai_parse_test.moc"
