// SPDX-License-Identifier: GPL-3.0-or-later
// From the messages of a chat request to the prompt that the engine reads.
#include "engine/serve/chat_prompt.h"

#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/serve/engine.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;
using Json = nlohmann::ordered_json;

namespace {

std::unique_ptr<Engine> engine_of(const test::TemporaryFolder& folder, const test::TinyModel& model) {
  return test::start_engine(test::write_tiny_model(folder.path(), model), {{"dtype", "float32"}});
}

/// The prompt as text, or "param: what" of the error.
std::string prompt_of(const Engine& engine, const Json& request) {
  const auto prompt = chat_prompt(engine, request);
  if (!prompt) return prompt.error().param + ": " + prompt.error().what;
  std::string text;
  for (const TokenId token : prompt->tokens) text += engine.tokenizer()->bytes_of(token);
  return text;
}

Json said(const char* role, Json content) {
  return {{"role", role}, {"content", std::move(content)}};
}

Json asked(std::vector<Json> messages, Json fields = Json::object()) {
  fields["messages"] = std::move(messages);
  return fields;
}

}  // namespace

class ChatPromptTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { chat_ml_ = engine_of(folder_, {}); }

  void the_last_message_is_continued() {
    const Json on = {{"continue_final_message", true}};
    const Json repeated = asked({said("user", "Say Yes"), said("assistant", "Yes")}, on);
    QCOMPARE(prompt_of(*chat_ml_, repeated),
             std::string("<|im_start|>user\nSay Yes<|im_end|>\n<|im_start|>assistant\nYes"));
    const Json sure = {{"type", "text"}, {"text", "Sure"}};
    const Json colon = {{"type", "text"}, {"text", ": "}};
    const Json parts = asked({said("assistant", Json::array({sure, colon}))}, on);
    QCOMPARE(prompt_of(*chat_ml_, parts), std::string("<|im_start|>assistant\nSure: "));
    const std::string refused = prompt_of(*chat_ml_, asked({said("user", "x")}, on));
    QVERIFY2(refused.starts_with("continue_final_message: "), refused.c_str());
  }

  void a_template_that_drops_the_last_message_cannot_continue_it() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(folder, {.own_template = "{{ messages[0].content }}"});
    const Json on = {{"continue_final_message", true}};
    const std::string refused = prompt_of(*engine, asked({said("user", "a"), said("assistant", "b")}, on));
    QVERIFY2(refused.starts_with("continue_final_message: "), refused.c_str());
  }

  void the_generation_prompt_can_be_left_out() {
    const Json off = {{"add_generation_prompt", false}};
    QCOMPARE(prompt_of(*chat_ml_, asked({said("user", "x")}, off)),
             std::string("<|im_start|>user\nx<|im_end|>\n"));
    QCOMPARE(prompt_of(*chat_ml_, asked({said("user", "x")})),
             std::string("<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n"));
  }

  void a_template_without_a_generation_prompt_is_named_at_load() {
    const test::TemporaryFolder folder;
    const auto engine =
        engine_of(folder, {.own_template = "{% for m in messages %}{{ m.content }}{% endfor %}"});
    const auto names_it = [](const Engine& each) {
      return std::any_of(each.warnings().begin(), each.warnings().end(), [](const std::string& warning) {
        return warning.find("no generation prompt") != std::string::npos;
      });
    };
    QVERIFY(names_it(*engine));
    QVERIFY(!names_it(*chat_ml_));
  }

  void null_content_prints_as_nothing() {
    const Json off = {{"add_generation_prompt", false}};
    QCOMPARE(prompt_of(*chat_ml_, asked({said("assistant", nullptr)}, off)),
             std::string("<|im_start|>assistant\n<|im_end|>\n"));
  }

  void arguments_of_calls_are_objects_and_other_text_stays() {
    const test::TemporaryFolder folder;
    const auto engine =
        engine_of(folder, {.own_template =
                               "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments is "
                               "mapping }} {{ c.function.arguments|tojson }};{% endfor %}{% endfor %}"});
    const auto call = [](const char* arguments) {
      return Json{{"function", {{"name", "f"}, {"arguments", arguments}}}};
    };
    Json message = said("assistant", nullptr);
    message["tool_calls"] = Json::array({call("{\"b\": 1, \"a\": \"x\"}"), call("no json")});
    const std::string expected = "True {\"b\": 1, \"a\": \"x\"};False \"no json\";";
    QCOMPARE(prompt_of(*engine, asked({message})), expected);
  }

  void a_template_that_reads_parts_gets_parts() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(
        folder,
        {.own_template =
             "{% for m in messages %}{% for p in m.content %}[{{ p.text }}]{% endfor %}{% endfor %}"});
    QCOMPARE(prompt_of(*engine, asked({said("user", "ab")})), std::string("[ab]"));
  }

  void tools_take_the_template_made_for_them() {
    const test::TemporaryFolder folder;
    const auto engine =
        engine_of(folder, {.tool_template = "T{{ tools|length }}", .own_template = "D{{ tools is none }}"});
    QCOMPARE(prompt_of(*engine, asked({said("user", "x")})), std::string("DTrue"));
    const Json tools = {{"tools", Json::array({Json::object(), Json::object()})}};
    QCOMPARE(prompt_of(*engine, asked({said("user", "x")}, tools)), std::string("T2"));
  }

  void documents_and_further_variables_reach_the_template() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(folder, {.own_template = "{{ documents[0].text }} {{ enable_thinking }}"});
    Json fields = {{"chat_template_kwargs", {{"enable_thinking", false}}}};
    fields["documents"] = Json::array({Json{{"text", "d"}}});
    QCOMPARE(prompt_of(*engine, asked({said("user", "x")}, fields)), std::string("d False"));
  }

  void a_template_that_fails_leaves_the_engine_as_it_was() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(
        folder, {.own_template = "{% if messages|length > 1 %}{{ raise_exception('One message, please') }}"
                                 "{% endif %}{{ messages[0].content }}"});
    QCOMPARE(prompt_of(*engine, asked({said("user", "a"), said("user", "b")})),
             std::string("messages: One message, please"));
    QCOMPARE(prompt_of(*engine, asked({said("user", "a")})), std::string("a"));
  }

  void an_unknown_tag_is_named_with_its_line() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(folder, {.own_template = "a\n{% unknown %}"});
    const std::string refused = prompt_of(*engine, asked({said("user", "x")}));
    QVERIFY2(refused.find("line 2: Encountered unknown tag 'unknown'") != std::string::npos, refused.c_str());
  }

  void a_model_without_a_template_is_not_chatted_with() {
    const test::TemporaryFolder folder;
    const auto engine = engine_of(folder, {.chat_template = false});
    QCOMPARE(prompt_of(*engine, asked({said("user", "x")})),
             std::string("messages: The model has no chat template"));
  }

 private:
  test::TemporaryFolder folder_;
  std::unique_ptr<Engine> chat_ml_;
};

QTEST_GUILESS_MAIN(ChatPromptTest)
#include "chat_prompt_test.moc"
